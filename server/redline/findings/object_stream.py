"""Finds JSON objects of one kind in a stream of text, whatever is around them.

An object that is valid JSON ends where its brackets do. A malformed one counts as
complete at the first closing brace after which all its important fields are present and
the next character may follow an object; that brace may be inside a string. Every
decision depends only on the text up to one place, so chunking does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import assert_never

from redline.findings.loose_fields import (
    Fields,
    is_closed,
    loose_fields,
    strict_fields,
)
from redline.findings.object_lexer import ObjectLexer

MAX_OBJECT_CHARS = 32_768
"""A finding takes about 1,000. A longer object is not a finding and is skipped."""

MAX_TRIES = 64
"""How many braces of a malformed object are tried as its end; a try may take 1 ms."""

MAX_GIVEN_UP = 8
"""How many unfinished objects are searched for others inside. After so many the model
is repeating itself, and each search may take 20 ms: further ones are skipped."""

MAX_OUTSIDE_CHARS = 4_096
"""How much of the text between objects is kept."""

MAX_GAP_CHARS = 1_000
"""How much white space after a brace is read for what follows the object."""

_NAME = r"[A-Za-z_][\w -]{0,40}"
_BEGIN = re.compile(
    rf"""\{{\s{{0,99}}(?P<q>["'])(?P<name>{_NAME})(?P=q)\s{{0,99}}:\s{{0,99}}(?P<value>\S)"""
)
_BEGIN_OF_BEGIN = re.compile(
    r"""\{\s{0,99}(?:["'][\w -]{0,41}(?:["']\s{0,99}(?::\s{0,99})?)?)?\Z"""
)
_BEGIN_OR_END = re.compile(rf"\}}|{_BEGIN.pattern}")
_BEFORE_AN_END = tuple("\"'`]}el0123456789,")
"""Last characters of values, such as of null."""

_AFTER_AN_END = ",]}{`"


class ObjectStream:
    """Turns a text into the fields of the objects in it.

    An unfinished object is returned with its complete fields when another one begins or
    the text ends.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        *,
        important: Collection[str],
        min_fields: int,
        inner: str = "",
    ) -> None:
        """Create a stream without text.

        Args:
            names: Known field names by the names that models may write, in lower case.
            important: Known fields that a malformed object must have before it can end.
            min_fields: An object with fewer known fields is not of the kind.
            inner: Name of a field that may be an object itself and come first.
        """
        self._names = names
        self._important = frozenset(important)
        self._min_fields = min_fields
        self._inner = inner
        self._text = ""
        self._begin: int | None = None
        """Start of the object that is being read."""
        self._at = 0
        """Where to continue reading."""
        self._quote = '"'
        """The quote character around the first name in the object."""
        self._lexer: ObjectLexer | None = None
        """Reads the object while it is valid JSON; None: it is malformed."""
        self._is_one = False
        """Whether the object is known to be of the kind."""
        self._n_tries = 0
        self._n_given_up = 0
        self.outside = ""
        """The last part of the text outside objects, at most `MAX_OUTSIDE_CHARS`."""
        self.is_cut = False
        """Whether the text ended inside an object; known once it is closed."""

    def feed(self, text: str) -> list[Fields]:
        """Read the next chunk; return the objects that it completes."""
        self._text += text
        return self._read(is_last=False)

    def close(self) -> list[Fields]:
        """End the text; return the last object with its complete fields."""
        found = self._read(is_last=True)
        if self._begin is not None:
            fields = loose_fields(self._text[self._begin :], self._names)
            self.is_cut = bool(fields)
            found += self._end_at(len(self._text), fields)
        else:
            self._skip_to(len(self._text))
        self._text, self._begin, self._at = "", None, 0
        return found

    def _read(self, *, is_last: bool) -> list[Fields]:
        found: list[Fields] = []
        while True:
            if self._begin is None and not self._find_begin():
                break
            step = (
                self._read_broken(is_last=is_last)
                if self._lexer is None
                else self._read_proper(self._lexer)
            )
            if step is None:
                break
            found += step
        self._forget()
        return found

    def _find_begin(self) -> bool:
        """Skip to the start of the next object that does not just hold a list."""
        while found := _BEGIN.search(self._text, self._at):
            is_inner = found["name"].lower() == self._inner
            if found["value"] not in "[{" or is_inner:
                self._skip_to(found.start())
                self._begin = self._at = found.start()
                self._quote = found["q"]
                self._lexer = ObjectLexer() if self._quote == '"' else None
                self._is_one, self._n_tries = False, 0
                return True
            self._skip_to(found.start() + 1)
        half = _BEGIN_OF_BEGIN.search(self._text, self._at)
        self._skip_to(half.start() if half else len(self._text))
        return False

    def _read_proper(self, lexer: ObjectLexer) -> list[Fields] | None:
        """Continue reading valid JSON; None: more text is needed."""
        begin = self._begin or 0
        limit = begin + MAX_OBJECT_CHARS
        step, self._at = lexer.read(self._text, self._at, limit)
        match step:
            case "more":
                return self._give_up(limit) if len(self._text) >= limit else None
            case "broken":
                self._lexer, self._at = None, begin
                return []
            case "listed":
                return self._read_listed(self._at - 1)
            case "end":
                text = self._text[begin : self._at]
                fields = strict_fields(text, self._names)
                if fields is None:
                    fields = loose_fields(text, self._names)
                return self._end_at(self._at, fields)
            case never:
                assert_never(never)

    def _read_listed(self, at: int) -> list[Fields]:
        """Decide whether an object in a list is part of one, or a new one."""
        if not self._is_one:
            fields = loose_fields(self._text[self._begin or 0 : at], self._names)
            self._is_one = len(fields) >= self._min_fields
        return [] if self._is_one else self._cut_at(at)

    def _read_broken(self, *, is_last: bool) -> list[Fields] | None:
        """Continue reading a malformed object; None: more text is needed."""
        begin = self._begin or 0
        limit = begin + MAX_OBJECT_CHARS
        self._at = max(self._at, begin + 1)
        while found := _BEGIN_OR_END.search(self._text, self._at, limit):
            # An opening brace: another object may begin here.
            if found[0] != "}":
                before = self._text[begin : found.start()].rstrip()
                if found["q"] in ('"', self._quote) and self._is_another(
                    before, found["name"]
                ):
                    return self._cut_at(found.start())
                self._at = found.start() + 1
                continue
            # A closing brace: the object may end here.
            end = found.end()
            gap = self._text[end : end + MAX_GAP_CHARS]
            after = gap.lstrip()[:1]
            if not after and not is_last and len(gap) < MAX_GAP_CHARS:
                self._at = found.start()
                return None
            fields = self._broken_but_over(self._text[begin:end], after)
            if fields is not None:
                return self._end_at(end, fields)
            if self._n_tries > MAX_TRIES:
                return self._give_up(end)
            self._at = end
        if len(self._text) >= limit:
            return self._give_up(limit)
        half = _BEGIN_OF_BEGIN.search(self._text, self._at)
        self._at = half.start() if half else len(self._text)
        return None

    def _give_up(self, end: int) -> list[Fields]:
        """Give up the current object, and continue after its opening brace.

        Args:
            end: How far it was read; too many given up objects are skipped up to here.
        """
        self._n_given_up += 1
        self._at = (self._begin or 0) + 1
        if self._n_given_up > MAX_GIVEN_UP:
            self._skip_to(end)
        self._begin = None
        return []

    def _is_another(self, before: str, name: str) -> bool:
        """Whether an apparent object is not a part of the one being read.

        Only for malformed objects: in valid JSON, its quotes would be escaped in a
        string. Callers ask about names in single quotes only if the object's own are.
        """
        if name.lower() in self._names:
            return not before.endswith(":")
        return before.endswith("[") or before.rstrip(", \t\n").endswith("}")

    def _broken_but_over(self, text: str, after: str) -> Fields | None:
        """Read a malformed object if it is complete."""
        if after not in _AFTER_AN_END:
            return None
        if not text[:-1].rstrip().endswith(_BEFORE_AN_END):
            return None
        self._n_tries += 1
        if not is_closed(text, self._names):
            return None
        fields = loose_fields(text, self._names)
        return fields if self._important <= fields.keys() else None

    def _cut_at(self, at: int) -> list[Fields]:
        """End an object where another one begins."""
        text = self._text[self._begin or 0 : at]
        return self._end_at(at, loose_fields(text, self._names))

    def _end_at(self, end: int, fields: Fields) -> list[Fields]:
        is_one = len(fields) >= self._min_fields
        if not is_one and self._begin is not None:
            self._at = self._begin
            self._skip_to(end)
        self._begin, self._at = None, end
        return [fields] if is_one else []

    def _skip_to(self, at: int) -> None:
        """Skip text outside objects."""
        skipped = self._text[self._at : at]
        self.outside = (self.outside + skipped)[-MAX_OUTSIDE_CHARS:]
        self._at = max(at, self._at)

    def _forget(self) -> None:
        """Drop the text that was read."""
        n_read = self._at if self._begin is None else self._begin
        self._text = self._text[n_read:]
        self._at -= n_read
        self._begin = None if self._begin is None else 0
