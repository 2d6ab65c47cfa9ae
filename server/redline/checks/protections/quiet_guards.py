"""Guards that raised an exception and now return without one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.problem import Problem
from redline.checks.protections.changed_code import ChangedCode, squeezed
from redline.checks.protections.guards import guards_in
from redline.checks.protections.names import lost
from redline.checks.protections.wishes import relaxes, removes

_RAISES = re.compile(r"(?:raise|throw)\b")
_QUIET = re.compile(
    r"(?:return\s*+(?:None|null|nil|false|False|0|-1|\[\]|\{\}|\"\"|''|undefined)?+"
    r"|continue)\s*+;?"
)
_TOPIC = re.compile(
    r"return|none|null|nil|false|zero|\b0\b|empty|quiet|silent|skip|default|rais|throw"
    r"|error|except|fail|optional|undefined|swallow|lenient|crash|bool",
    re.IGNORECASE,
)


def quiet_guards(change: ChangedCode) -> Iterator[Problem]:
    """Yield those that the instruction does not speak of."""
    wish = change.instruction
    if _TOPIC.search(wish) or relaxes(wish) or removes(wish):
        return
    quiet = {
        squeezed(one.condition)
        for one in guards_in(change.new)
        if any(_QUIET.fullmatch(line.text) for line in one.body)
    }
    for one in guards_in(change.old):
        raises = any(_RAISES.match(line.text) for line in one.body)
        if raises and squeezed(one.condition) in quiet:
            yield lost("exception of", one.text)
            return
