"""What the platforms' own front ends say: to their owner on the screen, and to people in a chat."""

from bot.texts.translating import here, speaks

# Discord

CHANNEL_NAME = "#{channel} in {server}"
THREAD_NAME = "{thread} in #{channel} in {server}"
UNKNOWN_PERSON = "someone"
UNKNOWN_ROLE = "@a role"
UNKNOWN_CHANNEL = "#a channel"

DISCORD_NOT_SET_UP = (
    "Discord is left out: it has no token. `hello-again setup --platform discord` asks for it, or set DISCORD_TOKEN."
)
DISCORD_LOGIN_REFUSED = (
    "Discord does not accept the token (DISCORD_TOKEN). Reset it under Bot on your application's page at"
    " https://discord.com/developers/applications, and copy the new one whole."
)
DISCORD_NO_INTENT = (
    "Discord does not let me read messages: switch on 'Message Content Intent' under Bot on your application's page at"
    " https://discord.com/developers/applications, and start me again."
)
DISCORD_CLOSED = "Discord has closed the connection for good (code {code}). Its log lines say more; start me again."

DISCORD_WRONG_SHARDS = (
    "Discord wants these servers in more connections: set discord.shards to what Discord recommends, the same in all"
    " gateways, and start me again (SCALING.md)."
)
DISCORD_SHARDS_NEED_ROLES = (
    "discord.shards is more than 1, which gateways share over PostgreSQL: start me with --role gateway (SCALING.md), or"
    " set it to 1."
)

DISCORD_DM_CLOSED = "This person takes no DMs from me."
DISCORD_PERSON_GONE = "This person is not on Discord any more."
DISCORD_GONE = "This place is not there any more, or I am not."
DISCORD_REFUSED = "Discord refused the message (status {status}, code {code})."
DISCORD_BUSY = "Discord wants me to wait."
DISCORD_BROKEN = "Discord did not answer as it should ({reason})."
DISCORD_AWAY = "I am not connected to Discord."

COMMAND_FAILED = "Something went wrong on my side, and I could not do that. Please try again in a moment."
COMMAND_NOT_HERE = "I cannot do that here. Please ask me in one of my channels, or in private."
CHOOSE_COMMAND = (
    "Please choose `/{command}` from the menu that opens when you type `/`: so what is private is seen by you alone. "
    "In our private chat, typing it is enough."
)
COMMAND_MISSED = "I was away when you typed that. Please type it again."
NO_BUTTON = "There is no button {line} now. Ask again to see the buttons."
COMMANDS_TOO_FAST = "That was a bit much at once. Please give me a minute, and ask again then."
FORM_LABEL = "How it is"
BUTTON_TOO_OLD = "I no longer know what that button stands for. Please use the command again."

MEGABYTE = 1024 * 1024
FILE_TOO_LARGE = "I cannot send you {name} here: it has {size:.0f} MB, and {platform} takes {limit:.0f} MB."
FILES_NOT_TAKEN = "The files did not get through. Nothing is lost: please ask for them again."

# The console

FILE_WRITTEN = "Written to {path}, for your eyes only."
FILES_STAY = "Such files are removed the next time something is erased."
NO_FOLDER = "there is no folder for it"
FILE_NOT_WRITTEN = "I could not write {name} ({reason})."

# Telegram

TOPIC_NAME = "{topic} in {group}"

TELEGRAM_NOT_SET_UP = (
    "Telegram is left out: it has no token. `hello-again setup --platform telegram` asks for it, or set TELEGRAM_TOKEN."
)
TELEGRAM_LOGIN_REFUSED = (
    "Telegram does not accept the token (TELEGRAM_TOKEN). Write /mybots to @BotFather (https://t.me/BotFather), choose"
    " your bot and API Token, and copy it whole."
)
TELEGRAM_CONFLICT = "Telegram: another process is polling with this token; I wait for it to end."
TELEGRAM_SECOND_POLLER = (
    "Telegram: another process is polling with this token; stop it. Until then I hear little; I try again every"
    " {seconds:.0f} seconds."
)

TELEGRAM_DM_CLOSED = "This person takes no messages from me on Telegram."
TELEGRAM_PERSON_GONE = "This person is not on Telegram any more."
TELEGRAM_GONE = "This chat is not there any more, or I may not write in it."
TELEGRAM_REFUSED = "Telegram refused the message ({reason})."
TELEGRAM_BUSY = "Telegram wants me to wait."
TELEGRAM_BROKEN = "Telegram did not answer as it should ({reason})."
TELEGRAM_AWAY = "I am not connected to Telegram."

TELEGRAM_START = (
    "Hello! I am {name}. I am a machine that likes to listen.\n"
    "Just write to me, as you would to a friend. /help lists what else I can do, /memory shows what I know about you,"
    " and /privacy what I may keep."
)
ANSWERED_IN_PRIVATE = "I answered you in private."
START_ME_FIRST = "I answer that in private, and I may not write to you before you have written to me."
START_ME_BUTTON = "Write to me"


def too_large(name: str, size: int, platform: str, limit: int) -> str:
    """That a file has more bytes than a platform takes."""
    told = {"name": name, "size": size / MEGABYTE, "platform": platform, "limit": limit / MEGABYTE}
    return here(FILE_TOO_LARGE).format(**told)


speaks(__name__)
