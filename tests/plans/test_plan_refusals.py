"""What a plan may not name, and what must fit together."""

from __future__ import annotations

import json

import pytest

from redline.plans.answer import UnreadableAnswer, read_answer
from redline.plans.contracts import OutlineQuestion, outlines
from redline.plans.plan import Contract, Plan, PlanStep
from redline.plans.refusals import PlannedFile, path_fault, paths_of, refusals

CART = """\
import rates


class Cart:
    def total(self):
        return sum(self.prices)

    def clear(self):
        self.prices = []
"""
LONG = "".join(f"x{n} = {n}\n" for n in range(500))


def planned(path: str, text: str) -> PlannedFile:
    """Return a file with its definitions."""
    found = outlines(OutlineQuestion(texts={path: text}))
    return PlannedFile(text=text, definitions=found[path])


FILES = {
    "cart.py": planned("cart.py", CART),
    "long.py": planned("long.py", LONG),
    "rates.py": planned("rates.py", "def rate(code): ...\n"),
    "keys.env": PlannedFile(reason="it is of a kind that holds keys"),
}


def step(**fields: object) -> PlanStep:
    """Return a step that is accepted, with other fields."""
    facts = {"id": "s1", "file": "cart.py", "instruction": "Do it."} | fields
    return PlanStep(**facts)  # type: ignore[arg-type]  # of any field


def reasons(*steps: PlanStep, contracts: tuple[Contract, ...] = ()) -> list[str]:
    """Return why a plan with these steps is refused."""
    plan = Plan(summary="", steps=steps, contracts=contracts)
    found = refusals(plan, FILES, is_defined=lambda name: name == "rate")
    return list(map(str, found))


TOTAL = Contract(name="Cart.total", file="cart.py", signature="def total(self)")


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x.py", "a/../b.py", "a//b.py", "./a.py", "~/x", "a\\b",
     "C:/x.py", ".git/config", "a/.GIT/hooks/x", ".hg/hgrc",
     "a/.Svn/x", ".jj/x", ".bzr/x", "_darcs/x", "a/CVS/Root", "a\nb", "a/",
     ".gitignore", "a/.GitIgnore", ".redlineignore", "redline.toml",
     ".redline/prompts/p.md", "[secret].py", "a/[redacted].py"],
)  # fmt: skip
def test_a_path_outside_of_the_workspace_is_refused(path: str) -> None:
    """By its form alone, whatever the disk has there."""
    assert path_fault(path) is not None
    assert reasons(step(file=path)) != []


@pytest.mark.parametrize("path", ["a.py", "cvs/b.py", ".github/x.yml", "a..b", "..a/b"])
def test_a_path_inside_is_accepted(path: str) -> None:
    """Names may have dots."""
    assert path_fault(path) is None


@pytest.mark.parametrize(
    "accepted",
    [
        step(),
        step(symbol="Cart.total"),
        step(symbol="total", quote="def total("),
        step(quote="    def clear(self):\n        self.prices = []"),
        step(kind="create", file="new.py"),
        step(kind="delete", file="rates.py", instruction=""),
        step(kind="rename", to="basket.py", instruction=""),
        step(file="long.py", symbol="x7", quote="x7 = 7"),
        step(uses=("rate",)),
    ],
)
def test_a_plan_that_fits_is_accepted(accepted: PlanStep) -> None:
    """With a definition, a quote, or neither."""
    assert reasons(accepted) == []


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([], "no steps"),
        ([step(), step(symbol="x")], "2 steps have this id"),
        ([step(id="s 1")], "not a plain word"),
        ([step(after=("s9",))], "which is no step"),
        ([step(after=("s1",))], "wait for each other"),
        ([step(instruction="")], "no instruction"),
        ([step(file="keys.env")], "holds keys"),
        ([step(reads=("keys.env",))], "cannot be read"),
        ([step(reads=("../secret",))], "cannot be read"),
        ([step(file="gone.py")], "does not exist"),
        ([step(kind="create")], "exists already"),
        ([step(kind="rename", to="rates.py")], "'rates.py' exists already"),
        ([step(kind="rename", to="../x.py")], "cannot be used"),
        ([step(quote="def totals(")], "quote is not in"),
        ([step(symbol="Cart.sum")], "is not in 'cart.py'"),
        ([step(file="long.py", quote="")], "is not in"),
        ([step(symbol="Cart"), step(id="s2", symbol="Cart.total")], "the same lines"),
        ([step(), step(id="s2", symbol="Cart.total")], "the same lines"),
        ([step(gives=("Cart.sum",))], "has no contract"),
        ([step(file="rates.py", gives=("Cart.total",))], "gives 'Cart.total' of"),
        ([step(uses=("Cart.sum",))], "which no step gives"),
        *(
            ([step(**one), step(id="s2", **other)], reason)
            for one, other, reason in (
                (
                    {"kind": "rename", "to": "new.py"},
                    {"kind": "rename", "file": "rates.py", "to": "New.py"},
                    "which step s1 makes already",
                ),
                (
                    {"kind": "rename", "to": "new.py"},
                    {"kind": "create", "file": "new.py"},
                    "which step s1 makes already",
                ),
                (
                    {"kind": "create", "file": "new.py"},
                    {"kind": "create", "file": "new.py"},
                    "which step s1 makes already",
                ),
                (
                    {"kind": "rename", "to": "new.py"},
                    {"kind": "delete"},
                    "renamed or deleted by step s1",
                ),
                (
                    {"kind": "rename", "to": "new.py"},
                    {"kind": "rename", "to": "other.py"},
                    "renamed or deleted by step s1",
                ),
                ({}, {"kind": "delete"}, "which step s2 deletes"),
            )
        ),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(
    steps: list[PlanStep], reason: str
) -> None:
    """Each reason names the step and what to do."""
    assert any(reason in one for one in reasons(*steps, contracts=(TOTAL,)))


def test_two_definitions_of_one_file_are_two_places() -> None:
    """They can be written side by side."""
    both = [step(symbol="Cart.total"), step(id="s2", symbol="Cart.clear")]
    assert reasons(*both) == []


def test_a_class_of_too_many_lines_is_refused() -> None:
    """A step rewrites at most 400 lines."""
    text = "class Big:\n" + "".join(f"    x{n} = {n}\n" for n in range(450))
    plan = Plan(summary="", steps=(step(file="big.py", symbol="Big"),))
    files = {"big.py": planned("big.py", text)}
    (reason,) = refusals(plan, files, is_defined=lambda name: False)
    assert "451 lines" in reason.message


def test_all_paths_of_a_plan_are_known() -> None:
    """Those that are read and the tests, too: each is compared to the ignore rules."""
    plan = Plan(
        summary="",
        steps=(step(kind="rename", to="b.py", reads=("c.py", "cart.py")),),
        tests=("t.py",),
    )
    assert paths_of(plan) == ("cart.py", "b.py", "c.py", "t.py")


ANSWER = {
    "summary": " Do it. ",
    "assumptions": ["a  b"],
    "questions": [],
    "contracts": [
        {"name": "f", "file": "a.py", "signature": "def f()", "raises": None}
    ],
    "steps": [
        {
            "id": "s1", "file": "a.py", "do": "edit", "where": {"symbol": "f"},
            "quote": "def f(", "instruction": "Do it.", "to": None,
            "reads": [], "gives": ["f"], "uses": [], "after": [],
        }
    ],
    "tests": ["test_a.py"],
}  # fmt: skip


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "Here it is:\n{}\nBye."])
def test_an_answer_is_read(around: str) -> None:
    """A fence or a sentence around it does not matter."""
    assert read_answer(around.replace("{}", json.dumps(ANSWER))) == Plan(
        summary="Do it.",
        assumptions=("a b",),
        contracts=(Contract(name="f", file="a.py", signature="def f()"),),
        steps=(
            PlanStep(
                id="s1",
                file="a.py",
                symbol="f",
                quote="def f(",
                instruction="Do it.",
                gives=("f",),
            ),
        ),
        tests=("test_a.py",),
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("I would first look at cart.py.", "no JSON object"),
        ('{"summary": "x"}', "`steps`"),
        ('{"summary": "x", "steps": [{"id": "a"', "no JSON object"),
        ('{"summary": "x", "steps": [{"id": "a", "file": "b", "do": "shell"}]}', "do"),
        ("{" + " " * 400_000 + "}", "longer than"),
    ],
)
def test_an_answer_that_is_no_plan_says_why(answer: str, reason: str) -> None:
    """The planner gets the reason once."""
    found = read_answer(answer)
    assert isinstance(found, UnreadableAnswer)
    assert reason in found.reason


def test_only_quotes_are_code() -> None:
    """They are compared with the files; all else is shown, stored and sent."""
    found = read_answer(
        json.dumps(ANSWER),
        as_code=lambda text: f"<{text}>",
        as_prose=lambda text: text.replace("a.py", "b.py").replace("Do it", "Done"),
    )
    assert isinstance(found, Plan)
    (only,) = found.steps
    assert (only.quote, only.file, only.instruction) == ("<def f(>", "b.py", "Done.")
    assert (found.summary, found.tests) == ("Done.", ("test_b.py",))
    assert found.contracts[0].file == "b.py"
