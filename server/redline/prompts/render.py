"""Templates of prompts, in separate files, with `$fields` to fill in."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template
from typing import Literal

TemplateName = Literal[
    "completion",
    "debug",
    "describe-image",
    "edit",
    "edit-ranges",
    "edit-rewrite",
    "edit-search-replace",
    "escalation",
    "explain",
    "fix",
    "next-edit",
    "plan",
    "refute",
    "repair",
    "review",
    "review-draft",
    "scout",
    "second-opinion",
    "tests",
]

_FOLDER = files("redline.prompts") / "templates"


def render(name: TemplateName, **fields: str) -> str:
    """Fill in a template; the inserted text is not expanded again.

    Raises:
        ValueError: If the fields are not exactly those of the template.
    """
    template = _read(name)
    if (expected := set(template.get_identifiers())) != set(fields):
        raise ValueError(f"{name} takes {sorted(expected)}, not {sorted(fields)}")
    return template.substitute(fields)


@cache
def _read(name: TemplateName) -> Template:
    return Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))
