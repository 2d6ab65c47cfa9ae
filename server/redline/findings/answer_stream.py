"""Reads findings from an answer while it streams.

The answer should be one JSON object. Real answers may be surrounded by fences and
chatter, be malformed (unescaped quotes and line feeds, too many or too few commas,
other keys), repeat themselves, or end anywhere. Each finding is returned as soon as its
object is complete; any chunking of the same text gives the same claims.
"""

from __future__ import annotations

import re
from typing import Literal

from redline.findings.finding import Claim
from redline.findings.loose_fields import Fields, text_of
from redline.findings.object_stream import ObjectStream

Ending = Literal["whole", "cut", "no-answer"]
"""`cut`: the answer is incomplete; `no-answer`: the text holds no answer."""

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
"""Keys that models use instead of the requested ones."""

_NAMES = {name: name for name in _ALSO} | {
    other: name for name, others in _ALSO.items() for other in others
}
_IMPORTANT = ("file", "quote", "title", "explanation")
_MIN_FIELDS = 2
"""An object with fewer known fields is something else, such as code in chatter."""

_LIST = re.compile(r"""(?:["']\w++["']\s*+:|^|\n|`)[^\S\n]*+\[""")
_NUMBER = re.compile(r"\d{1,7}")


class FindingStream:
    """Turns the text of an answer into claims; verifies nothing and drops nothing.

    Missing fields are empty in a claim: see `ClaimJudge`, which drops such claims.
    """

    def __init__(self) -> None:
        self._objects = ObjectStream(
            _NAMES, important=_IMPORTANT, min_fields=_MIN_FIELDS, inner="location"
        )
        self._n_claims = 0

    def feed(self, text: str) -> list[Claim]:
        """Read the next chunk of the answer; return the claims that it completes."""
        return self._claims(self._objects.feed(text))

    def close(self) -> list[Claim]:
        """End the answer; return the last claim, if it can be read.

        A claim that was cut has the fields that were complete.
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
        # An empty text would delete the lines, which a model may not intend.
        fix=text_of(fields.get("fix")) or None,
        line=_line(fields.get("line")),
        rule=text_of(fields.get("rule")).strip() or None,
    )


def _line(value: object) -> int | None:
    """Parse a number, or the first one of "12-14" or [12, 14]."""
    found = _NUMBER.search(str(value))
    return int(found[0]) if found else None
