"""Model servers that run on this machine: Ollama, LM Studio, llama-server, vLLM, at their usual ports.

They are asked all at once and for a moment only, on the loopback address, and never through a proxy.
"""

import asyncio
import ssl
from collections.abc import Sequence
from dataclasses import dataclass

import httpx
from pydantic import BaseModel, ValidationError

PATIENCE_S = 0.3


@dataclass(frozen=True, slots=True)
class UsualPlace:
    """Where a program that serves models listens unless told otherwise."""

    program: str
    port: int

    @property
    def base_url(self) -> str:
        """What `model.remote.base_url` has to be."""
        return f"http://127.0.0.1:{self.port}/v1"


USUAL_PLACES = (
    UsualPlace("Ollama", 11434),
    UsualPlace("LM Studio", 1234),
    UsualPlace("llama-server", 8080),
    UsualPlace("vLLM", 8000),
)


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that answered, and the models it offers."""

    program: str
    base_url: str
    models: tuple[str, ...]

    @property
    def settings(self) -> str:
        """The lines for config.yaml that make it answer."""
        name = f'\n    name: "{self.models[0]}"' if self.models else ""
        return f"model:\n  engine: remote\n  remote:\n    base_url: {self.base_url}{name}"


class _Offer(BaseModel):
    id: str


class _Offers(BaseModel):
    data: list[_Offer] | None


async def running_servers(places: Sequence[UsualPlace] = USUAL_PLACES) -> list[RunningServer]:
    """Those that answer within PATIENCE_S as the OpenAI API prescribes."""
    nobody_trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # all are asked by http; reading certificates takes time
    async with httpx.AsyncClient(timeout=PATIENCE_S, trust_env=False, verify=nobody_trusted) as client:
        found = await asyncio.gather(*(_ask(client, place) for place in places))
    return [server for server in found if server is not None]


async def _ask(client: httpx.AsyncClient, place: UsualPlace) -> RunningServer | None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            answer = await client.get(f"{place.base_url}/models")
        offers = _Offers.model_validate_json(answer.raise_for_status().content)
    except (httpx.HTTPError, TimeoutError, ValidationError):
        return None  # nobody is there, or somebody else
    return RunningServer(place.program, place.base_url, tuple(offer.id for offer in offers.data or ()))
