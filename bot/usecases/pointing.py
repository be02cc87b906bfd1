"""What is asked of one message, by a menu on it or in reply to it: remember it, forget it, why was it said.

Only its own speaker has anything remembered or erased of it, and sees what was made of it. The companion's words tell
what was behind them, as `/memory why` does, to those in whose place they stand.
"""

from collections.abc import Awaitable, Callable

from bot.conversation.addressing import without_call
from bot.domain import Answer, Asker, Call, Utterance
from bot.texts import commands
from bot.texts import reacting as texts
from bot.usecases.calls import button, buttons
from bot.usecases.correcting import NEW
from bot.usecases.entries import line_of, quote_of
from bot.usecases.kept import Kept
from bot.usecases.markup import joined
from bot.usecases.memory import Memories

Method = Callable[[Call, Asker], Awaitable[Answer]]


class Pointing:
    """`/memory remember`, and `/memory why` and `/memory forget` of a message. `edit`: `/persona edit`."""

    def __init__(self, *, memories: Memories, kept: Kept, edit: Method, forget: Method, agent_name: str) -> None:
        self._memories = memories
        self._kept = kept
        self._edit = edit
        self._forget = forget
        self._agent_name = agent_name

    async def remember(self, call: Call, asker: Asker) -> Answer:
        """`/memory remember`: what the asker says of themselves, or what their message says."""
        words = call.get("words")
        if not words:
            said = await self._own(call.get("message"), asker) if call.get("message") else texts.REMEMBER_WHAT
            if not isinstance(said, Utterance):
                return Answer(texts.REMEMBER_WHAT if said == texts.MINE else said)
            words = said.text
        told = without_call(words, self._agent_name) if call.get("message") else words
        return await self._edit(Call("persona edit", (("entry", NEW), ("words", told))), asker)

    async def forget(self, call: Call, asker: Asker) -> Answer:
        """`/memory forget`, of a message where one is named."""
        if not (message := call.get("message")):
            return await self._forget(call, asker)
        said = await self._own(message, asker)
        if not isinstance(said, Utterance):
            return Answer(said)
        return await self._forget(Call(call.command, (("what", f"#{said.id}"),)), asker)

    async def why(self, call: Call, asker: Asker) -> Answer:
        """`/memory why`, of a message where one is named: what was behind the companion's, what came of one's own."""
        if not (message := call.get("message")):
            return await self._memories.why(call, asker)
        said = await self._own(message, asker)
        if said == texts.MINE:
            return await self._memories.why_said(asker, message)
        if not isinstance(said, Utterance):
            return Answer(said)
        entries = [entry for entry in await self._memories.known(asker) if said.id in entry.sources]
        names = await self._memories.names(entries)
        lines = [texts.MADE_OF_IT, *(line_of(entry, names) for entry in entries)] if entries else [texts.NOTHING_MADE]
        forget = button(commands.FORGET_IT, "memory forget", what=f"#{said.id}")
        return Answer(joined([quote_of(said), *lines]), choices=buttons([forget]))

    async def _own(self, message: str, asker: Asker) -> Utterance | str:
        """The asker's own message as it is kept, or why there is none; `texts.MINE` of the companion's."""
        said = (await self._kept.utterances.by_message(asker.place.platform, [message])).get(message)
        if said is None:
            return texts.NOT_KEPT
        if said.speaker.is_agent:
            return texts.MINE if said.place == asker.place else texts.NOT_YOURS
        return said if said.speaker.id in await self._memories.ids(asker) else texts.NOT_YOURS
