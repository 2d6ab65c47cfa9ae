"""The context of a prompt besides its code: chosen to fit, in a stable order.

Other modules gather it; this one decides what is sent. Items are chosen by kind and
relevance until the budget is used up. They are written in another order: stable ones
first, sorted by name, those that change with every keystroke last, so that the
beginning of the prompt stays the same and providers can cache it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from redline.prompts.blocks import Block, on_one_line, write_block

CountTokens: TypeAlias = Callable[[str], int]
"""Returns the number of tokens of a text, never too few, like `TokenCounter.count`."""

ContextKind = Literal[
    "diagnostic", "enclosing", "import", "signature", "recent-edit", "note", "open-file"
]
OmissionReason = Literal["budget", "duplicate", "empty"]


class ContextItem(Struct, frozen=True, kw_only=True):
    """A piece of context that might help."""

    kind: ContextKind
    source: str
    """Its origin: a path relative to the workspace, or a linter's name."""
    text: str
    """LF line ends."""
    path: str = ""
    """The file of the text, if `source` is not just its path."""
    relevance: float = 0.0
    """Within its kind: higher ones are taken first, equal ones in the order given."""


class OmittedItem(Struct, frozen=True, kw_only=True):
    """An item that is not shown, or only in part."""

    item: ContextItem
    reason: OmissionReason


class FittedContext(Struct, frozen=True, kw_only=True):
    """The chosen blocks: for a prompt's beginning, and for near its end."""

    head: tuple[Block, ...] = ()
    tail: tuple[Block, ...] = ()
    left_out: tuple[OmittedItem, ...] = ()
    n_tokens: int = 0
    """Tokens of head and tail as they are written."""


NO_CONTEXT = FittedContext()


class _KindRule(Struct, frozen=True, kw_only=True):
    title: str
    may_be_cut: bool = False
    """Whether the first lines are useful alone."""


_RULES: dict[ContextKind, _KindRule] = {
    "diagnostic": _KindRule(title="Diagnostics in the range"),
    "enclosing": _KindRule(title="The range is inside of"),
    "import": _KindRule(title="Imports of the file"),
    "signature": _KindRule(title="Called in the range"),
    "recent-edit": _KindRule(title="Recent edits, oldest first"),
    "note": _KindRule(title="Notes", may_be_cut=True),
    "open-file": _KindRule(title="Related file", may_be_cut=True),
}
"""In order of choice: what an edit needs to be correct comes first."""

_TAIL_ORDER: tuple[ContextKind, ...] = (
    "enclosing",
    "signature",
    "recent-edit",
    "diagnostic",
)
_HEAD_ORDER: tuple[ContextKind, ...] = ("note", "open-file", "import")

_MIN_CUT_LINES = 5
"""Fewer lines of a cut file are useless."""


def fit_context(
    items: Iterable[ContextItem], *, budget: int, count: CountTokens
) -> FittedContext:
    """Choose the context to show, within a budget.

    Args:
        items: The gathered items, in any order; recent edits oldest first.
        budget: Upper bound for all blocks together, in tokens; may be negative.
        count: The counter that the budget refers to.
    """
    ranks = {kind: rank for rank, kind in enumerate(_RULES)}
    # The sort is stable: equal items keep their order.
    waiting = sorted(items, key=lambda x: (ranks[x.kind], -x.relevance))
    room = budget
    taken: list[ContextItem] = []
    left_out: list[OmittedItem] = []
    seen: set[str] = set()
    for item in waiting:
        if not item.text.strip():
            left_out.append(OmittedItem(item=item, reason="empty"))
            continue
        if item.text in seen:
            left_out.append(OmittedItem(item=item, reason="duplicate"))
            continue
        shown, n_tokens = _fitting(item, room, count)
        if shown is None or shown.text != item.text:
            left_out.append(OmittedItem(item=item, reason="budget"))
        if shown is not None:
            room -= n_tokens
            taken.append(shown)
            seen.add(item.text)
    return FittedContext(
        head=_blocks(taken, _HEAD_ORDER),
        tail=_blocks(taken, _TAIL_ORDER),
        left_out=tuple(left_out),
        n_tokens=budget - room,
    )


def _fitting(
    item: ContextItem, room: int, count: CountTokens
) -> tuple[ContextItem | None, int]:
    """Return an item, or as much of it as fits, and its number of tokens."""
    n_tokens = count(_written(item))
    if n_tokens <= room:
        return item, n_tokens
    if room > 0 and _RULES[item.kind].may_be_cut:
        return _first_lines(item, n_tokens, room, count)
    return None, 0


def _first_lines(
    item: ContextItem, n_tokens: int, room: int, count: CountTokens
) -> tuple[ContextItem | None, int]:
    lines = item.text.splitlines(keepends=True)
    best: tuple[ContextItem | None, int] = (None, 0)
    # Lines are of similar length: the estimate is off by a few, either way.
    n_lines = max(_MIN_CUT_LINES, len(lines) * room // n_tokens)
    step = 0
    while _MIN_CUT_LINES <= n_lines < len(lines):
        shown = replace(item, text="".join(lines[:n_lines]))
        n_shown = count(_written(shown))
        if n_shown <= room:
            best = shown, n_shown
            if step < 0:
                break
            step = 1
        elif step > 0:
            break
        else:
            step = -1
        n_lines += step
    return best


def _written(item: ContextItem) -> str:
    """Write an item as in a prompt, with the blank line after it."""
    return write_block(_block(item)) + "\n"


def _block(item: ContextItem) -> Block:
    title = f"{_RULES[item.kind].title} ({on_one_line(item.source)})"
    return Block(title=title, text=item.text, path=item.path or item.source)


def _blocks(
    taken: Sequence[ContextItem], order: Sequence[ContextKind]
) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for kind in order:
        items = [item for item in taken if item.kind == kind]
        if kind == "recent-edit":
            # The newest are taken first, and shown last.
            items.sort(key=lambda item: item.relevance)
        else:
            items.sort(key=lambda item: item.source)
        blocks += map(_block, items)
    return tuple(blocks)
