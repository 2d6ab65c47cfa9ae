"""Recognizes the header line of a definition by its words, in any language.

It is for hints that must not wait for a parser; decisions use `syntax/`.
"""

from __future__ import annotations

import re

_MODIFIERS = (
    r"(?:(?:export|default|declare|async|pub|public|private|protected|internal|static"
    r"|final|abstract|override|unsafe|inline|const|local)\b\s*+)*+"
)
_HEADER = re.compile(
    rf"\s*+{_MODIFIERS}(?:"
    r"(?:def|class|fn|func|function\*?|interface|struct|enum|impl|trait|module)\s++"
    r"(?:\([^()]*+\)\s*+)?+(?:self\.)?(?P<named>[^\W\d][\w$]*+)"
    # JavaScript: a function with the name of a constant.
    r"|(?P<arrow>[^\W\d][\w$]*+)\s*+=\s*+(?:async\b\s*+)?+"
    r"(?:function\b|\([^()]*+\)\s*+=>|[\w$]++\s*+=>)"
    r")"
)
_FUNCTION = re.compile(
    r"^\s*+[\w<][^\s(]*+ (?:\([^()]*+\) )?[^=(]*?"
    r"(?<!\w)(?P<name>\w++)(?:<[^()<>]*+>)?\s?\("
)
"""The header of a function, with a word in front of its name."""
_NO_HEADER = re.compile(
    r"[\s}]*+(?:return|yield|await|throw|raise|new|delete|if|elif|elsif|else|for|foreach"
    r"|while|until|unless|switch|match|case|when|with|assert|go|defer|not|in|echo|print"
    r"|puts)\b"
)
"""A statement in which a word in front of a name is a keyword."""
_MAX_N_CHARS = 500
_MAX_N_CHARS_OF_FUNCTION = 300
"""Longer headers are not read."""


def defined_name(line: str) -> str | None:
    """Return the name that a line begins to define; None for any other line."""
    found = _HEADER.match(line[:_MAX_N_CHARS])
    return None if found is None else found["named"] or found["arrow"]


def function_name(line: str) -> str:
    """Return the name of the function whose header a line seems to be, in any language
    with a word in front of the name; empty for any other line."""
    found = _FUNCTION.search(line[:_MAX_N_CHARS_OF_FUNCTION])
    return found["name"] if found and not _NO_HEADER.match(line) else ""
