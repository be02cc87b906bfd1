"""A server on 127.0.0.1 that answers as told, request by request, and so can do all that a model server should not."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]
MODEL = "a-model"


@dataclass
class FaultServer:
    """What was asked, and what will be answered to the next chat completions (the last answer is repeated)."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    models: Answer | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    dropped: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client closed a connection while `hang` or `silence` waited."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.keys.append(headers.get("authorization", ""))
            if head.startswith("GET"):
                await (self.models or models())(writer)
            else:
                self.bodies.append(json.loads(body))
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                await answer(writer)
                if answer in {hang, silence}:
                    await reader.read()
                    self.dropped.set()
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def fault_server(*answers: Answer) -> AsyncIterator[FaultServer]:
    faults = FaultServer(answers=list(answers))
    server = await asyncio.start_server(faults.serve, "127.0.0.1", 0)
    faults.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server:
        yield faults


def models(*names: str) -> Answer:
    """The list of models."""
    return replied(200, {"object": "list", "data": [{"id": name} for name in names or (MODEL,)]})


def replied(status: int, body: object, **headers: str) -> Answer:
    """One whole response; `body` is sent as JSON, or as it is when it is a text."""
    content = (body if isinstance(body, str) else json.dumps(body)).encode()
    kind = "text/html" if isinstance(body, str) else "application/json"
    lines = [f"HTTP/1.1 {status} X", f"content-type: {kind}", f"content-length: {len(content)}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write("\r\n".join([*lines, "", ""]).encode() + content)

    return answer


def failed(status: int, message: str = "no", **headers: str) -> Answer:
    """An error as the OpenAI API writes them."""
    return replied(status, {"error": {"message": message, "type": "an_error", "code": status}}, **headers)


def streamed(*events: object, cut: bool = False) -> Answer:
    """A stream of server-sent events; `cut`: the connection is closed in the middle of it."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        await _begin(writer)
        for event in events:
            await _send(writer, event)
        if not cut:
            writer.write(b"0\r\n\r\n")

    return answer


def said(*words: str, finish: str = "stop", usage: tuple[int, int] = (7, 2)) -> Answer:
    """A whole answer in the form of the OpenAI API."""
    counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return streamed(*map(word, words), ending(finish), {"choices": [], "usage": counts}, "[DONE]")


def word(text: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}


def reasoning(text: str, field: str = "reasoning_content") -> dict[str, Any]:
    """A piece of thinking beside the answer, as servers send it that take it out themselves."""
    return {"choices": [{"index": 0, "delta": {field: text, "content": None}, "finish_reason": None}]}


def ending(finish: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}


async def hang(writer: asyncio.StreamWriter) -> None:
    """The head and one word of a stream, and then nothing."""
    await _begin(writer)
    await _send(writer, word("Well"))


async def silence(_: asyncio.StreamWriter) -> None:
    """Not even a head."""


async def _begin(writer: asyncio.StreamWriter) -> None:
    head = ["HTTP/1.1 200 OK", "content-type: text/event-stream", "transfer-encoding: chunked", "connection: close"]
    writer.write("\r\n".join([*head, "", ""]).encode())
    await writer.drain()


async def _send(writer: asyncio.StreamWriter, event: object) -> None:
    line = f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
    writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
    await writer.drain()
