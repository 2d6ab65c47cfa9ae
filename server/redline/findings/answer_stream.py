"""Reads findings out of an answer while it streams.

The answer should be one JSON object. What comes may stand between fences and chatter,
be broken (quotes and line feeds that are not escaped, commas too many or too few, other
keys), repeat itself, or end anywhere. Each finding is given out as soon as its object
is complete; any chunking of the same text gives the same claims.
"""

from __future__ import annotations

import re
from typing import Literal

from redline.findings.finding import Claim
from redline.findings.loose_fields import Fields, text_of
from redline.findings.object_stream import ObjectStream

Ending = Literal["whole", "cut", "no-answer"]
"""`cut`: there is an answer that does not end; `no-answer`: nothing of it is one."""

_ALSO: dict[str, tuple[str, ...]] = {
    "file": ("path", "filename", "file_path", "filepath"),
    "quote": ("code", "snippet", "quoted_code", "quoted_lines", "anchor"),
    "severity": ("level", "priority"),
    "category": ("type", "kind"),
    "title": ("summary", "name", "headline"),
    "explanation": ("description", "details", "message", "reason", "rationale", "body"),
    "fix": ("suggestion", "suggested_fix", "replacement", "patch"),
    "line": ("line_number", "start_line", "startline", "lines"),
    "rule": ("rule_id", "ruleid"),
}
"""Keys that models use in place of the ones they were told."""

_NAMES = {name: name for name in _ALSO} | {
    other: name for name, others in _ALSO.items() for other in others
}
_IMPORTANT = ("file", "quote", "title", "explanation")
_MIN_FIELDS = 2
"""An object that has fewer of them is something else, such as code in the chatter."""

_LIST = re.compile(r"""(?:["']\w++["']\s*+:|^|\n|`)[^\S\n]*+\[""")
_NUMBER = re.compile(r"\d{1,7}")


class FindingStream:
    """Turns the text of an answer into claims; believes nothing and drops nothing.

    What a finding lacks is empty in its claim: see `CandidateChecks`, which drops it.
    """

    def __init__(self) -> None:
        self._objects = ObjectStream(
            _NAMES, important=_IMPORTANT, min_fields=_MIN_FIELDS, inner="location"
        )
        self._n_claims = 0

    def feed(self, text: str) -> list[Claim]:
        """Take the next piece of the answer; return the findings that it completes."""
        return self._claims(self._objects.feed(text))

    def close(self) -> list[Claim]:
        """Take the end of the answer; return what can be read of the last finding.

        Of a finding that was cut, the fields are given that were complete.
        """
        return self._claims(self._objects.close())

    @property
    def ending(self) -> Ending:
        """How the answer ended; final once it is closed."""
        if self._objects.is_cut:
            return "cut"
        lists = list(_LIST.finditer(self._objects.outside))
        if lists:
            is_ended = "]" in self._objects.outside[lists[-1].end() :]
            return "whole" if is_ended else "cut"
        return "whole" if self._n_claims else "no-answer"

    def _claims(self, objects: list[Fields]) -> list[Claim]:
        self._n_claims += len(objects)
        return [_claim(fields) for fields in objects]


def _claim(fields: Fields) -> Claim:
    return Claim(
        file=text_of(fields.get("file")).strip(),
        quote=text_of(fields.get("quote")),
        severity=text_of(fields.get("severity")).strip(),
        category=text_of(fields.get("category")).strip(),
        title=text_of(fields.get("title")).strip(),
        explanation=text_of(fields.get("explanation")).strip(),
        # An empty text would remove the lines: too much to do on a model's whim.
        fix=text_of(fields.get("fix")) or None,
        line=_line(fields.get("line")),
        rule=text_of(fields.get("rule")).strip() or None,
    )


def _line(value: object) -> int | None:
    """Read a number, or the first one of "12-14" or [12, 14]."""
    found = _NUMBER.search(str(value))
    return int(found[0]) if found else None
