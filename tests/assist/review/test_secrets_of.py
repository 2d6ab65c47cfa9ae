"""No secret of a change is sent, however much of it the change shows."""

from __future__ import annotations

import base64
import random

from redline.assist.review.job.brief import Brief, secrets_of
from redline.assist.review.job.questions import review_question
from redline.findings.parts import split
from redline.findings.scope import ReviewedFile, ReviewScope, WholeFiles
from redline.prompts.tokens import most_tokens

KEY = base64.b64encode(random.Random(7).randbytes(900)).decode()
LINES = [KEY[at : at + 64] for at in range(0, len(KEY), 64)]
TEXT = "x = 1\n"


def sent(diff: str) -> str:
    """The text of a change that a model is sent."""
    file = ReviewedFile(
        path="a.py",
        uri="file:///a.py",
        language="python",
        text=TEXT,
        spans=((0, 1),),
        diff=diff,
    )
    scope = ReviewScope(target=WholeFiles(uris=()), title="a change", files=(file,))
    parts = split(scope.files, budget=40_000, count=most_tokens, max_parts=5).parts
    brief = Brief(table=secrets_of(scope))
    request = review_question(scope, parts[0], brief, cache_key="")
    return request.prompt.chat_messages[-1].text


def test_lines_from_the_middle_of_a_key() -> None:
    """Neither its beginning nor its end is in the hunk."""
    hunk = (
        "@@ -4,4 +4,1 @@\n" + "".join(f"-{line}\n" for line in LINES[3:8]) + "+x = 1\n"
    )
    text = sent(hunk)
    assert "+x = 1" in text
    assert not [line for line in LINES if line in text]


def test_a_whole_key_that_goes() -> None:
    """Its markers may be sent."""
    key = ["-----BEGIN PRIVATE KEY-----", *LINES, "-----END PRIVATE KEY-----"]
    text = sent(
        "@@ -1,16 +1,1 @@\n" + "".join(f"-{line}\n" for line in key) + "+x = 1\n"
    )
    assert not [line for line in LINES if line in text]


def test_a_key_that_replaces_a_key() -> None:
    """Line by line, as a diff may show it."""
    other = [line[::-1] for line in LINES]
    pairs = zip(LINES, other, strict=True)
    text = sent("@@ -1,9 +1,9 @@\n" + "".join(f"-{a}\n+{b}\n" for a, b in pairs))
    assert not [line for line in (*LINES[:-1], *other[:-1]) if line in text]
