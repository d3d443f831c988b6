"""Who is let in, and on what terms."""

from __future__ import annotations

import asyncio

import pytest

from kcmab_abm.lab.guard import Guard, is_loopback, own_hosts

TOKEN = "correct-horse"
COOKIE = "kcmab_lab_8080"
INSIDE = {"type": "http.response.start", "status": 200, "headers": []}


async def _app(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send(dict(INSIDE))
        await send({"type": "http.response.body", "body": b"inside"})


def ask(host, token="", kind="http", query="", **headers):
    """What the server answers first: a status, or whether a websocket was opened; and headers."""
    sent = []

    async def send(message):
        sent.append(message)

    given = {"host": f"{host}:8080"} | headers
    scope = {
        "type": kind,
        "path": "/",
        "query_string": query.encode(),
        "headers": [(word.encode(), value.encode()) for word, value in given.items()],
    }
    bound = "0.0.0.0" if token else "127.0.0.1"
    guard = Guard(_app, own_hosts(bound), token, COOKIE)
    asyncio.run(guard(scope, None, send))
    first = sent[0]
    told = {word.decode(): value.decode() for word, value in first.get("headers", [])}
    return first.get("status", first["type"]), told


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_this_machine_is_let_in_by_any_of_its_names(host, kind):
    """On this machine nobody is asked for anything."""
    assert ask(host, kind=kind)[0] in (200, "websocket.accept")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[", "localhost."])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_name_that_was_pointed_at_this_machine_is_refused(host, kind):
    """A page from elsewhere that gave its own name our address reads nothing."""
    assert ask(host, kind=kind)[0] in (403, "websocket.close")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "%"])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_other_pages_are_refused(origin, kind):
    """A script of another page, even of this machine, cannot talk to the lab."""
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
    """Without the token neither pages nor files nor sockets are to be had."""
    assert ask("lab.example", TOKEN, kind, **headers)[0] in (403, "websocket.close")
    assert ask("lab.example", TOKEN, kind, "token=wrong", **headers)[0] in (403, "websocket.close")


def test_the_token_becomes_a_cookie_and_leaves_the_address():
    """Who brings the token is sent on without it, with a cookie that scripts cannot read."""
    status, told = ask("lab.example", TOKEN, query=f"tab=batch&token={TOKEN}&desk=a%26b")
    assert status == 303
    assert told["location"] == "/?tab=batch&desk=a%26b"
    assert told["set-cookie"] == f"{COOKIE}={TOKEN}; Path=/; HttpOnly; SameSite=Lax"
    for kind in ("http", "websocket"):
        assert ask("lab.example", TOKEN, kind, cookie=f"{COOKIE}={TOKEN}")[0] in (
            200,
            "websocket.accept",
        )


def test_pages_may_ask_nothing_of_others():
    """Every answer, a refusal too, forbids frames and everything that comes from elsewhere."""
    for _, told in (ask("localhost"), ask("evil.example")):
        assert "default-src 'self'" in told["content-security-policy"]
        assert told["x-frame-options"] == "DENY"
        assert told["referrer-policy"] == "no-referrer"


def test_loopback_is_more_than_one_address():
    """Every address of 127.0.0.0/8 and ::1 is this machine; 0.0.0.0 and names are not."""
    assert all(map(is_loopback, ["127.0.0.1", "127.1.2.3", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "192.168.1.2", "::", "lab.example"]))
