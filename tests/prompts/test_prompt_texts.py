"""The prompt of every kind of task, word for word, as it goes to a model.

To write the files again after a template has changed:
`REDLINE_WRITE_GOLDEN=1 python -m pytest tests/prompts/test_prompt_texts.py`
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from redline.findings.parts import Excerpt
from redline.prompts.blocks import Block
from redline.prompts.context import ContextItem, fit_context
from redline.prompts.edit import EditTask, edit_prompt, read_edit_task
from redline.prompts.explain import ExplainTask, explain_prompt
from redline.prompts.fix import FixTask, instruction_to_fix
from redline.prompts.image_description import image_description_prompt
from redline.prompts.message import ChatMessage, Prompt
from redline.prompts.repair import (
    escalation_prompt,
    repair_prompt,
    repair_text,
    review_draft_prompt,
)
from redline.prompts.review_prompt import (
    RefuteTask,
    ReviewTask,
    ScoutTask,
    refute_prompt,
    review_prompt,
    scout_prompt,
)
from redline.prompts.write_tests import WriteTestsTask, instruction_to_test
from redline.text.reply import DECLINED

GOLDEN = Path(__file__).parent / "golden"
TARGET = "def total(prices):\n    return sum(prices)\n"
EDIT = EditTask(
    instruction="Round to cents.",
    path="shop/prices.py",
    language="python",
    before="import math\n\n\n",
    target=TARGET,
    after="\n\nprint(total([1]))\n",
)
MARKED = """\
<<<<<<< RANGE 1
def total(prices):
    return sum(prices)
>>>>>>> RANGE 1


<<<<<<< RANGE 2
print(total([1]))
>>>>>>> RANGE 2
"""
DRAFT = "def total(prices):\n    return cents(sum(prices))\n"
PROBLEMS = ["`cents` is defined nowhere.", "Line 2 is cut\noff."]
CONTEXT = fit_context(
    [
        ContextItem(kind="import", source="shop/prices.py", text="import math\n"),
        ContextItem(kind="diagnostic", source="ruff", text="3: F401 unused import"),
    ],
    budget=1000,
    count=len,
)
EXPLAIN = ExplainTask(
    path="shop/prices.py",
    language="python",
    before="import math\n",
    target=TARGET,
    after="",
    context=CONTEXT,
)
TESTS = WriteTestsTask(
    path="shop/prices.py",
    test_path="tests/test_prices.py",
    code=TARGET,
    is_new_file=False,
    wish="Use hypothesis.",
)
EXCERPT = Excerpt(
    path="shop/prices.py",
    language="python",
    first_line=2,
    text=TARGET.removesuffix("\n"),
    is_whole=False,
    spans=((3, 4),),
    diff="@@ -4 +4 @@\n-    return 0\n+    return sum(prices)",
)
REVIEW = ReviewTask(
    scope="the change of shop/prices.py",
    excerpts=[EXCERPT],
    notes=[Block(title="Notes on shop/tax.py", text="4: rounds down")],
    context=CONTEXT,
)
REFUTE = RefuteTask(
    path="shop/prices.py",
    quote="    return sum(prices)",
    title="The tax is left out",
    explanation="`total` is called for gross prices.",
    excerpts=[EXCERPT],
)
SCOUT = ScoutTask(
    scope="the change of shop/prices.py",
    changed=TARGET,
    path="shop/cart.py",
    first_line=11,
    text="def pay(cart):\n    charge(total(cart.prices))",
    relation="caller",
    names=["total"],
)
FIX = FixTask(
    title="The tax is left out",
    explanation="`total` is called for gross prices.",
    proposal="    return sum(map(gross, prices))",
    problems=("`gross` is not defined",),
)


def _text(text: str) -> Prompt:
    return Prompt(instructions="", chat_messages=(ChatMessage(role="user", text=text),))


PROMPTS = {
    "edit": edit_prompt(EDIT),
    "edit-image-description": edit_prompt(
        replace(EDIT, image_description="A receipt.\nThe total is 1.23.")
    ),
    "image-description": image_description_prompt("Round to cents.", "python"),
    "repair": repair_prompt(EDIT, DRAFT, PROBLEMS),
    "repair-search-replace": _text(repair_text(PROBLEMS, "search-replace")),
    "edit-ranges": edit_prompt(
        replace(EDIT, reply_format="ranges", target=MARKED, after="")
    ),
    "escalation": escalation_prompt(EDIT, DRAFT, PROBLEMS),
    "review-draft": review_draft_prompt(EDIT, DRAFT),
    "explain": explain_prompt(EXPLAIN),
    "tests": _text(instruction_to_test(TESTS)),
    "review": review_prompt(REVIEW),
    "refute": refute_prompt(REFUTE),
    "scout": scout_prompt(SCOUT),
    "fix": _text(instruction_to_fix(FIX)),
}


def _as_text(prompt: Prompt) -> str:
    parts = [("instructions", prompt.instructions)]
    parts += [(message.role, message.text) for message in prompt.chat_messages]
    return "".join(f"=== {who} ===\n{text.rstrip()}\n" for who, text in parts if text)


@pytest.mark.parametrize("name", PROMPTS)
def test_the_prompt_is_as_written_down(name: str) -> None:
    """A change of words is a change of behaviour, to be seen in review."""
    text = _as_text(PROMPTS[name])
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("REDLINE_WRITE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROMPTS)
def test_no_field_is_left_open(name: str) -> None:
    """No `$name` and no empty sentence where something should stand."""
    text = _as_text(PROMPTS[name])
    assert not re.search(r"\$\w|\$\{|\bNone\b", text)


def test_no_golden_file_is_left_over() -> None:
    """Each belongs to a prompt."""
    assert {file.stem for file in GOLDEN.iterdir()} == set(PROMPTS)


@pytest.mark.parametrize("name", ["edit", "escalation", "review-draft"])
def test_handing_on_an_edit_leaves_it_an_edit(name: str) -> None:
    """The engine without a model reads the same task out of all of them."""
    assert read_edit_task(PROMPTS[name]) == EDIT


@pytest.mark.parametrize("name", ["edit", "repair", "escalation", "review-draft"])
def test_prompts_of_one_edit_begin_alike(name: str) -> None:
    """A provider that has cached the edit's prompt finds it again."""
    first = PROMPTS["edit"].chat_messages[0].text
    assert PROMPTS[name].instructions == PROMPTS["edit"].instructions
    assert PROMPTS[name].chat_messages[0].text.startswith(first)
    assert DECLINED in PROMPTS[name].instructions


def test_instructions_are_too_short_for_anthropics_cache() -> None:
    """So docs/reference/providers.md explains why it is not filled in advance."""
    bytes_per_token = 3
    for name in ("edit", "explain"):
        n_bytes = len(PROMPTS[name].instructions.encode())
        assert n_bytes / bytes_per_token < 512


@pytest.mark.parametrize("name", ["repair", "repair-search-replace", "escalation"])
def test_every_problem_is_told_on_its_own_line(name: str) -> None:
    """A message with a line feed in it does not look like two."""
    lines = PROMPTS[name].chat_messages[-1].text.splitlines()
    assert "- `cents` is defined nowhere." in lines
    assert '- "Line 2 is cut\\noff."' in lines


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("repair", "the new text of the whole range"),
        ("repair-search-replace", "<<<<<<< SEARCH"),
        ("review-draft", "written by a fast model: check correctness, edge cases"),
        ("review", "one JSON object and nothing else"),
        ("refute", "one JSON object and nothing else"),
        ("scout", "reply with the one word NOTHING"),
        ("explain", "no links, no HTML"),
        ("tests", "keep every one of them as it is"),
    ],
)
def test_the_reply_format_is_said_outright(name: str, phrase: str) -> None:
    """Weak models are given the exact words to answer with."""
    assert phrase in _as_text(PROMPTS[name])


def test_a_new_test_file_is_begun() -> None:
    """There is nothing to keep in a file that does not exist."""
    task = WriteTestsTask(path="a.py", test_path="test_a.py", code="", is_new_file=True)
    instruction = instruction_to_test(task)
    assert "does not exist yet" in instruction
    assert "adds:" not in instruction
