"""The settings of what is remembered and how it is found: long-term memory, recall, persona banks."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from bot.config.basics import Real, Section, Whole, off_word


class Timelines(Section):
    """The memory graph and its timelines (THEANINE)."""

    candidates: Whole = Field(3, ge=1, le=20)
    top_k: Whole = Field(3, ge=1, le=20)
    samples: Whole = Field(1, ge=1, le=20)
    linker: Literal["auto", "model", "rules"] = "auto"


class Fragments(Section):
    """Fragments of past dialogues, word for word (the dialogue-context retriever)."""

    value: Literal["key", "next", "keynext", "session"] = "keynext"
    length: Literal["1", "2", "3", "1+2+3"] = "1"


class FusedWeights(Section):
    """How much each sign counts that something said will help: weights of a logistic regression."""

    bias: Real = -11.15
    window: Real = 8.187
    mine: Real = 1.76
    dense: Real = 1.334
    speaker: Real = 1.382
    first: Real = 0.6604
    near: Real = 3.435
    near_year: Real = 0.4956
    asks: Real = -0.5267
    when: Real = 1.05
    agent: Real = -0.5


class FusedRelevance(Section):
    """How the likelihood that anything is relevant at all is reckoned."""

    bias: Real = 1.299
    best: Real = 0.5285
    contrast: Real = 6.017


class FusedSettings(Section):
    """Recall by all ways joined."""

    top_k: Whole = Field(10, ge=1, le=50)
    candidates: Whole = Field(200, ge=10, le=5000)
    threshold: Real = Field(0.3, ge=0.0, le=1.0)
    weights: FusedWeights = FusedWeights()
    relevance: FusedRelevance = FusedRelevance()


class Memory(Section):
    """Long-term memory (LD-Agent eqs 1–3) and recall."""

    recall: Literal["fused", "ld-agent", "theanine", "keynext"] = "fused"
    budget_tokens: Whole = Field(1024, ge=64)
    refine: Annotated[Literal["off", "background", "blocking"], BeforeValidator(off_word)] = "off"
    timelines: Timelines = Timelines()
    fragments: Fragments = Fragments()
    fused: FusedSettings = FusedSettings()

    tau_s: Real = Field(1e9, gt=0, le=1e12)
    gamma: Real = Field(0.25, ge=-1.0, le=1.0)
    top_k: Whole = Field(3, ge=1, le=50)
    open_with_last_session: bool = True
    summary_words: Whole = Field(40, ge=5, le=200)
    summariser: Literal["auto", "model", "extractive"] = "auto"


class Persona(Section):
    """Persona banks."""

    trait_words: Whole = Field(20, ge=3, le=100)
    gate_threshold: Real = Field(0.2, ge=0.0, le=1.0)
    restate_cosine: Real = Field(0.9, gt=0.0, le=1.0)
    top_k: Whole = Field(8, ge=0, le=100)
    extractor: Literal["auto", "model", "extractive"] = "auto"
