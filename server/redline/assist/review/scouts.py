"""Scouts: fast generations that read related files side by side and come back with
short notes. Without a fast model, what was found is itself the note.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from redline.assist.review.related import RelatedPlace
from redline.findings.scope import ReviewScope
from redline.models.interface import Model, Usage
from redline.prompts.secrets import SecretTable


class ScoutNote(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to know of one place; goes into the review's prompt as it is."""

    path: str
    first_line: int
    """From 0."""
    end_line: int
    text: str
    """LF line ends, secrets hidden."""
    is_model: bool
    """Whether a model wrote it; else it is an excerpt of the file."""


class ScoutReport(msgspec.Struct, frozen=True, kw_only=True):
    """What all of them brought back."""

    notes: tuple[ScoutNote, ...]
    usages: tuple[Usage, ...] = ()
    """One of each generation that said what it took."""
    problems: tuple[str, ...] = ()
    """What went wrong with some, a sentence each; the rest is of use all the same."""


async def scout(
    scope: ReviewScope,
    places: Sequence[RelatedPlace],
    *,
    model: Model | None,
    n_at_once: int,
    limit_s: float,
    table: SecretTable,
    on_note: Callable[[int, int], None] = lambda n_done, n_all: None,
) -> tuple[ScoutReport, SecretTable]:
    """Have the places read.

    Cancelling is safe: the generations are stopped. A failing model is no failure.

    Args:
        scope: What the review is about.
        places: What to read, the closest first.
        model: Who reads; None, or one that `describe`s itself as no model: nobody.
        n_at_once: Most generations at a time.
        limit_s: For each of them.
        table: The review's secrets so far.
        on_note: Told how many places are done, of how many.

    Returns:
        The notes in the order of the places, and the table with what was hidden.
    """
    raise NotImplementedError
