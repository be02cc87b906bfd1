"""What is said of words that are no correction: Markdown, as in `commands.py`."""

from bot.texts.translating import speaks

NO_STATEMENT = (
    "That reads like an instruction to me, so I have kept nothing of it. Please tell me something of yourself, such as"
    " “I live in Oslo”."
)

NOT_KEPT = (
    "Thank you for telling me. These words may speak of something heavy, so I keep nothing of them as a fact about you,"
    " and nothing was changed. If they mean something else, please say it to me in other words."
)


speaks(__name__)
