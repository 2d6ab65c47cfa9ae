"""The uses of a name in a file before and after an edit, read without a grammar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Literal, NamedTuple

from msgspec import Struct

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.syntax.word_set import word_set
from redline.text.indentation import indent_of
from redline.text.lines import with_line_feeds

_NAME = re.compile(r"(?<!\w)[A-Za-z_]\w*")
_TOKEN = re.compile(r"\w+|\W")
_OWN = re.compile(
    r"(?:\b(?:self|this|cls|Self|static)\b\??(?:\.|->|::)#?|\$this\??->|@{1,2})$"
)
_OTHER = re.compile(r"(?:\.|->|::|\?\.)\s*#?$")
OF_TYPE = re.compile(r"(?<![\w.>)\]])(?P<name>[A-Z]\w*+)(?:\.|::)$")
_SET = re.compile(
    r"\s*+(?::[^=\n()]*+)?(?:(?:\|\||&&|\?\?)?=(?![=>~])|,[^=()\n]*+=(?!=)|in\b)"
)
"""What follows a field that is set, and not only changed."""
_MODIFIED = re.compile(
    r"^\s*+(?!(?:return|await|throw|raise|yield|if|elif|while|for|assert|print|delete"
    r"|del|not|and|or|in|is|else|new)\b)(?:[\w@<>\[\]?*&:.,#]++\s++)*+[*&#$@]*+$"
)
"""What stands in front of a name that a line declares."""
_DECLARED = re.compile(r"\s*+(?:(?:[?!]\s*+)?:(?!:)|=(?![=>])|[;,({\[]|=>|$|\))")
_DECLARING = re.compile(
    r"\b(?:private|public|protected|readonly|internal|val|var|let|const|local|class"
    r"|struct|enum|interface|type|define|record|trait|static|property)\s"
)
"""A word of the same, after the last bracket of the line, as for a parameter."""
TYPE = re.compile(
    r"\b(?:class|struct|enum|interface|trait|impl|object|record|actor|module|extension)"
    r"\s+(?:class\s+)?(?P<name>[A-Za-z_]\w*)"
)
_GO_TYPE = re.compile(r"\btype\s+(?P<name>\w+)\s+(?:interface|struct)\b")
_PLAIN_BASES = word_set(
    "ABC Enum IntEnum StrEnum Flag IntFlag Exception ValueError RuntimeError object"
    " NamedTuple Protocol Generic TypedDict str int Error Codable Equatable Hashable"
    " Identifiable CaseIterable Sendable String Int RuntimeException Serializable"
    " Comparable Cloneable IDisposable IEquatable ABCMeta metaclass extends implements"
    " for public"
)
"""Bases without members that a file's own code takes by their names."""
_PRIVATE = re.compile(r"\bprivate\b|[#_]$|\bstatic\b|^local\b")
_IN_CLASS = re.compile(r"\b(?:private|public|protected|readonly|val|var)\s")
"""What makes a parameter a field."""
_ARGUMENTS = re.compile(r"<[^<>]*+>|\[[^\[\]]*+\]")
"""Of types."""
_BY_LINES = frozenset({"python", "ruby", "lua"})
_ROUND = re.compile(r"[()]")
_MAX_N_USES = 200
_MAX_N_NAMES = 50
_SIGNS = frozenset(".@>:#")
"""The last character between an object or a type and its member."""
_MAX_N_CHARS = 300
"""What is read on each side of a use."""

_Side = Literal["before", "after"]


class WordUse(Struct, frozen=True, kw_only=True):
    """One occurrence of a name in code."""

    at: int
    """Its place in the code."""
    line: int
    head: str
    """Its line in front of it."""
    tail: str

    @property
    def inner(self) -> str:
        """What is in front of it after the last bracket."""
        return _ROUND.split(self.head)[-1]

    @property
    def is_own(self) -> bool:
        return _OWN.search(self.head) is not None

    @property
    def is_of_other(self) -> bool:
        return not self.is_own and _OTHER.search(self.head) is not None

    @property
    def sets_own(self) -> bool:
        return self.is_own and _SET.match(self.tail) is not None

    @property
    def is_called(self) -> bool:
        return self.tail.lstrip()[:1] in ("(", "<")

    @property
    def is_header(self) -> bool:
        """Whether a called name may be that of a function which begins here."""
        is_open = self.tail.rstrip().endswith(("{", "(", ",", "=>"))
        return is_open or self.head.strip() != ""

    @property
    def is_declared(self) -> bool:
        """Whether the words in front of it declare it."""
        return _DECLARING.search(self.inner) is not None

    @property
    def may_declare(self) -> bool:
        if self.is_own or self.is_of_other:
            return False
        if self.is_declared:
            return True
        return bool(_MODIFIED.match(self.head) and _DECLARED.match(self.tail))


def names_gone(candidate: CheckedEdit) -> Iterator[str]:
    """Yield names that the range no longer declares, and the rest of the file uses.

    Most edits have none, which is found without reading all of the file as code.
    """
    region = candidate.region_after
    rest = "".join((*candidate.after[: region.start], *candidate.after[region.stop :]))
    texts = tuple(map(with_line_feeds, (candidate.old_lines, candidate.new_lines)))
    old, new = (Counter(_NAME.findall(text)) for text in texts)
    names = [name for name in (old - new) if len(name) > 1][:_MAX_N_NAMES]
    language = candidate.language_id
    forms = {name: _forms(texts[0], name, language) for name in names}
    names = [name for name in names if _is_taken(name, rest, forms[name])]
    if not names:
        return
    codes = [without_text(one, language) for one in texts]
    for name in names:
        was, now = (_forms(one, name, language) for one in codes)
        if any(before and not after for before, after in zip(was, now, strict=True)):
            yield name


class _Forms(NamedTuple):
    """How a text declares a name."""

    is_set: bool
    """Whether it sets it as a field of its own object."""
    is_declared: bool
    is_function: bool


def _forms(code: str, name: str, language: str) -> _Forms:
    found = list(_uses(code, name, language))
    return _Forms(
        any(one.sets_own for one in found),
        any(one.may_declare and not one.is_called for one in found),
        any(one.may_declare and one.is_called and one.is_header for one in found),
    )


def _is_taken(name: str, text: str, forms: _Forms) -> bool:
    """Whether a text calls a function, or takes a member."""
    if not any(forms) or name not in text:
        return False
    if forms.is_function and any(f"{name}{sign}" in text for sign in ("(", " (", "<")):
        return True
    return any(text[at - 1 : at] in _SIGNS for at in _places(text, name))


def _uses(code: str, name: str, language: str) -> Iterator[WordUse]:
    for start in islice(_places(code, name), _MAX_N_USES):
        end = start + len(name)
        # Variables of PHP, and so its fields, have a sign where they are declared.
        if code[end : end + 1] == "$" or (
            code[max(0, start - 1) : start] == "$" and language != "php"
        ):
            continue
        yield WordUse(
            at=start,
            line=code.count("\n", 0, start),
            head=code[max(0, start - _MAX_N_CHARS) : start].rpartition("\n")[2],
            tail=code[end : end + _MAX_N_CHARS].partition("\n")[0],
        )


def _places(text: str, name: str) -> Iterator[int]:
    """Yield where a name is a whole word; to compile a pattern would take longer."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        around = text[max(0, at - 1) : at], text[end : end + 1]
        if not any(one == "_" or one.isalnum() for one in around):
            yield at
        at = text.find(name, end)


class WordEdit:
    """One name, and its uses before and after the edit."""

    def __init__(self, candidate: CheckedEdit, name: str) -> None:
        self.candidate = candidate
        self.name = name
        self._lines: Mapping[_Side, list[str]] = {
            "before": candidate.code_before.split("\n"),
            "after": candidate.code_after.split("\n"),
        }
        self.old = list(_uses(candidate.code_before, name, candidate.language_id))
        self.new = list(_uses(candidate.code_after, name, candidate.language_id))

    @property
    def is_left_behind(self) -> bool:
        """Whether the rest of the file has the name, and all its uses are known."""
        return any(map(self.is_left, self.new)) and len(self.new) < _MAX_N_USES

    def was_in_region(self, line: int) -> bool:
        return line in self.candidate.region_before

    def is_left(self, one: WordUse) -> bool:
        return one.line not in self.candidate.region_after

    def declares(self, one: WordUse, side: _Side) -> bool:
        """Whether a use may declare the name in a type."""
        if not one.may_declare:
            return False
        is_local = self.candidate.language_id in ("php", "python", "ruby")
        if side == "after" and not is_local:
            return True
        return _IN_CLASS.search(one.inner) is not None or bool(
            self.owner(side, one.line)
        )

    def owner(self, side: _Side, line: int) -> str:
        """Return the type whose own line it is; empty: it is in a function."""
        lines = self._lines[side]
        if found := TYPE.search(lines[line]):
            return found["name"]
        depth = len(indent_of(lines[line]))
        for text in reversed(lines[:line]):
            if text.strip() in ("", "{") or len(indent_of(text)) >= depth:
                continue
            found = TYPE.search(text) or _GO_TYPE.search(text)
            return found["name"] if found else ""
        return ""

    def is_certain(self, lines: Iterable[int]) -> bool:
        """Whether what some lines declared is not also that of a base class."""
        return all(map(self._is_certain, lines))

    def _is_certain(self, line: int) -> bool:
        text = self.candidate.before[line].strip()
        head = text.partition(self.name)[0]
        if _PRIVATE.search(head) or self.name.startswith("_"):
            return True
        if any(self._is_renamed(text, one) for one in self.candidate.new_lines):
            return True
        code = self.candidate.code_before
        above = "\n".join(code.split("\n")[: line + 1])
        types = list(TYPE.finditer(above))
        return not types or self.has_plain_bases(types[-1].end(), code)

    def _is_renamed(self, old: str, new: str) -> bool:
        """Whether a line is the same but for the name."""
        was, now = _TOKEN.findall(old), _TOKEN.findall(new.strip())
        return len(was) == len(now) and all(
            one in (self.name, other) for one, other in zip(was, now, strict=True)
        )

    def has_plain_bases(self, at: int, code: str) -> bool:
        """Whether a type's header, after its name, has only bases of the file."""
        language = self.candidate.language_id
        rest = code[at:][:_MAX_N_CHARS]
        rest = rest.partition("\n" if language in _BY_LINES else "{")[0]
        rest = _ARGUMENTS.sub("", _ARGUMENTS.sub("", rest))
        if language not in _BY_LINES and rest.lstrip().startswith("("):
            rest = rest.partition(")")[2]
        declared = {found["name"] for found in TYPE.finditer(code)}
        return set(_NAME.findall(rest)) <= declared | _PLAIN_BASES
