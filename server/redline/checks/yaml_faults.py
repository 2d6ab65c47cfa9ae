"""Faults of YAML that its text shows: colons without quotation marks, and depths.

Nothing is judged from the first quoted text or flow collection that goes on in the next
line, or from the first line of a template.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_KEY = re.compile(r"[\w.\-/]+:(?:\s+(?P<value>[^\s#].*)|\s*(?:#.*)?)$")
_ENTRIES = re.compile(r"\s*+(?:-\s++)*+")
_TEXT = re.compile(r"(?<=\s)[|>][-+\d]*+\s*+(?:(?<=\s)#.*)?$")
"""The end of a line whose text is in the lines below: of a key, an entry, a tag."""

_QUOTED = re.compile(r"(?<![^\s\[{,:?-])(?:\"(?:\\.|[^\"\\])*+\"|'(?:''|[^'])*+')")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_QUOTE = re.compile(r"(?<![^\s\[{,:?-])[\"']")
_FLOW = re.compile(r"\s*+(?:-\s++)*+(?:[\w.\-/]+:\s+)?(?<=\s)[\[{]")
_NODE = re.compile(r"\s*+(?:-\s|[\w.\-/]+:(?:\s|$))")
_TEMPLATE = ("{{", "{%", "<%")


def yaml_fault(text: str) -> str | None:
    """Return what is wrong with a document; None if nothing is known to be."""
    text_depth: int | None = None
    depths = _Depths()
    value: int | None = None
    lines = text.splitlines()
    for number, line in enumerate(lines):
        bare = line.strip()
        depth = len(line) - len(line.lstrip())
        if text_depth is not None and (not bare or depth > text_depth):
            continue
        text_depth = None
        if _is_open(line) or bare.startswith(_TEMPLATE) or "\t" in line[:depth]:
            return _bracket_fault(lines[number:])
        if not bare or bare.startswith("#"):
            continue
        start = _start(line)
        key = _KEY.match(line, start)
        if value is not None and key and depth > value:
            return f"`{bare}` is deeper than the value above it"
        value = _value_depth(line, start, key)
        if line.startswith(("---", "...", "%")):
            depths = _Depths()
        elif fault := depths.fault(line, start, is_key=key is not None):
            return fault
        if _TEXT.search(line):
            # The text of a document need not be indented.
            text_depth = -1 if line.startswith("---") else start if key else depth
        elif key and (fault := _colon_fault(key["value"] or "")):
            return fault
    return None


class _Depths:
    """The columns at which the open mappings and lists of a document begin."""

    def __init__(self) -> None:
        self._open: list[tuple[int, bool]] = []
        """Each with whether only entries of a list begin there."""

    def fault(self, line: str, start: int, *, is_key: bool) -> str | None:
        """Read a line that is no text of the one above; return what is wrong.

        Args:
            line: The line.
            start: Where its content begins, after the dashes of entries.
            is_key: Whether the content is a key of a mapping.
        """
        dashes = [at for at in range(start) if line[at] == "-"]
        depth = dashes[0] if dashes else start
        n_open = len(self._open)
        while self._open and self._open[-1][0] > depth:
            self._open.pop()
        is_new = not self._open or self._open[-1][0] < depth
        bare = line.strip()
        if is_new and len(self._open) < n_open and (dashes or is_key):
            return f"`{bare}` is as deep as nothing above it"
        if not is_new and not dashes and is_key and self._open[-1][1]:
            return f"`{bare}` is as deep as the entries of the list above it"
        if is_new:
            self._open.append((depth, bool(dashes)))
        self._open += ((at, True) for at in dashes[1:])
        if dashes and is_key:
            self._open.append((start, False))
        return None


def _value_depth(line: str, start: int, key: re.Match[str] | None) -> int | None:
    """Return the column of a key or entry whose value is on its line; None: it is not.

    Lines that are deeper go on with the value, and no key may be in it.
    """
    value = (key["value"] or "") if key else line[start:]
    is_entry = "-" in line[:start] and ":" not in value
    is_plain = value[:1].isalnum() and not line.startswith("---")
    return start if is_plain and (key or is_entry) else None


def _start(line: str) -> int:
    found = _ENTRIES.match(line)
    return found.end() if found else 0


def _colon_fault(value: str) -> str | None:
    """Find a colon that is not quoted, which YAML does not allow in a value.

    YAML 1.2.2, section 7.3.3: a plain scalar has no `: ` and no ` #`.
    """
    if not value or not value[0].isalnum() or _TEXT.search(f" {value}"):
        return None
    plain = value.partition(" #")[0].rstrip()
    if ": " in plain or plain.endswith(":"):
        return f"the value `{plain}` has a colon and no quotation marks"
    return None


def _bracket_fault(lines: Sequence[str]) -> str | None:
    """Find a flow collection of the first line that goes on with a key or entry.

    YAML 1.2.2, section 7.4: lines of a collection are deeper than its parent.
    """
    first = lines[0]
    if not _FLOW.match(first):
        return None
    depth, n_open = len(first) - len(first.lstrip()), 0
    for number, line in enumerate(lines):
        if _QUOTE.search(_plain(line)) or any(sign in line for sign in _TEMPLATE):
            return None
        is_deeper = len(line) - len(line.lstrip()) > depth
        if number and not is_deeper and _NODE.match(line):
            return f"a bracket of `{first.strip()}` is not closed"
        n_open += _n_open(line)
        if n_open <= 0:
            return None
    return f"a bracket of `{first.strip()}` is not closed"


def _is_open(line: str) -> bool:
    """Whether a quotation mark or flow bracket may be open after a line."""
    return _n_open(line) != 0 or _QUOTE.search(_plain(line)) is not None


def _n_open(line: str) -> int:
    plain = _plain(line)
    return sum(map(plain.count, "[{")) - sum(map(plain.count, "]}"))


def _plain(line: str) -> str:
    """Return a line without quoted texts and its comment."""
    return _COMMENT.sub("", _QUOTED.sub("", line))
