"""What linters say of the lines in question: facts, which a model need not guess."""

from __future__ import annotations

import msgspec

from redline.findings.scope import ReviewScope


class LinterFact(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a linter."""

    path: str
    line: int
    """From 0, in the text that is reviewed."""
    linter: str
    rule: str
    """The linter's id of it, such as `B006`."""
    message: str


def linter_facts(scope: ReviewScope) -> tuple[LinterFact, ...]:
    """Run the linters over the files; takes a while, so call it in a thread.

    A linter that is missing or fails is no failure: there are fewer facts then.

    Returns:
        What is said of lines in the spans, by path and line.
    """
    raise NotImplementedError
