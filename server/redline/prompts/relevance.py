"""How much two pieces of code have to do with each other, by the names they share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

from redline.prompts.context import ContextItem

_NAME = re.compile(r"[^\W\d]\w{2,}")
"""Shorter names are loop variables and the like."""


def names_in(text: str) -> frozenset[str]:
    """Return the names and words of a text."""
    return frozenset(_NAME.findall(text))


def rank_files(target: str, files: Mapping[str, str]) -> list[ContextItem]:
    """Rank open files by what they share with a range.

    A name counts the more, the fewer of the files hold it: keywords are in all.

    Args:
        target: The range and what it is about, the instruction for example.
        files: Paths, relative to the workspace, and texts with LF line ends.

    Returns:
        An item for each file that shares anything, the closest first.
    """
    names = {path: names_in(text) for path, text in files.items()}
    frequency = Counter(name for found in names.values() for name in found)
    wanted = names_in(target)
    items = [
        ContextItem(
            kind="open-file",
            source=path,
            text=files[path],
            relevance=_weight(wanted & found, frequency, len(files)),
        )
        for path, found in names.items()
    ]
    items.sort(key=lambda item: (-item.relevance, item.source))
    return [item for item in items if item.relevance > 0]


def _weight(shared: Iterable[str], frequency: Counter[str], n_files: int) -> float:
    return sum(log((n_files + 1) / frequency[name]) for name in shared)
