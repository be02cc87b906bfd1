"""A model hub on this machine: what the real hub's client asks for, answered as the hub answers.

Model info with the files' digests, `/resolve/` with a redirect to where the bytes are, ranges, and the hub's errors.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass(slots=True)
class Hub:
    """What the hub has, what it does wrong, and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    """Path in the only repository, owner/name → content."""
    gated: bool = False
    served: dict[str, bytes] = field(default_factory=dict)
    """What comes instead of a file's content, although the digest is the file's."""
    breaks_at: int | None = None
    """Bytes after which the line is cut; from then on nothing comes."""
    pause_s: float = 0.0
    """How long each tenth of a file takes."""
    ranges: list[str] = field(default_factory=list)
    """The ranges that were asked for; an empty one is the whole file."""
    url: str = ""

    async def send(self, content: bytes, answer: web.StreamResponse) -> None:
        """Writes what is asked for, at this hub's pace."""
        step = max(len(content) // 10, 1) if self.pause_s else len(content)
        for at in range(0, len(content), step):
            await asyncio.sleep(self.pause_s)
            await answer.write(content[at : at + step])

    def info(self) -> dict[str, object]:
        """What the hub says of the repository."""
        siblings = [
            {
                "rfilename": name,
                "size": len(content),
                "blobId": hashlib.sha256(content).hexdigest()[:40],
                "lfs": {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "pointerSize": 135},
            }
            for name, content in self.files.items()
        ]
        return {"id": "owner/name", "modelId": "owner/name", "sha": COMMIT, "siblings": siblings, "tags": []}


def _error(status: int, code: str, text: str) -> web.Response:
    return web.json_response({"error": text}, status=status, headers={"X-Error-Code": code, "X-Error-Message": text})


@asynccontextmanager
async def running_hub() -> AsyncIterator[Hub]:
    """A hub that answers at `url`."""
    hub = Hub()

    async def info(request: web.Request) -> web.Response:
        if request.match_info["repo"] != "owner/name":
            return _error(404, "RepoNotFound", "Repository not found")
        return web.json_response(hub.info())

    async def resolve(request: web.Request) -> web.Response:
        file = request.match_info["file"]
        if hub.gated:
            return _error(403, "GatedRepo", "Access to model owner/name is restricted")
        if file not in hub.files:
            return _error(404, "EntryNotFound", "Entry not found")
        digest = hashlib.sha256(hub.files[file]).hexdigest()
        headers = {
            "Location": f"/cdn/{file}",
            "X-Repo-Commit": COMMIT,
            "X-Linked-Etag": f'"{digest}"',
            "X-Linked-Size": str(len(hub.files[file])),
        }
        return web.Response(status=302, headers=headers)

    async def content(request: web.Request) -> web.StreamResponse:
        file = request.match_info["file"]
        whole = hub.served.get(file, hub.files[file])
        asked = request.headers.get("Range", "")
        hub.ranges.append(asked)
        start = int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0
        answer = web.StreamResponse(status=206 if asked else 200)
        answer.content_length = len(whole) - start
        if asked:
            answer.headers["Content-Range"] = f"bytes {start}-{len(whole) - 1}/{len(whole)}"
        await answer.prepare(request)
        if hub.breaks_at is not None:
            await answer.write(whole[start : hub.breaks_at])
            assert request.transport is not None
            request.transport.abort()
            return answer
        await hub.send(whole[start:], answer)
        return answer

    app = web.Application()
    app.router.add_get("/api/models/{repo:.+}", info)
    app.router.add_get("/cdn/{file:.+}", content)
    app.router.add_get("/{repo:[^/]+/[^/]+}/resolve/{revision}/{file:.+}", resolve)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    hub.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield hub
    finally:
        await runner.cleanup()
