"""Every sentence of the program's own that a person can see in a chat. What the model says is not here."""

from __future__ import annotations

NO_MEMORY = "No relevant memory"
"""What the MEMORY block holds when nothing is relevant (LD-Agent eq. 3)."""

MODEL_FAILED = "I am sorry, I lost my train of thought just now. Please say that again in a moment."
QUEUE_FULL = "I still have {count} of your messages to answer. Please give me a moment before you send more."
EMPTY_REPLY = "I am here. Tell me more?"
TURN_FAILED = "Something went wrong on my side. Your message is kept, and I will answer it after a restart."

CONSOLE_HELP = """\
/help          this list
/as NAME       speak as somebody else, in a channel that all of you share
/as            speak as yourself again, in private
/session       end this session now, as an hour of silence would
/quit          leave (Ctrl-D does the same)
Everything else is said to {agent}. Arrow up brings back what you typed before."""
