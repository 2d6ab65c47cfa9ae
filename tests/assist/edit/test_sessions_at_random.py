"""Several sessions in one document, and whatever can happen to them, in any order.

The user types marks, single characters that occur nowhere else. No edit of the server's
may remove one, or change their order, that the model has not been shown: that is what
"nothing typed is lost" means here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any  # What a coroutine yields to the loop is the loop's affair.

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.assist.conftest import EditHarness, RunningEdit
from tests.assist.fake_editor import (
    URI,
    Applied,
    FakeEditor,
    TakeEdit,
    answer_first,
    drop,
    drop_stale,
    fail,
    refuse,
    take,
    tell_and_deny,
    tell_and_fail,
    tell_late,
    tell_only,
)
from tests.assist.fake_model import FakeGeneration
from tests.assist.virtual_time import VirtualTimeLoop
from tests.runs import n_runs

from redline.assist.edit.session.states import WAITING
from redline.assist.editor.editor import EditorTraits
from redline.errors import (
    EditNotLandedError,
    EditorTimeoutError,
    ModelCutError,
    ModelError,
    UnknownSessionError,
)
from redline.prompts.edit import read_edit_task
from redline.settings.edit_settings import ApplyMode
from redline.text.document import ContentChange

FIRST_MARK = 0x4E00
"""Marks are Chinese characters; the texts here have none otherwise."""


async def never(editor: FakeEditor, asked: Applied) -> bool:
    """Do nothing until the caller loses patience."""
    await asyncio.sleep(30)
    raise EditorTimeoutError("The editor did not answer.")


async def late(editor: FakeEditor, asked: Applied) -> bool:
    """Do what `take` does, in a while."""
    await asyncio.sleep(1)
    return await take(editor, asked)


async def late_after_yes(editor: FakeEditor, asked: Applied) -> bool:
    """Say yes, and show it in a while unless it is stale by then."""
    loop = asyncio.get_running_loop()
    loop.call_later(1, _put_later, editor, asked)
    return True


def _put_later(editor: FakeEditor, asked: Applied) -> None:
    if not editor.is_stale(asked):
        editor.tell(editor.put(asked), asked.uri)


WAYS: list[TakeEdit] = [
    never,
    late,
    late_after_yes,
    take,
    answer_first,
    drop_stale,
    refuse,
    fail,
    drop,
    tell_only,
    tell_and_deny,
    tell_and_fail,
]
TEXTS = st.lists(
    st.sampled_from(["one\n", "two\n", "  three\n", "\n", "one\n"]),
    min_size=1,
    max_size=12,
).map("".join)
PLACES = st.floats(0, 1)
WHICH = st.integers(0, 9)
SEEDS = st.integers(0, 1 << 16)


def marks(text: str) -> str:
    return "".join(c for c in text if ord(c) >= FIRST_MARK)


def reply_to(generation: FakeGeneration, seed: int) -> str:
    """Change, drop and add lines."""
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    lines = task.target.splitlines(keepends=True)
    written = ["first\n"] if seed % 3 == 0 or not lines else []
    for n, line in enumerate(lines):
        choice = (seed >> n) % 4
        content = line.removesuffix("\n")
        written += [
            [line],
            [f"{content}changed\n"],
            [],
            [line, f"after {n}\n"],
        ][choice]
    return "".join(written)


class Sessions(RuleBasedStateMachine):
    """One document, its user, its sessions and an editor that does as it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.harness = EditHarness()
        self.harness.configure(edit={"paints_per_s": 0.0})
        self.harness.editor.traits = EditorTraits(has_preview=True)
        self.harness.editor.on_put = self._check_put
        self.harness.editor.typed_after = self._type_after
        self.place_after = 0.0
        self.accepts: list[asyncio.Task[None]] = []
        self.edits: list[RunningEdit] = []
        self.seeds: dict[int, int] = {}
        self.n_written: dict[int, int] = {}
        self.n_marks = 0

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something and all that follows at once; then see that all is in order."""

        async def run_and_settle() -> None:
            await work
            await self.harness.idle()
            self.harness.check()

        self.runner.run(run_and_settle())

    def act(self, action: Callable[[], object]) -> None:
        async def acting() -> None:
            action()

        self.run(acting())

    @property
    def text(self) -> str:
        return self.harness.editor.documents[URI].text

    def offset(self, place: float) -> int:
        return round(place * len(self.text))

    def mark(self) -> str:
        self.n_marks += 1
        return chr(FIRST_MARK + self.n_marks)

    def running(self, which: int) -> FakeGeneration | None:
        living = [g for g in self.harness.model.generations if not g.is_released]
        return living[which % len(living)] if living else None

    def waiting(self, which: int) -> str | None:
        waiting = [s.id for s in self.harness.edits.sessions if s.state in WAITING]
        return waiting[which % len(waiting)] if waiting else None

    def hunks(self, session_id: str, which: int) -> list[int] | None:
        preview = self.harness.editor.previews.get(session_id)
        ids = sorted(preview.hunks) if preview is not None else []
        some = [i for n, i in enumerate(ids) if which >> n & 1]
        return some or None

    # What happens.

    @initialize(text=TEXTS)
    def open(self, text: str) -> None:
        self.act(lambda: self.harness.editor.open(text))

    @precondition(lambda self: len(self.harness.edits.sessions) < 6)
    @rule(
        place=PLACES,
        size=st.integers(0, 9),
        is_previewed=st.booleans(),
        keeps=st.booleans(),
    )
    def edit(self, place: float, size: int, *, is_previewed: bool, keeps: bool) -> None:
        self.harness.configure(edit={"on_stop": "keep" if keeps else "drop"})
        self.act(lambda: self._edit(place, size, is_previewed=is_previewed))

    @precondition(lambda self: len(self.harness.edits.sessions) < 6)
    @rule(place=PLACES, size=st.integers(0, 9), seed=SEEDS, is_previewed=st.booleans())
    def edit_at_once(
        self, place: float, size: int, seed: int, *, is_previewed: bool
    ) -> None:
        """As most edits go: nothing else happens before the reply is there."""
        n_before = len(self.harness.model.generations)
        self.act(lambda: self._edit(place, size, is_previewed=is_previewed))
        for generation in self.harness.model.generations[n_before:]:
            self._write(generation, seed, 10_000)
            self.act(generation.finish)

    def _edit(self, place: float, size: int, *, is_previewed: bool) -> None:
        start = self.offset(place)
        end = min(start + size, len(self.text))
        apply: ApplyMode = "preview" if is_previewed else "end"
        instruction = f"Edit {len(self.edits)}."
        self.edits.append(self.harness.edit(start, end, instruction, apply=apply))

    @rule(which=WHICH, seed=SEEDS, size=st.integers(1, 12))
    def write(self, which: int, seed: int, size: int) -> None:
        if (generation := self.running(which)) is not None:
            self.act(lambda: self._write(generation, seed, size))

    @rule(which=WHICH, seed=SEEDS)
    def finish(self, which: int, seed: int) -> None:
        if (generation := self.running(which)) is not None:
            self._write(generation, seed, 10_000)
            self.act(generation.finish)

    def _write(self, generation: FakeGeneration, seed: int, size: int) -> None:
        key = id(generation)
        reply = reply_to(generation, self.seeds.setdefault(key, seed))
        at = self.n_written.get(key, 0)
        self.n_written[key] = at + size
        generation.write(reply[at : at + size])

    @rule(which=WHICH)
    def cut(self, which: int) -> None:
        if (generation := self.running(which)) is not None:
            self.act(lambda: generation.fail(ModelCutError("It was cut.")))

    @rule(which=WHICH)
    def restart(self, which: int) -> None:
        if (generation := self.running(which)) is not None:
            self.n_written[id(generation)] = 0
            self.act(generation.restart)

    @rule(place=PLACES, has_end=st.booleans())
    def type(self, place: float, *, has_end: bool) -> None:
        at, text = self.offset(place), self.mark() + "\n" * has_end
        self.act(lambda: self.harness.editor.replace(at, at, text))

    @rule(place=PLACES, size=st.integers(1, 8))
    def delete(self, place: float, size: int) -> None:
        at = self.offset(place)
        self.act(lambda: self.harness.editor.replace(at, at + size, ""))

    @rule(which=WHICH)
    def stop(self, which: int) -> None:
        if self.edits:
            running = self.edits[which % len(self.edits)]
            self.act(lambda: self.harness.edits.stop(session_id=running.id))

    @rule(which=WHICH)
    def cancel(self, which: int) -> None:
        if self.edits:
            self.act(self.edits[which % len(self.edits)].task.cancel)

    @rule(which=WHICH, hunks=st.integers(0, 7))
    def accept(self, which: int, hunks: int) -> None:
        if (session_id := self.waiting(which)) is not None:
            ids = self.hunks(session_id, hunks)
            self.act(lambda: self._start_accept(session_id, ids))

    @rule(which=WHICH)
    def accept_all(self, which: int) -> None:
        if (session_id := self.waiting(which)) is not None:
            self.act(lambda: self._start_accept(session_id, None))

    def _start_accept(self, session_id: str, ids: list[int] | None) -> None:
        loop = asyncio.get_running_loop()
        self.accepts.append(loop.create_task(self._accept(session_id, ids)))

    @rule(seconds=st.sampled_from([0.1, 4.0, 40.0]))
    def wait(self, seconds: float) -> None:
        self.run(asyncio.sleep(seconds))

    @rule(which=WHICH, hunks=st.integers(0, 7))
    def reject(self, which: int, hunks: int) -> None:
        if (session_id := self.waiting(which)) is not None:
            ids = self.hunks(session_id, hunks)
            self.act(lambda: self.harness.edits.reject(session_id, ids))

    @rule(way=st.sampled_from(WAYS))
    def take_edits(self, way: TakeEdit) -> None:
        self.harness.editor.take_edit = way

    @rule(way=st.sampled_from([take, drop_stale, fail]), place=PLACES)
    def type_before_the_next_edit(self, way: TakeEdit, place: float) -> None:
        async def type_first(editor: FakeEditor, asked: Applied) -> bool:
            editor.take_edit = take
            at = self.offset(place)
            editor.replace(at, at, self.mark())
            return await way(editor, asked)

        self.harness.editor.take_edit = type_first

    @rule(place=PLACES)
    def type_after_each_edit(self, place: float) -> None:
        self.place_after = place
        self.harness.editor.take_edit = tell_late

    def _type_after(self) -> list[ContentChange]:
        at = self.offset(self.place_after)
        return [self.harness.editor.splice(at, at, self.mark())]

    @rule(text=TEXTS)
    def reopen(self, text: str) -> None:
        # With another version, so that a late edit of the old text is stale here too.
        version = self.harness.editor.documents[URI].version + 1
        self.act(self.harness.editor.close)
        self.act(lambda: self.harness.editor.open(text, version=version))

    @rule()
    def lose_the_models(self) -> None:
        self.act(self.harness.tiers.known.clear)

    @rule()
    def find_the_models(self) -> None:
        self.act(self.harness.tiers.known.set)

    # What always holds.

    @invariant()
    def both_sides_have_the_same_text(self) -> None:
        """What the user sees is what the server works on."""
        if self.harness.editor.documents:
            assert self.harness.editor.text() == self.text

    @invariant()
    def every_request_is_answered_once(self) -> None:
        """A session that is over has been answered, by a result or a known error."""
        for running in self.edits:
            if running.session.state.is_end:
                assert running.task.done()
            if running.task.done() and not running.task.cancelled():
                error = running.task.exception()
                assert error is None or isinstance(
                    error, ModelError | EditNotLandedError
                )

        for accept in self.accepts:
            assert not accept.done() or accept.exception() is None

    def teardown(self) -> None:
        with self.runner:
            self.run(self._end())

    async def _end(self) -> None:
        self.harness.tiers.known.set()
        await asyncio.sleep(1_000)
        assert all(accept.done() for accept in self.accepts)
        await self.harness.check_nothing_left()

    async def _accept(self, session_id: str, ids: list[int] | None) -> None:
        shown = self._shown(session_id, ids)
        version, n_marks = self.harness.editor.documents[URI].version, self.n_marks
        try:
            answered = await self.harness.accept(session_id, ids)
        except (EditNotLandedError, UnknownSessionError):
            return
        document = self.harness.editor.documents.get(URI)
        if document is None or answered.state not in ("accepted", "offered", "held"):
            return
        # With nothing in between, the document is now what the person saw.
        if document.version == version + 1 and self.n_marks == n_marks:
            assert shown in (None, self.harness.editor.text())

    def _shown(self, session_id: str, ids: list[int] | None) -> str | None:
        """Return the text that a person expects who accepts hunks; None: any."""
        preview = self.harness.editor.previews.get(session_id)
        if preview is None:
            return None
        hunks = sorted(preview.hunks.values(), key=lambda h: h.edit.range.start)
        chosen = [h.edit for h in hunks if ids is None or h.id in ids]
        return self.harness.editor.documents[URI].edited(chosen)

    def _check_put(self, asked: Applied, before: str, after: str) -> None:
        shown = marks("".join(self._targets(asked.label)))
        unseen = [mark for mark in marks(before) if mark not in shown]
        assert unseen == [mark for mark in marks(after) if mark not in shown]

    def _targets(self, label: str) -> list[str]:
        """Return what the prompts of a session show as the text to edit."""
        instruction = label.removeprefix("Redline: ")
        prompts = [g.request.prompt for g in self.harness.model.generations]
        tasks = [task for p in prompts if (task := read_edit_task(p)) is not None]
        return [task.target for task in tasks if task.instruction == instruction]


Sessions.TestCase.settings = settings(
    max_examples=n_runs(25), stateful_step_count=40, deadline=None
)
TestSessions = Sessions.TestCase
