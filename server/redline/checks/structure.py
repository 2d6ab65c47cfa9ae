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
from redline.checks.data_files.double_keys import double_json_key, double_yaml_key
from redline.checks.problem import Problem
from redline.checks.text_faults import FAULTS
from redline.checks.yaml_faults import yaml_fault
from redline.syntax.word_set import word_set
from redline.text.reply_forms.brackets import VOID

_BRACKETS = word_set(
    "css scss less sql json jsonc kotlin kt swift dart scala terraform tf"
    " proto graphql groovy gradle"
)
"""Languages by id or suffix in which brackets come in pairs."""

_YAML = frozenset({"dockercompose", "yaml", "yml"})
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
    own = {candidate.language.lower() or suffix, candidate.language_id}
    for names, read in _READERS:
        if not own & names or read(candidate.text_before) is not None:
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
    (frozenset({"json"}), double_json_key),
    (_BRACKETS, _bracket_fault),
    (_YAML, yaml_fault),
    (_YAML, double_yaml_key),
    (_MARKUP, _markup_fault),
    *((frozenset({name}), read) for name, read in FAULTS.items()),
)
"""What finds the faults of languages, by id or suffix."""
