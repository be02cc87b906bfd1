"""llama.cpp's server in this process (xllamacpp): what is asked of it, and what it is told.

It decodes several sequences at once in a thread of its own, and calls back with every token. Besides, it listens on a
socket, which cannot be switched off: here one in the file system, in a folder that only this user can enter, with a key
that nobody is told. Templates and tokens are asked for there, since the binding has no call for them.
"""

import http.client
import importlib
import json
import os
import secrets
import socket
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from bot.domain import ChatMessage
from bot.errors import ModelFailed, ModelUnavailable
from bot.llm.chat_shapes import TemplateRefused
from bot.llm.thinking import WITHOUT_THINKING

BATCH = 256
"""Tokens of prompts in one step: between two steps, replies that run get their next word and a request can end."""
SILENT = -10
"""Below the level of llama.cpp's errors: it may quote prompts."""
OK = 200
TIMEOUT_S = 60.0
LAST_TOKEN = 3
"""llama.cpp's number for the hidden state of the last token alone (`LLAMA_POOLING_TYPE_LAST`)."""
UNSCALED = -1
STATE_TOKENS = 512
"""The longest prompt whose hidden state is asked for."""
SAME = 0.08
"""The share of a prompt that a slot must hold to be taken for a request that names none: more than what all prompts
begin with ("<|im_start|>system"), less than what prompts for hidden states share, at most STATE_TOKENS long."""

Part = Mapping[str, Any]
"""A piece of a completion as the server streams it."""


@dataclass(frozen=True, slots=True)
class Start:
    """How a server is started."""

    file: Path
    slots: int
    context_tokens: int
    """What the cache holds over all slots."""
    device: str
    """"auto", "cpu" or "cuda"."""
    threads: int
    prefixes: Path
    """A folder of this user's alone for what was read of prompts' common beginnings."""
    adapters: Sequence[Path] = ()
    """LoRA files in GGUF. None is used by a request that does not ask for it."""
    hidden_states: bool = False
    """Whether `hidden_state` is going to be asked: there is one slot more then, the last, and room for it."""


class LlamaServer:
    """A model in memory. All methods block; `complete` may be called from several threads at once."""

    def __init__(self, start: Start) -> None:
        """Loads the model: seconds. Raises ModelUnavailable when llama.cpp cannot."""
        library = load_library()
        self.on_gpu = start.device != "cpu" and any(
            device["type"] != library.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_CPU
            for device in library.get_device_info()
        )
        if start.device == "cuda" and not self.on_gpu:
            raise ModelUnavailable(
                "model.device is cuda, but the xllamacpp that is installed here runs on the CPU. Set model.device to "
                "auto, or install its build for your GPU (its page on the package index says how)."
            )
        self._slots = start.slots
        self._held: tuple[int, ...] = ()  # the last prompt in the slot of hidden states
        self._folder = tempfile.TemporaryDirectory(prefix="llama-")
        self._socket = str(Path(self._folder.name) / "s.sock")
        self._key = secrets.token_hex(16)
        try:
            self._server: Any = library.Server(self._parameters(library, start))
        except RuntimeError as error:
            self._folder.cleanup()
            raise ModelUnavailable(
                f"llama.cpp cannot load {start.file}. The file may be damaged, of a kind that is newer than the "
                "installed xllamacpp, or too large for the memory: get it again, choose another model.id, or lower "
                "model.kv_cache_tokens."
            ) from error

    def render(self, messages: Sequence[ChatMessage]) -> str:
        """The text of a prompt by the model's chat template, with the opening of the reply. Raises TemplateRefused."""
        turns = [{"role": message.role.value, "content": message.content} for message in messages]
        asked = {"messages": turns, "chat_template_kwargs": WITHOUT_THINKING}
        return str(self._ask("/apply-template", asked)["prompt"])

    def tokens(self, text: str, *, whole_prompt: bool) -> list[int]:
        """The tokens of a text. `whole_prompt`: with control tokens and the one that begins every text."""
        asked = {"content": text, "add_special": whole_prompt, "parse_special": whole_prompt}
        return list(self._ask("/tokenize", asked)["tokens"])

    def complete(self, request: Mapping[str, Any], take: Callable[[Part], bool]) -> None:
        """Works on a request to its end; `take` gets each part, in this thread, and says whether to end it early.

        Raises RuntimeError for a request that the server does not understand.
        """
        self._server.handle_completions(dict(request), take)

    def hidden_state(self, tokens: Sequence[int], adapters: int) -> list[float]:
        """What the last layer holds after the last token, read in the slot of its own. One call at a time.

        A request for it names no slot: the server takes the one that holds most of its tokens. So where the last such
        prompt was another kind, it is read into that slot first, like any prompt. The server reads the whole prompt
        for a hidden state, whatever the slot holds. `adapters`: how many were loaded; none is used. Raises ModelFailed.
        """
        if _alike(tokens, self._held) <= SAME:
            asked: dict[str, Any] = {"prompt": list(tokens), "max_tokens": 1, "temperature": 0.0, "stream": True}
            asked |= {"cache_prompt": True, "id_slot": self._slots}
            if adapters:
                asked["lora"] = [{"id": number, "scale": 0.0} for number in range(adapters)]
            self.complete(asked, lambda _part: False)
        self._held = ()
        answer = self._server.handle_embeddings({"input": list(tokens), "embd_normalize": UNSCALED})
        if "data" not in answer:  # what it says instead may quote the prompt
            raise ModelFailed("The model could not be asked for its hidden state.")
        self._held = tuple(tokens)
        return list(answer["data"][0]["embedding"])

    def save(self, slot: int, name: str) -> None:
        """Keeps what a slot holds as a file; writes some 30 KB a token. Raises TemplateRefused when it cannot."""
        self._ask(f"/slots/{slot}?action=save", {"filename": name})

    def restore(self, slot: int, name: str) -> None:
        """Fills a slot with what was saved. Raises TemplateRefused when the file does not fit this model."""
        self._ask(f"/slots/{slot}?action=restore", {"filename": name})

    def close(self) -> None:
        """Ends the server's threads and frees the model, once all calls of `complete` have returned."""
        self._server = None
        self._folder.cleanup()

    def _parameters(self, library: Any, start: Start) -> Any:
        parameters = library.CommonParams()
        parameters.model.path = str(start.file)
        parameters.hostnames, parameters.api_keys = [self._socket], [self._key]
        parameters.n_threads_http, parameters.ui, parameters.endpoint_slots = 2, False, False
        parameters.verbosity = SILENT
        slots, room = (1, STATE_TOKENS + 1) if start.hidden_states else (0, 0)
        parameters.n_ctx, parameters.n_parallel = start.context_tokens + room, start.slots + slots
        parameters.kv_unified = True
        parameters.slot_save_path = f"{start.prefixes}{os.sep}"
        parameters.n_batch = parameters.n_ubatch = BATCH
        for threads in (parameters.cpuparams, parameters.cpuparams_batch):
            threads.n_threads, threads.poll = start.threads, 0
        parameters.n_gpu_layers = -1 if self.on_gpu else 0
        parameters.fit_params = self.on_gpu  # gives the GPU as many layers as it has room for
        # Slots are chosen by `Slots`, but that of hidden states, which holds all that is asked for: `hidden_state`.
        parameters.slot_prompt_similarity = SAME if start.hidden_states else 0.0
        if start.hidden_states:
            parameters.embedding, parameters.pooling_type = True, LAST_TOKEN
        # What is kept outside the slots would be found again whatever adapter it was read with.
        parameters.cache_ram_mib, parameters.cache_idle_slots = 0, False
        parameters.prefill_assistant, parameters.warmup = False, False
        parameters.lora_adapters = [library.CommonAdapterLoraInfo(str(file), 0.0) for file in start.adapters]
        return parameters

    def _ask(self, path: str, body: Mapping[str, object]) -> Any:
        connection = _SocketConnection(self._socket)
        try:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            connection.request("POST", path, json.dumps(body), headers)
            response = connection.getresponse()
            answer = response.read()
        finally:
            connection.close()
        if response.status != OK:
            raise TemplateRefused(f"llama.cpp answers with status {response.status}")
        return json.loads(answer)


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over a socket in the file system."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        """Connects to the socket instead of an address."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT_S)
        self.sock.connect(self._path)


def _alike(tokens: Sequence[int], held: Sequence[int]) -> float:
    """The share of a prompt that another one begins with, too."""
    pairs = zip(tokens, held, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) / max(len(tokens), 1)


def load_library() -> Any:
    """The package xllamacpp, with threads that sleep when they wait for each other.

    They would spin, and collapse on busy cores: on two cores with six other busy processes, 2 tokens a second against
    12 to 16. OpenMP reads the variable once, when it is loaded; other libraries bring their own OpenMP.
    """
    before = os.environ.get("OMP_WAIT_POLICY")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        return importlib.import_module("xllamacpp")
    except ImportError as error:
        raise ModelUnavailable(
            "GGUF models need the package xllamacpp, which cannot be loaded here. Install it with `pip install "
            "xllamacpp`, or set model.engine to transformers or remote."
        ) from error
    finally:
        if before is None:
            del os.environ["OMP_WAIT_POLICY"]
