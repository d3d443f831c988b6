"""Who may talk to the server, and what its pages may do."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from kcmab_abm.lab.limits import LARGEST_FILE

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = LARGEST_FILE + 4096  # bytes of a request: a scenario file and its wrapping

_OWN_NAMES = {"localhost", "127.0.0.1", "::1"}

# Vue compiles its templates in the browser and so needs eval; nothing may come from elsewhere.
_POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on that host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """Stands before the server and looks at every request, those for websockets included.

    On this machine alone (`hosts` given) the address in the browser must be one of its names, or a
    page from elsewhere could give itself one of our names and read along. With a `token`, nobody is
    let in without it; it is asked for once and then kept by the browser in a cookie.
    """

    def __init__(self, app: App, hosts: frozenset[str], token: str, cookie: str) -> None:
        self.app = app
        self.hosts = hosts
        self.token = token
        self.cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or say why not."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if complaint := self._foreign(headers):
            await _refuse(scope, send, complaint)
        elif complaint := _heavy(headers):
            await _answer(send, 413, complaint, {"connection": "close"})
        elif scope["type"] == "http" and self._is_token(dict(query).get("token", "")):
            await self._welcome(scope["path"], query, send)
        elif self.token and not self._is_token(self._kept(headers)):
            await _refuse(
                scope, send, "This lab asks for a token; open the address that it printed."
            )
        else:
            await self.app(scope, receive, _adding_headers(send))

    def _foreign(self, headers: dict[str, str]) -> str:
        """What is wrong with where a request comes from; '' if nothing."""
        host = headers.get("host", "")
        if self.hosts and _name(host) not in self.hosts:
            return f"This lab answers on this machine only, not as {_name(host)!r}."
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            return "This lab talks to its own page only."
        return ""

    def _is_token(self, word: str) -> bool:
        return bool(self.token) and secrets.compare_digest(word.encode(), self.token.encode())

    def _kept(self, headers: dict[str, str]) -> str:
        try:
            kept = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return kept.value if kept else ""

    async def _welcome(self, path: str, query: list[tuple[str, str]], send: Send) -> None:
        """Hand out the cookie, and take the token out of the address."""
        rest = urlencode([(word, value) for word, value in query if word != "token"])
        # A browser would read two slashes as the name of another host.
        place = "/" + path.lstrip("/") + (f"?{rest}" if rest else "")
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Lax"
        await _answer(send, 303, "", {"location": place, "set-cookie": cookie})


def _heavy(headers: dict[str, str]) -> str:
    """What is too much about the body of a request, before it is read; '' if nothing."""
    if "transfer-encoding" in headers:
        return "This lab takes no body of unknown length."
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > LARGEST_BODY:
        return f"This lab takes at most {LARGEST_BODY:,} bytes at a time."
    return ""


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def own_hosts(host: str) -> frozenset[str]:
    """The names of this machine, for a server that nobody else can reach; none for another."""
    return frozenset(_OWN_NAMES | {host}) if is_loopback(host) else frozenset()


async def _refuse(scope: Scope, send: Send, words: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await _answer(send, 403, words, {})


async def _answer(send: Send, status: int, words: str, headers: dict[str, str]) -> None:
    told = {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store"}
    lines = [(k.encode(), v.encode("latin-1")) for k, v in {**told, **_HEADERS, **headers}.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": words.encode()})


def _adding_headers(send: Send) -> Send:
    async def send_on(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message["headers"] = [*message.get("headers", []), *added]
        await send(message)

    return send_on
