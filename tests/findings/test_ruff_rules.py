"""The grades of ruff's rules, checked with the installed ruff."""

from __future__ import annotations

import subprocess

import msgspec
from ruff import find_ruff_bin  # type: ignore[import-untyped]  # It has no hints.

from redline.findings.ruff_rules import FAMILIES, GRADES, SYNTAX, Grade, grade


class _Rule(msgspec.Struct):
    code: str | None
    preview: bool


def test_every_graded_rule_exists_and_is_asked_for() -> None:
    """A rule that is misspelt, or in no family, would never be reported."""
    command = [find_ruff_bin(), "rule", "--all", "--output-format=json"]
    output = subprocess.run(command, capture_output=True, check=True).stdout
    known = {
        rule.code
        for rule in msgspec.json.decode(output, type=list[_Rule])
        if not rule.preview
    }
    graded = set(GRADES) - {SYNTAX}
    assert graded <= known
    assert all(rule.startswith(tuple(FAMILIES.split(","))) for rule in graded)


def test_what_is_not_graded_is_no_fault() -> None:
    """Style, and pylint's errors that are not listed one by one."""
    assert grade("F401") is None
    assert grade("PLE0101") == Grade("correctness", "high")
    assert grade("PLE1205") == Grade("error-handling", "medium")


def test_tests_may_have_made_up_passwords() -> None:
    """But not anything."""
    assert grade("S106", is_test=True) is None
    assert grade("S602", is_test=True) == grade("S602") == Grade("security", "high")
