"""What is enough is enough alone; hints need each other."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from tests.routing.conftest import MakeTask

from redline.routing.boundary import (
    Boundary,
    Reading,
    crossings,
    evidence,
    is_inert,
    syntax,
)
from redline.routing.phrases import Phrases
from redline.routing.rules import found_by_rules

Read = Callable[..., Reading]

RULE = Boundary(
    name="gates",
    what="gates",
    enough=Phrases("iron gate"),
    hints=Phrases("hinge, latch, gates"),
    asked=Phrases("open up"),
    asked_hints=Phrases("ajar"),
    said=(re.compile(r"let .+ in", re.IGNORECASE),),
    paths=Phrases("portal"),
    path_hints=Phrases("fence"),
    code=(syntax("key", r"key\s*=\s*0"),),
    code_hints=(syntax("", r"<\|>"),),
)


@pytest.mark.parametrize(
    "given",
    [
        {"code": "ironGate()"},
        {"instruction": "paint the iron gates"},
        {"instruction": "open up!"},
        {"instruction": "Let nobody in"},
        {"path": "src/portal/x.py"},
        {"files": ("a.py", "portal.py")},
        {"code": "key  =  0"},
        {"code": "hinge, latch"},
        {"code": "hinge", "path": "fence.py"},
        {"code": "hinge", "instruction": "it stands ajar"},
        {"code": "latch <|>"},
        {"code": "hinge", "surroundings": "iron_gate"},
    ],
)
def test_what_holds(read: Read, given: dict[str, object]) -> None:
    assert evidence(RULE, read(**given)).shown


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"code": "iron(gate)"},
        {"code": "open_up()"},
        {"code": "hinge"},
        {"code": "hinge hinge", "instruction": "the hinge"},
        {"surroundings": "iron_gate"},
        {"surroundings": "hinge, latch"},
        {"path": "fence.py"},
        {"code": "keyring=0 <|>"},
    ],
)
def test_what_does_not(read: Read, given: dict[str, object]) -> None:
    assert not evidence(RULE, read(**given)).shown


def test_the_evidence_is_told(read: Read) -> None:
    shown = evidence(RULE, read(code="latch", path="fence/x.py")).shown

    assert shown == ("“latch” in the code", "“fence” in a path")


@pytest.mark.parametrize("language", ["css", "scss", "markdown", "plaintext"])
def test_what_only_looks_or_says_something_guards_nothing(
    task: MakeTask, language: str
) -> None:
    styled = task(code=".iron-gate {}", language=language)

    assert found_by_rules(styled, Reading.of(styled), [RULE]) == ([], [])


@pytest.mark.parametrize(
    ("language", "path", "is_code"),
    [
        ("", "NOTES.md", False),
        ("", "look.CSS", False),
        ("", "a.py", True),
        ("python", "notes.md", True),
        ("markdown", "a.py", False),
    ],
)
def test_a_file_of_an_unknown_language_is_judged_by_its_name(
    task: MakeTask, language: str, path: str, is_code: bool
) -> None:
    """As a file that a plan creates is."""
    assert is_inert(task(language=language, path=path)) is not is_code


def test_a_crossing_says_what_it_touches(task: MakeTask) -> None:
    asked = task(instruction="open up")

    (crossing,) = crossings([RULE], [evidence(RULE, Reading.of(asked))])

    assert crossing.name == "gates"
    assert crossing.reason == "It touches gates: “open up” in the instruction."


def test_all_places_are_recorded(read: Read) -> None:
    """Also those that are found when there is enough already."""
    found = evidence(
        RULE, read(code="iron_gate", instruction="ajar", path="fence/x.py")
    )

    assert found.shown == ("“iron gate” in the code",)
    assert found.places == {
        ("the code", 2),
        ("the code", 1),
        ("the instruction", 1),
        ("a path", 1),
    }
    assert found.points == 5
    assert not found.is_own
