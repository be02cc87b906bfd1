"""What can go wrong at a model server: which error of ours it is, in words that name the setting to change.

Nothing the server says is repeated in an error, because some servers quote the prompt, and some the key.
It is logged at DEBUG.
"""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import openai

from bot.config import Remote
from bot.errors import ModelBusy, ModelError, ModelFailed, ModelUnavailable, PromptTooLong
from bot.language.patterns import Patterns

_log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 8.0
LONGEST_RETRY_AFTER_S = 60.0
_BUSY = frozenset({429, 503, 529})
_TRANSIENT = frozenset({408, 409, 425, 500, 502, 504}) | _BUSY
_GATEWAY = frozenset({502, 504})
"""What a proxy says whose server is away."""
_REFUSED = frozenset({401, 403, 404})
_TOO_LARGE = 413
_READ = Patterns.beside(__file__)
_CONTEXT, _LIMIT, _PROMPT = _READ["context"], _READ["limit"], _READ["prompt"]


class ModelNotReady(ModelUnavailable):
    """The server cannot be reached, or has too much to do: later it may answer."""


class BrokenStream(Exception):
    """The server's answer cannot be read, or ended before it was complete. The text says which."""


Fault = openai.APIError | BrokenStream
FAULTS = (openai.APIError, BrokenStream)


def address(remote: Remote) -> str:
    """Where the server is, without the user and password that an address can carry."""
    parts = urlsplit(remote.base_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def status_of(fault: Fault) -> int:
    """The HTTP status, or the one that a server wrote into its stream; 0 when there is none."""
    if isinstance(fault, openai.APIStatusError):
        return fault.status_code
    code = fault.code if isinstance(fault, openai.APIError) else None
    return int(code) if code is not None and code.isdecimal() else 0


def words_of(fault: Fault) -> str:
    """What the server said about it. Not for people's eyes: it may quote the prompt."""
    if isinstance(fault, BrokenStream):
        return str(fault)
    plain = fault.body if isinstance(fault.body, str) else None
    return " ".join(part for part in (fault.message, fault.code, fault.type, plain) if part)


@dataclass(frozen=True, slots=True)
class Overflow:
    """A prompt was too long. `limit`: what the server takes, reply included; None: it did not say."""

    limit: int | None
    prompt_tokens: int | None


def overflow_of(fault: Fault) -> Overflow | None:
    """What a server says of a prompt that it does not take for its length; None: the fault is another one."""
    if isinstance(fault, BrokenStream) or status_of(fault) in {*_REFUSED, 429, 503}:
        return None
    words = words_of(fault)
    if status_of(fault) != _TOO_LARGE and _CONTEXT.search(words) is None:
        return None
    told = fault.body if isinstance(fault.body, Mapping) else {}
    limit, prompt = _LIMIT.search(words), _PROMPT.search(words)
    return Overflow(
        _count(told.get("n_ctx")) or (_count(limit[1]) if limit else None),
        _count(told.get("n_prompt_tokens")) or (_count(next(filter(None, prompt.groups()))) if prompt else None),
    )


def _count(told: object) -> int | None:
    return int(told) or None if isinstance(told, int) or (isinstance(told, str) and told.isdecimal()) else None


def may_pass(fault: Fault) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(fault, BrokenStream | openai.APIConnectionError):
        return True
    return overflow_of(fault) is None and (status_of(fault) or 500) in _TRANSIENT


def is_its_own(fault: Fault) -> bool:
    """Whether only this server refuses the request, which another one may take: its key, or its models."""
    return status_of(fault) in _REFUSED


def pause_before_retry(fault: Fault, attempt: int) -> float:
    """Seconds to wait before attempt number `attempt` + 1: what the server asks for, or twice as long every time."""
    if isinstance(fault, openai.APIStatusError):
        asked = fault.response.headers.get("retry-after", "")
        if re.fullmatch(r"\d+(\.\d+)?", asked) and float(asked) <= LONGEST_RETRY_AFTER_S:
            return float(asked)
    return min(FIRST_PAUSE_S * 2.0**attempt, LONGEST_PAUSE_S)


def explain(fault: Fault, remote: Remote, *, begun: bool = False) -> ModelError:
    """The error of ours for a generation that failed; `begun`: part of the answer had arrived."""
    server = f"The model server at {address(remote)}"
    _log.debug("%s: %s", server, words_of(fault))
    if isinstance(fault, BrokenStream):
        return ModelFailed(f"{server} broke off its answer: {fault}.")
    if isinstance(fault, openai.APIConnectionError):
        return _explain_connection(fault, remote, begun)
    status = status_of(fault)
    if status in {401, 403}:
        return _refused_key(remote)
    if (overflow := overflow_of(fault)) is not None:
        return PromptTooLong(
            f"The conversation is longer than the model at {address(remote)} takes. Lower prompt.max_tokens, or set "
            "model.remote.context_tokens to what the server was started with.",
            limit=overflow.limit,
            prompt_tokens=overflow.prompt_tokens,
        )
    if status in _BUSY:
        return ModelBusy(f"{server} has too many requests. Try again in a moment, or lower model.max_concurrent.")
    said = f"with status {status}" if status else "in the middle of its answer"
    return ModelFailed(f"{server} reported an error {said}. At log.level DEBUG the log shows what it said.")


def _explain_connection(fault: openai.APIConnectionError, remote: Remote, begun: bool) -> ModelError:
    server = f"The model server at {address(remote)}"
    if isinstance(fault, openai.APITimeoutError):
        return ModelFailed(
            f"{server} said nothing for {remote.timeout_s:g} seconds. If it is only slow, raise model.remote.timeout_s."
        )
    return ModelFailed(f"{server} closed the connection in the middle of its answer.") if begun else _gone(remote)


def explain_start(fault: Fault, remote: Remote) -> ModelUnavailable:
    """The error of ours when the server cannot even say which models it has."""
    _log.debug("model server at %s: %s", address(remote), words_of(fault))
    status = status_of(fault)
    if isinstance(fault, openai.APIConnectionError):
        return _gone(remote)
    if status in {401, 403}:
        return _refused_key(remote)
    if status in _BUSY | _GATEWAY:
        return ModelNotReady(f"The model server at {address(remote)} is not ready (status {status}). Start again soon.")
    return not_a_server(remote)


def not_a_server(remote: Remote) -> ModelUnavailable:
    """Something answers, but not in the way of the OpenAI API."""
    return ModelUnavailable(
        f"What answers at {address(remote)} does not list its models as an OpenAI-compatible server does. "
        "Check model.remote.base_url or model.remote.replicas; it usually ends in /v1."
    )


def no_such_model(remote: Remote, name: str, offered: Sequence[str]) -> ModelUnavailable:
    """The server does not have the model that the settings name (or none at all, when they name none)."""
    if not offered:
        return ModelUnavailable(f"The model server at {address(remote)} offers no model. Load one there first.")
    return ModelUnavailable(
        f"The model server at {address(remote)} has no model {name!r}. "
        f"Set model.remote.name to one of those it offers: {', '.join(offered)}."
    )


def _gone(remote: Remote) -> ModelUnavailable:
    return ModelNotReady(
        f"No model server can be reached at {address(remote)}. "
        "Start it, or correct model.remote.base_url or model.remote.replicas."
    )


def _refused_key(remote: Remote) -> ModelUnavailable:
    return ModelUnavailable(
        f"The model server at {address(remote)} refused the key. "
        "Set the environment variable MODEL_API_KEY to a key that it accepts."
    )
