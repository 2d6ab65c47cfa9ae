"""Templates are filled in completely, and with nothing else."""

from __future__ import annotations

from importlib.resources import files
from typing import get_args

import pytest

from redline.prompts.render import TemplateName, render


def test_every_template_has_a_name_and_every_name_a_template() -> None:
    """The list of names is the folder's."""
    folder = files("redline.prompts") / "templates"
    found = {file.name.removesuffix(".md") for file in folder.iterdir()}
    assert found == set(get_args(TemplateName))


def test_what_is_filled_in_is_not_filled_in_again() -> None:
    """A document that holds a field's mark keeps it."""
    text = render("escalation", draft="$problems ${draft} $$", problems="x")
    assert "$problems ${draft} $$" in text


@pytest.mark.parametrize(
    "fields", [{}, {"draft": "x"}, {"draft": "x", "problems": "y", "more": "z"}]
)
def test_a_missing_or_unknown_field_is_refused(fields: dict[str, str]) -> None:
    """No prompt goes out with a hole in it."""
    with pytest.raises(ValueError, match="escalation takes"):
        render("escalation", **fields)
