"""A workspace with seeded faults, and a script for the models that review it.

The deep model's answer has two true findings, one that is refuted, one with a fix of
its own, and claims that are dropped for several reasons.
"""

from __future__ import annotations

import json
from pathlib import Path

STOCK = '''"""What is in stock."""

import threading

_lock = threading.Lock()
_levels: dict[str, int] = {}


def take(name: str, n: int) -> bool:
    """Take some out, if there are enough."""
    if _levels.get(name, 0) >= n:
        _levels[name] -= n
        return True
    return False


def last(names: list[str]) -> str:
    """Return the last name."""
    return names[len(names)]


def total(names: list[str], seen: list[str] = []) -> int:
    """Count what is there of these."""
    seen += names
    return sum(_levels[name] for name in seen)


def average(levels: list[int]) -> float:
    """Return the average level."""
    if not levels:
        return 0.0
    return sum(levels) / len(levels)
'''

FIXED_LAST = "    return names[-1]"


def _finding(
    quote: str, title: str, category: str, **fields: object
) -> dict[str, object]:
    return {
        "file": "stock.py",
        "quote": quote,
        "severity": "high",
        "category": category,
        "title": title,
        "explanation": f"{title}: it goes wrong for some input.",
        "fix": None,
        **fields,
    }


RACE = _finding(
    "    if _levels.get(name, 0) >= n:\n        _levels[name] -= n",
    "Two threads take the same goods",
    "concurrency",
)
INDEX = _finding(
    "    return names[len(names)]",
    "The index is always one too high",
    "correctness",
    fix=FIXED_LAST,
)
SHARED = _finding(
    "def total(names: list[str], seen: list[str] = []) -> int:",
    "The default list is shared by all calls",
    "correctness",
    severity="medium",
)
ZERO = _finding(
    "    return sum(levels) / len(levels)",
    "An empty list divides by zero",
    "correctness",
)
INVENTED = _finding("    return cache.pop(name)", "It is not there", "correctness")
AGAIN = _finding("    return names[len(names)]", "One too high", "correctness")
STYLE = _finding(
    "_levels: dict[str, int] = {}", "Naming: the name is too short", "style"
)

SHOWN = ("Two threads take the same goods", "The index is always one too high",
         "The default list is shared by all calls")  # fmt: skip


def answer() -> str:
    """The answer of the deep model."""
    claims = [RACE, INVENTED, INDEX, AGAIN, SHARED, STYLE, ZERO]
    return json.dumps({"findings": claims}, indent=1)


def verdict(word: str, reason: str) -> str:
    """The answer of the standard model about a finding."""
    return json.dumps({"reason": reason, "verdict": word})


def script(*, pace: float | None = None) -> dict[str, object]:
    """The script of the gateway.

    Args:
        pace: Deltas a second of the deep model; None: as fast as they come.
    """
    usage = {"input": 1000, "output": 200}
    return {
        "rules": [
            {
                "when": {"model": "deep"},
                "reply": {
                    "text": answer(),
                    "reasoning": "Let me see. " * 5,
                    "chunk_chars": 7,
                    "tokens_per_s": pace,
                    "usage": usage,
                },
            },
            {
                "when": {"model": "standard", "contains": "divides by zero"},
                "reply": {
                    "text": verdict("refuted", "The line before returns for those."),
                    "usage": usage,
                },
            },
            {
                "when": {"model": "standard"},
                "reply": {
                    "text": verdict("upheld", "Two calls at once show it."),
                    "usage": usage,
                },
            },
            {
                "when": {"model": "fast", "contains": "shared by all calls"},
                "reply": {
                    "text": "def total(names: list[str], "
                    "seen: list[str] | None = None) -> int:",
                    "usage": usage,
                },
            },
            {
                "when": {"model": "fast", "contains": "take the same goods"},
                "reply": {"text": "    with _lock\n        pass", "usage": usage},
            },
        ],
        "otherwise": {"text": "NOTHING", "usage": usage},
    }


def write_workspace(folder: Path) -> Path:
    """Write the workspace; return the reviewed file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "stock.py"
    file.write_text(STOCK)
    return file
