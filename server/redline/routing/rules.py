"""The boundary rules in use: the built-in ones, extended by the user's settings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from redline.routing.boundary import Boundary
from redline.routing.data_rules import DATA_RULES
from redline.routing.security_rules import SECURITY_RULES
from redline.routing.services import NAME as SERVICES
from redline.settings.tree import BoundarySettings, RoutingSettings

BUILT_IN: dict[str, Boundary] = {
    rule.name: rule for rule in (*SECURITY_RULES, *DATA_RULES)
}
NAMES = (*BUILT_IN, SERVICES)
"""Names of all built-in boundaries."""


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
