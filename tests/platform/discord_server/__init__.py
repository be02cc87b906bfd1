"""A small Discord of our own: REST and gateway on 127.0.0.1, in memory, with faults to switch on.

Just the subset the bot uses, as discord.py 2.7 speaks it. `DiscordServer` is what tests hold in their hands.
"""

from tests.platform.discord_server.faults import Fault, Faults, Planned
from tests.platform.discord_server.gateway import Gateway, Intent
from tests.platform.discord_server.interactions import Interaction
from tests.platform.discord_server.server import HOST, TOKEN, DiscordServer, open_discord
from tests.platform.discord_server.world import Attachment, Channel, Guild, Message, User

__all__ = [
    "HOST",
    "TOKEN",
    "Attachment",
    "Channel",
    "DiscordServer",
    "Fault",
    "Faults",
    "Gateway",
    "Guild",
    "Intent",
    "Interaction",
    "Message",
    "Planned",
    "User",
    "open_discord",
]
