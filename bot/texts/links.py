"""What `/web` answers in a chat, and what came of what the owner began on the page."""

from bot.texts.translating import speaks

speaks(__name__)

LINK = "This opens your own page, once, within {minutes} minutes. Do not pass it on: it shows what I know about you."
ONLY_HERE = "It works in a browser on the machine that I run on, and nowhere else."
CLOSED_BY_YOU = (
    "My page is not switched on. Write `enabled: true` under `web:` in config.yaml and start me again, or stop me"
    " and run `hello-again web`."
)
CLOSED = "My owner has not switched my page on (`web.enabled` in the settings)."

BACKUP_MADE = "{file} is made: {rows:,} rows, {size:,.1f} MB, encrypted. It expires on {day:%Y-%m-%d}."
WENT_WRONG = "Something went wrong on my side. The log says more."
