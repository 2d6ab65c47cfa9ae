"""The prompt for a second opinion, and the answers that are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.prompts.edit import EditTask
from redline.prompts.second_opinion import (
    Opinion,
    read_opinion,
    second_opinion_prompt,
)

TASK = EditTask(
    instruction="Make it shorter",
    path="shop/login.py",
    language="python",
    before="import hmac\n",
    target="def check(given, known):\n    return hmac.compare_digest(given, known)\n",
    after="",
)


@pytest.mark.parametrize(
    ("answer", "tier", "is_guarded", "why"),
    [
        ("fast safe: renames a variable", "fast", False, "renames a variable"),
        ("fast safe", "fast", False, ""),
        ("standard safe - two cases meet.\n", "standard", False, "two cases meet"),
        ("deep guarded: a lock", "deep", True, "a lock"),
        ("Fast guarded: compares keys", "standard", True, "compares keys"),
        ("`standard guarded` because of SQL", "standard", True, "because of SQL"),
        ("**deep** safe: why", "deep", False, "why"),
        ("\n- fast, safe: x", "fast", False, "x"),
        ("fast safe: \x1b[31mred\x07", "fast", False, "\ufffd[31mred\ufffd"),
    ],
)
def test_answers(answer: str, tier: str, is_guarded: bool, why: str) -> None:
    """A level and a risk, in any usual dress."""
    opinion = read_opinion(answer)
    assert opinion is not None
    assert (opinion.tier, opinion.is_guarded, opinion.why) == (tier, is_guarded, why)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I think it is fast and safe.",
        "fast",
        "safe fast",
        "faster safe",
        "standard safely",
        "<think>It is deep guarded",
        "def check(given, known):",
    ],
)
def test_other_answers_are_no_opinion(answer: str) -> None:
    """A text that only holds the words says nothing."""
    assert read_opinion(answer) is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    """Whatever a model writes, a reason is one short printable line."""
    opinion = read_opinion(f"deep safe:{text}")
    assert opinion is None or (
        opinion.why.isprintable() and len(opinion.why) <= 90 and opinion.tier == "deep"
    )


def test_the_prompt_shows_the_code_and_not_a_long_file() -> None:
    """What is around the range is cut, and so is the middle of a long range."""
    long = EditTask(
        instruction=TASK.instruction,
        path=TASK.path,
        language=TASK.language,
        before="b" * 50_000,
        target=f"first{'t' * 50_000}last",
        after="a" * 50_000,
    )
    (message,) = second_opinion_prompt(long).chat_messages
    assert len(message.text) < 10_000
    assert "first" in message.text
    assert "last" in message.text
    (message,) = second_opinion_prompt(TASK).chat_messages
    assert "compare_digest" in message.text
    assert "shop/login.py" in message.text
    assert "Code after" not in message.text


def test_a_guarded_task_is_never_fast() -> None:
    """Whatever level the answer names."""
    assert read_opinion("fast guarded") == Opinion(
        tier="standard", is_guarded=True, why=""
    )
