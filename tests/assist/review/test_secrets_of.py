"""No secret of a change is sent, however much of it the change shows."""

from __future__ import annotations

import base64
import random

from redline.assist.review.job.brief import Brief, secrets_of
from redline.assist.review.job.questions import review_question
from redline.findings.diff import parse_diff
from redline.findings.parts import split
from redline.findings.scope import ReviewedFile, ReviewScope, WholeFiles
from redline.prompts.tokens import most_tokens
from redline.text.unified_diff import unified_diff

KEY = base64.b64encode(random.Random(7).randbytes(900)).decode()
LINES = [KEY[at : at + 64] for at in range(0, len(KEY), 64)]


def sent(old: str, new: str, *, path: str = "a.py") -> str:
    """The text of a change that a model is sent."""
    hunks = parse_diff(unified_diff(old, new))[0]
    file = ReviewedFile(
        path=path,
        uri=f"file:///{path}",
        language="",
        text=new,
        spans=hunks.spans,
        diff=hunks.text,
    )
    scope = ReviewScope(target=WholeFiles(uris=()), title="a change", files=(file,))
    parts = split(scope.files, budget=40_000, count=most_tokens, max_parts=5).parts
    brief = Brief(table=secrets_of(scope))
    request = review_question(scope, parts[0], brief, cache_key="")
    return request.prompt.chat_messages[-1].text


def in_lines(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_lines_from_the_middle_of_a_key() -> None:
    """Neither its beginning nor its end is in the hunk."""
    text = sent(in_lines(*LINES), in_lines(*LINES[:5], "x = 1", *LINES[9:]))
    assert "+x = 1" in text
    assert not [line for line in LINES if line in text]


def test_a_short_line_of_a_key_that_goes() -> None:
    """It is a part of the key only because of lines that the hunk does not show."""
    ends = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    short = [KEY[at : at + 30] for at in range(0, len(KEY), 30)]
    kept = [*short[:12], "x = 1", *short[13:]]
    text = sent(in_lines(ends[0], *short, ends[1]), in_lines(ends[0], *kept, ends[1]))
    assert "+x = 1" in text
    assert short[12] not in text


def test_a_value_that_its_place_makes_a_secret() -> None:
    """The old value of a rotation is often still valid."""
    head = ["apiVersion: v1", "kind: Secret", "stringData:"]
    old = [f"  entry{number}: paddle{number}-otter" for number in range(20)]
    new = [*old[:12], "  entry12: lantern-new-12", *old[13:]]
    text = sent(in_lines(*head, *old), in_lines(*head, *new), path="deploy.yaml")
    assert "-  entry12:" in text
    assert "paddle12-otter" not in text
    assert "lantern-new-12" not in text


def test_a_whole_key_that_goes() -> None:
    """Its markers may be sent."""
    key = ["-----BEGIN PRIVATE KEY-----", *LINES, "-----END PRIVATE KEY-----"]
    text = sent(in_lines(*key), "x = 1\n")
    assert not [line for line in LINES if line in text]


def test_a_key_that_replaces_a_key() -> None:
    other = [line[::-1] for line in LINES]
    text = sent(in_lines(*LINES), in_lines(*other))
    assert not [line for line in (*LINES[:-1], *other[:-1]) if line in text]
