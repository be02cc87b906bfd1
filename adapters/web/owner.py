"""The owner's pages: how the program is. No word of anybody is on them, but for the owner's own on `prompt`."""

import asyncio
from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import Response

from adapters.web.backstage import Lengthy
from adapters.web.rendering import Telling, rendered
from adapters.web.sessions import Session
from adapters.web.visiting import Page, back_to
from bot.config.explained import ExplainedSetting, tells_of
from bot.domain import Answer, Call
from bot.errors import HelloAgainError
from bot.texts.retelling import purpose, retold
from bot.usecases.markup import joined, plain

LENGTHY: Mapping[str, Lengthy] = {"get": "get", "try": "try", "backup": "backup"}


async def health(page: Page, request: Request, session: Session, t: Telling) -> Response:
    """How it is doing: `/status`, what the doctor finds, channels, backups, the log."""
    status = await page.core.command(Call("status"), session.asker)
    log, backups = await asyncio.gather(
        asyncio.to_thread(page.backstage.log), asyncio.to_thread(page.backstage.backups)
    )
    values = {
        "title": t("owner"),
        "status": status,
        "resting": page.resting,
        "about": await page.core.command(Call("about"), session.asker),
        "checks": await page.backstage.check() if "checks" in request.query_params else None,
        "tokens": await page.overseeing.tokens(session.asker),
        "servers": await page.overseeing.servers(session.asker),
        "backups": backups,
        "keep_days": page.settings.backup.keep_days,
        "log": log,
        "begun": page.backstage.begun,
    }
    return rendered("owner.html", t, values, session=session, here="/owner")


async def vitals(page: Page, _request: Request, session: Session, t: Telling) -> Response:
    """The part of the first page that changes by itself."""
    status = await page.core.command(Call("status"), session.asker)
    return rendered("vitals.html", t, {"status": status})


async def checks(page: Page, _request: Request, _session: Session, t: Telling) -> Response:
    """What the doctor finds. It takes a moment, so the first page asks for it once it is shown."""
    return rendered("checks.html", t, {"checks": await page.backstage.check()})


async def queue(page: Page, _request: Request, session: Session, t: Telling) -> Response:
    """Check-ins of everybody, as numbers."""
    shown = await page.core.command(Call("checkin queue"), session.asker)
    return rendered("queue.html", t, {"title": t("queue"), "shown": shown}, session=session, here="/owner/checkins")


async def models(page: Page, _request: Request, session: Session, t: Telling) -> Response:
    """Which models there are, which one answers, and what suits the machine."""
    values = {"title": t("models"), "shown": await page.backstage.models(), "begun": page.backstage.begun}
    return rendered("models.html", t, values, session=session, here="/owner/models")


async def begun(page: Page, _request: Request, _session: Session, t: Telling) -> Response:
    """How far it is what was begun. Once it is over, the page that asks is loaded anew."""
    seen = page.backstage.begun
    answer = rendered("begun.html", t, {"begun": seen})
    if seen is None or seen.ended:
        answer.headers["HX-Refresh"] = "true"
    return answer


async def work(page: Page, request: Request, session: Session, fields: Mapping[str, str]) -> Response:
    """What a button of the owner's asks for: something lengthy is begun or stopped, or a model chosen."""
    t, asked, name = await page.telling(request, session), fields.get("do", ""), fields.get("name", "").strip()
    if asked == "stop":
        page.backstage.stop()
    elif asked == "use" and name:
        session.answer = Answer(joined(plain(line) for line in await asyncio.to_thread(_chosen, page, name)))
    elif (what := LENGTHY.get(asked)) is None or not (name or what == "backup"):
        return back_to("", session)
    elif not page.backstage.begin(what, name):
        session.answer = Answer(plain(t("one_at_a_time")))
    return back_to(fields.get("back", ""), session)


def _chosen(page: Page, name: str) -> Sequence[str]:
    try:
        return page.backstage.choose(name)
    except HelloAgainError as error:
        return [retold(str(error))]


async def prompt(page: Page, _request: Request, session: Session, t: Telling) -> Response:
    """What the last prompt of the owner's own private chat held."""
    values = {"title": t("prompt"), "shown": await page.overseeing.prompt(session.asker)}
    return rendered("prompt.html", t, values, session=session, here="/owner/prompt")


async def settings(page: Page, request: Request, session: Session, t: Telling) -> Response:
    """Every setting, as it is now, and why it is there: those that most want, and the others by section; or some."""
    words = " ".join(request.query_params.get("words", "")[:200].split())
    explained = await asyncio.to_thread(page.backstage.explain)
    sections: dict[str, list[ExplainedSetting]] = {}
    for one in explained:
        if not one.common:
            sections.setdefault(one.path.partition(".")[0], []).append(one)
    values = {
        "title": t("settings"),
        "words": words,
        "found": [one for one in explained if tells_of(_told_of(one), words)],
        "sections": sections,
        "changed": {name for name, rows in sections.items() if any(one.set_by == "owner" for one in rows)},
    }
    return rendered("settings.html", t, values, session=session, here="/owner/settings")


def _told_of(setting: ExplainedSetting) -> str:
    """What a setting is looked for by."""
    return f"{setting.path} {setting.value} {purpose(setting.path, setting.why)}"
