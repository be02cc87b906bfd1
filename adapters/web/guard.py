"""What stands before every page: which requests are looked at at all, and what every answer carries.

A page of another site reaches this one through its visitor's browser. What holds it off: the `Host` that a browser
fills in (a name that another site has pointed at this machine is refused), `Origin` and `Sec-Fetch-Site` of what
changes something, strict cookies, and a token in every form (`sessions.py`).
"""

import re
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
FORM = "application/x-www-form-urlencoded"
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
        hosts, length = headers.getlist("host"), headers.get("content-length", "")
        reads = method in SAFE
        for is_wrong, status, why in (
            (len(hosts) != 1 or hosts[0].casefold() not in self._hosts, 421, "Not a name of this page."),
            (method not in METHODS, 405, "Not here."),
            (len(path) > LONGEST_PATH or not path.isprintable() or "\\" in path, 400, "Not an address of this page."),
            (not reads and not self._is_own(headers), 403, "That form is of another site."),
            (not reads and not (re.fullmatch(r"[0-9]{1,9}", length) and int(length) <= LARGEST), 413, "Too much."),
            (not reads and headers.get("content-type", "").partition(";")[0].strip() != FORM, 415, "Not a form."),
        ):
            if is_wrong:
                return PlainTextResponse(why, status)
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
        host = headers.get("host", "").casefold()
        return len(origins) == 1 and origin.scheme in schemes and origin.netloc.casefold() == host


def _hosts(address: str, port: int) -> Collection[str]:
    """What `Host` may say: the address, and the names of this machine where the page is reached on it."""
    hosts = {urlsplit(address).netloc.casefold()}
    if is_this_machine(address):
        hosts |= {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
    return hosts
