"""Open brackets and quotes of code, line by line, without a parser.

A line is scanned once and its result cached: the lines above a cursor are the same for
every key in the line below them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
OPENER_OF = {closer: opener for opener, closer in CLOSER_OF.items()}
CLOSERS = frozenset(OPENER_OF)
LONG_QUOTES = ('"""', "'''")
_COMMENT_MARKS = ("/*", "*/")
_BRACKETS = frozenset(CLOSER_OF) | CLOSERS

_HASH_LANGUAGES = re.compile(
    "python|ruby|shellscript|perl|r|yaml|toml|makefile|dockerfile|elixir|julia|"
    "powershell"
)
_DASH_LANGUAGES = re.compile("lua|sql|haskell")
_BACKTICK_LANGUAGES = re.compile("(?:java|type)script(?:react)?|go")

_EVENT = re.compile(r"""\\.|\"{3}|'{3}|["'`()\[\]{}#]|//|--|/\*|\*/""")

_COMMENT_MARK = re.compile(r"/\*|\*/")
_APOSTROPHE = re.compile(r"\w(?<!\b[rbuftlRBUFTL])(?<!\b[rbuRBU][rbtf8RBTF])$")
"""What stands before one: a word that is no prefix of a string."""
_PREFIX = re.compile(r"(?<!\w)[rbuftRBUFT]{1,2}$")
_BEFORE_STRING = re.compile(
    r"[=(,\[{:+%|&]$|\b(?:return|yield|in|is|not|and|or|if|elif|else|while|assert|"
    r"print|raise|await|case|match|lambda)$"
)
_AFTER_STRING = re.compile(r"\s*[.,)\]}:;]|\s+[#%+]\s")
"""What follows the end of a string, and hardly begins the text of one."""
_OPENS_TEXT = (":", "(", "[", "{", ",", "=", "\\")
"""What a line ends with before one that begins a long string."""

Kind = Literal["open", "close", "quote", "unquote", "comment"]


class Event(Struct, frozen=True):
    """A bracket, quote or comment in a line."""

    at: int
    kind: Kind
    text: str


class LineScan(Struct, frozen=True):
    """The events of a line, and the quote that is open at its end."""

    events: tuple[Event, ...]
    quote: str
    """The quote that is open after the line's last character; empty: none."""
    has_comment: bool
    unpaired: tuple[Event, ...]
    """The brackets that are not closed in the line, or not opened in it."""


@lru_cache(maxsize=4_096)
def scan_line(line: str, language: str, quote: str = "") -> LineScan:
    """Find the brackets and quotes of one line.

    Args:
        line: Without its end.
        language: The LSP language id.
        quote: The quote that is open where the line begins.
    """
    events: list[Event] = []
    position = 0
    while found := _EVENT.search(line, position):
        text, at, position = found[0], found.start(), found.end()
        if text[0] == "\\":
            continue
        if quote:
            # Three quotes found inside a single-quoted string end it at the first.
            if text == quote or (len(quote) == 1 and text[0] == quote):
                events.append(Event(at, "unquote", quote))
                position = at + len(quote)
                quote = ""
            continue
        if text == "/*":
            quote = "*/"
        elif _is_comment(text, language):
            events.append(Event(at, "comment", text))
            return _scanned(events, "", has_comment=True)
        elif text in _BRACKETS:
            kind: Kind = "open" if text in CLOSER_OF else "close"
            events.append(Event(at, kind, text))
        elif _is_quote(text, at, line, language):
            events.append(Event(at, "quote", text))
            quote = text
    return _scanned(events, quote, has_comment=quote == "*/")


def _scanned(events: Sequence[Event], quote: str, *, has_comment: bool) -> LineScan:
    unpaired: list[Event] = []
    for event in events:
        is_close = event.kind == "close"
        if is_close and unpaired and CLOSER_OF.get(unpaired[-1].text) == event.text:
            unpaired.pop()
        elif is_close or event.kind == "open":
            unpaired.append(event)
    return LineScan(tuple(events), quote, has_comment, tuple(unpaired))


def carried(quote: str) -> str:
    """Return the quote that continues on the next line."""
    return quote if quote in ("`", '"""', "'''", "*/") else ""


class Openings(Struct, frozen=True):
    """What is open at the end of a text."""

    closers: tuple[str, ...] = ()
    """The closing brackets that are missing, the outermost first."""
    quote: str = ""
    is_comment: bool = False


NOTHING_OPEN = Openings()


def open_in(
    lines: Iterable[str], language: str, start: Openings = NOTHING_OPEN
) -> Openings:
    """Return what is open at the end of the last line.

    Args:
        lines: The lines, without their ends.
        language: The LSP language id.
        start: What is open where the first line begins.
    """
    missing = list(start.closers)
    quote, has_comment = start.quote, start.is_comment
    for line in lines:
        scan = scan_line(line, language, carried(quote) if quote else "")
        if scan.unpaired:
            follow_brackets(scan, missing)
        quote, has_comment = scan.quote, scan.has_comment
    return Openings(tuple(missing), quote, has_comment)


def quote_before(lines: Sequence[str], language: str) -> str:
    """Return the quote that is most likely open before the first of some lines.

    Lines from the middle of a file may begin in a long string or comment. The first
    line with an unpaired mark shows it, by what its first mark looks like: one that
    begins a string stands before its text, at the start of a line or after an operator;
    one that ends it does not. Marks in one-line strings and in comments do not count.
    """
    has_slash_comments = not (
        _HASH_LANGUAGES.fullmatch(language) or _DASH_LANGUAGES.fullmatch(language)
    )
    text = "\n".join(lines)
    signs = _COMMENT_MARKS if has_slash_comments else LONG_QUOTES
    if not any(sign in text for sign in signs):
        # The usual case.
        return ""
    for at, line in enumerate(lines):
        if has_slash_comments:
            if found := _comment_mark(line, language):
                return found if found == "*/" else ""
            continue
        marks = _long_quotes(line, language)
        # A complete string says nothing of what is open before it.
        if len(marks) % 2 == 0:
            continue
        start, mark = marks[0]
        return "" if _begins_string(lines[:at], line, start, language) else mark
    return ""


def _comment_mark(line: str, language: str) -> str:
    """Return the first mark of a long comment that is in no other comment or string."""
    if line.lstrip().startswith("//"):
        return ""
    scan = scan_line(line, language)
    strings = [each.at for each in scan.events if each.kind in ("quote", "unquote")]
    for found in _COMMENT_MARK.finditer(line):
        n_before = bisect_left(strings, found.start())
        if n_before % 2 == 0 or n_before == len(strings):
            return found[0]
    return ""


def _long_quotes(line: str, language: str) -> list[tuple[int, str]]:
    """Return the long quotes of a line, with their places."""
    found: list[tuple[int, str]] = []
    if not any(mark in line for mark in LONG_QUOTES):
        return found
    start = 0
    while True:
        scan = scan_line(line[start:], language)
        quotes = [each for each in scan.events if each.kind in ("quote", "unquote")]
        found += [
            (start + each.at, each.text) for each in quotes if each.text in LONG_QUOTES
        ]
        if len(scan.quote) != 1:
            return found
        # An apostrophe of prose: what follows it may be no string.
        start += quotes[-1].at + 1


def _begins_string(above: Sequence[str], line: str, start: int, language: str) -> bool:
    before = _PREFIX.sub("", line[:start]).strip()
    after = line[start + len(LONG_QUOTES[0]) :]
    if before:
        return _BEFORE_STRING.search(before) is not None
    if _PREFIX.search(line[:start]):
        return True
    if after.strip():
        return _AFTER_STRING.match(after) is None
    nearest = next((each for each in reversed(above) if each.strip()), "")
    comments = [
        each.at
        for each in scan_line(nearest, language).events
        if each.kind == "comment"
    ]
    code = nearest[: comments[0]] if comments else nearest
    return code.rstrip().endswith(_OPENS_TEXT)


def follow_brackets(scan: LineScan, missing: list[str]) -> None:
    """Add and remove the closing brackets that are missing after a line."""
    for event in scan.unpaired:
        if event.kind == "open":
            missing.append(CLOSER_OF[event.text])
        elif event.text in missing:
            # An unmatched bracket in between was no code, or is a mistake.
            while missing.pop() != event.text:
                pass


def _is_comment(text: str, language: str) -> bool:
    has_hash = _HASH_LANGUAGES.fullmatch(language) is not None
    has_dash = _DASH_LANGUAGES.fullmatch(language) is not None
    if text == "#":
        return has_hash
    if text == "--":
        return has_dash
    return text == "//" and not (has_hash or has_dash)


def _is_quote(text: str, at: int, line: str, language: str) -> bool:
    if text == "`":
        return _BACKTICK_LANGUAGES.fullmatch(language) is not None
    if text[0] == "'" and language == "rust":
        # A character, not a lifetime.
        return line[at + 2 : at + 3] == "'" or line[at + 1 : at + 2] == "\\"
    if text == "'" and _APOSTROPHE.search(line[max(at - 3, 0) : at]):
        return False
    return text[0] in "\"'"
