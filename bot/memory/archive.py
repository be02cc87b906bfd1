"""What was said in a session that is over becomes passages: it can be recalled word for word from then on."""

from bot.domain import Job, Utterance
from bot.indexing.indexing import Indexer
from bot.language.attachments import only_marks
from bot.language.withheld import Withheld, silenced
from bot.memory.events import APOLOGIES
from bot.ports import Passages, Sessions


class Archivist:
    """Does the ARCHIVE jobs."""

    def __init__(self, *, sessions: Sessions, passages: Passages, indexer: Indexer, withheld: Withheld) -> None:
        """`withheld`: what no memory is made of."""
        self._sessions = sessions
        self._passages = passages
        self._indexer = indexer
        self._withheld = withheld

    async def run(self, job: Job) -> int:
        """Archives the session `job.subject`, with its vectors. Asks no model, so it returns 0. Raises IndexUnusable.

        Not archived are lines that are withheld and the companion's replies to them, its apologies, and lines without
        words. What is off the record the store leaves out.
        """
        session = await self._sessions.get(job.subject)
        lines = session.utterances if session is not None else ()
        withheld = silenced(lines, self._withheld) | {line.id for line in lines if _says_nothing(line)}
        if await self._passages.archive(job.subject, withheld, job.id):
            await self._indexer.catch_up()
        return 0


def _says_nothing(line: Utterance) -> bool:
    """Whether a line has no words that are worth recalling."""
    is_apology = line.speaker.is_agent and line.text in APOLOGIES
    return is_apology or not line.text.strip() or bool(only_marks(line.text))
