"""Every sentence of the program's own that a person can see in a chat. What the model says is not here."""

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.texts.beside import read_beside

NO_MEMORY = "No relevant memory"
"""What the MEMORY block holds when nothing is relevant (LD-Agent eq. 3)."""

MODEL_FAILED = "I am sorry, I lost my train of thought just now. Please say that again in a moment."
EMPTY_REPLY = "I am here. Tell me more?"
TURN_FAILED = "Something went wrong on my side. Your message is kept, and I will answer it after a restart."

PLACE_FULL = (
    "I still have {count} messages to answer here. I have not read this one, nor can I take in more until then. Please"
    " send it again in a moment."
)
PERSON_TOO_FAST = (
    "You write faster than I can answer. I have not read this message, nor do I read more from you for a minute. Please"
    " send it again then."
)
PLACE_FULL_HEARD = (
    "I still have {count} messages to answer here. From this message on I read along, but I cannot answer more until"
    " then."
)
PERSON_TOO_FAST_HEARD = (
    "You write faster than I can answer. From this message on I read along; please ask again in a minute."
)
SERVER_TOO_FAST = (
    "So many of you talk to me that I cannot keep up. I have not read this message; please send it again in a minute."
)
SERVER_TOO_FAST_HEARD = (
    "So many of you talk to me that I cannot keep up. From this message on I read along; please ask again in a minute."
)
BUDGET_USED_UP = "I have talked as much as I may for today. I remember what you said, and I answer again tomorrow."

CONSOLE_HELP = """\
/as NAME       speak as somebody else, in a channel that all of you share
/as            speak as yourself again, in private
/session       end this session now, as an hour of silence would
/1, /2 …       press that button of those shown last
/quit          leave (Ctrl-D does the same)
Everything else is said to {agent}. Arrow up brings back what you typed before, Tab completes a command."""

_ATTACHED: Mapping[str, Mapping[str, str]] = read_beside(__file__, "attached")
"""What is answered to one attachment without words: by its kind where its name says enough (`named`), and without."""


def attached(shown: Sequence[tuple[str, str]]) -> str:
    """What is answered to attachments without words: (kind, name or "") of each, at least one."""
    if len({*shown}) == 1:
        [(kind, name)] = {*shown}
        fitting = _ATTACHED["named"].get(kind, "") if name else ""
        fitting = fitting or _ATTACHED["nameless"].get(kind, "")
        if fitting:
            return fitting.format(name=name)
    return thanks([kind for kind, _ in shown])


def thanks(kinds: Sequence[str]) -> str:
    """What is answered to attachments without words; `kinds`: at least one, such as "photo", one for each."""
    names = [f"the {kind}" if count == 1 else f"the {kind}s" for kind, count in Counter(kinds).items()]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    asks = "what is it?" if len(kinds) == 1 else "what are they?"
    return f"Thank you for {listed}. I can only read words, so please tell me: {asks}"
