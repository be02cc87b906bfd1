"""A person's own pages: what is known of them, their timeline, check-ins and choices. Each asks one use case."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adapters.web.chart import drawing_of
from adapters.web.rendering import Telling, rendered
from adapters.web.sessions import Session
from adapters.web.visiting import Page, back_to, is_person, missing
from bot.domain import Call
from bot.usecases.calls import decode
from bot.usecases.catalogue import Who, command_named
from bot.usecases.memory import dm_of

NOT_HERE = frozenset(
    {"web", "memory export", "memory timeline", "help", "link", "channel mode", "channel default", "channel sharing"}
)
"""Commands that have a page of their own here, or are of a chat alone."""
CHANNEL = "privacy channel"
"""The one that is about a channel: its form names one in which its person spoke."""
PAGE_DIGITS = 6
LONGEST_WORDS = 200


async def memories(page: Page, request: Request, session: Session, t: Telling) -> Response:
    """What is known: now and before, with where it comes from."""
    words = request.query_params.get("words", "")[:LONGEST_WORDS]
    shelf = await page.looking.memories(session.asker, words, _number(request))
    values = {"title": t("memories"), "shelf": shelf, "words": words}
    return rendered("memories.html", t, values, session=session, here="/memories")


async def memory(page: Page, request: Request, session: Session, t: Telling) -> Response:
    """One entry: the words behind it, what it was before, and forms to put it right or have it forgotten."""
    code = request.path_params["code"]
    shown = await page.looking.entry(session.asker, code)
    if shown is None:
        later = await page.looking.successor(session.asker, code)
        return RedirectResponse(f"/memories/{later}", 303) if later else await missing(page, request)
    values = {"title": t("memory", code=code), "shown": shown}
    return rendered("memory.html", t, values, session=session, here=f"/memories/{code}")


async def timeline(page: Page, request: Request, session: Session, t: Telling) -> Response:
    """What happened, in order, by topic, with what led to what."""
    chart = await page.looking.timeline(session.asker, _number(request))
    values = {"title": t("timeline"), "chart": chart, "drawing": drawing_of(chart)}
    return rendered("timeline.html", t, values, session=session, here="/timeline")


async def why(page: Page, _request: Request, session: Session, t: Telling) -> Response:
    """What the prompt of the companion's last reply in their private chat held of them."""
    behind = await page.core.command(Call("memory why"), replace(session.asker, place=dm_of(session.asker)))
    values = {"title": t("last_reply"), "behind": behind}
    return rendered("why.html", t, values, session=session, here="/why")


async def checkins(page: Page, request: Request, session: Session, t: Telling) -> Response:
    """When it writes first, when it did, and why not at other times."""
    shown = await page.looking.checkins(session.asker)
    now = await page.core.command(Call("checkin show"), session.asker)
    values = {
        "title": t("checkins"),
        "shown": shown,
        "care": page.settings.care,
        "now": now,
        "planned": await page.planned.of(session.asker) if "planned" in request.query_params else None,
    }
    return rendered("checkins.html", t, values, session=session, here="/checkins")


async def planned(page: Page, _request: Request, session: Session, t: Telling) -> Response:
    """The next check-in. All that its person said is read for it, so the page of check-ins asks once it is shown."""
    return rendered("planned.html", t, {"planned": await page.planned.of(session.asker)})


async def choices(page: Page, _request: Request, session: Session, t: Telling) -> Response:
    """What may be kept, and for how long."""
    decided, receipts = await page.looking.privacy(session.asker)
    values = {
        "title": t("choices"),
        "decided": decided,
        "receipts": receipts,
        "spoken_in": await page.looking.spoken_in(session.asker),
        "policy": await page.core.command(Call("privacy policy"), session.asker),
    }
    return rendered("choices.html", t, values, session=session, here="/choices")


async def do(page: Page, _request: Request, session: Session, fields: Mapping[str, str]) -> Response:
    """What a form or a button asks for: one command, as its person. The answer is on the page that it came from."""
    call = decode(fields["call"]) if "call" in fields else _typed(fields)
    if call is None or not _is_for(call, session):
        return back_to("", session)
    asker = session.asker
    if call.command == CHANNEL:
        places = {one.place.key: one.place for one in await page.looking.spoken_in(asker)}
        if fields.get("place") not in places:
            return back_to(fields.get("back", ""), session)
        asker = replace(asker, place=places[fields["place"]], may_manage=False, may_manage_server=False)
    session.answer = await page.core.command(call, asker)
    back = fields.get("back", "")
    code = back.removeprefix("/memories/")
    if code != back and await page.looking.entry(session.asker, code) is None:  # it was corrected, or is forgotten
        later = await page.looking.successor(session.asker, code)
        back = f"/memories/{later}" if later else "/memories"
    return back_to(back, session)


async def export(page: Page, _request: Request, session: Session, fields: Mapping[str, str]) -> Response:
    """All that is known, as a file."""
    answer = await page.core.command(Call("memory export"), session.asker)
    if not answer.files:
        session.answer = answer
        return back_to(fields.get("back", ""), session)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in answer.files:
            archive.writestr(file.name, file.content)
    headers = {"Content-Disposition": 'attachment; filename="hello-again.zip"'}
    return Response(packed.getvalue(), media_type="application/zip", headers=headers)


def _typed(fields: Mapping[str, str]) -> Call | None:
    """The command that a form names, with its fields as the command's parameters; None: it names none."""
    command = command_named(fields.get("command", ""))
    if command is None:
        return None
    given = [(one.name, fields[one.name]) for one in command.parameters if fields.get(one.name)]
    return Call(command.name, tuple(given))


def _is_for(call: Call, session: Session) -> bool:
    """Whether a command may be given here: by a person all but a few, by the bare owner what is the owner's alone."""
    command = command_named(call.command)
    return call.command not in NOT_HERE and (is_person(session) or (command is not None and command.who is Who.OWNER))


def _number(request: Request) -> int:
    """The number of the page that is asked for."""
    asked = request.query_params.get("page", "1")
    return int(asked) if asked.isascii() and asked.isdecimal() and len(asked) <= PAGE_DIGITS else 1
