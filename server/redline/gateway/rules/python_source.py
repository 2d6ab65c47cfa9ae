"""Python source as a tree with offsets, and patches that change nothing else.

The rules read libcst's tree and write patches of the text, not a new tree: text without
a patch stays identical, and a patch outside the range is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from msgspec import Struct

from redline.checks.python.source import parse_once
from redline.gateway.rules.region import Declined, EditedLines

MAX_CHARS = 400_000
"""Limit of a text that is parsed whole: the tree and its positions take about 6 s for a
million characters (libcst 1.9.0, CPython 3.11)."""

_MAX_DEPTH = 100
"""Open brackets; libcst's parser overflows the stack of a thread and ends the process
between 1,000 and 3,000 (8 MB stack, libcst 1.9.0). CPython's own limit is 200."""

_MAX_CHAIN_WORDS = 4_000
"""Limit of `not`, `and`, `or`, `elif` and `lambda`, each a level of recursion: 3,000 in
one chain can be parsed, 20,000 end the process."""

_CHAIN_WORD = re.compile(r"\b(?:not|and|or|elif|lambda)\b")
_SIGN_RUN = re.compile(r"[-+~][-+~\s]{1000}")
# An expression with this many operators takes seconds; the time is quadratic.
_MAX_OPERATORS = 2000
_OPERATION = re.compile(r"[-+*/%|&^]\s*+[\w\"'(\[{.][^-+*/%|&^,]{0,200}+")
_LINE_END = re.compile(r"\r\n?|\n")  # Line ends as libcst counts them.
_INDENT = re.compile(r"[ \t\f]*")
_WRAP = "if 1:\n"


class Patch(Struct, frozen=True, kw_only=True):
    """A replacement of the text [start, end)."""

    start: int
    end: int
    text: str


class PythonSource:
    """A parsed text, and the range of it that may be changed."""

    def __init__(
        self, text: str, start: int, end: int, *, path: str, is_whole_file: bool
    ) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.path = path
        self.is_whole_file = is_whole_file
        module = cst.parse_module(text)
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self.module = wrapper.module
        self._positions = wrapper.resolve(PositionProvider)
        self._line_starts = [0, *(found.end() for found in _LINE_END.finditer(text))]

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the offsets of a node's code, without surrounding white space."""
        place = self._positions[node]
        # Offsets and columns both count code points.
        assert isinstance(place, CodeRange)
        return (
            self._line_starts[place.start.line - 1] + place.start.column,
            self._line_starts[place.end.line - 1] + place.end.column,
        )

    def code(self, node: cst.CSTNode) -> str:
        """Return a node's code, without surrounding white space."""
        start, end = self.span(node)
        return self.text[start:end]

    def is_inside(self, node: cst.CSTNode) -> bool:
        """Whether the whole node is in the range."""
        start, end = self.span(node)
        return self.start <= start and end <= self.end

    def may_insert(self, offset: int) -> bool:
        """Whether text can be inserted here without leaving the range."""
        return self.start <= offset <= self.end

    def line_start(self, offset: int) -> int:
        """Return the offset where the line of an offset starts."""
        line = self.line_number(offset) - 1
        return self._line_starts[line]

    def line_number(self, offset: int) -> int:
        """Return the line of an offset, from 1."""
        return bisect_right(self._line_starts, offset)

    def indent_at(self, offset: int) -> str:
        """Return the indentation of the line of an offset."""
        found = _INDENT.match(self.text, self.line_start(offset))
        return found[0] if found else ""

    @property
    def indent_unit(self) -> str:
        """Return one level of the file's indentation."""
        return self.module.default_indent if self.is_whole_file else "    "

    def patched(self, patches: Iterable[Patch]) -> str:
        """Apply patches and return the range's new text."""
        parts: list[str] = []
        at = self.start
        for patch in sorted(patches, key=lambda p: (p.start, p.end)):
            if not at <= patch.start <= patch.end <= self.end:
                raise ValueError("patches overlap or leave the range")
            parts += [self.text[at : patch.start], patch.text]
            at = patch.end
        return "".join([*parts, self.text[at : self.end]])


def read_source(region: EditedLines) -> PythonSource | Declined:
    """Parse the whole file, else the range alone."""
    if region.is_whole_file and len(region.text) <= MAX_CHARS:
        parsed = _parse(
            region.text,
            len(region.before),
            len(region.before) + len(region.target),
            path=region.path,
            is_whole_file=True,
        )
        if isinstance(parsed, PythonSource):
            return parsed
        alone = _parse_alone(region)
        # The error in the file is more useful than one caused by cutting the range.
        return parsed if isinstance(alone, Declined) else alone
    return _parse_alone(region)


def parses(text: str) -> bool:
    """Whether a text can be parsed as Python."""
    if _is_too_deep(text):
        return False
    # Ten times as fast as libcst, but limited to this interpreter's Python version.
    if parse_once(text) is not None:
        return True
    try:
        cst.parse_module(text)
    except (cst.ParserSyntaxError, UnicodeEncodeError):
        return False
    return True


def _parse_alone(region: EditedLines) -> PythonSource | Declined:
    target = region.target
    if len(target) > MAX_CHARS:
        return Declined(reason="the range is too long to parse; select less")
    first = next(line for line in target.split("\n") if line.strip())
    # An indented range is wrapped in a block, so that no line has to move.
    head = _WRAP if first[0] in " \t" else ""
    return _parse(
        head + target,
        len(head),
        len(head) + len(target),
        path=region.path,
        is_whole_file=False,
    )


def _parse(
    text: str, start: int, end: int, *, path: str, is_whole_file: bool
) -> PythonSource | Declined:
    if _is_too_deep(text):
        return Declined(reason="the code is nested too deeply to be parsed")
    try:
        return PythonSource(text, start, end, path=path, is_whole_file=is_whole_file)
    except cst.ParserSyntaxError as error:
        if is_whole_file:
            return Declined(
                reason=f"line {error.raw_line} of the file cannot be parsed as Python"
            )
        line = error.raw_line - text.count("\n", 0, start)
        return Declined(
            reason="the file is not parsed as a whole, and the range alone cannot be"
            f" parsed as Python: see its line {max(1, line)}, or select all of a block"
        )
    except UnicodeEncodeError:
        return Declined(reason="the text is not valid Unicode")


def _is_too_deep(text: str) -> bool:
    """Whether parsing could overflow the stack; brackets in strings count too."""
    depth = 0
    for found in re.finditer(r"[\[({\])}]", text):
        depth = depth + 1 if found[0] in "[({" else max(0, depth - 1)
        if depth > _MAX_DEPTH:
            return True
    n_words = sum(1 for _ in _CHAIN_WORD.finditer(text))
    has_signs = _SIGN_RUN.search(text) is not None
    return n_words > _MAX_CHAIN_WORDS or has_signs or _has_operator_run(text)


def _has_operator_run(text: str) -> bool:
    n_operators = end = 0
    for found in _OPERATION.finditer(text):
        n_operators = n_operators + 1 if found.start() == end else 1
        if n_operators == _MAX_OPERATORS:
            return True
        end = found.end()
    return False
