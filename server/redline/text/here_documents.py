"""Where here-documents begin: lines that end with a line of one word at the margin."""

from __future__ import annotations

import re

_SHELL = re.compile(
    r"(?<![<\w])<<-?(?: ?[\"'](?P<quoted>\w+)[\"']| ?\\?(?P<capital>[A-Z_]\w*)"
    r"|\\?(?P<name>[A-Za-z_]\w*))"
)
_RUBY = re.compile(
    r"(?<![<\w])<<-?(?:[\"'](?P<quoted>\w+)[\"']|(?P<capital>[A-Z_]\w*))"
)
_STARTS = {
    "shellscript": _SHELL,
    "dockerfile": _SHELL,
    "perl": _SHELL,
    "ruby": _RUBY,
}
"""By LSP language id."""


def here_document_end(line: str, language: str) -> str:
    """Return the word that ends the here-document that a line begins; empty: none.

    One whose text may be indented (`<<~`) is left out.

    Args:
        line: Any line.
        language: The LSP language id.
    """
    start = _STARTS.get(language)
    if start is None or "<<" not in line or "((" in line:
        return ""
    found = start.search(line)
    return next(filter(None, found.groups()), "") if found else ""
