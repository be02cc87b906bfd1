"""What the core's recall finds, as a ranking: for measures, as no reply is made of it."""

from __future__ import annotations

from bot.domain import Event, Place, Utterance
from bot.memory.fragments import best_first, shown_of
from bot.memory.passage_shelf import PassageShelf
from bot.memory.query import Query
from bot.memory.recall import Recall


class RankedRecall(Recall):
    """`Recall`, asked for what fits best and not for what a reply is shown."""

    async def ranked(self, query: Query, place: Place, limit: int) -> list[Utterance]:
        """The `limit` utterances that fit best, best first, by `keynext` if that is the setting, else by `fused`.

        By `keynext`, each key is followed by what else is shown of it.
        """
        async with self._search.shelf(place) as shelf:
            ids = shelf.ids[await self._best(shelf, query, limit)].tolist()
            found = {one.id: one.utterance for one in await self._passages.get(ids, place)}
        return [found[passage_id] for passage_id in ids if passage_id in found]

    async def ranked_events(self, query: Query, place: Place, limit: int) -> list[Event]:
        """The `limit` events that fit best, best first, as the setting finds them."""
        if self._memory.recall == "ld-agent":
            return [one.event for one in await self._events.best(query, place, limit)]
        return [one.event for one in await self._events.nearest(await self._of_dialogue(query), place, limit)]

    async def relevant(self, query: Query, place: Place) -> bool:
        """Whether anything that was said seems to be relevant at all, by `fused`."""
        async with self._search.shelf(place) as shelf:
            scored = await self._fused.score(shelf, query)
        return scored.relevance >= self._memory.fused.threshold

    async def _best(self, shelf: PassageShelf, query: Query, limit: int) -> list[int]:
        """The positions of the `limit` best utterances, best first."""
        if self._memory.recall != "keynext":
            return [int(at) for at in best_first((await self._fused.score(shelf, query)).likely, limit)]
        settings = self._memory.fragments
        keys = await self._keynext.keys(shelf, query, settings.length, limit)
        return [*dict.fromkeys(at for key in keys for at in shown_of(shelf, key, settings.value))][:limit]
