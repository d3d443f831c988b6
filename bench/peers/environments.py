"""Virtual environments for the peers, created when first needed and kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from platformdirs import user_cache_path

from bench.peers.catalogue import Peer

# Without a network, or on a Python too new for a peer, say so soon: compile nothing for an hour.
SOON = ("--retries", "1", "--timeout", "20", "--only-binary", "numpy,scipy")


class Missing(Exception):
    """A peer that cannot be installed here, with the reason."""


def default_folder() -> Path:
    """The default folder of the environments, in the user's cache."""
    return user_cache_path("kcmab-bench")


def python_of(peer: Peer, folder: Path) -> Path:
    """The interpreter of the peer's environment, which is created if it does not exist."""
    home = folder / f"{peer.name}-{sys.version_info.major}.{sys.version_info.minor}"
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = "\n".join(peer.requirements)
    # Written last, so that neither half an environment nor an old one is taken for this one.
    sign = home / "requirements.txt"
    if not sign.exists() or sign.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(home, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(home)])
        run([str(python), "-m", "pip", "install", "--quiet", *SOON, *peer.requirements])
        sign.write_text(wanted, encoding="utf-8")
    return python


def run(command: list[str]) -> None:
    """Run a command; if it fails, raise its last line of output."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = [line for line in done.stderr.splitlines() if line.strip()]
        raise Missing(words[-1].strip() if words else f"{command[0]} failed")
