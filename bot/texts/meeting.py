"""What is said beside the conversation: at first contact, and now and then afterwards. Markdown, as for commands."""

from bot.texts.translating import speaks

HELLO = (
    "Hello, I am **{name}**. Before we go on: I am a machine, a program that listens and remembers. I am not a person."
)
ASK = (
    "**May I remember what you tell me?** If you agree, I keep our talks, short summaries of them, and what you tell me"
    " about yourself, on my owner's machine. {model} What you say to me in private I use only in private. Until you"
    " agree"
    " I forget each conversation when it has ended."
)
IMPLIED = (
    "I keep our talks, short summaries of them, and what you tell me about yourself, on my owner's machine. {model}"
    " What"
    " you say to me in private I use only in private. If you would rather not be remembered, choose that below."
)
LOCAL = "I think there too: your words go to nobody else."
REMOTE = "To answer you, I send what I need, your words among it, to a server that my owner has chosen."
LOOK_AND_ERASE = (
    "`/memory list` shows what I know about you, `/memory forget` erases it, and `/privacy policy` tells you more."
)
YES, NO, MORE = "Yes, remember me", "No, forget each time", "What you keep"
RATHER_NOT = "Do not remember me"
NOT_ANSWERED = (
    "I still do not know whether I may remember you. Until you tell me, I forget each conversation when it has ended."
)

WELCOME = (
    "Hello, I am **{name}**, a companion that remembers: a machine, not a person. Here {does}. Those who manage"
    " this place can choose otherwise, for all channels (below) or for one (`/channel mode`). Everybody decides for"
    " themselves what I may remember of them."
)
SET_UP = "Set me up"

OPTED_OUT = "You have opted out here, so I do not read what you write. `/privacy channel in` changes that."
REMINDER = "We have been talking for a good while. Just so that you know: I am a machine, and a break may do you good."
UNDER_18 = (
    "I assume that you are under 18: from now on I keep what you say for some days only, and only if you say yes."
    " Did I get that wrong? Your answer below or `/privacy age adult` puts it right."
)
IS_MINOR, NOT_A_MINOR = "Yes, I am under 18", "No, I am 18 or older"

WISH_IN_CHANNEL = "I can do that. Choose it below, and only you will see what would go."
SHOW_ME = "Show me what would go"


speaks(__name__)
