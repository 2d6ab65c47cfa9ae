"""The problems of ruff that have a safe fix, wherever they occur."""

from __future__ import annotations

from redline.assist.actions.action import Diagnostic

SAFE_RULES = frozenset(
    {
        *("B010", "C413", "E401", "E703", "E713", "E714", "F401", "F541", "F632"),
        *("I001", "PIE790", "PIE808", "SIM208", "UP004", "UP009", "UP010", "UP012"),
        *("UP015", "UP034", "W605"),
    }
)
"""Rules with a safe fix that is available almost always, except inside comments and the
like (`ruff rule --all`, ruff 0.17); a subset of those that the built-in rules fix."""

_UNUSED_IMPORT = "imported but unused"
"""The end of ruff's message if it would remove the import; otherwise it goes on."""


def fixable_code(diagnostic: Diagnostic) -> str | None:
    """Return the rule of a ruff diagnostic that has a safe fix; None for others."""
    code = diagnostic.code
    if diagnostic.source.lower() != "ruff" or code not in SAFE_RULES:
        return None
    if code == "F401" and not diagnostic.message.endswith(_UNUSED_IMPORT):
        return None
    return code
