"""Who is let in."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm.lab.classroom.phones import PUBLIC
from kcmab_abm.lab.server import cookie_secret
from kcmab_abm.lab.server.guard import (
    GUESSES,
    LASTS,
    WINDOW,
    Guard,
    Guesses,
    is_loopback,
    own_hosts,
)

TOKEN = "correct-horse"
COOKIE = "kcmab_lab_8080"
INSIDE = {"type": "http.response.start", "status": 200, "headers": []}


async def _app(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send(dict(INSIDE))
        await send({"type": "http.response.body", "body": b"inside"})


def new_guard(token=""):
    """A guard for a lab: open to others if it has a token, otherwise to this machine only."""
    return Guard(_app, own_hosts("0.0.0.0" if token else "127.0.0.1"), token, COOKIE)


def ask(host, token="", kind="http", query="", path="/", guard=None, client="10.0.0.1", **headers):
    """The server's first response: a status, or whether a websocket was opened; and headers."""
    sent = []

    async def send(message):
        sent.append(message)

    given = {"host": f"{host}:8080"} | headers
    scope = {
        "type": kind,
        "path": path,
        "client": (client, 50_000),
        "query_string": query.encode(),
        "headers": [(word.encode(), value.encode()) for word, value in given.items()],
    }
    asyncio.run((guard or new_guard(token))(scope, None, send))
    first = sent[0]
    told = {word.decode(): value.decode() for word, value in first.get("headers", [])}
    return first.get("status", first["type"]), told


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_this_machine_is_let_in_by_any_of_its_names(host, kind):
    """On this machine no token is needed."""
    assert ask(host, kind=kind)[0] in (200, "websocket.accept")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[", "localhost."])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_name_that_was_pointed_at_this_machine_is_refused(host, kind):
    """A foreign page whose host name resolves to our address is refused."""
    assert ask(host, kind=kind)[0] in (403, "websocket.close")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "%"])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_other_pages_are_refused(origin, kind):
    """A script of another page, even one on this machine, cannot talk to the lab."""
    assert ask("127.0.0.1", kind=kind, origin=origin)[0] in (403, "websocket.close")


def test_the_lab_s_own_page_may_talk_to_it():
    """The page's own scripts and sockets come from the address they talk to."""
    assert ask("localhost", kind="websocket", origin="http://localhost:8080")[0] == (
        "websocket.accept"
    )


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers",
    [{}, {"cookie": f"{COOKIE}=wrong"}, {"cookie": "a=;;b=\x01"}, {"cookie": f"x={TOKEN}"}],
)
def test_others_need_the_token(kind, headers):
    """Without the token, pages, files and websockets are refused."""
    assert ask("lab.example", TOKEN, kind, **headers)[0] in (403, "websocket.close")
    assert ask("lab.example", TOKEN, kind, "token=wrong", **headers)[0] in (403, "websocket.close")


def test_the_token_becomes_a_cookie_and_leaves_the_address():
    """A visitor with the token is redirected without it and gets a cookie hidden from scripts."""
    guard = new_guard(TOKEN)
    query = f"tab=batch&token={TOKEN}&setup=a%26b"
    status, told = ask("lab.example", query=query, guard=guard)
    assert status == 303
    assert told["location"] == "/?tab=batch&setup=a%26b"
    cookie, _, rest = told["set-cookie"].partition(";")
    assert rest == f" Path=/; Max-Age={LASTS}; HttpOnly; SameSite=Lax"
    for kind in ("http", "websocket"):
        asked = ask("lab.example", kind=kind, guard=guard, cookie=cookie)
        assert asked[0] in (200, "websocket.accept")


def test_who_reads_the_refusal_gets_a_field_for_the_token():
    """A browser without the token gets a form that leads back to where it was."""
    sent = []

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "path": '//x"',
        "client": ("10.0.0.1", 50_000),
        "query_string": b"tab=market&visit=%22%3E%3Cscript%3E&token=old",
        "headers": [(b"host", b"lab.example:8080"), (b"accept", b"text/html,*/*")],
    }
    asyncio.run(new_guard(TOKEN)(scope, None, send))
    assert sent[0]["status"] == 403
    page = sent[1]["body"].decode()
    assert '<form method="get" action="/x&quot;">' in page
    assert '<input type="hidden" name="tab" value="market">' in page
    assert "&quot;&gt;&lt;script&gt;" in page
    assert "<script" not in page
    assert "old" not in page


def test_a_restart_with_the_same_token_lets_visitors_stay(tmp_path, monkeypatch):
    """The cookie depends on the token and a secret of this machine, not on the process."""
    monkeypatch.setattr(cookie_secret, "user_state_path", lambda _: tmp_path / "state")
    word = cookie_secret.cookie_secret(TOKEN)
    assert cookie_secret.cookie_secret(TOKEN) == word
    assert cookie_secret.cookie_secret("another-token") != word
    guard = Guard(_app, own_hosts("0.0.0.0"), TOKEN, COOKIE, word)
    assert ask("lab.example", guard=guard, cookie=f"{COOKIE}={word}")[0] == 200
    kept = tmp_path / "state" / "lab-cookies"
    assert kept.stat().st_mode & 0o077 == 0
    kept.write_bytes(b"short")
    assert cookie_secret.cookie_secret(TOKEN) != cookie_secret.cookie_secret(TOKEN)


def test_the_token_is_no_cookie():
    """The token itself is not accepted as a cookie, because guesses there are not counted."""
    for kind in ("http", "websocket"):
        asked = ask("lab.example", TOKEN, kind, cookie=f"{COOKIE}={TOKEN}")
        assert asked[0] in (403, "websocket.close")


@pytest.mark.parametrize("length", ["9" * 5000, "0" * 5000, "-1", "1e3", ""])
def test_lengths_that_are_none_are_refused(length):
    """A length that Python would not even convert is too long, too."""
    assert ask("localhost", **{"content-length": length})[0] == 413


OUTSIDE = [
    "//evil.example/",
    "/\\evil.example/",
    "/\\/evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_nobody_is_sent_elsewhere(path):
    """The redirect stays on this server, however browsers read the path."""
    status, told = ask("lab.example", TOKEN, query=f"token={TOKEN}", path=path)
    assert status == 303
    assert told["location"].startswith("/")
    assert not told["location"].replace("\\", "/").startswith("//")


@given(st.text(max_size=30))
def test_any_path_is_answered(path):
    """Whatever the path contains, the redirect stays on this server."""
    encoded = path.encode("utf-8", "replace").decode("utf-8")
    status, told = ask("lab.example", TOKEN, query=f"token={TOKEN}", path="/" + encoded)
    assert status == 303
    assert urlsplit(told["location"]).netloc == ""
    assert told["location"].isprintable()
    assert told["location"].isascii()


def test_guesses_are_counted():
    """After too many wrong tokens an address has to wait, even with the right one."""
    guard = new_guard(TOKEN)
    cookie = ask("lab.example", query=f"token={TOKEN}", guard=guard)[1]["set-cookie"]
    for place in range(GUESSES):
        assert ask("lab.example", query=f"token=guess-{place}", guard=guard)[0] == 403
    status, told = ask("lab.example", query=f"token={TOKEN}", guard=guard)
    assert (status, told["retry-after"]) == (429, "60")
    assert ask("lab.example", query=f"token={TOKEN}", guard=guard, client="10.0.0.2")[0] == 303
    inside = {"guard": guard, "cookie": cookie.partition(";")[0]}
    assert ask("lab.example", **inside)[0] == 200
    assert ask("lab.example", query=f"token={TOKEN}", **inside)[0] == 303


def test_guesses_are_forgotten():
    """After a minute tokens are checked again; neighbouring IPv6 addresses count as one."""
    now = [0.0]
    guesses = Guesses(lambda: now[0])
    for place in range(GUESSES):
        guesses.add(f"2001:db8::{place:x}")
    assert guesses.are_too_many("2001:db8::ffff")
    assert not guesses.are_too_many("2001:db8:0:1::1")
    now[0] = WINDOW
    assert not guesses.are_too_many("2001:db8::ffff")


def test_pages_may_ask_nothing_of_others():
    """Every response, even a refusal, forbids frames and content from elsewhere."""
    for _, told in (ask("localhost"), ask("evil.example")):
        assert "default-src 'self'" in told["content-security-policy"]
        assert told["x-frame-options"] == "DENY"
        assert told["referrer-policy"] == "no-referrer"


def test_loopback_is_more_than_one_address():
    """Every address of 127.0.0.0/8 and ::1 is this machine; 0.0.0.0 and names are not."""
    assert all(map(is_loopback, ["127.0.0.1", "127.1.2.3", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "192.168.1.2", "::", "lab.example"]))


def test_the_guard_lets_phones_in_and_keeps_them_from_the_teacher():
    """The page and the socket of phones are open, all other paths need the token."""
    guard = Guard(_app, own_hosts("0.0.0.0"), TOKEN, "kcmab_class_8080", public=PUBLIC)
    found = {path: ask("10.0.0.2", path=path, guard=guard)[0] for path in ("/", "/teacher", "/x")}
    assert found == {"/": 200, "/teacher": 403, "/x": 403}
    assert ask("10.0.0.2", kind="websocket", path="/phone", guard=guard)[0] == "websocket.accept"
    socket = ask("10.0.0.2", kind="websocket", path="/_nicegui_ws", guard=guard)
    assert socket[0] == "websocket.close"
