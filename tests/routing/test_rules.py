"""The user's settings add to a boundary, make one, and switch one off, by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redline.routing.boundary import Reading, evidence
from redline.routing.rules import BUILT_IN, NAMES, rules_of
from redline.settings.tree import BoundarySettings, RoutingSettings

Read = Callable[..., Reading]
MONEY = BoundarySettings(
    paths=(r"^ledger/",), code=(r"charge\(",), instruction=(r"\bpay",)
)


def settings(name: str) -> RoutingSettings:
    return RoutingSettings(boundaries={name: MONEY})


def test_without_settings_the_built_in_rules_hold() -> None:
    assert rules_of(RoutingSettings()) == list(BUILT_IN.values())
    assert NAMES == (
        "authentication",
        "sessions",
        "crypto",
        "input-validation",
        "permissions",
        "migrations",
        "destructive-sql",
        "services",
    )


@pytest.mark.parametrize(
    "given",
    [
        {"path": "ledger/x.py"},
        {"files": ("a.py", "LEDGER/x.py")},
        {"code": "gateway.Charge(1)"},
        {"instruction": "show the payer"},
    ],
)
@pytest.mark.parametrize("name", ["money", "crypto"])
def test_each_of_the_users_patterns_is_enough(
    read: Read, name: str, given: dict[str, object]
) -> None:
    (rule,) = (each for each in rules_of(settings(name)) if each.name == name)

    assert evidence(rule, read(**given)).shown
    assert not evidence(rule, read(code="recharge", path="a/ledger/x.py")).shown


def test_a_built_in_boundary_is_added_to(read: Read) -> None:
    """What it guards itself it still does."""
    (rule,) = (each for each in rules_of(settings("crypto")) if each.name == "crypto")

    assert evidence(rule, read(code="encrypt(x)")).shown


def test_a_boundary_is_switched_off() -> None:
    off = RoutingSettings(
        boundaries={"money": MONEY}, boundaries_off=("crypto", "money", "unheard-of")
    )

    names = [rule.name for rule in rules_of(off)]
    assert names == [name for name in BUILT_IN if name != "crypto"]
