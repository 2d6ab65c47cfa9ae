"""`stub`: a word in place of a value that was there, such as `YOUR_API_KEY`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem

_NOUN = r"[\w -]{0,30}"
_VALUE = re.compile(
    r"(?<=[\"'`:=(,>\s])[\"'`]?(?P<value>"
    rf"[<\[{{(]{{0,2}}(?:your|my|insert|enter|put|replace|fill)[-_ ]{_NOUN}"
    r"[>\])}]{0,2}"
    rf"|<(?!/)[A-Za-z][\w]*[-_ ]{_NOUN}>|\[(?:redacted|hidden|secret|removed|omitted)\]"
    r"|<(?:redacted|hidden|secret|removed|token|password|key|value|url|host|name|id)>"
    r"|change[-_ ]?(?:me|this|it)|replace[-_ ]?(?:me|this)|place[-_ ]?holder|redacted"
    r"|to[-_ ]?do|tbd|fixme|x{3,}(?:[-_.]x{3,})*|\*{3,}|\.{3}|\u2026"
    r"|(?:sk|pk|ghp|tok)[-_][\w-]{0,8}(?:\.{3}|\u2026|x{3,}|\*{3,})"
    r"|[\w.-]{0,20}(?:[-_](?:here|goes[-_]here)))"
    r"(?P<end>[\"'`]|(?=\s*(?:[,;)\]}#]|//|$|<)))",
    re.IGNORECASE,
)
"""A value that asks to be replaced; it is the whole of a string or of the rest."""

_WANTED = re.compile(
    r"redact|mask|place ?holder|censor|anonymi|scrub|saniti|obfuscat|template|example"
    r"|sample|dummy|fake|hide\b|hiding|blank|reset|remove|clear|secret|leak|to-?do"
    r"|ellips|change ?me",
    re.IGNORECASE,
)
_MAX_N_CHARS = 1_000
"""Longer lines are data."""

_BARE = frozenset({"dockercompose", "dotenv", "ini", "properties", "yaml"})
"""LSP language ids in which a value needs no quotation marks."""


def check_placeholders(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report values that became a placeholder, unless the instruction is about one."""
    if _WANTED.search(candidate.instruction):
        return
    old = [line.strip() for line in candidate.old_lines]
    for line, text in candidate.introduced:
        plain = text.strip()
        if len(plain) > _MAX_N_CHARS:
            continue
        for found in _VALUE.finditer(plain):
            value, head = found["value"], plain[: found.start()]
            is_quoted = plain[found.start()] in "\"'`" and found["end"] != ""
            if not is_quoted and candidate.language_id not in _BARE:
                continue
            if value.lower() in candidate.instruction.lower():
                continue
            if _had_value(old, head, value):
                yield Problem(
                    rule="stub",
                    message=f"This stands for a value that was there: {value}",
                    line=line,
                )


def _had_value(old: list[str], head: str, value: str) -> bool:
    """Whether a line of the range had another value in the place of this one."""
    if not re.search(r"\w", head):
        return False
    start = "".join(head.split())
    rests = ["".join(line.split()).partition(start) for line in old]
    return any(
        not above and found and rest and value not in rest
        for above, found, rest in rests
    )
