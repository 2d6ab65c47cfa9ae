"""Linter messages about the reviewed lines: facts that a model need not guess."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import msgspec

from redline.checks.ruff import MAX_CHARS, NEWEST_PYTHON, ask_ruff
from redline.errors import LinterError
from redline.findings.ruff_rules import FAMILIES, SYNTAX, grade
from redline.findings.scope import ReviewedFile, ReviewScope
from redline.prompts.secrets import NO_SECRETS, SecretTable, hide_all
from redline.syntax.language import Language, language_of

logger = logging.getLogger(__name__)

MAX_FACTS = 60
"""More than a reviewer would read."""


class LinterFact(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a linter."""

    path: str
    line: int
    """From 0, in the text that is reviewed."""
    linter: str
    rule: str
    """The linter's rule id, such as `B006`."""
    message: str


def linter_facts(
    scope: ReviewScope, *, table: SecretTable = NO_SECRETS
) -> tuple[LinterFact, ...]:
    """Run the linters over the files; slow, so call it in a thread.

    A linter that is missing or fails does not raise: there are fewer facts.

    Args:
        scope: What is reviewed.
        table: The review's secrets: a message may quote the code.

    Returns:
        The messages about reviewed lines, by path and line; at most `MAX_FACTS`.
    """
    facts: list[LinterFact] = []
    try:
        for file in scope.files:
            if language_of(file.path, file.language) is Language.PYTHON:
                facts += _of_python(file)
            if len(facts) >= MAX_FACTS:
                break
    except LinterError as error:
        logger.warning("no linter facts: %s", error)
    facts = facts[:MAX_FACTS]
    hidden = hide_all([("", fact.message) for fact in facts], table)
    return tuple(
        msgspec.structs.replace(fact, message=message)
        for fact, message in zip(facts, hidden.texts, strict=True)
    )


def _of_python(file: ReviewedFile) -> Iterator[LinterFact]:
    if len(file.text) > MAX_CHARS:
        return
    messages = ask_ruff(
        file.text, path=file.path, rules=FAMILIES, target_version=NEWEST_PYTHON
    )
    for message in messages:
        rule = message.code or SYNTAX
        line = message.location.row - 1
        is_asked = any(first <= line < end for first, end in file.spans)
        if is_asked and grade(rule) is not None:
            yield LinterFact(
                path=file.path,
                line=line,
                linter="ruff",
                rule=rule,
                message=message.message,
            )
