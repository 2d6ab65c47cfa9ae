"""Instructions excuse what they ask for, and nothing that they forbid."""

from __future__ import annotations

import pytest

from redline.checks.requested_changes import (
    wants_ends,
    wants_hollow,
    wants_loss,
    wants_shift,
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
