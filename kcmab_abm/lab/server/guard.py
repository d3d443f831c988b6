"""Access to the server, and the content policy of its pages."""

from __future__ import annotations

import ipaddress
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from kcmab_abm.lab.model.limits import LARGEST_FILE
from kcmab_abm.lab.server.token_page import ASKS, token_page

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = LARGEST_FILE + 4096  # bytes of a request: a scenario file and its envelope

LASTS = 7 * 24 * 60 * 60  # seconds that a browser keeps the cookie
GUESSES = 10  # wrong tokens that one address may try ...
WINDOW = 60.0  # ... within so many seconds
_REMEMBERED = 10_000  # addresses, the most recent ones

_OWN_NAMES = {"localhost", "127.0.0.1", "::1"}

# Vue compiles templates in the browser and needs eval; nothing may come from elsewhere.
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
    """Return True if only this machine can reach a server on that host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """Checks every request before the server sees it, including those for websockets.

    If only this machine is served (`hosts` given), the host in the address must be one of its
    names; this prevents DNS rebinding by other sites. With a `token`, nobody is let in without it.
    The token is needed once. After that, the browser keeps another secret in a cookie, too long to
    be guessed, so that only guesses at the token are counted, and visitors stay in while somebody
    else at the same address is guessing. `secret` is that secret; by default a random one.
    The paths in `public` are open to everybody.
    """

    def __init__(
        self,
        app: App,
        hosts: frozenset[str],
        token: str,
        cookie: str,
        secret: str = "",
        public: frozenset[str] = frozenset(),
    ) -> None:
        self.app = app
        self.public = public
        self.hosts = hosts
        self.token = token
        self.cookie = cookie
        self.secret = secret or secrets.token_urlsafe(32)
        self.guesses = Guesses()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it with a reason."""
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
        elif self.token and scope["type"] == "http" and dict(query).get("token"):
            await self._judge(scope, receive, send, query, headers)
        elif self.token and scope["path"] not in self.public and not self._is_inside(headers):
            await _ask(scope, send, query, headers)
        else:
            await self.app(scope, receive, _adding_headers(send))

    async def _judge(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        query: list[tuple[str, str]],
        headers: dict[str, str],
    ) -> None:
        """Check the token in a visitor's address."""
        address = str((scope.get("client") or ("unknown",))[0])
        inside = self._is_inside(headers)
        if not inside and self.guesses.are_too_many(address):
            words = "Too many wrong tokens from your address; try again in a minute."
            await _answer(send, 429, words, {"retry-after": f"{WINDOW:.0f}"})
        elif secrets.compare_digest(dict(query)["token"].encode(), self.token.encode()):
            await self._welcome(scope["path"], query, send)
        elif inside:
            await self.app(scope, receive, _adding_headers(send))
        else:
            self.guesses.add(address)
            await _ask(scope, send, query, headers)

    def _foreign(self, headers: dict[str, str]) -> str:
        """Describe what is wrong with the origin of a request; '' if nothing is."""
        host = headers.get("host", "")
        if self.hosts and _name(host) not in self.hosts:
            return f"This lab serves this machine only; {_name(host)!r} is not one of its names."
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            return "This lab accepts requests from its own page only."
        return ""

    def _is_inside(self, headers: dict[str, str]) -> bool:
        """Return True if the browser has the secret that is handed out for the token."""
        try:
            kept = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return kept is not None and secrets.compare_digest(
            kept.value.encode(), self.secret.encode()
        )

    async def _welcome(self, path: str, query: list[tuple[str, str]], send: Send) -> None:
        """Hand out the cookie and remove the token from the address."""
        rest = urlencode([(word, value) for word, value in query if word != "token"])
        # Browsers take what follows two slashes, or a slash and a backslash, for another host.
        place = "/" + quote(path).lstrip("/") + (f"?{rest}" if rest else "")
        cookie = f"{self.cookie}={self.secret}; Path=/; Max-Age={LASTS}; HttpOnly; SameSite=Lax"
        await _answer(send, 303, "", {"location": place, "set-cookie": cookie})


class Guesses:
    """The wrong tokens of the last minute, by the address they came from; `most` are allowed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = GUESSES) -> None:
        self._clock = clock
        self._most = most
        self._times: dict[str, list[float]] = {}  # the address that guessed last comes last

    def add(self, address: str) -> None:
        """Count a wrong token."""
        network = _network(address)
        recent = self._recent(network)
        self._times.pop(network, None)
        self._times[network] = [*recent, self._clock()]
        if len(self._times) > _REMEMBERED:
            del self._times[next(iter(self._times))]

    def are_too_many(self, address: str) -> bool:
        """Return True if tokens from this address are refused for now."""
        return len(self._recent(_network(address))) >= self._most

    def _recent(self, network: str) -> list[float]:
        now = self._clock()
        return [each for each in self._times.get(network, []) if now - each < WINDOW]


def _network(address: str) -> str:
    """The network of an address; IPv6 addresses are assigned in blocks of 2**64."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        return f"{int(found) >> 64:x}::/64"
    return str(found)


def _heavy(headers: dict[str, str]) -> str:
    """Describe why a request is refused before its body is read; '' if it is not."""
    if "transfer-encoding" in headers:
        return "This lab accepts no requests of unknown length."
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 15 or int(length) > LARGEST_BODY:
        return f"This lab accepts at most {LARGEST_BODY:,} bytes per request."
    return ""


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def own_hosts(host: str) -> frozenset[str]:
    """The names of this machine if only this machine is served; otherwise none."""
    return frozenset(_OWN_NAMES | {host}) if is_loopback(host) else frozenset()


async def _refuse(scope: Scope, send: Send, words: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await _answer(send, 403, words, {})


async def _ask(
    scope: Scope, send: Send, query: list[tuple[str, str]], headers: dict[str, str]
) -> None:
    """Refuse a request without the token; somebody who reads the answer gets a field for it."""
    if scope["type"] == "http" and "text/html" in headers.get("accept", ""):
        told = {"content-type": "text/html; charset=utf-8"}
        await _answer(send, 403, token_page(scope["path"], query), told)
    else:
        await _refuse(scope, send, ASKS)


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
