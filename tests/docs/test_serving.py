"""Servers on a page: that they answer is seen, and one that does not do as it says is found out."""

from __future__ import annotations

import socket

import pytest

from tests.docs import serving
from tests.docs.blocks import PageError
from tests.docs.running import run_page
from tests.docs.test_harness import write_page

SERVE = """
```python serve.py
import signal
import sys
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

faults = sys.argv[1:]


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(403 if self.path == "/" and "forgetful" not in faults else 200)
        self.end_headers()
        self.wfile.write(b"<title>A page</title>")

    def log_message(self, *words):
        pass


if "stubborn" in faults:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
with HTTPServer(("127.0.0.1", 0), Page) as server:
    Path("port").write_text(str(server.server_port))
    if "mute" not in faults:
        port = CLOSED if "elsewhere" in faults else server.server_port
        print(f"open at http://anywhere:{port}/?token=sesame")
    if "shy" not in faults:
        webbrowser.open("it")
    if "short-lived" in faults:
        sys.exit(5)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        if "loud" in faults:
            raise
        sys.exit(7 if "sulky" in faults else 130)
```

<!-- serves: A page -->
```sh
python serve.py FAULTS
```
"""
WHILE_AND_AFTER = """
```sh visit
python -c "import socket; socket.create_connection(('127.0.0.1', $(cat port)))"
```

```sh
sh visit
```

## The next section

```sh
sh visit 2>/dev/null || echo closed
```

```output
closed
```
"""

LIES = {
    "short-lived": "it ended with exit code 5",
    "mute": "it said no address within 1 s",
    "elsewhere": "nobody answers at http://127.0.0.1:",
    "forgetful": "who does not have the token is let in as well",
    "shy": "no browser was asked to open it within 1 s",
    "--no-browser": "a browser was asked to open it",
    "stubborn": "Ctrl-C does not end it",
    "sulky": "exit code 7 after Ctrl-C",
    "loud": "a traceback",
}


NEVER = {"mute": "LONGEST", "elsewhere": "PATIENCE", "shy": "PATIENCE", "stubborn": "PATIENCE"}


@pytest.fixture
def closed():
    """A port at which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        yield str(one.getsockname()[1])


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_fails(lie, closed, tmp_path, monkeypatch):
    """One that does not say where it is, answer, ask, open a browser or end is found out."""
    if lie in NEVER:
        monkeypatch.setattr(serving, NEVER[lie], 1)  # one need not wait long for what never comes
    text = SERVE.replace("FAULTS", lie).replace("CLOSED", closed)
    with pytest.raises(PageError) as error:
        run_page(*write_page(tmp_path, text))
    assert LIES[lie] in str(error.value)
    assert "md:43: " in str(error.value)


def test_another_page_than_the_one_that_was_promised_fails(tmp_path):
    """The title is that of the mark."""
    text = SERVE.replace("serves: A page", "serves: Another")
    with pytest.raises(PageError, match="is not 'Another' but 'A page'"):
        run_page(*write_page(tmp_path, text))


def test_a_server_stays_for_a_section(tmp_path):
    """The blocks after it may use it, until the next heading."""
    text = SERVE.replace("FAULTS", "fine") + WHILE_AND_AFTER
    run_page(*write_page(tmp_path, text))
