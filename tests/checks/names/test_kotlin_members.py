"""Calls in Kotlin of members that nothing has."""

from __future__ import annotations

import pytest
from tests.checks.names.conftest import Reported

BEFORE = """\
package a

class Tracks(private val all: MutableList<Track>) {
    fun names(): List<String> {
        return all.map { it.name }
    }
}
"""
OWN = {"src/Own.kt": "package a\n\nfun <T> List<T>.newest(): T = last()\n"}


def messages(
    reported: Reported, line: str, *, files: dict[str, str], imports: str = ""
) -> list[str]:
    """Return what is reported of the body of a function."""
    before = BEFORE.replace("package a\n", f"package a\n{imports}")
    after = before.replace("return all.map { it.name }", line)
    return reported("src/A.kt", before, after, rule="phantom-member", files=files)


@pytest.mark.parametrize(
    "line",
    [
        "return all.groupBySorted { it.name }",
        "return all.sortedBy { it.name }.latestOne().names",
        "return all.countByName(1)",
    ],
)
def test_what_nothing_has_is_reported(reported: Reported, line: str) -> None:
    assert len(messages(reported, line, files=OWN)) == 1


@pytest.mark.parametrize(
    ("line", "files", "imports"),
    [
        ("return all.associateBy { it.name }.keys.toList()", OWN, ""),
        ("return all.newest().names", OWN, ""),
        ("return all.groupBySorted()", OWN, "import io.ktor.util.*\n"),
        ('return listOf("all.groupBySorted()")', OWN, ""),
    ],
)
def test_what_may_be_there_is_not(
    reported: Reported, line: str, files: dict[str, str], imports: str
) -> None:
    assert messages(reported, line, files=files, imports=imports) == []
