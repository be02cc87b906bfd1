"""The servers that run one model: each request goes to the one that has the least to do; one that failed rests."""

import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace

import structlog
from openai import AsyncOpenAI
from pydantic import SecretStr

from bot.config import Remote
from bot.domain import ModelDescription
from bot.errors import ModelError, ModelUnavailable
from bot.llm.faults import ModelNotReady, address, no_such_model
from bot.llm.remote_server import client_of, described, offers_of

REST_S = 10.0
"""Seconds in which a server that failed is asked only where no other is left."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False)
class Replica:
    """One server. `remote` is the settings with its own address."""

    client: AsyncOpenAI
    remote: Remote
    under_way: int = 0
    """How many requests it is at."""
    rests_until_s: float = 0.0
    """By the monotonic clock."""

    @property
    def rests(self) -> bool:
        """Whether it failed a moment ago."""
        return self.rests_until_s > time.monotonic()

    @contextmanager
    def asked(self) -> Iterator[None]:
        """A request is under way as long as the block."""
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1


class Replicas:
    """All servers of a model. Close with `aclose`."""

    def __init__(self, servers: Sequence[Replica]) -> None:
        self._servers = [*servers]

    def __len__(self) -> int:
        return len(self._servers)

    def pick(self) -> Replica:
        """Whichever has the least to do, in turn where that is equal; one that rests only when all do."""
        picked = min(self._servers, key=lambda one: (one.rests_until_s if one.rests else 0.0, one.under_way))
        self._servers.remove(picked)
        self._servers.append(picked)
        return picked

    def failed(self, server: Replica, reason: ModelError) -> bool:
        """Has a server rest; whether another one can be asked at once."""
        if len(self) > 1:
            if not server.rests:
                where = address(server.remote)
                _log.warning("a model server failed and rests", server=where, seconds=REST_S, reason=str(reason))
            server.rests_until_s = time.monotonic() + REST_S
        return any(not one.rests for one in self._servers if one is not server)

    async def aclose(self) -> None:
        """Closes the connections."""
        for one in self._servers:
            await one.client.close()


async def connect(remote: Remote, api_key: SecretStr | None) -> tuple[Replicas, str, ModelDescription]:
    """Asks each server for its models: the servers, the model's name there, and what is known of it.

    The name is the one that is set, or the first that the only server offers. Servers that cannot be reached, or are
    busy, rest, as long as one is there. Raises ModelUnavailable when none answers, one refuses the key, is no model
    server, or has not got the model.
    """
    name, found, problem = remote.name, list[ModelDescription](), None
    async with AsyncExitStack() as stack:
        servers = list[Replica]()
        for url in remote.urls:
            own = remote.model_copy(update={"base_url": url, "replicas": ()})
            server = Replica(client_of(own, api_key), own)
            stack.push_async_callback(server.client.close)
            servers.append(server)
        replicas = Replicas(servers)
        for server in servers:
            try:
                offers = await offers_of(server.client, server.remote)
            except ModelNotReady as error:
                problem = problem or error
                replicas.failed(server, error)
                continue
            offer = next((one for one in offers if not name or one.answers_to(name)), None)
            if offer is None:
                raise no_such_model(server.remote, name, [one.id for one in offers])
            name = name or offer.id
            found.append(described(offer, server.remote))
        if not found:
            raise problem or ModelUnavailable("No model server is set: model.remote.base_url.")
        stack.pop_all()
    return replicas, name, _together(found, [address(server.remote) for server in servers])


def _together(found: Sequence[ModelDescription], addresses: Sequence[str]) -> ModelDescription:
    """What is true of the model on all its servers."""
    least = min(found, key=lambda one: one.context_tokens)
    if len(addresses) == 1:
        return least
    return replace(least, detail=f"on the servers at {', '.join(addresses)}")
