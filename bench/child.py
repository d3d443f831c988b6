"""Measurements that need a fresh interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


def ask(module: str, *words: object, **environment: str) -> dict[str, Any]:
    """Run `python -m module words...` and read the JSON that it prints."""
    command = [sys.executable, "-m", module, *(str(word) for word in words)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
