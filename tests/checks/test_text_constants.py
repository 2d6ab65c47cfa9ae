"""Constants of Kotlin and Swift that get another value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.text_constants import check_text_constants

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

KOTLIN = "class A {\n    fun f(b: Int): Int {\n        return b\n    }\n}\n"
SWIFT = "struct A {\n    func f(b: Int) -> Int {\n        return b\n    }\n}\n"

WRONG = [
    ("kotlin", "val c = g()\n        for (d in e) {\n            c = d\n        }"),
    ("kotlin", "val c: Int = 0\n        if (b > 0) c += b"),
    ("kotlin", 'val c = ""\n        e.forEach { d -> c = d }'),
    ("swift", "let c = 0\n        c += b"),
    ("swift", "let c: [Int] = g()\n        if b > 0 {\n            c = []\n        }"),
]
RIGHT = [
    ("kotlin", "val c = mutableListOf<Int>()\n        c += b"),
    ("kotlin", "val c: Int\n        c = b"),
    ("kotlin", "val c = 0\n        g(\n            c = 1,\n        )"),
    ("kotlin", "val c = 0\n        e.c = 1"),
    ("kotlin", "val c = 0\n        if (c == 1) return 0"),
    ("kotlin", "if (b > 0) {\n            val c = 0\n        }\n        c = 1"),
    (
        "kotlin",
        "val c = 0\n        e.map {\n            var c = it\n            c = 1 }",
    ),
    ("kotlin", "val c = 0\n        }\n        object {\n            var c = 1"),
    ("swift", "let c: Int\n        c = b"),
    ("swift", "let c = 0\n        e.each { c in\n            c = b\n        }"),
    ("swift", "let c = 0\n        self.c = b"),
    ("swift", "var c = 0\n        c = b"),
]


def _edited(language: str, body: str) -> tuple[str, str]:
    file = KOTLIN if language == "kotlin" else SWIFT
    return file, file.replace("return b", f"{body}\n        return b")


@pytest.mark.parametrize(("language", "body"), WRONG)
def test_a_constant_that_is_set_again(
    make_candidate: MakeCandidate, language: str, body: str
) -> None:
    before, after = _edited(language, body)
    found = list(check_text_constants(make_candidate(before, after, language=language)))
    assert [one.message for one in found] == ["`c` is constant and gets another value."]


@pytest.mark.parametrize(("language", "body"), RIGHT)
def test_what_is_set_otherwise(
    make_candidate: MakeCandidate, language: str, body: str
) -> None:
    before, after = _edited(language, body)
    assert not list(
        check_text_constants(make_candidate(before, after, language=language))
    )


def test_a_property_is_not_judged(make_candidate: MakeCandidate) -> None:
    """A function with a receiver may set a property of another object."""
    before = KOTLIN.replace("    fun", "    val c = 0\n    fun")
    after = before.replace("return b", "h.apply {\n            c = b\n        }")
    assert not list(
        check_text_constants(make_candidate(before, after, language="kotlin"))
    )
