"""Which of ruff's problems have a fix that ruff calls safe, wherever they stand."""

from __future__ import annotations

from redline.assist.actions.action import Diagnostic

SAFE_RULES = frozenset(
    {
        *("B010", "C413", "E401", "E703", "E713", "E714", "F401", "F541", "F632"),
        *("I001", "PIE790", "PIE808", "SIM208", "UP004", "UP009", "UP010", "UP012"),
        *("UP015", "UP034", "W605"),
    }
)
"""Rules whose fix is safe and, but for code inside comments and the like, always there
(`ruff rule --all`, ruff 0.17); of the sets that the built-in rules fix at all."""

_UNUSED_IMPORT = "imported but unused"
"""All that ruff says where it would remove one; more where it would rather keep it."""


def fixable_code(diagnostic: Diagnostic) -> str | None:
    """Return the rule of a diagnostic of ruff that has a safe fix; None for others."""
    code = diagnostic.code
    if diagnostic.source.lower() != "ruff" or code not in SAFE_RULES:
        return None
    if code == "F401" and not diagnostic.message.endswith(_UNUSED_IMPORT):
        return None
    return code
