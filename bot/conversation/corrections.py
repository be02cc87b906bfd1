"""What is edited or deleted on a platform is corrected or erased here, with all that came from it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.conversation.queue import Conversations
from bot.domain import Erased, Utterance
from bot.memory.eraser import Eraser
from bot.ports import Corrections


@dataclass(kw_only=True, eq=False, repr=False)
class Corrector:
    """Serves `Core.edited` and `Core.deleted`.

    `eraser` tells `conversations` what it erased, so that what was being answered is answered no more. `heed` hears
    what was said by its new words, which may show danger.
    """

    corrections: Corrections
    conversations: Conversations
    eraser: Eraser
    heed: Callable[[Sequence[Utterance]], None] = lambda _said: None

    async def edited(self, platform: str, message_id: str, text: str) -> bool:
        """Corrects what is remembered; False when that message is not stored, or says so already.

        Where nothing may be read now, the new words are not stored either: False. Of a person who has paused, refused
        or opted out since, the new words are not kept: then the old ones go, because they are not theirs any more.
        """
        if not await self.conversations.reads_place_of(platform, message_id):
            return False
        if not await self.conversations.keeps_edited(platform, message_id, text):
            await self.deleted(platform, [message_id])
            return False
        with self.eraser.erasing():
            correction = await self.corrections.edit(platform, message_id, text)
            if correction is None:
                return False
            self.conversations.edited(correction.utterances)
            self.heed(correction.utterances)
            await self.eraser.follow(
                Erased(correction.erasure_id, correction.gone, correction.texts, correction.vectors)
            )
        return True

    async def deleted(self, platform: str, message_ids: Sequence[str]) -> None:
        """Erases from memory what was deleted on the platform. What was being answered is answered no more."""
        await self.eraser.erase_messages(platform, message_ids)
