"""Coming in by a one-time link, and going out again.

Looking at a link uses nothing up: chat services look at links in messages. The button on its page does.
"""

import secrets
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adapters.web.rendering import rendered
from adapters.web.sessions import LASTS, Session
from adapters.web.visiting import Page, back_to, closed, form_of, is_person
from bot.texts import page as texts
from bot.usecases.links import OWNER

DOOR = "hello-again-door"
"""The cookie that says that the button was pressed in the browser that looked at the link."""
DOOR_LASTS_S = 900


async def looking_at_a_link(page: Page, request: Request) -> Response:
    """GET: what the link is, with a button."""
    t, token = await page.telling(request, None), request.path_params["token"]
    whose = page.links.whose(token)
    if whose is None:
        return await closed(page, request)
    nonce, agent = secrets.token_urlsafe(24), page.settings.agent.name
    title, text = ("enter_printed", "printed_text") if whose == OWNER else ("enter", "enter_text")
    values = {"title": t(title), "text": t(text, agent=agent), "token": token, "nonce": nonce}
    answer = rendered("enter.html", t, values)
    answer.set_cookie(DOOR, nonce, max_age=DOOR_LASTS_S, path="/in", **page.strict)
    return answer


async def entering(page: Page, request: Request) -> Response:
    """POST: uses the link up, and begins the session of whoever it was sent to."""
    t, token, fields = await page.telling(request, None), request.path_params["token"], await form_of(request)
    door = request.cookies.get(DOOR, "")
    from_here = bool(door) and secrets.compare_digest(door.encode(), fields.get("nonce", "").encode())
    asker = page.links.take(token) if from_here else None
    if asker is None:
        return await closed(page, request)
    page.sessions.end(request.cookies.get(page.cookie, ""))
    value = page.sessions.begin(asker, t.language)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(page.cookie, value, max_age=int(LASTS.total_seconds()), path="/", **page.strict)
    answer.delete_cookie(DOOR, path="/in", **page.strict)
    return answer


async def leaving(page: Page, request: Request, session: Session, _fields: Mapping[str, str]) -> Response:
    """POST: ends the session."""
    page.sessions.end(request.cookies.get(page.cookie, ""))
    answer = await closed(page, request, "left", 200, from_terminal=not is_person(session))
    answer.delete_cookie(page.cookie, path="/", **page.strict)
    return answer


async def speaking(_page: Page, _request: Request, session: Session, fields: Mapping[str, str]) -> Response:
    """POST: another language."""
    if (wanted := fields.get("language", "")) in texts.SPOKEN:
        session.language = wanted
    return back_to(fields.get("back", ""), session)
