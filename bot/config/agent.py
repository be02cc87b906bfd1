"""The settings of who the companion is."""

from collections.abc import Mapping
from typing import Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator
from pydantic_core import PydanticCustomError

from bot.config.basics import Section, Whole
from bot.texts.beside import read_beside


class Preset(Section):
    """A companion of the owner's own, as its attributes (CareAgent, METHODS §4)."""

    name: str = Field(min_length=1, max_length=40)
    age: Whole | None = Field(None, ge=1, le=1000)
    gender: str = Field("", max_length=40)
    identity: str = Field("companion", min_length=1, max_length=60)
    description: str = Field("", max_length=240)
    traits: tuple[str, ...] = ()

    @property
    def card(self) -> str:
        """One phrase: "a 30-year-old female life assistant, who …"."""
        age = f"{self.age}-year-old" if self.age is not None else ""
        who = " ".join(part for part in (age, self.gender, self.identity) if part)
        article = "an" if who[0].lower() in "aeio" or _is_said_with_vowel(self.age) else "a"
        return f"{article} {who}, who {self.description}" if self.description else f"{article} {who}"


PREPARED = {name: Preset(**one) for name, one in read_beside(__file__, "presets").items()}
"""The four companions that CareAgent prepared (its Tables 5 to 8), in our own words: `agent.preset` names one."""


class Agent(Section):
    """Who the companion is. A preset fills in what of name, card and traits is left at its default."""

    preset: str = ""
    presets: Mapping[str, Preset] = {}
    name: str = Field("Monica", min_length=1, max_length=40)
    card: str = Field("a warm, attentive companion who listens, remembers, and asks how things went", max_length=400)
    traits: tuple[str, ...] = ()
    language: str = Field("auto", min_length=2, max_length=40)
    max_words: Whole = Field(60, ge=5, le=1000)

    @property
    def description(self) -> str:
        """What is said of the companion behind its name: its card."""
        return self.card

    @model_validator(mode="wrap")
    @classmethod
    def _filled(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        agent = handler(value)
        if not agent.preset:
            return agent
        preset = agent.presets.get(agent.preset) or PREPARED.get(agent.preset)
        if preset is None:
            names = ", ".join([*PREPARED, *agent.presets])
            raise PydanticCustomError("preset_wanted", "agent.preset: {names}, or nothing", {"names": names})
        filling = {"name": preset.name, "card": preset.card, "traits": preset.traits}
        fields = cls.model_fields
        left = {key: own for key, own in filling.items() if getattr(agent, key) == fields[key].default}
        return agent.model_copy(update=left)


def _is_said_with_vowel(age: int | None) -> bool:
    """Whether a number is said with a vowel in front: eight, eleven, eighteen, eighty and so on."""
    return age is not None and (age in {8, 11, 18} or 80 <= age < 90)  # noqa: PLR2004 - the numbers are the rule
