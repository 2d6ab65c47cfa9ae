"""What a client with a preview is sent: little, in order, and the last state always."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from tests.assist.fake_editor import URI, FakeEditor

from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.painter import Painter
from redline.assist.editor.editor import Began, EditorTraits
from redline.assist.editor.workspace import Workspace
from redline.text.region import whole_lines
from redline.text.streaming_diff import Hunk, HunkState

TEXT = "a\nb\nc\nd\n"


def hunk(
    hunk_id: int, start: int, *lines: str, state: HunkState = "growing", n_old: int = 0
) -> Hunk:
    return Hunk(id=hunk_id, start=start, end=start + n_old, lines=lines, state=state)


class Canvas:
    """A painter of one session and the editor it paints in."""

    def __init__(self, *, paints_per_s: float = 0.0) -> None:
        self.editor = FakeEditor(Workspace())
        self.editor.traits = EditorTraits(has_preview=True)
        self.editor.open(TEXT)
        document = self.editor.workspace.document(URI)
        lines = document.snapshot().lines
        self.edit_target = EditTarget(document, whole_lines(lines, 1, 2))
        self.painter = Painter(
            editor=self.editor,
            session_id="x",
            edit_target=self.edit_target,
            paints_per_s=paints_per_s,
        )
        self.editor.began(
            Began(
                session_id="x",
                snapshot=document.snapshot(),
                range=self.edit_target.place,
                tier="fast",
                reasons=(),
            )
        )

    @property
    def n_messages(self) -> int:
        return self.editor.previews["x"].n_messages

    @property
    def shown(self) -> str:
        return self.editor.shown("x")

    @property
    def ids(self) -> set[int]:
        return set(self.editor.previews["x"].hunks)


@pytest.fixture
async def canvas() -> Canvas:
    """Paint at every turn of the loop."""
    return Canvas()


async def turn() -> None:
    """Let what is due be painted."""
    for _ in range(3):
        await asyncio.sleep(0)


async def test_updates_of_one_turn_are_one_message(canvas: Canvas) -> None:
    """However many deltas a read of the socket brings; the last state is shown."""
    canvas.painter.update([hunk(1, 0, "0\n")])
    for n in range(2, 6):
        lines = [f"{i}\n" for i in range(n)]
        canvas.painter.update([hunk(1, 0, *lines)])
    assert canvas.n_messages == 1
    await turn()
    assert canvas.n_messages == 2
    assert canvas.shown == "a\n0\n1\n2\n3\n4\nb\nc\nd\n"
    await turn()
    assert canvas.n_messages == 2


async def test_the_first_is_sent_at_once(canvas: Canvas) -> None:
    """The first paint is sent at once; an empty update is not one."""
    canvas.painter.update([])
    assert canvas.n_messages == 0
    canvas.painter.update([hunk(1, 0, "x\n")])
    assert canvas.shown == "a\nx\nb\nc\nd\n"
    await turn()
    assert canvas.n_messages == 1


async def test_the_first_waits_for_an_editor_that_does_not_read() -> None:
    """As all others do."""
    canvas = Canvas()
    canvas.editor.is_behind = True
    canvas.painter.update([hunk(1, 0, "x\n")])
    await turn()
    assert canvas.n_messages == 0
    canvas.editor.is_behind = False
    canvas.painter.flush()
    assert canvas.ids == {1}


async def test_only_changes_are_sent(canvas: Canvas) -> None:
    """A hunk that stays is not sent again; one that is gone is taken back."""
    canvas.painter.update([hunk(1, 0, "x\n"), hunk(2, 1, "y\n")])
    await turn()
    canvas.painter.update([hunk(2, 1, "y\n", "z\n", state="settled")], removed=[1])
    await turn()
    assert canvas.ids == {2}
    assert canvas.shown == "a\nb\ny\nz\nc\nd\n"
    assert canvas.n_messages == 2


async def test_what_was_never_shown_is_not_taken_back(canvas: Canvas) -> None:
    """The client knows nothing of it: the editor here would fail on its id."""
    canvas.painter.update([hunk(3, 2, "w\n")])
    canvas.painter.update([hunk(1, 0, "x\n")])
    canvas.painter.update([hunk(2, 1, "y\n")], removed=[1, 99])
    await turn()
    assert canvas.ids == {2, 3}


async def test_a_removed_hunk_may_come_back(canvas: Canvas) -> None:
    """Within one turn as well."""
    canvas.painter.update([hunk(1, 0, "x\n")])
    await turn()
    canvas.painter.update([], removed=[1])
    canvas.painter.update([hunk(1, 0, "z\n")])
    await turn()
    assert canvas.shown == "a\nz\nb\nc\nd\n"


async def test_an_open_hunk_covers_the_lines_up_to_the_next_one(
    canvas: Canvas,
) -> None:
    """Wherever that one is now, and while there is one."""
    opened = replace(hunk(1, 0, "0\n", "1\n"), is_open=True)
    for others, removed, n_covered in (
        ([], [], 2),
        ([hunk(2, 1, "x\n")], [], 1),
        ([hunk(2, 2, "x\n")], [], 2),
        ([hunk(2, 0, "x\n"), hunk(3, 1, "y\n")], [], 0),
        ([], [2], 1),
        ([], [3], 2),
    ):
        canvas.painter.update([*others, opened], removed)
        await turn()
        assert canvas.editor.previews["x"].hunks[1].n_covered == n_covered
        assert canvas.painter.state().hunks[0].n_covered == n_covered
    canvas.painter.replace([opened, hunk(4, 1, "z\n")])
    await turn()
    assert canvas.editor.previews["x"].hunks[1].n_covered == 1


async def test_all_is_sent_again_after_a_move(canvas: Canvas) -> None:
    """On the new version, in its coordinates."""
    canvas.painter.update([hunk(1, 0, "x\n", n_old=1), hunk(2, 2, "y\n")])
    await turn()
    canvas.editor.type("a", "above\n")
    canvas.painter.moved()
    await turn()
    assert canvas.ids == {1, 2}
    assert canvas.shown == "above\na\nx\nc\ny\nd\n"


async def test_a_replaced_preview_is_sent_whole(canvas: Canvas) -> None:
    """Nothing of what was shown before is valid."""
    canvas.painter.update([hunk(1, 0, "x\n")])
    await turn()
    canvas.painter.replace([hunk(5, 1, "new\n")])
    await turn()
    assert canvas.ids == {5}
    canvas.painter.replace([])
    await turn()
    assert canvas.ids == set()


async def test_the_paint_rate_bounds_the_messages() -> None:
    """Between two paints nothing is sent; a flush sends what waits."""
    canvas = Canvas(paints_per_s=1e-6)
    canvas.painter.update([hunk(1, 0, "x\n")])
    await turn()
    assert canvas.n_messages == 1
    for _ in range(10):
        canvas.painter.update([hunk(2, 1, "y\n")])
        await turn()
    assert canvas.n_messages == 1
    canvas.painter.flush()
    assert canvas.n_messages == 2
    assert canvas.ids == {1, 2}
    canvas.painter.flush()
    assert canvas.n_messages == 2
    canvas.painter.close()


async def test_a_high_rate_paints_again() -> None:
    """The interval is waited for, and then the last state is sent by itself."""
    canvas = Canvas(paints_per_s=10_000)
    for n in range(3):
        canvas.editor.changed.clear()
        canvas.painter.update([hunk(n, n, f"{n}\n")])
        await canvas.editor.changed.wait()
    assert canvas.n_messages == 3
    assert canvas.ids == {0, 1, 2}


async def test_nothing_is_sent_after_closing(canvas: Canvas) -> None:
    """Neither what was due nor what comes late."""
    canvas.painter.update([hunk(1, 0, "x\n")])
    canvas.painter.update([hunk(1, 0, "x\n", "y\n")])
    canvas.painter.close()
    canvas.painter.update([hunk(2, 0, "y\n")])
    canvas.painter.moved()
    canvas.painter.replace([hunk(3, 0, "z\n")])
    canvas.painter.flush()
    await turn()
    assert canvas.n_messages == 1


async def test_nothing_is_ever_sent_of_what_was_closed_before(canvas: Canvas) -> None:
    """Not the first either."""
    canvas.painter.close()
    canvas.painter.update([hunk(1, 0, "x\n")])
    await turn()
    assert canvas.n_messages == 0


async def test_the_whole_state_can_be_asked_for(canvas: Canvas) -> None:
    """With what has not been sent yet, under the number of the last message."""
    assert canvas.painter.state().seq == 0
    canvas.painter.update([hunk(2, 1, "y\n")])
    canvas.painter.update([hunk(1, 0, "x\n", state="settled")])
    state = canvas.painter.state()
    assert state.is_full
    assert [(h.id, h.edit.new_text, h.state) for h in state.hunks] == [
        (1, "x\n", "settled"),
        (2, "y\n", "growing"),
    ]
    assert state.seq == 1
    await turn()
    assert canvas.painter.state().seq == 2


async def test_nothing_is_painted_on_a_text_that_is_no_more(canvas: Canvas) -> None:
    """The user typed inside before the pending paint was sent."""
    canvas.painter.update([hunk(1, 0, "x\n")])
    canvas.painter.update([hunk(1, 0, "x\n", "y\n")])
    canvas.editor.type("c", "typed")
    canvas.painter.flush()
    await turn()
    assert canvas.n_messages == 1
