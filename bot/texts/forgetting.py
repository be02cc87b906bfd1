"""What is said about erasing, correcting and taking away what the companion knows. Markdown, as in `commands.py`."""

from collections.abc import Mapping

from bot.texts.commands import counted, listed
from bot.texts.translating import speaks

# forget

MENU = (
    "What shall I forget? Name an entry of `/memory list` (`t12`), words, or a time (“last week”), or press one of"
    " these. I show you first what would go, and erase nothing before you say so."
)
LAST, TODAY, EVERYTHING = "The last thing I said", "What I said today", "Everything"
ERASE, KEEP, EXPORT_FIRST = "Erase it", "Keep it", "Give me a copy first"

NO_WORDS_OF_YOURS = "`{code}` holds no words of yours: you were there, and others said it. Only they can take it back."
NOTHING_LAST = "I have no words of yours."
NOTHING_BEHIND = "There are no words of yours behind that any more."
NOTHING_THERE = "I have no words of yours from there."
NOTHING_THEN = "I have no words of yours from then."
NOTHING_FOUND = "I find nothing about “{words}” in what you said."
FOUND_CLOSE = "I find no “{words}” in your own words. These are close in meaning; press one to see what would go:"
ALSO_CLOSE = "These are close in meaning, and would stay; press one to look at it instead:"

PREVIEW = "**This would go**: {messages} of yours."
MORE = "… and {count} more"
ALONG = "{what} would go along."
ANEW = "{what} would go, or be made again from what is left."
FORMER_TOO = "That includes what was true before it ({values}), so that it does not come back as true today."
NOT_UNDONE = "It cannot be undone. You have {minutes} to decide."
ON_PLATFORM = "The chat itself keeps its own copy until you delete it there."
ALL_OF_IT = (
    "**Everything would go**: all that you ever said to me or near me ({messages}), our private talks whole, and your"
    " name, your settings and your links. What protects you still holds, and is kept without your name or id: that you"
    " refused or paused me, that you are under 18, and where I am not to read you."
)
ALL_LATER = (
    "Should you talk to me afterwards, we begin as strangers. The chat itself keeps its own copies of our messages"
    " until you delete them there. Encrypted backups are deleted after {days}; should one be restored before, this is"
    " erased from it again."
)

OTHERS_STAY = (
    "What others said about you is theirs, and stays with them. To have that gone too, ask them to erase it with"
    " `/memory forget`, or ask my owner."
)

KEPT = "Good, nothing was erased."
OVER = (
    "That question is over: answered already, too old, or you have unlinked an account since. Nothing was erased by"
    " this press; ask me again if you still want it."
)
NOT_YOURS = "That question is not yours to answer. Nothing has changed."
GONE = "Gone: {what}."
GONE_ALREADY = "There was nothing left to erase: it had gone already."
VERIFIED = "I looked for it in all my files afterwards and found nothing. Receipt {id}."
STILL_FOUND = (
    "But when I looked for it in my files afterwards, I still found something of it in {places}. My owner should look"
    " into that. I try again whenever I rewrite them. Receipt {id}."
)
NOT_LOOKED_FOR = (
    "I have rewritten my files without it, and could not look for it in them afterwards: I was restarted meanwhile, and"
    " did not know any more what to look for."
)
SHORT_NOT_LOOKED_FOR = "rewritten, not looked for"
RECEIPT = "Receipt {id}."
REWRITING = "It is erased. I am still rewriting my files; `/privacy receipt {id}` tells when that is done."
KINDS: Mapping[str, tuple[str, str]] = {
    "utterances": ("message", "messages"),
    "replies": ("reply", "replies"),
    "events": ("summary", "summaries"),
    "traits": ("trait", "traits"),
}
"""Kinds of a receipt that are told here, in this order. `/privacy receipt` tells all."""

# correct

CORRECTED = "I know it differently now:"
ADDED = "I know that now:"
BEFORE, AFTER = "before: “{text}”", "now: “{text}”"
SOMETHING_ELSE = (
    "These words seem to be about something else. If both are true, `/memory undo` brings the old entry back, and"
    " `/persona edit new` adds the words beside it."
)
SET_ASIDE = (
    "With you I use the old entry no more; what others said there too, they still find, and other entries may say the"
    " same (`/memory list`). What you tell me here is known in private only."
)
ADDED_PRIVATELY = "It is known in private only."
NEW_TRAIT = "new: something you do not know yet"
ERASE_OLD = "Erase the old one"
TOO_LONG = "That is too long for one entry: please say it in {most} characters."
NOT_CORRECTABLE = "`{code}` does not come from words of yours, so it is not yours to correct."
ONLY_TRAITS = "That is a summary, not a trait. `/memory correct` can put it right."
SAME_AGAIN = "That is what I know already."
REFUSED = "You have asked me not to remember, so I keep no correction. `/privacy consent yes` changes that."
UNASKED = "You have not told me yet that I may remember. `/privacy consent yes` does, and then I can keep this."
PAUSED = "Remembering is paused for you, so I keep no correction now. `/privacy pause off` resumes it."

# undo

TAKEN_BACK = "I have taken back what you told me last:"
NOT_ANY_MORE, AGAIN = "no more: “{text}”", "again: “{text}”"
WORDS_STAY = "I use the words I took back no more; I keep them until you erase them."
ERASE_TAKEN_BACK = "Erase those words"
NOTHING_TO_UNDO = (
    "There is nothing to take back: you have corrected nothing, or something that you said later counts instead."
)

# export

EXPORTED = (
    "This is all that I know about you: {messages} of yours, {replies} of mine in our private talks, {traits} and"
    " {summaries}. What ends in .txt is for you to read, what ends in .json is for programs."
)
NOTHING_TO_EXPORT = "I know nothing of you yet, so there is nothing to hand over."
IN_PARTS = "It is much, so it comes in {files}."
PARTS_LEFT_OUT = "{files} more did not fit: I can send {most} at once. Ask my owner for the rest."


def messages(count: int) -> str:
    """How many messages."""
    return counted(count, "message")


def told(counts: Mapping[str, int]) -> str:
    """How much went, by kind: "3 messages, 1 reply and 2 traits"; empty when nothing of these kinds did."""
    parts = [counted(counts[kind], *names) for kind, names in KINDS.items() if counts.get(kind)]
    return listed(parts) if parts else ""


speaks(__name__)
