"""What stands before every page: which requests are looked at at all, and what every answer carries.

A page of another site reaches this one through its visitor's browser. What holds it off: the `Host` that a browser
fills in (a name that another site has pointed at this machine is refused), `Origin` and `Sec-Fetch-Site` of what
changes something, strict cookies, and a token in every form (`sessions.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.domain.addresses import is_this_machine

SAFE = frozenset({"GET", "HEAD"})
METHODS = SAFE | {"POST"}
LARGEST = 64 * 2**10
"""Bytes of a form."""
LONGEST_PATH = 2000
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}
KEPT_BY_NOBODY = "no-store"


class Guard:
    """Wraps the page. `address`: where browsers find it, as a URL; `port`: where it listens."""

    def __init__(self, app: ASGIApp, address: str, port: int) -> None:
        self._app = app
        self._hosts = _hosts(address, port)
        self._secure = address.startswith("https://")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses, or passes on; every answer gets its headers."""
        if scope["type"] != "http":
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", KEPT_BY_NOBODY)
                if self._secure:
                    headers["Strict-Transport-Security"] = "max-age=31536000"
            await send(message)

        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        await (refusal or self._app)(scope, receive, answer)

    def _refusal(self, method: str, path: str, headers: Headers) -> PlainTextResponse | None:
        """Why a request is not looked at; None: it is."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].casefold() not in self._hosts:
            return PlainTextResponse("Not a name of this page.", 421)
        if method not in METHODS:
            return PlainTextResponse("Not here.", 405)
        if len(path) > LONGEST_PATH or not path.isprintable() or "\\" in path:
            return PlainTextResponse("Not an address of this page.", 400)
        if method in SAFE:
            return None
        if not self._is_own(headers):
            return PlainTextResponse("That form is of another site.", 403)
        length = headers.get("content-length", "")
        if not length.isdecimal() or len(length) > len(str(LARGEST)) or int(length) > LARGEST:
            return PlainTextResponse("That is too much.", 413)
        if headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
            return PlainTextResponse("Not a form of this page.", 415)
        return None

    def _is_own(self, headers: Headers) -> bool:
        """Whether a form was sent by this page itself. Every browser says so in one of two headers."""
        site, origins = headers.get("sec-fetch-site"), headers.getlist("origin")
        if site is not None and site != "same-origin":
            return False
        if not origins:
            return site is not None
        origin = urlsplit(origins[0])
        schemes = {"https"} if self._secure else {"http"}
        return len(origins) == 1 and origin.scheme in schemes and origin.netloc.casefold() == headers["host"].casefold()


def _hosts(address: str, port: int) -> Collection[str]:
    """What `Host` may say: the address, and the names of this machine where the page is reached on it."""
    hosts = {urlsplit(address).netloc.casefold()}
    if is_this_machine(address):
        hosts |= {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
    return hosts
