"""Markdown as Telegram shows it: a text, and entities that say which stretches of it are bold, code, a link. Pure.

Markdown that Telegram has nothing for stays as it is written. A text of which this would lose a letter or an emoji
stays so, too.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from telegram import MessageEntity

from adapters.splitting import split, utf16_length

MAX_UNITS = 4096
"""UTF-16 units of one message."""

BULLET = "• "
INDENT = "  "
RULE = "———"

_STYLES = {
    "strong": MessageEntity.BOLD,
    "em": MessageEntity.ITALIC,
    "s": MessageEntity.STRIKETHROUGH,
    "spoiler": MessageEntity.SPOILER,
}
_NOT_READ = ("reference", "html_block", "html_inline", "lheading", "code", "entity")
_DEEPEST = 100
"""Blocks within blocks that are looked at."""
PICTURE = "So"
"""The Unicode category of emoji."""
_SPOILER = "||"


@dataclass(frozen=True, slots=True)
class Formatted:
    """One message; `source` is its Markdown, for where Telegram does not take the entities."""

    text: str
    source: str
    entities: tuple[MessageEntity, ...] = ()


class _Parser(MarkdownIt):
    """CommonMark with strikethrough and spoilers; addresses stay as they are written."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"maxNesting": _DEEPEST})
        self.enable("strikethrough").disable(_NOT_READ)
        self.inline.add_terminator_char("|")
        self.inline.ruler.before("emphasis", "spoiler", _spoiler)

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - markdown-it's name
        """The address as it is written."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - markdown-it's name
        """The address as it is written."""
        return link


def _spoiler(state: StateInline, silent: bool) -> bool:
    """An inline rule of markdown-it: ||what is hidden||."""
    begin = state.pos + len(_SPOILER)
    end = state.src.find(_SPOILER, begin, state.posMax)
    hidden = state.src[begin:end] if end >= 0 else ""
    if not state.src.startswith(_SPOILER, state.pos) or not hidden or hidden != hidden.strip():
        return False
    if not silent:
        last = state.posMax
        state.push("spoiler_open", "spoiler", 1)
        state.pos, state.posMax = begin, end
        state.md.inline.tokenize(state)
        state.posMax = last
        state.push("spoiler_close", "spoiler", -1)
    state.pos = end + len(_SPOILER)
    return True


_PARSER = _Parser()


def formatted(markdown: str) -> Formatted:
    """One message's Markdown, which must itself fit into a message, as Telegram shows it."""
    writer = _Writer()
    writer.blocks(_PARSER.parse(markdown))
    text = "".join(writer.pieces)
    if not text.strip() or writer.units > MAX_UNITS or _loses_letters(markdown, text, writer.entities):
        return Formatted(markdown, markdown)
    return Formatted(text, markdown, tuple(sorted(writer.entities, key=lambda entity: (entity.offset, -entity.length))))


def messages(markdown: str) -> list[Formatted]:
    """A text of any length as messages of 4,096 UTF-16 units at most."""
    return [formatted(part) for part in split(markdown, MAX_UNITS, utf16_length)]


def beginning(markdown: str) -> Formatted:
    """As much of a growing text as one message can show."""
    if utf16_length(markdown) <= MAX_UNITS:
        return formatted(markdown)
    return formatted(f"{split(markdown, MAX_UNITS - 2, utf16_length)[0]} …")


@dataclass
class _Writer:
    """What has been written so far."""

    pieces: list[str] = field(default_factory=list)
    units: int = 0
    entities: list[MessageEntity] = field(default_factory=list)
    _line: int = 0
    """The source line after the last one that was written."""
    _prefix: str = ""
    """The bullets that stand before the next line."""
    _depth: int = 0
    _quotes: list[int | None] = field(default_factory=list)
    """Where each open quotation begins; None: at the next line."""
    _opened: list[int] = field(default_factory=list)
    """Where each open inline style begins."""

    def blocks(self, tokens: Sequence[Token]) -> None:
        """Writes the blocks of a document."""
        for token in tokens:
            match token.type:
                case "paragraph_open":
                    self._begin(token)
                case "heading_open":
                    self._begin(token)
                    self._opened.append(self.units)
                case "heading_close":
                    self._style(self._opened.pop(), MessageEntity.BOLD)
                case "inline":
                    self._inline(token.children or [])
                case "fence":
                    self._fence(token)
                case "hr":
                    self._begin(token)
                    self._write(RULE)
                case _:
                    self._enclose(token)

    def _enclose(self, token: Token) -> None:
        """Goes into a list, an item or a quotation, or out of it."""
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._depth += 1
            case "bullet_list_close" | "ordered_list_close":
                self._depth -= 1
            case "list_item_open":
                self._prefix += f"{token.info}{token.markup} " if token.info else BULLET
            case "list_item_close":
                self._flush()
            case "blockquote_open":
                self._quotes.append(None)
            case "blockquote_close":
                self._unquote()
            case _:
                pass

    def _begin(self, token: Token) -> None:
        """Goes to the line of a block that holds text."""
        first, last = token.map or (self._line, self._line)
        if self.pieces:
            self._write("\n\n" if first > self._line else "\n")
        self._line = last
        self._quotes = [self.units if start is None else start for start in self._quotes]
        indent = INDENT * (self._depth - 1 if self._prefix else self._depth)
        self._write(indent + self._prefix)
        self._prefix = ""

    def _flush(self) -> None:
        """An item without anything in it."""
        if self._prefix:
            self._write(("\n" if self.pieces else "") + self._prefix)
            self._prefix = ""

    def _unquote(self) -> None:
        """Ends a quotation. Telegram has none within another."""
        start = self._quotes.pop()
        if start is not None and not self._quotes:
            self._style(start, MessageEntity.BLOCKQUOTE)

    def _fence(self, token: Token) -> None:
        self._begin(token)
        start = self.units
        self._write(token.content.removesuffix("\n"))
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else None
        self._style(start, MessageEntity.PRE, language=language)

    def _inline(self, tokens: Sequence[Token]) -> None:
        links: list[tuple[int, Token]] = []
        for token in tokens:
            match token.type:
                case "link_open":
                    links.append((len(self.pieces), token))
                case "link_close":
                    self._link(*links.pop())
                case "image":
                    here = len(self.pieces)
                    self._inline(token.children or [])
                    self._link(here, token)
                case "code_inline":
                    start = self.units
                    self._write(token.content)
                    self._style(start, MessageEntity.CODE)
                case "softbreak" | "hardbreak":
                    self._write("\n" + INDENT * self._depth)
                case _ if token.nesting > 0:
                    self._opened.append(self.units)
                case _ if token.nesting < 0:
                    self._style(self._opened.pop(), _STYLES[token.tag])
                case _:
                    self._write(token.content)

    def _link(self, first: int, token: Token) -> None:
        """Makes what was written since the piece `first` a link, or names the address behind it."""
        address, title = str(token.attrGet("href") or token.attrGet("src") or ""), token.attrGet("title")
        shown = "".join(self.pieces[first:])
        if shown.strip() and shown != address and _is_address(address):
            self._style(self.units - utf16_length(shown), MessageEntity.TEXT_LINK, url=address)
        elif shown != address:
            self._write(f" ({address})" if shown else address)
        if title:
            self._write(f" ({title})")

    def _style(self, start: int, kind: str, *, url: str | None = None, language: str | None = None) -> None:
        if self.units > start:
            self.entities.append(MessageEntity(kind, start, self.units - start, url=url, language=language))

    def _write(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            self.units += utf16_length(text)


def _is_address(address: str) -> bool:
    """Whether Telegram opens this; other links it refuses."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    return parts.scheme == "tg" or (parts.scheme in {"http", "https"} and "." in host.strip("."))


def _loses_letters(markdown: str, text: str, entities: Sequence[MessageEntity]) -> bool:
    """Whether a letter or digit of the source is neither shown nor behind a link."""
    behind = "".join((entity.url or "") + (entity.language or "") for entity in entities)
    return bool(_letters(markdown) - _letters(text + behind))


def _letters(text: str) -> Counter[str]:
    return Counter(letter for letter in text if letter.isalnum() or unicodedata.category(letter) == PICTURE)
