"""A cached choice never holds more than a new choice would."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given
from hypothesis import strategies as st

from redline.assist.actions.action import Diagnostic
from redline.assist.context.budget import ContextBudget
from redline.assist.context.gatherer import ContextGatherer
from redline.assist.editor.workspace import Workspace
from redline.models.interface import ModelDescription
from redline.prompts.tokens import TokenCounter
from redline.text.document import ContentChange
from redline.text.position import Position, Range

MODEL = ModelDescription(
    label="m", name="m", api="responses-socket", host="h", context_tokens=128_000
)
NAMES = ("shop.py", "late.py")
IGNORE = ".redlineignore"
TEXT = "".join(f"line_{n} = {n}\n" for n in range(40))

STEPS = st.one_of(
    st.tuples(st.just("choose"), st.integers(0, 3), st.sampled_from(["", "x" * 40])),
    st.tuples(st.just("type"), st.sampled_from(NAMES), st.integers(0, 39)),
    st.tuples(st.just("tell"), st.sampled_from(["", "wrong", "worse"])),
    st.tuples(st.just("ignore"), st.booleans()),
    st.tuples(st.just("reopen"), st.sampled_from(NAMES)),
)


@example(
    steps=[
        ("ignore", True),
        ("type", "late.py", 0),
        ("choose", 3, ""),
        ("ignore", False),
        ("choose", 3, ""),
    ],
    n_tokens=60,
)
@given(steps=st.lists(STEPS, max_size=25), n_tokens=st.sampled_from([60, 2_200]))
def test_what_is_kept_is_what_would_be_chosen(
    steps: list[tuple[str, ...]], n_tokens: int
) -> None:
    """After anything is typed, opened or ignored in between."""
    with TemporaryDirectory() as folder:
        sink = _Desk(Path(folder), n_tokens)
        for name, *arguments in steps:
            getattr(sink, name)(*arguments)
        sink.choose(1, "")
        sink.choose(1, "")


def test_a_choice_is_kept(tmp_path: Path) -> None:
    """Also under another instruction, as long as the budget is the same."""
    sink = _Desk(tmp_path, 2_200)
    first = sink.choose(1, "")
    assert sink.choose(1, "another instruction") is first
    sink.type("late.py", 3)
    assert sink.choose(1, "") is not first


def test_a_choice_is_kept_where_the_window_sets_the_budget(tmp_path: Path) -> None:
    """An instruction of a few words takes room, and changes nothing."""
    sink = _Desk(tmp_path, 1_000_000)
    first = sink.choose(1, "")
    assert sink.choose(1, "as it was said now") is first


class _Desk:
    def __init__(self, root: Path, n_tokens: int) -> None:
        self._root = root
        self._n_tokens = n_tokens
        self._workspace = Workspace()
        self._workspace.roots = (root.as_uri(),)
        self._counter = TokenCounter()
        self._gatherer = ContextGatherer(self._workspace, self._counter)
        self._budget = self._new_budget()
        for name in NAMES:
            self._workspace.open(self._uri(name), "python", 1, TEXT)

    def choose(self, at: int, fixed: str) -> object:
        """Choose, and compare with one that has never chosen before."""
        document = self._workspace.document(self._uri("shop.py"))
        target = range(at * 5, at * 5 + 4)
        shown, anew = (
            each.choose(document, target, fixed=fixed, tier="fast", model=MODEL)
            for each in (self._budget, self._new_budget())
        )
        assert shown == anew
        return shown

    def type(self, name: str, line: int) -> None:
        document = self._workspace.document(self._uri(name))
        at = Range(Position(line, 0), Position(line, 0))
        change = ContentChange(range=at, text="z")
        self._workspace.change(document.uri, document.version + 1, [change])

    def tell(self, message: str) -> None:
        where = Range(Position(6, 0), Position(7, 0))
        fixed = [Diagnostic(range=where, message=message)] if message else []
        uri = self._uri("shop.py")
        version = self._workspace.document(uri).version
        self._gatherer.note_diagnostics(uri, version, fixed)

    def ignore(self, is_ignored: bool) -> None:
        (self._root / IGNORE).write_text("late.py\n" if is_ignored else "")

    def reopen(self, name: str) -> None:
        self._workspace.open(self._uri(name), "python", 1, TEXT)

    def _uri(self, name: str) -> str:
        return (self._root / name).as_uri()

    def _new_budget(self) -> ContextBudget:
        return ContextBudget(
            gatherer=self._gatherer,
            counter=self._counter,
            n_tokens=lambda: self._n_tokens,
        )
