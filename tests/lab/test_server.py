"""The command that serves the lab."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from kcmab_abm.cli import main as cli

PATIENCE = 60.0  # seconds; on an idle machine it takes two


def lab_command(*options):
    """The command line of a lab without a browser window."""
    return [sys.executable, "-m", "kcmab_abm", "lab", "--no-browser", *options]


def listen_to_signals():
    """Let Ctrl-C reach background processes, from which shells shield them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def taken_port():
    """A port that is in use."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "nowhere.invalid"], "--host: 'nowhere.invalid' has no address"),
        (["--host", "192.0.2.1"], "--host: '192.0.2.1' is not an address of this machine"),
        (["--token", "short"], "--token: must be 8 or more letters"),
        (["--token", "semi;colons"], "--token: must be 8 or more letters"),
        (["missing.toml"], "missing.toml: cannot be read: No such file or directory"),
        (["wrong.toml"], "wrong.toml: not TOML"),
        (["large.toml"], "large.toml: market.arms: the lab allows at most 20 arms"),
    ],
)
def test_bad_input_is_told_in_one_line(options, words, tmp_path, monkeypatch, capsys):
    """Invalid input ends with exit code 2 and a message that says what to change."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.toml").write_text("horizon = ")
    (tmp_path / "large.toml").write_text(
        f"horizon = 5\n[market]\narms = {{law = 'bernoulli', means = {[0.5] * 21}}}\n"
        "[[policy]]\nname = 'ucb'\n"
    )
    assert cli.run(["lab", "--no-browser", *options]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert "Traceback" not in told


@pytest.mark.parametrize("missing", ["nicegui", "tomli_w"])
def test_without_the_extra_the_command_says_what_to_install(missing):
    """If the lab's libraries are missing, a message says how to install them; exit code 2."""
    code = (
        f"import sys; sys.modules[{missing!r}] = None; "
        "from kcmab_abm.cli.main import run; sys.exit(run(['lab', '--no-browser']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        f'the lab needs {missing}, which is not installed; pip install "kcmab-abm[lab]"\n'
    )


def test_a_port_that_is_taken_is_told(taken_port, capsys):
    """A port in use ends with exit code 2."""
    assert cli.run(["lab", "--no-browser", "--port", str(taken_port)]) == 2
    assert f"--port: port {taken_port} is in use" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_others_come_in_by_token_and_ctrl_c_ends_quietly(tmp_path):
    """A lab for others prints its token, requires it, and ends with 130 on Ctrl-C."""
    environment = {key: text for key, text in os.environ.items() if "PYTEST" not in key}
    with subprocess.Popen(
        lab_command("--host", "0.0.0.0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment | {"PYTHONUNBUFFERED": "1"},
        cwd=tmp_path,
        preexec_fn=listen_to_signals,
    ) as lab:
        try:
            line = next(line for line in lab.stdout if "open at" in line)
            port, token = re.search(r":(\d+)/\?token=(\S+)", line).groups()
            address = f"http://127.0.0.1:{port}/sessions"
            assert status(address) == 403
            assert status(f"{address}?token={token}x") == 403
            assert status(f"{address}?token={token}") == 200  # by way of a cookie
            lab.send_signal(signal.SIGINT)
            assert lab.wait(PATIENCE) == cli.INTERRUPTED
            assert lab.stderr.read() == ""
        finally:
            lab.kill()
    assert list(tmp_path.iterdir()) == [], "it leaves no files behind"


def status(address):
    """The status of a response, waiting until the server has started."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    for _ in range(int(PATIENCE / 0.1)):
        try:
            with browser.open(address, timeout=PATIENCE) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(address)
