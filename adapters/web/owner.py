"""The owner's pages: how the program is. No word of anybody is on them; what needs one is in the person's own pages."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from adapters.web.rendering import rendered
from adapters.web.sessions import Session
from adapters.web.visiting import Page
from bot.domain import Call


async def health(page: Page, request: Request, session: Session) -> Response:
    """How it is doing: `/status`, what the doctor finds, channels, backups, the log."""
    t = await page.telling(request, session)
    status = await page.core.command(Call("status"), session.asker)
    log, backups = await asyncio.gather(
        asyncio.to_thread(page.backstage.log), asyncio.to_thread(page.backstage.backups)
    )
    values = {
        "title": t("owner"),
        "status": status,
        "about": await page.core.command(Call("about"), session.asker),
        "checks": await page.backstage.check(),
        "channels": await page.looking.channels(session.asker),
        "default_mode": page.settings.channels.mode,
        "backups": backups,
        "keep_days": page.settings.backup.keep_days,
        "log": log,
    }
    return rendered("owner.html", t, values, session=session, here="/owner")


async def vitals(page: Page, request: Request, session: Session) -> Response:
    """The part of the first page that changes by itself."""
    t = await page.telling(request, session)
    status = await page.core.command(Call("status"), session.asker)
    return rendered("vitals.html", t, {"status": status})


async def queue(page: Page, request: Request, session: Session) -> Response:
    """Check-ins of everybody, as numbers."""
    t = await page.telling(request, session)
    shown = await page.core.command(Call("checkin queue"), session.asker)
    return rendered("queue.html", t, {"title": t("queue"), "shown": shown}, session=session, here="/owner/checkins")


async def settings(page: Page, request: Request, session: Session) -> Response:
    """Every setting, as it is now, and why it is there."""
    t = await page.telling(request, session)
    explained = await asyncio.to_thread(page.backstage.explain)
    values = {"title": t("settings"), "explained": explained}
    return rendered("settings.html", t, values, session=session, here="/owner/settings")
