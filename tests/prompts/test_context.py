"""What is shown fits the budget, the most useful first, in an order that stays."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from redline.prompts.blocks import write_block
from redline.prompts.context import (
    NO_CONTEXT,
    ContextItem,
    ContextKind,
    FittedContext,
    fit_context,
)
from redline.prompts.tokens import TokenCounter

KINDS: tuple[ContextKind, ...] = get_args(ContextKind)
ITEMS = st.lists(
    st.builds(
        ContextItem,
        kind=st.sampled_from(KINDS),
        source=st.sampled_from(["a.py", "b.py", "c\nd.py"]),
        text=st.lists(st.sampled_from(["x = 1\n", "\n", "```\n", "é", ""])).map(
            "".join
        ),
        relevance=st.floats(0, 9),
    ),
    max_size=12,
)
LINES = "".join(f"line {n}\n" for n in range(100))


def _item(
    kind: ContextKind, source: str = "a.py", *, relevance: float = 0.0
) -> ContextItem:
    text = f"{kind} {source}\n"
    return ContextItem(kind=kind, source=source, text=text, relevance=relevance)


def _written(context: FittedContext) -> str:
    return "".join(write_block(x) + "\n" for x in (*context.head, *context.tail))


def _titles(context: FittedContext) -> list[str]:
    return [block.title for block in (*context.head, *context.tail)]


@given(items=ITEMS, budget=st.integers(-10, 600))
def test_what_is_shown_fits(items: list[ContextItem], budget: int) -> None:
    """The written blocks are within the budget, and every item is accounted for."""
    count = TokenCounter().count
    context = fit_context(items, budget=budget, count=count)
    assert context.n_tokens == count(_written(context)) <= max(budget, 0)
    left_out = {id(one.item) for one in context.left_out}
    n_shown = len(context.head) + len(context.tail)
    assert len(items) - len(left_out) <= n_shown <= len(items)


@given(items=ITEMS)
def test_with_room_all_is_shown_once(items: list[ContextItem]) -> None:
    """Only what is empty or there already is left out."""
    context = fit_context(items, budget=10**6, count=len)
    shown = sorted(block.text for block in (*context.head, *context.tail))
    assert shown == sorted({item.text for item in items if item.text.strip()})
    assert {one.reason for one in context.left_out} <= {"duplicate", "empty"}


@pytest.mark.parametrize("n_kinds", range(len(KINDS) + 1))
def test_kinds_are_taken_by_their_use(n_kinds: int) -> None:
    """What an edit needs to be right comes before what might help."""
    items = [_item(kind) for kind in KINDS]
    budget = fit_context(items[:n_kinds], budget=10_000, count=len).n_tokens
    context = fit_context(reversed(items), budget=budget, count=len)
    shown = {block.text.split()[0] for block in (*context.head, *context.tail)}
    assert shown == set(KINDS[:n_kinds])


def test_relevance_decides_within_a_kind() -> None:
    """The closest of the open files is the one that is shown."""
    far = _item("open-file", "far.py", relevance=1.0)
    near = _item("open-file", "near.py", relevance=2.0)
    budget = fit_context([near], budget=1000, count=len).n_tokens
    context = fit_context([far, near], budget=budget, count=len)
    assert _titles(context) == ["Related file (near.py)"]
    assert [one.item for one in context.left_out] == [far]


def test_the_order_is_stable() -> None:
    """Relevance changes with the cursor; the beginning of the prompt does not."""
    items = [_item("open-file", name) for name in ("b.py", "a.py", "c.py")]
    items += [_item("import"), _item("diagnostic"), _item("enclosing")]
    one = fit_context(items, budget=1000, count=len)
    scores = [3.0, 1.0, 2.0, 0.0, 0.0, 0.0]
    again = [replace(x, relevance=s) for x, s in zip(items, scores, strict=True)]
    two = fit_context(reversed(again), budget=1000, count=len)
    assert (one.head, one.tail) == (two.head, two.tail)
    assert _titles(one) == [
        "Related file (a.py)",
        "Related file (b.py)",
        "Related file (c.py)",
        "Imports of the file (a.py)",
        "The range is inside of (a.py)",
        "Diagnostics in the range (a.py)",
    ]


def test_recent_edits_stay_in_their_order() -> None:
    """What was done last is read last."""
    edits = [_item("recent-edit", name) for name in ("c.py", "a.py", "b.py")]
    context = fit_context(edits, budget=1000, count=len)
    assert [block.text for block in context.tail] == [x.text for x in edits]


@pytest.mark.parametrize("budget", [100, 200, 500])
def test_a_file_is_cut_at_a_line(budget: int) -> None:
    """As many of its first lines as fit, not one less, and it is said."""
    item = ContextItem(kind="open-file", source="a.py", text=LINES)
    context = fit_context([item], budget=budget, count=len)
    (block,) = context.head
    assert LINES.startswith(block.text)
    assert block.text.endswith("\n")
    next_line = f"line {block.text.count('line')}\n"
    assert context.n_tokens <= budget < context.n_tokens + len(next_line)
    assert [one.reason for one in context.left_out] == ["budget"]


@pytest.mark.parametrize("kind", KINDS)
def test_only_files_and_notes_are_cut(kind: ContextKind) -> None:
    """Half a signature or half a diagnostic says something else."""
    item = ContextItem(kind=kind, source="a.py", text=LINES)
    context = fit_context([item], budget=200, count=len)
    assert bool(_titles(context)) == (kind in ("open-file", "note"))


def test_a_few_lines_of_a_file_are_not_shown() -> None:
    """Fewer than five say nothing."""
    item = ContextItem(kind="open-file", source="a.py", text=LINES)
    assert fit_context([item], budget=60, count=len).head == ()


def test_nothing_to_show() -> None:
    """No items, no blocks, no tokens."""
    assert fit_context([], budget=100, count=len) == NO_CONTEXT
