"""The boundary rules in use: the built-in ones, extended by the user's settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from redline.routing import services
from redline.routing.boundary import (
    Boundary,
    Crossing,
    Reading,
    RuleEvidence,
    crossings,
    evidence,
    is_inert,
)
from redline.routing.data_rules import DATA_RULES
from redline.routing.security_rules import SECURITY_RULES
from redline.routing.task import Task
from redline.settings.tree import BoundarySettings, RoutingSettings

BUILT_IN: dict[str, Boundary] = {
    rule.name: rule for rule in (*SECURITY_RULES, *DATA_RULES, services.RULE)
}
NAMES = tuple(BUILT_IN)
"""Names of all built-in boundaries."""


def found_by_rules(
    task: Task, reading: Reading, rules: Sequence[Boundary]
) -> tuple[list[Crossing], list[RuleEvidence]]:
    """Return the boundaries that the rules find, and all that they see.

    Nothing for a file that executes nothing.
    """
    if is_inert(task):
        return [], []
    shown = [evidence(rule, reading) for rule in rules]
    found = crossings(rules, shown)
    if services.NAME in (rule.name for rule in rules):
        across = services.crossing(task)
        if across is not None:
            shown.append(services.EVIDENCE)
            # The user's own pattern may have found it.
            if all(each.name != services.NAME for each in found):
                found.append(across)
    return found, shown


def rules_of(settings: RoutingSettings) -> list[Boundary]:
    """Return the rules that apply under these settings."""
    rules = dict(BUILT_IN)
    for name, more in settings.boundaries.items():
        rules[name] = _extended(rules.get(name), name, more)
    return [rule for name, rule in rules.items() if name not in settings.boundaries_off]


def _extended(rule: Boundary | None, name: str, more: BoundarySettings) -> Boundary:
    own = rule or Boundary(name=name, what=f"what your settings guard as “{name}”")
    return replace(
        own,
        own_paths=_compiled(more.paths),
        own_code=_compiled(more.code),
        own_instruction=_compiled(more.instruction),
    )


def _compiled(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    # `re` caches compiled patterns; the settings have rejected invalid ones.
    return tuple(
        re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in patterns
    )
