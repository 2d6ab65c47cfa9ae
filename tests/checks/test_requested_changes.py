"""Instructions excuse what they ask for, and nothing that they forbid."""

from __future__ import annotations

import pytest

from redline.checks.requested_changes import (
    names_field,
    wants_ellipsis,
    wants_ends,
    wants_hollow,
    wants_loss,
    wants_shift,
    wants_stub,
    wants_text,
)


@pytest.mark.parametrize(
    "instruction",
    [
        "Rename f to g.",
        "delete the old helper",
        "Inline it",
        "Convert to a dataclass",
        "Get rid of the loop class.",
        "turn these two into one",
        "Drop what is unused",
        "Don't touch g, remove f.",
        "supprime la fonction, on ne l'utilise plus",
        "take the helper out, nobody calls it",
        "banner weg, ist vorbei",
        "laufschrift komplett weg",
    ],
)
def test_a_loss_is_asked_for(instruction: str) -> None:
    """By any word that makes a name vanish."""
    assert wants_loss(instruction)


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "Add types.",
        "Make it faster without removing anything",
        "Never rename it.",
        "Do not delete f.",
        "don't drop g",
        "Add a docstring to every method.",
        "Cut at 80.",
        "take the prefix out of the config",
        "den Kopf bitte nicht weg",
        "log each Weg",
    ],
)
def test_no_loss_is_asked_for(instruction: str) -> None:
    """Nor by a word that is forbidden."""
    assert not wants_loss(instruction)


def test_other_wishes() -> None:
    """Each excuses its own rule."""
    assert wants_shift("Fix the indentation")
    assert wants_shift("Wrap it in a with block")
    assert not wants_shift("Add a docstring")
    assert wants_hollow("Leave only a stub")
    assert wants_hollow("Delete the body")
    assert not wants_hollow("Log each call")
    assert wants_ends("convert to CRLF")
    assert not wants_ends("Add a call")


@pytest.mark.parametrize(
    "instruction",
    [
        "just an empty class with pass",
        "`pass` for now",
        "the body should be only pass, the caller logs",
        "leave a stub, I write it tomorrow",
        "replace the body by a stub",
        "not implemented for now, leave it",
        "abstract, the subclasses have it",
        "an ellipsis as the body, please",
    ],
)
def test_a_stub_is_asked_for(instruction: str) -> None:
    assert wants_stub(instruction)


@pytest.mark.parametrize(
    "instruction",
    [
        "pass the timeout on to open",
        "make the tests pass",
        "do it in one pass over the rows",
        "just pass its name through",
        "implement the stub",
        "replace the placeholder by the sum of all rows",
        "write it out, don't leave a stub",
        "no placeholders, please",
        "fill in the skeleton",
        "cut the text with an ellipsis",
    ],
)
def test_no_stub_is_asked_for(instruction: str) -> None:
    """Where the words mean something else, or what should go."""
    assert not wants_stub(instruction)


@pytest.mark.parametrize(
    ("instruction", "is_wish"),
    [
        ("todo!() in both arms", True),
        ("leave todo!() here, it moves", True),
        ("a match with todo!() for the rest", True),
        ("implement what is todo!() now", False),
        ("no todo!() please", False),
        ("don't put todo!() there", False),
        ("sum the rows", False),
    ],
)
def test_a_text_is_asked_for_by_itself(instruction: str, is_wish: bool) -> None:
    assert wants_text(instruction, "todo!") == is_wish


@pytest.mark.parametrize(
    ("instruction", "is_wish"),
    [
        ("leave a comment # ... where it was", True),
        ("put an ellipsis there", True),
        ("drop the rules but keep a comment with three dots", True),
        ("show the keys, and add a ... for the rest", True),
        ("make it faster ...", False),
        ("replace the ... in it", False),
        ("sort by name, then by date...", False),
        ("remove the ellipsis", False),
    ],
)
def test_an_ellipsis_is_asked_for(instruction: str, is_wish: bool) -> None:
    """Not by dots that end a sentence."""
    assert wants_ellipsis(instruction) == is_wish


@pytest.mark.parametrize(
    ("instruction", "is_named"),
    [
        ("wait for self.done", True),
        ("check this.done first", True),
        ("count this->done, too", True),
        ("stop when it is done", False),
        ("use self.done_at", False),
        ("call other.done", False),
    ],
)
def test_a_field_of_the_object_is_named(instruction: str, is_named: bool) -> None:
    assert names_field(instruction, "done") == is_named
