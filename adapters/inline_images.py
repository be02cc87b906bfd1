"""Pictures between the lines of a terminal that shows them: the kitty graphics protocol, and iTerm2's inline images.

Which of the two a terminal speaks is told by the names that it gives itself in the environment. Nothing is asked of the
terminal: its answer would arrive among the keys that are typed. A multiplexer (tmux, screen, Zellij) stands between,
and takes no picture; an unknown terminal gets none.
"""

from base64 import b64encode
from collections.abc import Mapping

PNG = b"\x89PNG\r\n\x1a\n"
MULTIPLEXERS = ("TMUX", "STY", "ZELLIJ")
"""Variables that tmux, screen and Zellij set."""
KITTY = frozenset({"xterm-kitty", "xterm-ghostty"})
"""Values of TERM, which goes along over ssh.

KITTY_WINDOW_ID says less: another terminal that was started from kitty inherits it.
"""
ITERM2 = frozenset({"iTerm.app", "WezTerm"})
"""Values of TERM_PROGRAM."""
MOST_COLUMNS = 60
"""Of a picture: letters that were made for a phone are as large as those of the terminal then."""
CHUNK = 4096
"""Characters of base64 that one escape code of kitty's may carry; a multiple of 4."""


def inline_image(png: bytes, environment: Mapping[str, str], width: int) -> str:
    """The escape codes that show a PNG at the cursor, and a line's end; empty: it is none, or is not shown here.

    `width`: of the terminal, in columns. The picture keeps its proportions; one that is higher than the screen is
    reached by scrolling back.
    """
    if not png.startswith(PNG) or any(environment.get(one) for one in MULTIPLEXERS):
        return ""
    columns = min(width, MOST_COLUMNS)
    if environment.get("TERM") in KITTY:
        return _kitty(png, columns)
    if environment.get("TERM_PROGRAM") in ITERM2:
        return _iterm2(png, columns)
    return ""


def _kitty(png: bytes, columns: int) -> str:
    """Sent and shown at once (a=T) as a PNG (f=100), in chunks; the terminal is to answer nothing (q=2)."""
    content = b64encode(png).decode("ascii")
    chunks = [content[start : start + CHUNK] for start in range(0, len(content), CHUNK)]
    last = len(chunks) - 1
    codes = [
        f"\x1b_G{f'a=T,f=100,c={columns},' if number == 0 else ''}q=2,m={int(number < last)};{chunk}\x1b\\"
        for number, chunk in enumerate(chunks)
    ]
    return "".join([*codes, "\n"])


def _iterm2(png: bytes, columns: int) -> str:
    """Shown (inline=1), as wide as so many columns and as high as that makes it."""
    keys = f"inline=1;size={len(png)};width={columns};height=auto;preserveAspectRatio=1"
    return f"\x1b]1337;File={keys}:{b64encode(png).decode('ascii')}\x07\n"
