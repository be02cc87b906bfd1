"""What the pages have in common: who visits, what a form asks for, and where it leads back to."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adapters.pace import Pace
from adapters.web.backstage import Backstage
from adapters.web.rendering import Telling, rendered
from adapters.web.sessions import Session, Sessions
from bot.config import Settings
from bot.domain import Answer, Asker, Call
from bot.texts import page as texts
from bot.texts import platforms
from bot.texts.translating import speaking
from bot.usecases.links import OWNER, OneTimeLinks, is_printed
from bot.usecases.looking import Looking
from bot.usecases.overseeing import Overseeing
from bot.usecases.planned import PlannedCheckIns

COOKIE = "hello-again"
LONGEST = 2000
"""Characters of one field of a form."""
_BACK = re.compile(
    r"/(?:memories|timeline|why|checkins|choices|owner|owner/(?:checkins|models|settings|prompt)|memories/[te][1-9]\d{0,9})"
)


class Doing(Protocol):
    """The part of the core that the page uses."""

    async def command(self, call: Call, asker: Asker) -> Answer:
        """Does a command. What the person can mend comes back as an answer. Raises StorageError."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """What the routes share."""

    core: Doing
    looking: Looking
    planned: PlannedCheckIns
    overseeing: Overseeing
    links: OneTimeLinks
    settings: Settings
    backstage: Backstage
    sessions: Sessions
    pace: Pace
    """How often forms may be sent."""
    resting: str = ""
    """The model that the settings name, where the page is served alone: no model is loaded, and nobody answers."""

    @property
    def cookie(self) -> str:
        """The name of the cookie that tells whose session it is."""
        return f"__Host-{COOKIE}" if self.is_secure else COOKIE

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach it by https."""
        return self.settings.web.address.startswith("https://")

    @property
    def strict(self) -> dict[str, Any]:
        """How every cookie is set and deleted."""
        return {"httponly": True, "samesite": "strict", "secure": self.is_secure}

    def session(self, request: Request) -> Session | None:
        """The visitor's session; None: they have none."""
        return self.sessions.of(request.cookies.get(self.cookie, ""))

    async def telling(self, request: Request, session: Session | None) -> Telling:
        """In the visitor's language, by the clock that they chose for check-ins."""
        if session is None:
            return Telling(texts.language_of(request.headers.get("accept-language", "")))
        return Telling(session.language, await self.looking.zone(session.asker))


Shows = Callable[[Page, Request, Session, Telling], Awaitable[Response]]
Does = Callable[[Page, Request, Session, Mapping[str, str]], Awaitable[Response]]


def is_person(session: Session) -> bool:
    """Whether the visitor is somebody that the companion talks with, and not only whoever started it."""
    return session.asker != OWNER


async def showing(page: Page, shows: Shows, request: Request, *, owner: bool) -> Response:
    """A page about the visitor, or with `owner` about the program. Whom it is not for learns nothing of it."""
    session = page.session(request)
    if session is None:
        return await closed(page, request)
    if not (session.asker.is_owner if owner else is_person(session)):
        return await missing(page, request)
    with speaking(session.language):
        return await shows(page, request, session, await page.telling(request, session))


async def doing(page: Page, does: Does, request: Request, *, owner: bool) -> Response:
    """What a form leads to; nothing without the session's token. `owner`: it is for the owner alone."""
    session = page.session(request)
    if session is None:
        return await closed(page, request)
    fields = await form_of(request)
    if not session.may(fields.get("csrf", "")):
        return await closed(page, request)
    if owner and not session.asker.is_owner:
        return await missing(page, request)
    if not page.pace.allows(session.asker.speaker.id):
        with speaking(session.language):
            session.answer = Answer(platforms.COMMANDS_TOO_FAST)
        return back_to(fields.get("back", ""), session)
    with speaking(session.language):
        return await does(page, request, session, fields)


async def closed(
    page: Page, request: Request, title: str = "closed", status: int = 403, *, from_terminal: bool = False
) -> Response:
    """What visitors see who are not in, or not any more, and where a new link comes from.

    `from_terminal`: it was the session of whoever started the program. A link that was printed and a page for owners
    are theirs, too.
    """
    t = await page.telling(request, None)
    token, path = request.path_params.get("token", ""), request.url.path
    from_terminal = from_terminal or is_printed(token) or path == "/owner" or path.startswith("/owner/")
    text = "closed_alone" if page.resting else "closed_printed" if from_terminal else "closed_text"
    return rendered("closed.html", t, {"title": t(title), "text": t(text)}, status=status)


async def missing(page: Page, request: Request) -> Response:
    """What is not there, or not for this visitor: the same answer."""
    session = page.session(request)
    t = await page.telling(request, session)
    return rendered("missing.html", t, {"title": t("missing")}, session=session, status=404)


async def form_of(request: Request) -> Mapping[str, str]:
    """The fields of a form, texts alone, each at most `LONGEST` characters; of a repeated one, all with spaces."""
    fields: dict[str, str] = {}
    async with request.form(max_files=0, max_fields=40) as form:
        for name, value in form.multi_items():
            if isinstance(value, str):
                fields[name] = f"{fields[name]} {value}" if name in fields else value
    return {name: value[:LONGEST] for name, value in fields.items()}


def back_to(wanted: str, session: Session) -> Response:
    """Back to the page that a form was on; to the first one when it names none of ours."""
    first = "/memories" if is_person(session) else "/owner"
    return RedirectResponse(wanted if _BACK.fullmatch(wanted) else first, 303)
