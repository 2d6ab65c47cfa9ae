"""`elision`: text for people that breaks off within its last sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.text.chatter import MARKDOWN_LANGUAGES

_LANGUAGES = MARKDOWN_LANGUAGES | {"asciidoc", "plaintext", "restructuredtext"}
_END = re.compile(r"[.!?:\u2026\u3002][\"'\u201d\u2019)\]*_`]*$")
_OPEN_END = re.compile(r"[^\W\d_][,;]?$")
_BLOCK = re.compile(r"\s*(?:#|[-*+] |\d+[.)] |\||>|```|~~~|<|\[|=+$|-+$)")
_MIN_N_WORDS = 4


def check_unfinished(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report a paragraph that ended with a stop, and ends within a sentence now."""
    if candidate.language_id not in _LANGUAGES:
        return
    old, new = _last(candidate.old_lines), _last(candidate.new_lines)
    if not _END.search(old) or not _OPEN_END.search(new) or _BLOCK.match(new):
        return
    below = candidate.after[candidate.region_after.stop :][:1]
    if any(map(str.strip, below)) or len(new.split()) < _MIN_N_WORDS:
        return
    yield Problem(
        rule="elision", message=f"The last sentence is not finished: {new.strip()}"
    )


def _last(lines: Sequence[str]) -> str:
    return next((line.rstrip() for line in reversed(lines) if line.strip()), "")
