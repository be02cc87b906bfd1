"""A language model with a LoRA adapter that can be trained (Hu et al. 2021), by PEFT.

The model is the one that the settings name, with the weights as they are used live: 4-bit on a GPU (QLoRA, Dettmers
et al. 2023), bfloat16 for the bundled one on a CPU, and those of a GGUF file as they are quantized there, in
float32. The adapter's own weights are float32 while they learn and bfloat16 in the folder that is written.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

import torch
from peft import LoraConfig, PeftModel, get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from transformers import PreTrainedModel

from bot.config import Model
from bot.domain import ChatMessage, Role, Skill
from bot.errors import BadInput
from bot.llm.adapter_files import CONFIG_FILE, WEIGHTS_FILE
from bot.llm.choosing import BUNDLED
from bot.llm.loading import Loaded, load
from bot.llm.models import describe_choice
from bot.ports import Report
from lab.tuning.gguf_weights import load_gguf_weights
from lab.tuning.lora_data import Example, Messages

LONGEST = 800
"""Tokens of prompt and answer: a longer example is left out of training."""
IGNORED = -100
"""What `cross_entropy` does not count."""
TOGETHER = 16
"""Answers that are generated at once."""

Weights: TypeAlias = dict[str, Tensor]


class Encoded(NamedTuple):
    """An example in tokens. Each answer ends with the token that ends a reply."""

    tokens: list[int]
    learnt: list[bool]
    """Whether a token is of an answer."""

    @property
    def length(self) -> int:
        """Tokens of prompt and answers."""
        return len(self.tokens)

    @property
    def prompt(self) -> list[int]:
        """The tokens that are not learnt."""
        return [token for token, learnt in zip(self.tokens, self.learnt, strict=True) if not learnt]

    @property
    def answer(self) -> list[int]:
        """Those that are."""
        return [token for token, learnt in zip(self.tokens, self.learnt, strict=True) if learnt]


class Losses(NamedTuple):
    """The summed loss of the answers' tokens in nats, and how many they are."""

    total: Tensor
    tokens: int


class TunedModel:
    """The model and its adapter."""

    def __init__(self, loaded: Loaded, *, rank: int, layers: int | None, seed: int) -> None:
        """`rank` of the adapter, which is on the last `layers` layers (None: on all). Raises BadInput.

        The loss has to go back through these alone, and what those below give is computed once for all epochs.
        """
        self.name = loaded.description.name
        self._loaded = loaded
        base = loaded.take_model()
        count = int(base.config.get_text_config().num_hidden_layers)
        if layers is not None and layers > count:
            raise BadInput(f"{self.name} has {count} layers: --layers {layers} is more.")
        config = LoraConfig(
            r=rank,
            lora_alpha=2 * rank,
            target_modules=sorted(_linear_names(base)),
            layers_to_transform=None if layers is None else list(range(count - layers, count)),
            task_type="CAUSAL_LM",
        )
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # PEFT asks transformers for names of its last version
            torch.manual_seed(seed)
            adapted = get_peft_model(base, config)
        self._model = cast("PeftModel", adapted)
        self._decoder: Any = base.get_decoder()  # type: ignore[no-untyped-call]  # not annotated there
        self._vocabulary = _vocabulary(base)
        self._device = base.device
        self._below = count - layers if layers is not None else 0
        self._whole = base.dtype == torch.float32
        self._read: dict[tuple[int, ...], Tensor] = {}
        self._pad = min(loaded.eos)
        self._end = int(loaded.tokenizer.eos_token_id if loaded.tokenizer.eos_token_id in loaded.eos else self._pad)

    @property
    def parameters(self) -> list[torch.nn.Parameter]:
        """What learns."""
        return [each for each in self._model.parameters() if each.requires_grad]

    def encode(self, example: Example) -> Encoded:
        """The tokens of the prompt, exactly as they are live, and those of the answers that are learnt.

        Raises BadInput when a chat template writes what was said before anew, so that answers cannot be learnt at once.
        """
        turns = (*example.messages, ChatMessage(Role.ASSISTANT, example.answer))
        answers = [at for at, message in enumerate(turns) if message.role is Role.ASSISTANT]
        encoded = Encoded([], [])
        for at in answers if example.every_reply else answers[-1:]:
            prompt = self._loaded.template.encode(turns[:at])
            if prompt[: encoded.length] != encoded.tokens:
                raise BadInput(f"Conversations cannot be learnt whole with the chat template of {self.name}.")
            said = self.reply_tokens(turns[at].content)
            new = len(prompt) - encoded.length
            encoded = Encoded([*prompt, *said], [*encoded.learnt, *[False] * new, *[True] * len(said)])
        return encoded

    def decoded(self, tokens: Sequence[int]) -> str:
        """The text of some tokens, those that nobody said among them."""
        return str(self._loaded.tokenizer.decode(list(tokens), clean_up_tokenization_spaces=False))

    def losses(self, batch: Sequence[Encoded]) -> Losses:
        """The loss on the answers' tokens alone. The words behind each of the other positions are never looked at."""
        ids, wanted = self._padded(batch)
        with self._half():
            hidden = self._states([each.tokens for each in batch], ids)
            counted = wanted != IGNORED
            logits = self._vocabulary(hidden[counted])
        return Losses(cross_entropy(logits.float(), wanted[counted], reduction="sum"), int(counted.sum()))

    def likelihoods(self, tokens: Sequence[int], before: Sequence[int], said: Sequence[int], **shape: Tensor) -> Tensor:
        """The logarithm of the likelihood of each of `said` after the place of `tokens` that `before` has for it.

        `shape`: `attention_mask` and `position_ids`, as transformers takes them. Shape (said,).
        """
        shape = {name: one.to(self._device) for name, one in shape.items()}
        with self._half():
            hidden = self._states([tokens], torch.tensor([tokens]).to(self._device), **shape)
            logits = self._vocabulary(hidden[0, torch.tensor(before)])
        return -cross_entropy(logits.float(), torch.tensor(said).to(self._device), reduction="none")

    def reply_tokens(self, text: str) -> list[int]:
        """The tokens of a reply, with the one that ends it."""
        answer = self._loaded.tokenizer(text, add_special_tokens=False, split_special_tokens=True)
        return [*answer["input_ids"], self._end]

    def _states(self, batch: Sequence[Sequence[int]], ids: Tensor, **shape: Tensor) -> Tensor:
        """What the last layer holds at each place, shape (batch, longest, width).

        Padding is behind what is learnt, where causal attention does not look, so that no mask is needed; `shape` is
        the mask and the positions of what is no plain text. What comes out of the layers below the adapter never
        changes: it is kept.
        """
        if not self._below:
            return cast("Tensor", self._decoder(input_ids=ids, use_cache=False, **shape).last_hidden_state)
        layers, norm = self._decoder.layers, self._decoder.norm
        names = [tuple(tokens) for tokens in batch]
        try:
            if unread := [row for row, name in enumerate(names) if name not in self._read]:
                self._decoder.layers, self._decoder.norm = layers[: self._below], torch.nn.Identity()
                with torch.no_grad():
                    below = self._decoder(input_ids=ids[unread], use_cache=False, **shape).last_hidden_state
                for row, states in zip(unread, below, strict=True):
                    self._read[names[row]] = states[: len(names[row])].clone()
            below = pad_sequence([self._read[name] for name in names], batch_first=True)
            self._decoder.layers, self._decoder.norm = layers[self._below :], norm
            return cast("Tensor", self._decoder(inputs_embeds=below, use_cache=False, **shape).last_hidden_state)
        finally:
            self._decoder.layers, self._decoder.norm = layers, norm

    def answers(self, prompts: Sequence[Messages], room: int, *, adapted: bool = True) -> Iterator[str]:
        """The likeliest answers of up to `room` tokens, in order; without the adapter if not `adapted`."""
        encoded = [self._loaded.template.encode(prompt) for prompt in prompts]
        for start in range(0, len(encoded), TOGETHER):
            yield from self._generated(encoded[start : start + TOGETHER], room, adapted)

    def weights(self) -> Weights:
        """A copy of the adapter's weights."""
        found = get_peft_model_state_dict(self._model, save_embedding_layers=False)  # "auto" asks a hub
        return {name: value.detach().to("cpu", copy=True) for name, value in found.items()}

    def take(self, weights: Weights) -> None:
        """Sets the adapter's weights."""
        set_peft_model_state_dict(self._model, weights)

    def begin_as(self, folder: Path, share: float) -> None:
        """Sets the weights to those of an adapter in a folder, with `share` of its effect. Raises BadInput."""
        try:
            found = load_file(folder / WEIGHTS_FILE)
        except (OSError, SafetensorError) as error:
            raise BadInput(f"{folder} holds no adapter that can be read ({type(error).__name__}).") from None
        own = self.weights()
        if {name: one.shape for name, one in found.items()} != {name: one.shape for name, one in own.items()}:
            raise BadInput(
                f"The adapter in {folder} has another rank or other layers: give the same --rank and --layers."
            )
        self.take({name: one.float() * (share if ".lora_B." in name else 1.0) for name, one in found.items()})

    def save(self, folder: Path) -> None:
        """Writes the adapter in PEFT's format, in bfloat16. Raises OSError."""
        folder.mkdir(parents=True)
        halved = {name: value.to(torch.bfloat16).contiguous() for name, value in self.weights().items()}
        save_file(halved, folder / WEIGHTS_FILE, metadata={"format": "pt"})
        config = self._model.peft_config["default"]
        config.base_model_name_or_path = self.name  # and not a folder of this machine
        config.inference_mode = True
        config.save_pretrained(str(folder))
        if not (folder / CONFIG_FILE).is_file():
            raise FileNotFoundError(folder / CONFIG_FILE)

    @contextmanager
    def learning(self) -> Iterator[None]:
        """The model in its training mode."""
        self._model.train()
        try:
            yield
        finally:
            self._model.eval()

    def _padded(self, batch: Sequence[Encoded]) -> tuple[Tensor, Tensor]:
        """Token ids, and what is to come after each token, shape (batch, longest)."""
        width = max(each.length for each in batch)
        ids = torch.full((len(batch), width), self._pad)
        wanted = torch.full_like(ids, IGNORED)
        for row, each in enumerate(batch):
            tokens = torch.tensor(each.tokens)
            ids[row, : each.length] = tokens
            wanted[row, : each.length - 1] = torch.where(torch.tensor(each.learnt[1:]), tokens[1:], IGNORED)
        return ids.to(self._device), wanted.to(self._device)

    @torch.inference_mode()
    def _generated(self, prompts: Sequence[list[int]], room: int, adapted: bool) -> list[str]:
        width = max(map(len, prompts))
        ids = torch.tensor([[self._pad] * (width - len(prompt)) + prompt for prompt in prompts])
        mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts])
        with nullcontext() if adapted else self._model.disable_adapter(), self._half():
            made = self._model.generate(  # type: ignore[no-untyped-call]  # not annotated in PEFT
                input_ids=ids.to(self._device),
                attention_mask=mask.to(self._device),
                max_new_tokens=room,
                do_sample=False,
                eos_token_id=sorted(self._loaded.eos),
                pad_token_id=self._pad,
            )
        return [self._loaded.decode(row[width:].tolist()).strip() for row in made]

    def _half(self) -> AbstractContextManager[object]:
        """Computes in bfloat16 where that is quicker; the weights of a GGUF file on a CPU are float32."""
        return nullcontext() if self._whole else torch.autocast(self._device.type, torch.bfloat16)


def _vocabulary(model: PreTrainedModel) -> torch.nn.Module:
    """What makes likelihoods of words out of the last layer's numbers."""
    found = model.get_output_embeddings()  # type: ignore[no-untyped-call]  # not annotated in transformers
    return cast("torch.nn.Module", found)


def _linear_names(model: PreTrainedModel) -> set[str]:
    """What the linear parts of a layer are called ("q_proj", "down_proj" …), without the vocabulary's."""
    output = _vocabulary(model)
    return {
        name.rpartition(".")[2]
        for name, part in model.named_modules()
        if isinstance(part, torch.nn.Linear) and part is not output
    }


def load_tunable(settings: Model, *, rank: int, layers: int | None, seed: int, progress: Report) -> TunedModel:
    """The model that the settings name, with a new adapter that changes nothing yet.

    Blocks for seconds to minutes. Raises BadInput or ModelUnavailable.
    """
    if settings.engine == "remote":
        raise BadInput("Only a model on this machine can be tuned: set model.engine to transformers.")
    off = settings.adapters.model_copy(update=dict.fromkeys(Skill, "off"))
    plan = describe_choice(settings)
    if plan.engine == "llama.cpp" and plan.choice.id != BUNDLED:
        loaded = load_gguf_weights(plan, progress)
    else:
        loaded = load(settings.model_copy(update={"adapters": off}), progress)
    return TunedModel(loaded, rank=rank, layers=layers, seed=seed)
