"""`syntax` in languages without a grammar: brackets, tags and JSON.

Only a file that is right before the edit is judged, by the same reading before and
after. So what this reading does not understand is not reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import PurePosixPath

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.text_faults import FAULTS
from redline.syntax.word_set import word_set
from redline.text.reply_forms.brackets import VOID

_BRACKETS = word_set(
    "css scss less sql json jsonc kotlin kt swift dart scala terraform tf"
    " proto graphql groovy gradle"
)
"""Languages by id or suffix in which brackets come in pairs."""

_YAML = frozenset({"dockercompose", "yaml", "yml"})
_YAML_KEY = re.compile(
    r"(?P<indent>\s*)(?:-\s+)*[\w.\-/]+:(?:\s+(?P<value>[^\s#].*)|\s*(?:#.*)?)$"
)
_YAML_TEXT = re.compile(r"(?<=\s)[|>][-+\d]*+\s*+(?:(?<=\s)#.*)?$")
"""The end of a line whose text is in the lines below: of a key, an entry, a tag."""

_YAML_QUOTED = re.compile(r"(?<![^\s\[{,:?-])(?:\"(?:\\.|[^\"\\])*+\"|'(?:''|[^'])*+')")
_YAML_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_YAML_QUOTE = re.compile(r"(?<![^\s\[{,:?-])[\"']")

_MARKUP = frozenset({"html", "htm", "svelte", "vue", "xml", "svg", "xhtml"})
_QUIET = re.compile(
    r"/\*.*?(?:\*/|\Z)|//[^\n]*|(?<![\w-])--(?=\s)[^\n]*|#(?![\w-])[^\n]*"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`[^`\n]*`",
    re.DOTALL,
)
"""Comments and strings, as most of these languages write them."""

_PAIRS = {")": "(", "]": "[", "}": "{"}
_OPTIONAL = word_set(
    "p li td th tr dt dd option thead tbody tfoot html head body colgroup rt rp"
)
"""Elements whose end tag may be left out."""


def check_structure(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report brackets and tags that lost their other half, and JSON that is none."""
    if candidate.grammar is not None:
        return
    suffix = PurePosixPath(candidate.path).suffix.lstrip(".").lower()
    name = candidate.language.lower() or suffix
    for names, read in _READERS:
        if name not in names or read(candidate.text_before) is not None:
            continue
        if (fault := read(candidate.text_after)) is not None:
            yield Problem(rule="syntax", message=f"The file no longer parses: {fault}.")
            return


def _json_fault(text: str) -> str | None:
    try:
        json.loads(text)
    except ValueError as error:
        return str(error)
    except RecursionError:
        return None
    return None


def _yaml_fault(text: str) -> str | None:
    """Find a value with a colon that is not quoted, which YAML does not allow.

    YAML 1.2.2, section 7.3.3: a plain scalar has no `: ` and no ` #`. Nothing is judged
    from the first quoted text or flow collection that goes on in the next line.
    """
    text_depth: int | None = None
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        if text_depth is not None and (not line.strip() or depth > text_depth):
            continue
        text_depth = None
        if _is_open_yaml(line):
            return None
        key = _YAML_KEY.match(line)
        value = (key and key["value"]) or ""
        if _YAML_TEXT.search(line):
            # The text of a document need not be indented.
            text_depth = -1 if line.startswith("---") else depth
        elif value and value[0].isalnum():
            plain = value.partition(" #")[0].rstrip()
            if ": " in plain or plain.endswith(":"):
                return f"the value `{plain}` has a colon and no quotation marks"
    return None


def _is_open_yaml(line: str) -> bool:
    """Whether a quotation mark or flow bracket may be open after a line."""
    rest = _YAML_COMMENT.sub("", _YAML_QUOTED.sub("", line))
    n_open = sum(map(rest.count, "[{")) - sum(map(rest.count, "]}"))
    return n_open != 0 or _YAML_QUOTE.search(rest) is not None


def _bracket_fault(text: str) -> str | None:
    waiting: list[str] = []
    for found in re.finditer(r"[()\[\]{}]", _QUIET.sub(" ", text)):
        bracket = found[0]
        if bracket not in _PAIRS:
            waiting.append(bracket)
        elif not waiting or waiting.pop() != _PAIRS[bracket]:
            return f"`{bracket}` has no other half"
    return f"`{waiting[-1]}` has no other half" if waiting else None


def _markup_fault(text: str) -> str | None:
    tags = _Tags()
    tags.feed(text)
    if tags.rawdata.strip():  # What the parser could not end, such as half a tag.
        return "a tag is not closed"
    tags.close()
    return next(tags.faults(), None)


class _Tags(HTMLParser):
    """The open elements of a document."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self._fault = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """Skip an element that ends itself."""

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and those in it that may be left open."""
        while self._open and self._open[-1] != tag and self._open[-1] in _OPTIONAL:
            self._open.pop()
        if self._open and self._open[-1] == tag:
            self._open.pop()
        elif tag not in _OPTIONAL and tag not in VOID:
            self._fault = self._fault or f"`</{tag}>` closes another tag"

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the document that was fed."""
        if self._fault:
            yield self._fault
        for tag in self._open:
            if tag not in _OPTIONAL:
                yield f"`<{tag}>` is not closed"


_READERS: tuple[tuple[frozenset[str], Callable[[str], str | None]], ...] = (
    (frozenset({"json"}), _json_fault),
    (_BRACKETS, _bracket_fault),
    (_YAML, _yaml_fault),
    (_MARKUP, _markup_fault),
    *((frozenset({name}), read) for name, read in FAULTS.items()),
)
"""What finds the faults of languages, by id or suffix."""
