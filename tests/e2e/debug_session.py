"""A small project with a failing test, and what models say to a debug of it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.plan_session import plan_script, step

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

PRICE = '''"""Prices."""


def euros(cents: int) -> float:
    return cents / 10
'''
TEST = """from shop.price import euros


def test_euros():
    assert euros(250) == 2.5
"""
OUTPUT = """\
=================================== FAILURES ===================================
__________________________________ test_euros __________________________________

    def test_euros():
>       assert euros(250) == 2.5
E       assert 25.0 == 2.5

tests/test_price.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_price.py::test_euros - assert 25.0 == 2.5
"""
FIX = "def euros(cents: int) -> float:\n    return cents / 100\n"
EVIDENCE = {"file": "shop/price.py", "quote": "    return cents / 10"}


def write_project(folder: Path) -> None:
    """Write the files of the project."""
    for path, text in (("shop/price.py", PRICE), ("tests/test_price.py", TEST)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def debug_script(*more: ScriptRule, **fields: object) -> Script:
    """Return what the models say to a debug.

    Args:
        more: Rules that come first.
        fields: Members of the answer that are different.
    """
    rule = ScriptRule(
        when=When(schema="redline_debug"),
        reply=ScriptReply(text=debug_answer(**fields), chunk_chars=200),
    )
    replies = {"Divide by 100": FIX, "Divide by 20": FIX.replace("100", "20")}
    return plan_script(replies=replies, more=(*more, rule))


def debug_answer(**fields: object) -> str:
    """Return the answer of the model that looks for the cause."""
    answer = {
        "cause": "Cents are divided by 10.",
        "evidence": [EVIDENCE, {"file": "shop/price.py", "quote": "cents // 10"}],
        "confidence": "high",
        "summary": "Divide by 100.",
        "steps": [
            step(where={"symbol": "euros"}, instruction="Divide by 100."),
        ],
        **fields,
    }
    return json.dumps(answer)
