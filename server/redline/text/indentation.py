"""Restores the indentation of a reply to that of its range.

Models often write a range as if it began at the left margin, or lose only the first
line's indentation (some servers strip the text). Both show in the first line. The lines
after it show whether the rest is shifted too, so lines are held back only if the first
one is wrong, and then seldom more than one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from msgspec import Struct

from redline.text.here_documents import here_document_end

_MAX_EVIDENCE = 6
"""Lines with text after which a reply without evidence is left unchanged."""

_MIN_LETTERS = 3
"""Lines with fewer letters and digits, such as brackets, recur and prove nothing."""

_OPENERS = (":", "{", "(", "[", "=>", "then", "do", "=")
"""Ends of lines whose next line is indented more, in most languages."""

_HEADERS = frozenset({"class", "def", "defmodule", "defp", "function", "module", "sub"})
"""Words that begin a block in languages without a sign for it."""

_CLOSER = re.compile(r"[)\]}]+[;,]?$")

_ITEM = re.compile(r"(?:[-*+]|\d+[.)]) +(?=\S)")

_OPEN_TAG = re.compile(r"<[A-Za-z][^<>/]*+>")

_YAML = frozenset({"dockercompose", "yaml"})
_COMMENTS = ("#", "//", "--", "/*", "*", ";")


class Shift(Struct, frozen=True, kw_only=True):
    """A constant change of indentation: white space to add, or to remove."""

    add: str = ""
    remove: str = ""

    def apply(self, line: str) -> str:
        """Shift a line; blank lines stay, and less than `remove` is removed whole."""
        if not line.strip():
            return line
        if line.startswith(self.remove):
            return self.add + line[len(self.remove) :]
        return line.lstrip(" \t")


NO_SHIFT = Shift()


def indent_of(line: str) -> str:
    """Return the white space that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def shift_between(wrong: str, right: str) -> Shift | None:
    """Return the shift between two lines' indentations; None if there is none."""
    have, want = indent_of(wrong), indent_of(right)
    if want.endswith(have):
        return Shift(add=want[: len(want) - len(have)])
    if have.endswith(want):
        return Shift(remove=have[: len(have) - len(want)])
    return None


class Reindenter:
    """Shifts the lines of a reply as soon as the shift is certain.

    Attributes:
        is_changed: Whether any line was shifted.
    """

    def __init__(
        self, target: Sequence[str], fence_indent: str = "", language: str = ""
    ) -> None:
        """Create a reindenter for one reply.

        Args:
            target: The range's lines, without ends.
            fence_indent: The indentation of the fence around the reply.
            language: The LSP language id.
        """
        self._target = [line for line in target if line.strip()]
        self._fence_indent = fence_indent
        self._language = language
        self._held: list[str] = []
        self._shift: Shift | None = None
        self._here_document: list[str] = []
        self._here_document_end = ""
        self.is_changed = False

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines that are certain now."""
        if self._shift is not None:
            return self._shifted(line, self._shift)
        self._held.append(line)
        if not line.strip():
            return []
        self._decide(is_over=False)
        return [] if self._shift is None else self._release(self._shift)

    def finish(self) -> list[str]:
        """Return the lines that are still held."""
        if any(map(str.strip, self._held)):
            self._decide(is_over=True)
        shift = self._shift or NO_SHIFT
        return [*self._release(shift), *map(shift.apply, self._here_document)]

    def _release(self, shift: Shift) -> list[str]:
        lines, self._held = self._held, []
        return [new for line in lines for new in self._shifted(line, shift)]

    def _shifted(self, line: str, shift: Shift) -> list[str]:
        """Shift a line; one of a here-document is held until that ends.

        Its text stays as it is if its end stands at the margin, where it has to be.
        """
        if shift == NO_SHIFT:
            return [line]
        if not self._here_document_end:
            self._here_document_end = here_document_end(line, self._language)
            return [shift.apply(line)]
        self._here_document.append(line)
        if line.strip() != self._here_document_end:
            return []
        lines, self._here_document = self._here_document, []
        self._here_document_end = ""
        return [shift.apply(each) for each in lines] if indent_of(line) else lines

    def _decide(self, *, is_over: bool) -> None:
        code = [line for line in self._held if line.strip()]
        shift = shift_between(code[0], self._target[0]) if self._target else NO_SHIFT
        # A later line of the range, which now comes first, has its own depth.
        is_own = self._indents.get(code[0].strip()) == {indent_of(code[0])}
        is_own |= is_over and code == self._target[-len(code) :]
        if shift is None or shift == NO_SHIFT or is_own:
            self._shift = NO_SHIFT
        elif (is_whole := self._is_whole(code, shift, is_over=is_over)) is not None:
            self._settle(shift, code, is_whole=is_whole)

    def _settle(self, shift: Shift, code: Sequence[str], *, is_whole: bool) -> None:
        self._shift = shift if is_whole else NO_SHIFT
        first = code[0]
        is_wrong = not indent_of(first) and not (
            self._is_item(code) or self._is_outer(code)
        )
        if not is_whole and is_wrong:
            at = self._held.index(first)
            self._held[at] = shift.apply(first)
        self.is_changed = is_whole or is_wrong

    def _is_whole(
        self, code: Sequence[str], shift: Shift, *, is_over: bool
    ) -> bool | None:
        """Whether all lines are shifted like the first; None: not known yet."""
        if shift.remove and shift.remove == self._fence_indent:
            return True
        for line in islice(code, 1, None):
            if not shift.add and not line.startswith(shift.remove):
                return False
            known = self._known_indent(line)
            if known is not None and known == indent_of(shift.apply(line)):
                return True
            if known is not None and known == indent_of(line):
                return False
        if not indent_of(code[0]) and len(code) > 1:
            return self._is_whole_by_depth(code, is_over=is_over)
        if not is_over and len(code) <= _MAX_EVIDENCE:
            return None
        if code[0].strip() == self._target[0].strip():
            return True
        if not shift.remove:
            return False
        # A block that is deeper up to its end, and rows of one depth.
        is_shifted = _is_block(code) or (_is_flat(code) and _is_flat(self._target))
        return is_shifted if is_over else None

    def _is_outer(self, code: Sequence[str]) -> bool:
        """Whether the first line begins a block that the range's lines are in.

        One that ends with a colon may be a key or a header that lost its indentation.
        """
        first, second = code[0].rstrip(), next(islice(code, 1, None), "")
        return indent_of(second) == indent_of(self._target[0]) and (
            (first.endswith(_OPENERS) and not first.endswith(":"))
            or first.split()[0] in _HEADERS
            or _OPEN_TAG.fullmatch(first) is not None
        )

    def _is_item(self, code: Sequence[str]) -> bool:
        """Whether the first line is an item at the margin that the second continues.

        In YAML, a list may stand at the column of its key. There, only a key has items
        below it: behind anything else, the second is an item of the same list, and only
        the first has lost its indentation.
        """
        marker = _ITEM.match(code[0])
        if marker is None or len(code) < 2 or marker.end() != len(indent_of(code[1])):
            return False
        is_next = self._language in _YAML and code[1].lstrip().startswith("- ")
        return not is_next or code[0].rstrip().endswith((":", "|", ">"))

    @cached_property
    def _indents(self) -> dict[str, set[str]]:
        # Computed late: few replies have a wrong first line and need it.
        indents: dict[str, set[str]] = {}
        for line in self._target:
            indents.setdefault(line.strip(), set()).add(indent_of(line))
        return indents

    def _known_indent(self, line: str) -> str | None:
        text = line.strip()
        indents = self._indents.get(text, set())
        if len(indents) != 1 or sum(map(str.isalnum, text)) < _MIN_LETTERS:
            return None
        return next(iter(indents))

    def _is_whole_by_depth(self, code: Sequence[str], *, is_over: bool) -> bool | None:
        """Decide by new lines after a first one without indentation."""
        first, second = code[0], code[1]
        if self._is_item(code):
            return _ITEM.match(self._target[0].strip()) is not None
        right = indent_of(self._target[0])
        depth = indent_of(second)
        is_dipping = any(not indent_of(t).startswith(right) for t in self._target)
        if not depth.startswith(right):
            # Less than the first line should have: shifted with it, unless the range
            # itself begins deeper than it continues.
            return not (is_dipping and depth)
        if depth != right or first.startswith(_COMMENTS):
            return False
        if first.rstrip().endswith(_OPENERS) or first.split()[0] in _HEADERS:
            return True
        if not is_dipping and any(not indent_of(t).startswith(right) for t in code[2:]):
            return True  # The end of the block that the first line begins.
        return False if is_over or len(code) > _MAX_EVIDENCE else None


def _is_block(code: Sequence[str]) -> bool:
    """Whether a text ends with a bracket as deep as its first line."""
    return _CLOSER.match(code[-1].strip()) is not None and (
        indent_of(code[-1]) == indent_of(code[0])
    )


def _is_flat(code: Sequence[str]) -> bool:
    return len({indent_of(line) for line in code}) == 1
