"""Where the place of a finding in a report leads: programs open it at the line.

All of an address comes from the URI of the file, and nothing of a model's text.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from redline.findings.finding import Finding
from redline.text.uri import is_file, path_in


def file_address(finding: Finding) -> str:
    """Return the address for a report that is a file; empty: there is none."""
    if not is_file(finding.uri):
        return ""
    return _at_line(quote(finding.uri, safe="/:%"), finding)


def address_in(root: str) -> Callable[[Finding], str]:
    """Return the addresses for a report that is a document of the editor.

    VS Code's preview follows no `file:` link; one that begins with `/` leads to the
    first folder of the workspace. Files elsewhere have none.
    """

    def address(finding: Finding) -> str:
        inside = path_in(finding.uri, root) if root else None
        if inside is None:
            return ""
        return _at_line(f"/{quote(inside, errors='surrogateescape')}", finding)

    return address


def _at_line(address: str, finding: Finding) -> str:
    return f"{address}#L{finding.first_line + 1}"
