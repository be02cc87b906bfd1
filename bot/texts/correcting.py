"""What is said of words that are no correction: Markdown, as in `commands.py`."""

NO_STATEMENT = (
    "That reads like an instruction to me, so I have kept nothing of it. Please tell me something of yourself, such as"
    " “I live in Oslo”."
)
