"""What is said beside the conversation: at first contact, and now and then afterwards. Markdown, as for commands."""

from __future__ import annotations

HELLO = (
    "Hello, I am **{name}**. Before we go on: I am a machine, a program that listens and remembers. I am not a person."
)
ASK = (
    "**May I remember what you tell me?** If you agree, I keep our talks, short summaries of them, and what you tell me"
    " of yourself, on my owner's machine. {model} What you say to me in private I use only in private. Until you agree"
    " I forget each conversation when it has ended."
)
IMPLIED = (
    "I keep our talks, short summaries of them, and what you tell me of yourself, on my owner's machine. {model} What"
    " you say to me in private I use only in private. If you would rather not be remembered, tell me so here."
)
LOCAL = "I think there too: your words go to nobody else."
REMOTE = "To answer you, I send what I need, your words among it, to a server that my owner has chosen."
LOOK_AND_ERASE = (
    "`/memory list` shows what I know of you, `/memory forget` erases it, and `/privacy policy` tells you more."
)
YES, NO, MORE = "Yes, remember me", "No, forget each time", "What you keep"
NOT_ANSWERED = "I have forgotten what we talked about before: you have not told me yet whether I may remember it."

OPTED_OUT = "You have opted out here, so I do not read what you write. `/privacy channel in` changes that."
REMINDER = "We have been talking for a good while. Just so that you know: I am a machine, and a break may do you good."
MINOR = (
    "You have told me that you are under 18. So I am more careful: I remember you only if you agree, I keep what you"
    " say for {days} days at most, and I never write to you first. If I have understood you wrongly, tell me here."
)
NOT_A_MINOR = "I am 18 or older"

WISH_IN_CHANNEL = "I can do that. Press the button, and I show you alone what would go."
SHOW_ME = "Show me what would go"
