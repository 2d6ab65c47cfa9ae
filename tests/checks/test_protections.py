"""Protections that a reply removes are reported, unless they moved or are to go."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from benchmarks.unseen_replies import Case

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.protections.check import check_protections
from redline.text.lines import split_lines

FILE = Path(__file__).parents[1] / "data" / "protections.jsonl"
CASES = [
    msgspec.json.decode(line, type=Case) for line in FILE.read_bytes().splitlines()
]

MISSED = {
    "protect-026": "the key that is checked has a new value",
    "protect-041": "the loop is gone with the guard in it",
}
"""Broken replies that are not caught, and why."""


def problems(old: str, new: str, instruction: str, path: str = "a.py") -> list[Problem]:
    """Check an edit of a whole file."""
    before, after = tuple(split_lines(old)), tuple(split_lines(new))
    candidate = CheckedEdit(
        before=before,
        after=after,
        region_before=range(len(before)),
        region_after=range(len(after)),
        path=path,
        instruction=instruction,
    )
    return list(check_protections(candidate))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_replies(case: Case) -> None:
    """Half of them are right: they move, merge or strengthen what protects."""
    found = problems(case.file, case.reply, case.instruction, case.path)
    is_caught = case.expect == "caught" and case.id not in MISSED
    assert bool(found) == is_caught, found
    assert {problem.rule for problem in found} <= {"lost-protection"}


GUARDED = """\
def remove(user, item):
    if not user.is_admin:
        raise Forbidden
    item.delete()
"""
BARE = """\
def remove(user, item):
    item.delete()
    log.info("deleted")
"""


def test_the_message_names_what_is_gone() -> None:
    """So that the model can put it back."""
    [problem] = problems(GUARDED, BARE, "Log it.")
    assert problem.message == (
        "The reply removes the check `if not user.is_admin:`, which the instruction"
        " does not ask for. Keep it."
    )


@pytest.mark.parametrize(
    "instruction",
    [
        "Log it; anyone may delete items now.",
        "Permissions are checked by the gateway: log it instead.",
        "Jeder Nutzer mit Zugriff auf die Seite darf löschen; protokolliere es.",
        "",
    ],
)
def test_instructions_that_speak_of_it(instruction: str) -> None:
    """Also in other languages, and where nothing was asked."""
    assert not problems(GUARDED, BARE, instruction)


@pytest.mark.parametrize("instruction", ["Simplify this.", "Remove the docstring."])
def test_general_words_do_not_excuse_it(instruction: str) -> None:
    """Shorter code still asks who may use it."""
    assert problems(GUARDED, BARE, instruction)


def test_checks_of_values_may_go_with_general_words() -> None:
    """They are often what makes code long."""
    old = "def f(x):\n    if x is None:\n        return 0\n    return g(x)\n"
    new = "def f(x):\n    return g(x)\n"
    assert problems(old, new, "Add a type hint.")
    assert not problems(old, new, "Simplify this.")


def test_a_check_that_moves_into_a_string_is_kept() -> None:
    """A shell reads the string."""
    old = "FROM a\nHEALTHCHECK CMD curl -f localhost || exit 1\n"
    new = 'FROM a\nHEALTHCHECK CMD ["sh", "-c", "curl -f localhost || exit 1"]\n'
    wish = "name the shell"
    assert not problems(old, new, wish, "Dockerfile")
    assert problems(old, new.replace(" || exit 1", ""), wish, "Dockerfile")


def test_a_comparison_is_more_than_its_module() -> None:
    """That a function is named `mac` says nothing of how it is compared."""
    old = "if !hmac.Equal(sig, mac(text)) {\n\treturn errSig\n}\n"
    new = "if sig != mac(text) {\n\treturn errSig\n}\n"
    [problem] = problems(old, new, "Simplify.", "a.go")
    assert "comparison in constant time" in problem.message
    kept = "ok := hmac.Equal(mac(text), sig)\nif !ok {\n\treturn errSig\n}\n"
    assert not problems(old, kept, "Simplify.", "a.go")


HELPER = """\
def inside(top, name):
    target = top / name
    if not target.is_relative_to(top):
        raise ValueError(name)
    return target


"""
OPENS = (
    "def opens(top, one):\n    place = inside(top, one.name)\n    return open(place)\n"
)


@pytest.mark.parametrize(
    ("value", "is_lost"),
    [
        ("top / one.name", True),
        ("os.path.join(top, one.name)", True),
        ("checked(top, one.name)", False),
        ("top / 'a'", False),
    ],
)
def test_an_own_check_of_several_values(value: str, is_lost: bool) -> None:
    """It is lost if the same values are only joined."""
    lines = tuple(split_lines(HELPER + OPENS))
    new = OPENS.replace("inside(top, one.name)", value)
    n_head = HELPER.count("\n")
    candidate = CheckedEdit(
        before=lines,
        after=(*lines[:n_head], *split_lines(new)),
        region_before=range(n_head, n_head + 3),
        region_after=range(n_head, n_head + 3),
        path="a.py",
        instruction="Count them.",
    )
    assert bool(list(check_protections(candidate))) == is_lost


def test_an_escape_of_an_entry() -> None:
    """It is moot only if the entry is gone."""
    old = "<?php\n$a = htmlspecialchars($row['name'], ENT_QUOTES);\necho $a;\n"
    assert problems(old, "<?php\n$a = $row['name'];\necho $a;\n", "add b", "a.php")
    assert not problems(old, "<?php\n$a = $row['id'];\necho $a;\n", "add b", "a.php")


def test_a_resource_that_nothing_closes() -> None:
    """`try` of Java closes what its brackets open."""
    old = "try (Reader in = new FileReader(path)) {\n    read(in);\n}\n"
    new = "Reader in = new FileReader(path);\nread(in);\n"
    assert problems(old, new, "Count them.", "A.java")
    assert not problems(old, f"{new}in.close();\n", "Count them.", "A.java")
    assert not problems(old, "read(Files.lines(path));\n", "Count them.", "A.java")
