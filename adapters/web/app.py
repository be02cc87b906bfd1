"""The page as a web application: every route, and what guards it."""

from functools import partial

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from adapters.web import entering, owner, person
from adapters.web.guard import Guard
from adapters.web.rendering import FOLDER
from adapters.web.visiting import Does, Page, Shows, doing, is_person, missing, showing
from bot.errors import HelloAgainError


async def _failed(_request: Request, _error: Exception) -> Response:
    return Response("Something went wrong on my side. Please try again.", 503, media_type="text/plain")


def build_page(page: Page) -> Guard:
    """All of it, behind its guard."""

    async def first(request: Request) -> Response:
        session = page.session(request)
        return RedirectResponse("/owner" if session is not None and not is_person(session) else "/memories", 303)

    async def not_there(request: Request, _error: Exception) -> Response:
        return await missing(page, request)

    def shown(path: str, shows: Shows, *, for_owner: bool = False) -> Route:
        return Route(path, partial(showing, page, shows, owner=for_owner))

    def done(path: str, does: Does, *, for_owner: bool = False) -> Route:
        return Route(path, partial(doing, page, does, owner=for_owner), methods=["POST"])

    routes = [
        Route("/", first),
        Route("/in/{token}", partial(entering.looking_at_a_link, page)),
        Route("/in/{token}", partial(entering.entering, page), methods=["POST"]),
        shown("/memories", person.memories),
        shown("/memories/{code}", person.memory),
        shown("/timeline", person.timeline),
        shown("/why", person.why),
        shown("/checkins", person.checkins),
        shown("/checkins/planned", person.planned),
        shown("/choices", person.choices),
        shown("/owner", owner.health, for_owner=True),
        shown("/owner/vitals", owner.vitals, for_owner=True),
        shown("/owner/checks", owner.checks, for_owner=True),
        shown("/owner/checkins", owner.queue, for_owner=True),
        shown("/owner/models", owner.models, for_owner=True),
        shown("/owner/begun", owner.begun, for_owner=True),
        shown("/owner/settings", owner.settings, for_owner=True),
        shown("/owner/prompt", owner.prompt, for_owner=True),
        done("/do", person.do),
        done("/export", person.export),
        done("/owner/work", owner.work, for_owner=True),
        done("/language", entering.speaking),
        done("/leave", entering.leaving),
        Mount("/static", StaticFiles(directory=FOLDER / "static")),
    ]
    handlers = {404: not_there, 405: not_there, HelloAgainError: _failed}
    application = Starlette(routes=routes, exception_handlers=handlers)
    return Guard(application, page.settings.web.address, page.settings.web.port)
