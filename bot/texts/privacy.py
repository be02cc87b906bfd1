"""What `/privacy`, `/link`, `/unlink` and `/channel sharing` answer: Markdown that both platforms can show."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.texts.beside import read_beside
from bot.texts.commands import counted
from bot.texts.translating import here, speaks

_READ: Mapping[str, Any] = read_beside(__file__)

LOOK = "What I know about you"
YES, NO = "Yes, remember me", "No"

# policy

POLICY_TITLE = "**What I keep about you**"
POLICY_MACHINE = "I am {name}, a machine: not a person and not an emergency service."
POLICY_WHAT = (
    "- **What:** what you say to me, short summaries of our conversations, and what you tell me about yourself. In a"
    " channel only"
    " as its `/channel mode` says."
)
POLICY_WHERE = "- **Where:** on my owner's machine. {model} The chat service keeps what you write there, too."
MODEL_HERE = "The model that answers runs there too."
MODEL_AWAY = "The model that answers does not: what an answer needs, your words among it, goes to a server they chose."
POLICY_WHO = (
    "- **Who sees it:** what we say in private, I use in private with you alone. What was said in a channel, I use"
    " there and in private with those who took part, and in other channels of that server only if its managers share"
    " what everybody there can read."
)
POLICY_HOW_LONG_ASK = (
    "- **How long:** until you erase it, or the days you choose with `/privacy keep`. Without your yes, what we say in"
    " private is erased when our conversation ends."
)
POLICY_HOW_LONG_IMPLIED = (
    "- **How long:** until you erase it, or the days you choose with `/privacy keep`. If you say no, it is erased when"
    " our conversation ends."
)
POLICY_YOURS = (
    "- **It is yours:** see it with `/memory list` and `/memory why`, take it with you with `/memory export`, correct"
    " it with `/memory correct`, erase it with `/memory forget`. `/privacy receipt` says what was erased."
)
POLICY_DELETED = (
    "- **A message that you delete in the chat** I forget too, where the service tells me: Discord does while I am"
    " there, Telegram never does. `/memory forget` always works."
)
POLICY_CHARACTER = (
    "- **Your personality type** I guess from what you tell me, for the tone in which I write first:"
    " `/persona show` shows it and puts an end to it."
)
POLICY_STOP = "- **Stop me:** `/privacy pause`; in a channel, `/privacy channel out`."
POLICY_BACKUPS = "- **Backups** are encrypted, and gone after {days}. What you erase stays erased when one is used."

# consent

AGREED = "You said yes: I remember what you tell me."
REFUSED = "You said no: I forget what you say when a conversation ends. What I knew before stays until you erase it."
UNDECIDED = (
    "You have not decided yet whether I may remember you. Until you do, I forget what we say in private when our"
    " conversation ends. In channels whose mode keeps what is said, I keep what you say too, unless you say no."
)
UNDECIDED_MINOR = (
    "You have not decided yet whether I may remember you. Until you do, I forget what you say when a conversation ends."
)
IMPLIED = "I remember what people tell me here, unless they say no. You can say no at any time."
SAID_YES = "Thank you. I remember what you tell me from now on, and what you told me in this conversation."
SAID_YES_PAUSED = "Thank you. You have paused me, so I begin when you end the pause."
SAID_NO = (
    "All right. From now on I forget what you say when a conversation ends. What I know about you from before is still"
    " there. Shall I erase it?"
)
SAID_NO_UNKNOWN = (
    "All right. From now on I forget what you say when a conversation ends. There is nothing that I know about you."
)
ERASE_ALL, KEEP_ALL = "Erase what you have", "Keep what you have"

# pause

PAUSED = "I am paused: I forget what you say when a conversation ends. What I knew before stays."
NOT_PAUSED = "I am not paused."
PAUSE_ON = "I am paused now: from here on I forget what you say when a conversation ends. What I knew before stays."
PAUSE_OFF = "The pause is over: I remember what you tell me from now on. What you said in the pause is not kept."
PAUSE_OFF_UNAGREED = (
    "The pause is over. But you have not said that I may remember you, so I still forget what we say in private when"
    " our conversation ends."
)
PAUSE, RESUME = "Pause", "End the pause"

# keep

KEEPS_FOREVER = "I keep what you say until you erase it."
KEEPS_DAYS = "I keep what you say for {days}. What is older is erased."
KEEPS_MINOR = (
    "You are under 18, so what you say is erased after {days}. That is so for what you have said since {day}; what you"
    " said before stays {before}."
)
BEFORE_MINOR, BEFORE_MINOR_DAYS = "until you erase it", "for the {days} that you had chosen"
LONGEST_MINOR = "You are under 18, so {days} is the most that you can choose."
NOT_DAYS = "Please give me a number of days from 1 to {most}, such as 30, or: forever."
TOO_LONG_FOR_MINOR = "You are under 18, so I keep what you say for {days} at most."
WOULD_ERASE = (
    "If I keep what you say for {days} only, this is too old and goes now: {messages} of yours, with my replies and"
    " what I made of them. That cannot be undone. Shall I?"
)
KEEPS_NOW = "From now on: {rule}"
ERASED_OLD = "{messages} of yours went. Receipt {number} tells what came of it."
ERASE_OLD, LEAVE = "Yes, erase what is older", "Leave it as it is"
RECEIPT_BUTTON = "Receipt {number}"
FOREVER = "For ever"
NOT_YOUR_QUESTION = "That question was for somebody else. Nothing has changed."
QUESTION_OVER = "That question is over, and nothing has changed. Please ask me again."

# age

MINOR = "I assume that you are under 18."
ADULT = "I assume that you are 18 or older."
ADULT_BUTTON, MINOR_BUTTON = "I am 18 or older", "I am under 18"

# channel

IN = "In this channel I read you as its mode says; `/channel mode` shows it."
OUT = "You are out of this channel: I read and keep nothing that you say here."
OUT_EVERYWHERE = "You are out of this whole server: I read and keep nothing that you say in its channels."
NOW_IN = "I read you in this channel again, as its mode says."
NOW_IN_EVERYWHERE = (
    "You were out of this whole server. Now I read you again in its channels, as their modes say; you can leave single"
    " ones with `/privacy channel out`."
)
NOW_OUT = (
    "You are out: from now on I read and keep nothing that you say in this channel and its threads. What you said"
    " before is still there."
)
NOW_OUT_EVERYWHERE = (
    "You are out: from now on I read and keep nothing that you say in any channel of this server. What you said"
    " before is still there."
)
ERASE_HERE = "Erase what I said here"
BE_IN, BE_OUT, BE_OUT_EVERYWHERE = "Read me here", "Do not read me here", "Not on this server"

# country

COUNTRY = "I assume that you live in {country}. I use that for emergency numbers only."
NO_COUNTRY = "I do not know where you live. If you tell me, I can name the right number in an emergency."
COUNTRY_SET = "Thank you: {country}. I use that for emergency numbers only."
COUNTRY_GONE = "I have forgotten where you live."
NOT_A_COUNTRY = "I know no country “{country}”. Please give me its name or its two letters, such as DE or GB, or: none."

# receipts

NO_RECEIPTS = "Nothing of yours has been erased yet."
NO_SUCH_RECEIPT = "You have no receipt with that number. `/privacy receipt` shows those that you have."
RECEIPTS_TITLE = "**Your last receipts**"
RECEIPT_LINE = "- **{number}** ({day}): {counts}; {state}"
RECEIPT_TITLE = "**Receipt {number}**, of {day}: {reason}."
RECEIPT_COUNTS = "Gone: {counts}."
NOTHING_WENT = "nothing"
REASONS: Mapping[str, str] = _READ["reasons"]
"""Why something was erased (`ErasureReason`), in words."""
KINDS = {kind: (one, many) for kind, (one, many) in _READ["kinds"].items()}
"""What was erased (the kinds of `Receipt.counts`), one and many."""
VERIFIED = "Afterwards I rewrote my files and looked for it in all of them: nothing of it is left."
STILL_FOUND = (
    "Afterwards I rewrote my files and looked for it, and still found something of it in {places}. I am sorry; please"
    " tell my owner the number of this receipt."
)
NOT_DONE = "It is used no more. I am still rewriting my files; ask me again in a minute whether anything is left."
SHORT_VERIFIED, SHORT_FOUND, SHORT_NOT_DONE = "nothing left", "something was left", "not finished"

# link

LINK_CODE = (
    "On the other platform, send me this within ten minutes, and show it to nobody:\n`/link {code}`\nFrom then on you"
    " are one person for me: what we say in private on one, I also know in private on the other. Others learn no more"
    " than before."
)
LINKED_WITH = "You are one person for me on {platforms}."
LINK_DONE = (
    "Done: you are one person for me on {platforms}. What we say in private on one, I know in private on the other."
    " Where your privacy settings differed, the stricter one holds. Only how long I keep what you say is the longer of"
    " the two, so that joining erases nothing: `/privacy keep` shows and changes it. `/unlink` parts them."
)
HOW_LONG = "How long you keep it"
LINK_WRONG = "That code is not right, or its ten minutes are over. `/link` on the other platform shows you a new one."
LINK_OWN = "That is the code for your other platform. Please send it to me there."
LINK_KNOWN = "You are one person for me already; there was nothing to do."
LINK_TAKEN = "One of the two is joined with another account already. `/unlink` there first, and then try again."
LINK_TOO_OFTEN = "Those were too many wrong codes. Please wait ten minutes."
UNLINKED = (
    "Done: {platforms} are apart. What we say in private on one, I no longer bring up on the other. Nothing was erased:"
    " what I answered on one with the other in view still stands there. `/memory forget` where you told me something"
    " erases it with all answers that came of it. The privacy settings that you had together hold on each now;"
    " `/privacy keep` shows and changes how long."
)
NOT_LINKED = "You are on one platform only for me, so there is nothing to part."
UNLINK = "Part them"

# sharing

SHARING_ON = "On this server sharing is **on**: {meaning}"
SHARING_OFF = "On this server sharing is **off**: {meaning}"
SHARED = (
    "what everybody on this server can read, I may use in all its channels. Private channels and private talks stay"
    " where they are."
)
NOT_SHARED = "what is said in a channel, I use in that channel, and in private with those who took part."
SHARED_MEANWHILE = (
    "What I answered in other channels meanwhile still stands there; it goes when whoever said what it came from erases"
    " that with `/memory forget`."
)
SHARING_SET: Mapping[bool, str] = {
    True: f"{{name}} has switched sharing **on**: from now on, {SHARED}",
    False: f"{{name}} has switched sharing **off**: from now on, {NOT_SHARED} {SHARED_MEANWHILE}",
}
SHARE, DO_NOT_SHARE = "Switch it on", "Switch it off"


def days(count: int) -> str:
    """A number of days."""
    return counted(count, "day")


def messages(count: int) -> str:
    """A number of messages."""
    return counted(count, "message")


def went(counts: Sequence[tuple[str, int]]) -> str:
    """What was erased: "3 messages, 1 summary". Kinds that nobody has put into words come by their names."""
    parts = [counted(count, *KINDS.get(kind, (kind, kind))) for kind, count in counts if count]
    return ", ".join(parts) or here(NOTHING_WENT)


speaks(__name__)
