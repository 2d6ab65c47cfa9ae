"""A plan as Markdown: what is written is read back, and nonsense is reported."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.plans.document import normal, read_document, write_document
from redline.plans.plan import Contract, Plan, PlanStep

TEXT = st.text(max_size=40) | st.text(alphabet="#-`~ \n\\ax.:[]\"'·,", max_size=40)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
NAME = TEXT.filter(lambda text: " ".join(text.split()) != "")

CONTRACTS = st.builds(Contract, name=NAME, file=NAME, signature=TEXT, raises=NAMES)
STEPS = st.builds(
    PlanStep,
    id=NAME,
    file=NAME,
    kind=st.sampled_from(["edit", "create", "rename", "delete"]),
    symbol=TEXT,
    quote=TEXT,
    to=TEXT,
    instruction=TEXT,
    reads=NAMES,
    gives=NAMES,
    uses=NAMES,
    after=NAMES,
    is_left_out=st.booleans(),
)
PLANS = st.builds(
    Plan,
    summary=TEXT,
    assumptions=NAMES,
    questions=NAMES,
    contracts=st.lists(CONTRACTS, max_size=3).map(tuple),
    steps=st.lists(STEPS, max_size=3).map(tuple),
    tests=NAMES,
)

PLAN = Plan(
    summary="Prices in any currency.",
    assumptions=("Rates are in `shop/rates.py`.",),
    contracts=(
        Contract(
            name="Price.in_currency",
            file="shop/price.py",
            signature="def in_currency(self, code: str) -> Price",
            raises=("UnknownCurrencyError",),
        ),
    ),
    steps=(
        PlanStep(
            id="s1",
            file="shop/price.py",
            symbol="Price",
            quote="class Price:",
            instruction="Add `in_currency`.\n\n# not a heading",
            reads=("shop/rates.py",),
            gives=("Price.in_currency",),
        ),
        PlanStep(
            id="s2",
            file="shop/cart.py",
            symbol="Cart.total",
            instruction="Use it.",
            uses=("Price.in_currency",),
            after=("s1",),
            is_left_out=True,
        ),
    ),
    tests=("tests/test_cart.py",),
)

WRITTEN = """\
# Plan

Prices in any currency.

## Assumptions

- Rates are in `shop/rates.py`.

## Tests

- tests/test_cart.py

## Contracts

```
Price.in_currency in shop/price.py raises UnknownCurrencyError
    def in_currency(self, code: str) -> Price
```

## s1 · shop/price.py · Price

- [x] edit
- quote: "class Price:"
- reads: shop/rates.py
- gives: Price.in_currency

Add `in_currency`.

\\# not a heading

## s2 · shop/cart.py · Cart.total

- [ ] edit
- uses: Price.in_currency
- after: s1

Use it.
"""


def test_a_plan_is_readable() -> None:
    """A person sees headings, check boxes and texts."""
    assert write_document(PLAN) == WRITTEN


@given(plan=PLANS)
def test_what_is_written_is_read(plan: Plan) -> None:
    """Whatever a planner writes into a plan comes back."""
    document = read_document(write_document(plan))
    assert document.problems == ()
    assert document.plan == normal(plan)


@given(
    plan=PLANS,
    at=st.integers(0, 400),
    n_removed=st.integers(0, 60),
    typed=TEXT,
)
def test_any_edit_is_read_without_raising(
    plan: Plan, at: int, n_removed: int, typed: str
) -> None:
    """A document that is read can be written and read again, whatever was typed."""
    text = write_document(plan)
    document = read_document(text[:at] + typed + text[at + n_removed :])
    if not document.problems:
        again = read_document(write_document(document.plan))
        assert again.problems == ()
        assert again.plan == normal(document.plan)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("# Plan\n", "Plan\n", 0, "does not begin"),
        ("## s1 · shop/price.py · Price", "## s1", 19, "not that of a step"),
        ("## s1 ·", '## "s1 ·', 19, "quotation mark"),
        ("- [x] edit", "- [x] run rm -rf", 21, "not a fact"),
        ("- [x] edit", "- [x] shell", 21, "not shell"),
        ("- [x] edit\n", "", 19, "no check box"),
        ("- reads:", "- writes:", 23, "not a fact"),
        ('"class Price:"', '"class Price:', 22, "cannot be read"),
        ("Price.in_currency in", "Price.in_currency of", 15, "head of a contract"),
        ("- tests/test_cart.py", "tests/test_cart.py", 10, "not an entry"),
        ("## Contracts", "### Contracts", 12, "neither"),
    ],
)
def test_what_cannot_be_read_is_reported_at_its_line(
    old: str, new: str, line: int, message: str
) -> None:
    """Nothing of such a document is guessed."""
    problems = read_document(WRITTEN.replace(old, new, 1)).problems
    assert (line, message) in [
        (one.line, message) for one in problems if message in one.message
    ]


def test_the_lines_of_the_steps_are_known() -> None:
    """Lenses are shown there."""
    assert read_document(WRITTEN).step_lines == (("s1", 19), ("s2", 30))


def test_a_check_box_leaves_a_step_out() -> None:
    """Nothing else of the plan changes."""
    plan = read_document(WRITTEN.replace("- [x] edit", "- [ ] edit")).plan
    assert plan.chosen == ()
    assert [step.id for step in plan.steps] == ["s1", "s2"]


LIVE = (
    "[a](command:x)", "![a](https://e.example/?k)", '<img src="https://e.example">',
    "[a]: command:x", "<file:///etc/passwd>", "<script>", "[a](\\\\host\\x)",
)  # fmt: skip


@pytest.mark.parametrize("text", LIVE)
def test_what_a_model_writes_is_not_live_in_the_document(text: str) -> None:
    """No image is fetched and no command run when it is shown; it is read back as it
    was, also if it looks like what is written here."""
    for said in (text, text.replace("](", "]\\(").replace("<", "\\\\<")):
        step = PlanStep(id=said, file="a.md", instruction=f"Write:\n{said}", quote=said)
        plan = normal(
            Plan(summary=said, questions=(said,), assumptions=(said,), steps=(step,))
        )
        written = write_document(plan)
        assert read_document(written).plan == plan
        # An even number of backslashes breaks nothing.
        for live in (r"\]", "!", "", r"^[ >-]*"):
            after = {"!": r"\[", r"\]": r"\((?!http)", "": "<(?:img|file|script)"}
            sign = after.get(live, r"\[a\]:")
            pattern = rf"(?m){live}(?<!\\)(?:\\\\)*{sign}"
            assert re.search(pattern, written) is None
    web = "See [it](https://e.example/a) and Vec<T>, list[int]: x < y."
    assert web in write_document(Plan(summary=web))
