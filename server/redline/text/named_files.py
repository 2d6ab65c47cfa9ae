"""Finds the files that an instruction names: `@src/prices.py`, `@"my notes.md"`."""

from __future__ import annotations

import re

_NAME = re.compile(
    r'(?<![\w@/.])@(?:"(?P<quoted>[^"\n]+)"|(?P<plain>[^\s@"\'`,;:!?()\[\]{}<>|*]+))'
)


def named_files(instruction: str) -> tuple[str, ...]:
    """Return the names after `@`, in order, each once.

    They may be anything else that begins so, such as a decorator: only a look at the
    workspace decides.
    """
    names = (
        found["quoted"] or found["plain"].rstrip(".")
        for found in _NAME.finditer(instruction)
    )
    return tuple(dict.fromkeys(name for name in names if name))
