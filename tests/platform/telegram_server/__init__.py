"""A Telegram of our own on 127.0.0.1: the part of the Bot API that the bot uses, its people and its faults.

    async with open_telegram() as telegram:
        ann = telegram.world.add_user("Ann")
        telegram.world.say(ann, ann, "Hello")  # to the bot, in private
        reply = await telegram.world.reply(ann)
        telegram.faults.next("sendMessage", Fault.DROP_AFTER)

The bot, in this process or in another one, is given `telegram.base_url` and `telegram.token`.
"""

from tests.platform.telegram_server.wire import TOKEN as TOKEN
from tests.platform.telegram_server.wire import Fault as Fault
from tests.platform.telegram_server.wire import Faults as Faults
from tests.platform.telegram_server.wire import TelegramServer as TelegramServer
from tests.platform.telegram_server.wire import open_telegram as open_telegram
from tests.platform.telegram_server.world import BOT as BOT
from tests.platform.telegram_server.world import Chat as Chat
from tests.platform.telegram_server.world import Message as Message
from tests.platform.telegram_server.world import Press as Press
from tests.platform.telegram_server.world import Upload as Upload
from tests.platform.telegram_server.world import User as User
from tests.platform.telegram_server.world import World as World
