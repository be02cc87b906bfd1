"""What it takes the asker to be like, and what it is like itself."""

from collections import defaultdict
from collections.abc import Sequence

from bot.config import Agent
from bot.domain import AGENT_ID, Answer, Asker, Call, Choice, Place, PlaceKind, Trait
from bot.texts import commands as texts
from bot.usecases.calls import buttons
from bot.usecases.character import CharacterRules
from bot.usecases.kept import Kept
from bot.usecases.markup import cut, joined, plain
from bot.usecases.memory import dm_of

MOST_SHOWN = 24
LONGEST_TRAIT = 120
ME, COMPANION = "me", "companion"


class Personas:
    """`/persona show`."""

    def __init__(self, *, kept: Kept, card: Agent, character: CharacterRules) -> None:
        self._kept = kept
        self._card = card
        self._character = character

    async def show(self, call: Call, asker: Asker) -> Answer:
        """`/persona show`: the asker's traits and type, or the companion's card and what it has said of itself here."""
        whose = call.get("whose", ME)
        other = Call("persona show", (("whose", ME if whose == COMPANION else COMPANION),))
        turn = [Choice(texts.WHOSE_OTHER[whose], other)]
        if whose == COMPANION:
            return Answer(joined(await self._companion(asker)), choices=buttons(turn))
        lines, choices = await self._character.of(asker)
        return Answer(joined([*await self._asker(asker), *lines]), choices=buttons(choices, turn))

    async def _asker(self, asker: Asker) -> list[str]:
        """Grouped by where it was learnt, what was learnt last at the end."""
        ids = await self._kept.identities.of(asker.speaker.id)
        traits = await self._kept.traits.readable_in(dm_of(asker), ids)
        if not traits:
            return [texts.NO_TRAITS]
        shown = traits[-MOST_SHOWN:]
        by_place: defaultdict[Place, list[Trait]] = defaultdict(list)
        for trait in shown:
            by_place[trait.place].append(trait)
        names = await self._kept.utterances.place_names(list(by_place))
        lines = [texts.YOU_TITLE]
        for place, learnt in by_place.items():
            where = texts.where(private=place.kind is PlaceKind.DM, name=plain(names.get(place, "")))
            lines += [f"*{where[:1].upper()}{where[1:]}:*", *_listed([trait.text for trait in learnt])]
        return [*lines, texts.YOU_MORE.format(count=len(traits) - len(shown))] if len(traits) > len(shown) else lines

    async def _companion(self, asker: Asker) -> list[str]:
        """The card, and what may be used where this is asked. Somebody else's DM is never that place."""
        card = self._card
        here = asker.place if asker.place.dm_person in {None, asker.speaker.id} else dm_of(asker)
        learnt = await self._kept.traits.readable_in(here, [AGENT_ID])
        lines = [texts.CARD.format(name=plain(card.name), description=plain(card.description)), *_listed(card.traits)]
        if not learnt:
            return [*lines, texts.NOTHING_LEARNT]
        return [*lines, texts.LEARNT_TITLE, *_listed([trait.text for trait in learnt[-MOST_SHOWN:]])]


def _listed(words: Sequence[str]) -> list[str]:
    return [f"- {plain(cut(text, LONGEST_TRAIT))}" for text in words]
