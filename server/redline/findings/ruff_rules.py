"""The ruff rules that report faults, with the severity and category of each.

Ruff has many more. Left out are rules about style, naming, typing or old syntax, rules
that only ask for another spelling of the same code, and rules that are wrong more often
than right in ordinary programs: assertions, subprocesses without a shell, random
numbers outside cryptography, every name with "token" in it.
"""

from __future__ import annotations

from typing import NamedTuple

from redline.findings.finding import Category, Severity

FAMILIES = "ASYNC,B,BLE,DTZ,E7,F,LOG,PLE,PLW,PT,RUF,S,SIM,T10"
"""The rules that ruff is run with. Families, since it rejects removed single rules."""

SYNTAX = "invalid-syntax"
"""Ruff's id for code that cannot be parsed."""


class Grade(NamedTuple):
    """The category and severity of a rule's findings."""

    category: Category
    severity: Severity


_TABLE: dict[tuple[Category, Severity], str] = {
    ("correctness", "critical"): SYNTAX,
    ("correctness", "high"): (
        "B002 B020 B023 B030 B031 F501 F502 F503 F505 F506 F507 F508 F509 F521 F524"
        " F525 F621 F622 F631 F634 F701 F702 F704 F706 F707 F821 F823 PLW0177 PLW0245"
        " PLW1501 RUF008 RUF016 RUF024 RUF026 ASYNC105"
    ),
    ("correctness", "medium"): (
        "B003 B005 B006 B015 B018 B032 B034 B035 B039 F402 F504 F522 F523 F601 F602"
        " F632 F811 F822 PLW0127 PLW0128 PLW0211 PLW0406 PLW1507 PLW1508 PLW1641"
        " RUF009 RUF032 RUF033 RUF034 RUF049 RUF060 SIM220 SIM221 SIM222 SIM223 T100"
    ),
    ("correctness", "low"): "B008 B021 B026 B033 F841 PLW0602 PLW0642",
    ("concurrency", "high"): (
        "ASYNC210 ASYNC212 ASYNC220 ASYNC221 ASYNC222 ASYNC250 ASYNC251 PLW2101 RUF006"
    ),
    ("concurrency", "medium"): "ASYNC100 ASYNC230 PLW1509",
    ("concurrency", "low"): "ASYNC240",
    ("error-handling", "high"): "B012 B016 PLW0133 PLW0711",
    ("error-handling", "medium"): (
        "B022 B025 B029 E722 F901 LOG004 LOG014 PLE1205 PLE1206 S110 S112 SIM107"
    ),
    ("error-handling", "low"): "B904 BLE001 PLW1510",
    ("performance", "medium"): "RUF017",
    ("performance", "low"): "ASYNC110",
    ("resource", "medium"): "B019 S113 SIM115",
    ("security", "high"): (
        "PLE2502 RUF064 S102 S201 S202 S307 S323 S501 S502 S503 S506 S507 S602 S605"
        " S609 S612 S701 S702"
    ),
    ("security", "medium"): (
        "S103 S301 S302 S303 S304 S305 S306 S308 S312 S313 S314 S315 S316 S317 S318"
        " S319 S321 S324 S504 S505 S508 S509 S601 S604 S608 S610 S611 S704"
    ),
    ("security", "low"): "S104 S106 S107 S108 S310",
    ("testing", "high"): "PLW0129",
    ("testing", "medium"): "B017 PT010 PT015 PT017 RUF040",
    ("testing", "low"): "PT012 PT014 PT028 RUF018 RUF030",
    ("time", "medium"): "DTZ003 DTZ004",
    ("time", "low"): ("ASYNC116 DTZ001 DTZ002 DTZ005 DTZ006 DTZ007 DTZ012 DTZ901"),
}

GRADES = {
    rule: Grade(category, severity)
    for (category, severity), rules in _TABLE.items()
    for rule in rules.split()
}

_PYLINT_ERRORS = "PLE"
"""Pylint's errors: code that fails when it runs."""

_ALLOWED_IN_TESTS = frozenset({"S104", "S106", "S107", "S108", "S310"})
"""Made-up passwords and addresses."""


def grade(rule: str, *, is_test: bool = False) -> Grade | None:
    """Return the grade of a rule; None: it does not report faults."""
    if is_test and rule in _ALLOWED_IN_TESTS:
        return None
    known = GRADES.get(rule)
    if known is None and rule.startswith(_PYLINT_ERRORS):
        return Grade("correctness", "high")
    return known
