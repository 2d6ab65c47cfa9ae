"""Finds what an instruction names: `@src/prices.py`, `@"my notes.md"`.

A definition of a file is named after `#`: `@src/prices.py#Invoice.total`.
"""

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
    if "@" not in instruction:
        return ()
    names = (
        found["quoted"] or found["plain"].rstrip(".")
        for found in _NAME.finditer(instruction)
    )
    return tuple(dict.fromkeys(name for name in names if name))


def file_and_definition(name: str) -> tuple[str, str]:
    """Split the name of a definition, whose file may have a `#` in its name, too.

    Returns:
        The file, and the qualified name in it; ("", "") if it names no definition.
    """
    file, _, definition = name.rpartition("#")
    return (file, definition) if file and definition else ("", "")
