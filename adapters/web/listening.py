"""The socket that is listened at: opened before the server that answers there, and anything else heavy, is loaded."""

import errno
import socket

from bot.errors import AdapterStopped
from bot.texts import page as texts


def listening_at(host: str, port: int, name: str, setting: str) -> socket.socket:
    """An open socket. Raises AdapterStopped for an address in use, naming the setting. `name`: what is served there."""
    try:
        return _opened(host, port)
    except OSError as error:
        told = {"name": name, "address": f"{host}:{port}", "reason": error.strerror or str(error), "setting": setting}
        sentence = texts.PORT_TAKEN if error.errno == errno.EADDRINUSE else texts.NOT_SERVED
        raise AdapterStopped(sentence.format(**told)) from error


def _opened(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen()
        opened.setblocking(False)
    except OSError:
        opened.close()
        raise
    return opened
