"""The text encoder φ: sentence-transformers in one thread of its own, many callers batched together.

Importing this module takes seconds (torch, transformers), so `app` imports it only when an encoder is wanted.

Measured on two shared x86 cores with all-MiniLM-L6-v2, one short utterance at a time, while other programs kept both
cores busy: two torch threads took 37 ms (p50) and 230 ms (p95), one thread 11 ms and 16 ms. So the encoder's thread
computes with one core on a CPU, and leaves the rest to the language model. Int8 and bfloat16 are quicker on some CPUs,
but their vectors differ from float32's (int8: cosine 0.96), so one person's index would depend on the machine.
"""

import asyncio
import hashlib
import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer

from bot.config import EncoderSettings
from bot.errors import ModelFailed, ModelUnavailable
from bot.llm.encoder_source import EncoderSource, encoder_source, on_hub, unavailable
from bot.llm.quiet import quiet_libraries
from bot.llm.token_vectors import TokenEncoder
from bot.ports import TokenVectors, Vectors

BATCH = 32
"""Texts in one forward pass. A short text waits for at most one batch of a long list of texts."""
REMEMBERED = 2048
"""How many recent vectors are kept (3 MB at 384 dimensions)."""
MOST_TOKENS = 8192
"""Encoders of static word vectors read texts of any length."""
CHARACTERS_PER_TOKEN = 32
"""Texts are cut at this many characters for each token that the model reads: 100 kB of text cost no more than 8 kB."""
LOADING_ERRORS = (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError)
"""What libraries raise when a model cannot be loaded."""

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The texts of one call that are not encoded yet."""

    texts: list[str]
    result: Future[Vectors] = field(default_factory=Future)


class _Recent:
    """The vectors of the texts seen last, by digest: what people wrote is not kept in memory for it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()

    def get(self, key: bytes) -> Vector | None:
        """The vector of the text with this digest, if it was seen lately."""
        vector = self._vectors.get(key)
        if vector is not None:
            self._vectors.move_to_end(key)
        return vector

    def put(self, key: bytes, vector: Vector) -> None:
        """Keeps a vector, and drops the one that was not asked for the longest."""
        self._vectors[key] = vector
        self._vectors.move_to_end(key)
        if len(self._vectors) > self._size:
            self._vectors.popitem(last=False)


class SentenceEncoder:
    """An Encoder that runs a sentence-transformers model in this process.

    Only the first `max_seq_length` tokens of a text count (256 for all-MiniLM-L6-v2, about 190 English words): what
    it is given here, utterances, summaries and traits, is rarely longer. Get one from `load_encoder`.
    """

    def __init__(self, model: SentenceTransformer, thread: ThreadPoolExecutor) -> None:
        """Takes over `model` and `thread`, an executor with exactly one worker."""
        self._model = model
        self._thread = thread
        self.dimension = model.get_embedding_dimension() or 0
        self.fingerprint = _fingerprint(model)
        """`dimension-hash` over weights, pooling and the longest text: the same for equal models in any folder."""
        self._tokens = TokenEncoder(model, self.fingerprint)
        self._longest = int(min(model.max_seq_length or 512, MOST_TOKENS)) * CHARACTERS_PER_TOKEN
        self._lock = threading.Lock()
        self._waiting: deque[_Waiting] = deque()
        self._recent = _Recent(REMEMBERED)
        self._closed = False

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row a text, shape (len(texts), dimension). An empty text gets a vector too.

        Raises ModelFailed when the model cannot compute (out of memory), ModelUnavailable after `aclose`.
        """
        clean = [_clean(text, self._longest) for text in texts]
        keys = [_digest(text) for text in clean]
        found = {key: vector for key in keys if (vector := self._recent.get(key)) is not None}
        missing = {key: text for key, text in zip(keys, clean, strict=True) if key not in found}
        wanted = list(missing)
        for start in range(0, len(wanted), BATCH):
            part = wanted[start : start + BATCH]
            rows = await self._compute([missing[key] for key in part])
            for key, row in zip(part, rows, strict=True):
                found[key] = row
                self._recent.put(key, row.copy())
        if not keys:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([found[key] for key in keys])

    async def encode_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """The vectors of the tokens of each text in 128 dimensions. Raises as `encode`."""
        found: list[TokenVectors] = []
        loop = asyncio.get_running_loop()
        for start in range(0, len(texts), BATCH):
            part = [_clean(text, self._longest) for text in texts[start : start + BATCH]]
            if self._closed:
                raise ModelUnavailable("The text encoder has been shut down. Start the program again.")
            try:
                found += await loop.run_in_executor(self._thread, self._tokens.of, part)
            except RuntimeError as error:
                raise ModelFailed(f"The text encoder could not compute: {_first_line(error)}.") from error
        return found

    async def aclose(self) -> None:
        """Finishes what is running, refuses what comes later and frees the model. Safe to call twice."""
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown, wait=True)

    async def _compute(self, texts: list[str]) -> Vectors:
        if self._closed:
            raise ModelUnavailable("The text encoder has been shut down. Start the program again.")
        waiting = _Waiting(texts)
        with self._lock:
            self._waiting.append(waiting)
        self._thread.submit(self._drain)
        try:
            return await asyncio.wrap_future(waiting.result)
        except RuntimeError as error:  # torch's name for everything, out of memory included
            reason = _first_line(error)
            raise ModelFailed(
                f"The text encoder could not compute: {reason}. If GPU memory is short, set encoder.device: cpu."
            ) from error

    def _drain(self) -> None:
        """Encodes what waits now, as far as it fits one batch. Runs in the encoder's thread, once for every call."""
        taken = self._take()
        if not taken:
            return
        texts = [text for waiting in taken for text in waiting.texts]
        try:
            rows = self._forward(texts)
        except BaseException as error:
            for waiting in taken:
                waiting.result.set_exception(error)
            raise
        start = 0
        for waiting in taken:
            waiting.result.set_result(rows[start : start + len(waiting.texts)])
            start += len(waiting.texts)

    def _take(self) -> list[_Waiting]:
        """The oldest calls that fit one batch together, without those whose caller has gone."""
        taken: list[_Waiting] = []
        room = BATCH
        with self._lock:
            while self._waiting and (not taken or len(self._waiting[0].texts) <= room):
                waiting = self._waiting.popleft()
                if waiting.result.set_running_or_notify_cancel():
                    taken.append(waiting)
                    room -= len(waiting.texts)
        return taken

    def _forward(self, texts: list[str]) -> Vectors:
        rows = self._model.encode(texts, batch_size=BATCH, show_progress_bar=False, normalize_embeddings=True)
        return np.asarray(rows, dtype=np.float32)


async def load_encoder(settings: EncoderSettings) -> SentenceEncoder:
    """The encoder that the settings name, ready to use. Raises ModelUnavailable."""
    device = _device(settings.device)
    source = await asyncio.to_thread(encoder_source, settings.id)
    threads = torch.get_num_threads()
    executor = ThreadPoolExecutor(1, "encoder", initializer=_use_one_core if device == "cpu" else None)
    loop = asyncio.get_running_loop()
    try:
        return await loop.run_in_executor(executor, _load, source, device, executor)
    except (ModelUnavailable, *LOADING_ERRORS) as error:
        executor.shutdown(wait=False)
        if isinstance(error, ModelUnavailable):
            raise
        raise unavailable(settings.id, _first_line(error)) from error
    finally:
        torch.set_num_threads(threads)  # what `_use_one_core` set would hold for every thread that starts later


def load_trainable(settings: EncoderSettings) -> SentenceTransformer:
    """The model itself, for training (`lab tune retriever`). Raises ModelUnavailable."""
    quiet_libraries()
    source = encoder_source(settings.id)
    try:
        return _read(source, _device(settings.device)).eval()
    except LOADING_ERRORS as error:
        raise unavailable(settings.id, _first_line(error)) from error


def _load(source: EncoderSource, device: str, thread: ThreadPoolExecutor) -> SentenceEncoder:
    quiet_libraries()
    model = _read(source, device)
    encoder = SentenceEncoder(model.eval(), thread)
    model.encode(["warm up"], show_progress_bar=False)
    return encoder


def _read(source: EncoderSource, device: str) -> SentenceTransformer:
    """The model from its files; a download that broke off is taken up. Raises ModelUnavailable and LOADING_ERRORS."""
    try:
        return SentenceTransformer(source.place, device=device, local_files_only=source.is_here)
    except LOADING_ERRORS:
        if not source.name:
            raise
    return SentenceTransformer(on_hub(source.name), device=device)


def _use_one_core() -> None:
    torch.set_num_threads(1)


def _device(wanted: str) -> str:
    available = torch.cuda.is_available()
    if wanted == "cuda" and not available:
        raise ModelUnavailable("encoder.device is 'cuda', but torch sees no GPU here. Set encoder.device: auto or cpu.")
    return "cuda" if available and wanted != "cpu" else "cpu"


def _fingerprint(model: SentenceTransformer) -> str:
    """A hash of all that the vectors depend on, 0.05 s for 90 MB; computed once, when the model is loaded."""
    digest = hashlib.sha256(f"{model.max_seq_length}".encode())
    for module in model:
        digest.update(f"{type(module).__name__} {getattr(module, 'pooling_mode', '')}".encode())
    for name, parameter in model.named_parameters():
        digest.update(name.encode())
        digest.update(parameter.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return f"{model.get_embedding_dimension()}-{digest.hexdigest()[:16]}"


def _clean(text: str, longest: int) -> str:
    """`text` cut to `longest` characters, with lone surrogates replaced: tokenizers refuse them."""
    return text[:longest].encode("utf-8", errors="replace").decode("utf-8")


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
