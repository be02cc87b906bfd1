"""The server behind the remote engine: how it is connected to, and which models it offers."""

import re
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout
from pydantic import BaseModel, SecretStr

from bot.config import Remote
from bot.domain import ModelDescription
from bot.errors import ModelUnavailable
from bot.llm.abilities import FOLLOWS_FROM, comfortable_tokens
from bot.llm.faults import FAULTS, address, explain_start, not_a_server

CONNECT_S = 10.0
"""The longest a connection may take to be made."""
_SIZE_IN_NAME = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z])", re.IGNORECASE)


class _Meta(BaseModel):
    n_ctx: int | None = None
    n_params: int | None = None


class Offer(BaseModel):
    """One model that a server lists. vLLM gives `max_model_len`; llama.cpp gives `aliases` and `meta`."""

    id: str
    max_model_len: int | None = None
    aliases: list[str] | None = None
    meta: _Meta | None = None

    def answers_to(self, name: str) -> bool:
        """Whether this is the model that a setting calls so."""
        return name in {self.id, *(self.aliases or ())} or self.id == f"{name}:latest"


class Offers(BaseModel):
    """What a server lists."""

    data: list[Offer]


def client_of(remote: Remote, api_key: SecretStr | None) -> AsyncOpenAI:
    """A client of the server that is set. Raises ModelUnavailable for an address that is none."""
    parts = urlsplit(remote.base_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ModelUnavailable(
            f"model.remote.base_url should be an address such as http://127.0.0.1:8080/v1 (it is {address(remote)!r})."
        )
    timeout = Timeout(remote.timeout_s, connect=min(CONNECT_S, remote.timeout_s))
    # What people write goes to a server on this machine directly, also when the environment names a proxy.
    local = parts.hostname in {"localhost", "::1"} or parts.hostname.startswith("127.")
    return AsyncOpenAI(
        base_url=remote.base_url,
        # Without a key the library would send the one in OPENAI_API_KEY, which was not meant for this server.
        api_key=api_key.get_secret_value() if api_key is not None else "none",
        timeout=timeout,
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(timeout=timeout, trust_env=False) if local else None,
    )


async def offers_of(client: AsyncOpenAI, remote: Remote) -> list[Offer]:
    """The models that the server lists. Raises ModelUnavailable."""
    options = client.with_options(max_retries=remote.retries)
    try:
        raw = await options.get("/models", cast_to=object)
        return Offers.model_validate(raw).data
    except FAULTS as fault:
        raise explain_start(fault, remote) from None
    except ValueError:
        raise not_a_server(remote) from None


def described(offer: Offer, remote: Remote) -> ModelDescription:
    """The model as far as its server and its name tell."""
    meta = offer.meta or _Meta()
    limits = [limit for limit in (remote.context_tokens, offer.max_model_len, meta.n_ctx) if limit]
    context = min(limits)
    name = PurePosixPath(remote.name or offer.id).name.removesuffix(".gguf")
    parameters = meta.n_params or _parameters(name)
    follows = parameters >= FOLLOWS_FROM
    return ModelDescription(
        name=name,
        detail=f"on the server at {address(remote)}",
        advice="" if follows else "This model is very small; load a larger one on the server for better answers.",
        context_tokens=context,
        comfortable_tokens=comfortable_tokens(parameters, context),
        follows_instructions=follows,
    )


def _parameters(name: str) -> float:
    """How many parameters a model has by its name, e.g. "Qwen3-8B"; infinite when the name does not say."""
    found = _SIZE_IN_NAME.search(name)
    return float(found[1]) * (1e9 if found[2] in "bB" else 1e6) if found else float("inf")
