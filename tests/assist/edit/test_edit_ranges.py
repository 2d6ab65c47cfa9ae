"""Edits of several ranges: one request, one preview, one undo step."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import EditHarness, RunningEdit
from tests.assist.fake_editor import URI, Applied, FakeEditor, take
from tests.assist.fake_model import FakeModel

from redline.assist.actions.action import RangeWork
from redline.assist.edit.session.edit_ranges import MAX_SPAN
from redline.assist.edit.session.result import Mode
from redline.assist.edit.session.states import State
from redline.errors import InvalidArgumentsError, OutdatedError
from redline.prompts.edit import read_edit_task
from redline.text.edit_parts import MAX_RANGES
from redline.text.position import Position, Range

TEXT = "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\n"
BOTH = TEXT.replace("one", "ONE").replace("five", "FIVE\nfive and more")


def lines(first: int, end: int, instruction: str = "") -> RangeWork:
    place = Range(Position(first, 0), Position(end, 0))
    return RangeWork(range=place, instruction=instruction)


def answer(number: int, text: str) -> str:
    return f"<<<<<<< RANGE {number}\n{text}>>>>>>> RANGE {number}\n"


REPLY = answer(1, "ONE\n") + answer(2, "FIVE\nfive and more\n")
ONE_AND_FIVE = (lines(1, 2), lines(5, 6))


def start(
    harness: EditHarness, *ranges: RangeWork, instruction: str = "Improve it."
) -> RunningEdit:
    return harness.edit(0, 0, instruction, ranges=ranges or ONE_AND_FIVE)


async def test_several_ranges_are_one_edit(harness: EditHarness) -> None:
    """One prompt, one versioned edit, one undo."""
    harness.editor.open(TEXT)
    running = start(harness)
    generation = await harness.model.generation()
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    assert (task.reply_format, task.before, task.after) == (
        "ranges",
        "zero\n",
        "six\nseven\n",
    )
    assert task.target == (
        answer(1, "one\n") + "two\nthree\nfour\n" + answer(2, "five\n")
    )
    generation.reply(REPLY)
    result = await running.result()
    assert (result.outcome, result.message) == ("applied", None)
    assert harness.editor.text() == BOTH
    assert len(harness.editor.asked) == 1
    await harness.edits.take_back(running.id)
    assert harness.editor.text() == TEXT


async def test_each_range_is_shown_as_it_is_written(harness: EditHarness) -> None:
    """Hunk by hunk, and each is accepted or rejected on its own."""
    harness.preview()
    harness.editor.open(TEXT)
    running = start(harness)
    generation = await harness.model.generation()
    generation.write(answer(1, "ONE\n"))
    await harness.idle()
    assert harness.editor.shown(running.id).startswith("zero\nONE\n")
    generation.reply(answer(2, "FIVE\nfive and more\n"))
    assert (await running.result()).outcome == "offered"
    assert harness.editor.shown(running.id) == BOTH
    first, second = running.session.offer.live_hunks
    await harness.accept(running.id, [second.id])
    harness.edits.reject(running.id, [first.id])
    assert harness.editor.text() == TEXT.replace("five", "FIVE\nfive and more")


async def test_a_forgotten_range_stays_and_is_said(harness: EditHarness) -> None:
    """The others are applied."""
    harness.editor.open(TEXT)
    running = start(harness)
    (await harness.model.generation()).reply(answer(2, "FIVE\n"))
    result = await running.result()
    assert result.outcome == "applied"
    assert result.message == "Range 1 is unchanged: the model did not answer."
    assert harness.editor.text() == TEXT.replace("five", "FIVE")


async def test_an_unclear_answer_goes_back_once(harness: EditHarness) -> None:
    """As the model wrote it; what it writes then is in the same form."""
    harness.configure(checks={"repair": True})
    harness.editor.open(TEXT)
    running = start(harness)
    (await harness.model.generation()).reply(REPLY + answer(1, "other\n"))
    second = await harness.model.generation(1)
    *_, said, problems = second.request.prompt.chat_messages
    assert said.text == REPLY + answer(1, "other\n")
    assert "Range 1 was answered twice" in problems.text
    assert "every range once" in problems.text
    second.reply(REPLY)
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == BOTH


async def test_an_edit_is_escalated_whole(harness: EditHarness) -> None:
    """The draft has the ranges with their numbers; the result is checked joined."""
    harness.configure(checks={"off": [], "repair": False, "escalate": True})
    harness.tiers.models["standard"] = better = FakeModel(label="better")
    text = "def f(x):\n    return x\n\n\nf(1)\n\n\ndef g(x):\n    return f(x)\n"
    harness.editor.open(text)
    running = start(harness, lines(0, 2), lines(7, 9), instruction="Rename f to h.")
    bad = answer(1, "def h(x):\n    return x\n") + answer(
        2, "def g(x):\n    return hh(x)\n"
    )
    (await harness.model.generation()).reply(bad)
    generation = await better.generation()
    assert "<<<<<<< RANGE 2\ndef g(x):\n    return hh(x)\n>>>>>>> RANGE 2" in (
        generation.prompt
    )
    assert "`hh`" in generation.prompt or "hh" in generation.prompt
    generation.reply(
        answer(1, "def h(x):\n    return x\n\n\nf = h\n")
        + answer(2, "def g(x):\n    return h(x)\n")
    )
    assert (await running.result()).outcome == "applied"
    assert "return h(x)" in harness.editor.text()
    assert "\n\nf(1)\n" in harness.editor.text()


async def test_a_redirect_continues_from_the_ranges(harness: EditHarness) -> None:
    """What is written is the draft; what it says is for every range."""
    harness.preview()
    harness.editor.open(TEXT)
    running = start(harness)
    generation = await harness.model.generation()
    generation.write(answer(1, "ONE\n"), "<<<<<<< RANGE 2\nFI")
    await harness.idle()
    redirect = asyncio.create_task(
        harness.edits.redirects.redirect(running.session, "Shorter, please.")
    )
    second = await harness.model.generation(1)
    assert (await redirect).is_accepted
    assert generation.is_stopped
    assert answer(1, "ONE\n") + "two" in second.prompt, second.prompt
    second.reply(answer(1, "1\n") + answer(2, "5\n"))
    assert (await running.result()).outcome == "offered"
    await harness.accept(running.id, None)
    assert harness.editor.text() == TEXT.replace("one", "1").replace("five", "5")


async def test_a_stop_keeps_whole_ranges_only(harness: EditHarness) -> None:
    """Nothing changes in an editor without a preview."""
    harness.editor.open(TEXT)
    running = start(harness)
    generation = await harness.model.generation()
    generation.write(answer(1, "ONE\n"))
    await harness.idle()
    assert harness.edits.stop(session_id=running.id) == [running.id]
    assert (await running.result()).outcome == "stopped"
    assert harness.editor.text() == TEXT


async def test_typing_in_a_range_starts_over_with_the_ranges_of_now(
    harness: EditHarness,
) -> None:
    """The new line belongs to the range that it was typed in."""
    harness.preview(on_typing="replan")
    harness.editor.open(TEXT)
    running = start(harness)
    await harness.model.generation()
    harness.editor.type("two", "one and a half\n")
    harness.editor.type("five", "four and a half\n")
    second = await harness.model.generation(1)
    task = read_edit_task(second.request.prompt)
    assert task is not None
    assert task.target.count("RANGE") == 4
    assert "RANGE 2\nfour and a half\nfive\n" in task.target
    second.reply(answer(1, "ONE\n") + answer(2, "FIVE\n"))
    assert (await running.result()).outcome == "offered"
    await harness.accept(running.id, None)
    assert "two\nthree\nfour\nFIVE\n" in harness.editor.text()


async def test_an_edit_stops_if_its_ranges_become_one(harness: EditHarness) -> None:
    """The numbers in its instruction would be those of other ranges."""
    harness.preview(on_typing="replan")
    harness.editor.open(TEXT)
    running = start(
        harness,
        lines(1, 2, "Rename a."),
        lines(3, 4, "Delete b."),
        lines(5, 6, "Log c."),
    )
    await harness.model.generation()
    at = TEXT.index("two\n")
    harness.editor.replace(at, at + len("two\n"), "")
    result = await running.result()
    assert result.outcome == "stopped"
    assert "your text is kept" in (result.message or "")
    await harness.idle()
    assert len(harness.model.generations) == 1


async def test_a_changed_line_between_two_ranges_belongs_to_neither(
    harness: EditHarness,
) -> None:
    harness.preview(on_typing="replan")
    harness.editor.open(TEXT)
    start(harness, lines(1, 2), lines(3, 4))
    await harness.model.generation()
    harness.editor.type("wo", "yped t")
    task = read_edit_task((await harness.model.generation(1)).request.prompt)
    assert task is not None
    assert task.target == answer(1, "one\n") + "typed two\n" + answer(2, "three\n")


@pytest.mark.parametrize(
    ("reply", "target"),
    [
        ("TWO\n", answer(1, "one\n") + "TWO\n" + answer(2, "three\n")),
        ("", None),
    ],
    ids=["changed", "removed"],
)
async def test_ranges_whose_edit_waited_for_another(
    harness: EditHarness, reply: str, target: str | None
) -> None:
    """The other edit changed, or removed, the only line between them."""
    harness.editor.open(TEXT)
    sent = asyncio.Event()

    async def take_later(editor: FakeEditor, asked: Applied) -> bool:
        await sent.wait()
        return await take(editor, asked)

    harness.editor.take_edit = take_later
    first = harness.edit_lines(2, 3, "Delete this line.")
    (await harness.model.generation()).reply(reply)
    await harness.editor.changed.wait()
    second = start(harness, lines(1, 2, "Rename a."), lines(3, 4, "Delete b."))
    assert second.session.edit_target.is_queued
    sent.set()
    await first.result()
    if target is None:
        with pytest.raises(OutdatedError, match="no line between"):
            await second.result()
        assert harness.editor.text() == TEXT.replace("two\n", "")
        return
    generation = await harness.model.generation(1)
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    assert task.target == target
    generation.reply(answer(1, "ONE\n") + answer(2, ""))
    assert (await second.result()).outcome == "applied"
    assert harness.editor.text().startswith("zero\nONE\nTWO\nfour\n")


@pytest.mark.parametrize("has_ranges", [True, False])
async def test_a_later_draft_changes_the_instruction_of_a_range(
    harness: EditHarness, has_ranges: bool
) -> None:
    """Of ranges in any order, also joined ones; the text decides where they are."""
    harness.preview()
    harness.editor.open(TEXT)

    def draft(instruction: str, *own: str, is_draft: bool = True) -> RunningEdit:
        spans = [(5, 6), (1, 2), (2, 3)]
        ranges = tuple(
            lines(*span, text) for span, text in zip(spans, own, strict=False)
        )
        return harness.edit(
            0, 0, instruction, session_id="typed", is_draft=is_draft, ranges=ranges
        )

    first = draft("all", "five", "one", "two")
    assert first.session.instruction == "all\nRange 1: one\ntwo\nRange 2: five"
    await harness.model.generation()
    harness.editor.type("zero", "above\n")
    if has_ranges:
        last = draft("all", "FIVE", "one", "TWO", is_draft=False)
        expected = "all\nRange 1: one\nTWO\nRange 2: FIVE"
    else:
        last = draft("all of it", is_draft=False)
        expected = "all of it\nRange 1: one\ntwo\nRange 2: five"
    assert last.session.instruction == expected
    task = read_edit_task((await harness.model.generation(1)).request.prompt)
    assert task is not None
    assert task.instruction == expected
    assert harness.edits.stop() == ["typed"]
    assert (await last.result()).outcome == "stopped"


async def test_a_later_draft_has_the_same_number_of_ranges(
    harness: EditHarness,
) -> None:
    harness.preview()
    harness.editor.open(TEXT)
    both = ONE_AND_FIVE
    running = harness.edit(0, 0, "x", session_id="typed", is_draft=True, ranges=both)
    with pytest.raises(InvalidArgumentsError, match="began with 2 ranges"):
        harness.edit(0, 0, "x", session_id="typed", is_draft=True, ranges=both[:1])
    harness.edits.stop()
    assert (await running.result()).outcome == "stopped"


async def test_typing_in_one_range_keeps_the_changes_of_the_others(
    harness: EditHarness,
) -> None:
    """As within one range: what was not touched is still offered."""
    harness.preview()
    harness.editor.open(TEXT)
    running = start(harness)
    (await harness.model.generation()).reply(REPLY)
    await running.result()
    harness.editor.type("ne", "x")
    await harness.idle()
    assert running.session.state is State.OFFERED
    assert len(running.session.offer.live_hunks) == 1
    await harness.accept(running.id, None)
    assert harness.editor.text() == BOTH.replace("ONE", "oxne")


async def test_ranges_with_their_own_instructions(harness: EditHarness) -> None:
    """Those that overlap are one range, with the instructions of both."""
    harness.editor.open(TEXT)
    running = start(
        harness,
        lines(5, 6, "make it long"),
        lines(1, 3, "upper case"),
        lines(2, 3, "and no two"),
        instruction="",
    )
    generation = await harness.model.generation()
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    assert task.instruction == "Range 1: upper case\nand no two\nRange 2: make it long"
    assert running.session.title == "Range 1: upper case"
    generation.reply(answer(1, "ONE\n") + answer(2, "fiiive\n"))
    await running.result()
    assert harness.editor.text() == TEXT.replace("one\ntwo", "ONE").replace(
        "five", "fiiive"
    )


async def test_comments_are_removed_from_their_ranges(harness: EditHarness) -> None:
    """Also if the model forgets; the highest tier that one of them names writes."""
    harness.tiers.models["deep"] = deep = FakeModel(label="deep")
    text = "# redline: shout\na\n\nb\n# redline: whisper #deep\nc\n"
    harness.editor.open(text)
    ranges = (
        RangeWork(
            range=Range(Position(0, 0), Position(2, 0)),
            instruction="shout",
            from_comment=Range(Position(0, 0), Position(0, 16)),
        ),
        RangeWork(
            range=Range(Position(4, 0), Position(6, 0)),
            instruction="whisper #deep",
            from_comment=Range(Position(4, 0), Position(4, 24)),
        ),
    )
    running = start(harness, *ranges, instruction="")
    generation = await deep.generation()
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    assert task.instruction == "Range 1: shout\nRange 2: whisper"
    generation.reply(
        answer(1, "# redline: shout\nA\n")
        + answer(2, "# redline: whisper #deep\n(c)\n")
    )
    await running.result()
    assert harness.editor.text() == "A\n\nb\n(c)\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("apply", ["end", "stream"])
async def test_new_lines_at_several_cursors(
    harness: EditHarness, apply: Mode, end: str
) -> None:
    """A range without lines is a place, also behind a last line without an end."""
    harness.editor.open(f"a{end}b{end}c")
    at_end = Range(Position(2, 1), Position(2, 1))
    ranges = (lines(0, 0), RangeWork(range=at_end))
    running = harness.edit(0, 0, apply=apply, ranges=ranges)
    generation = await harness.model.generation()
    generation.reply(answer(1, "first\n") + answer(2, "last\n"))
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == end.join(["first", "a", "b", "c", "last"])


@pytest.mark.parametrize(
    ("text", "line", "result"),
    [
        ("a\n\nb\n", 1, "a\nnew\n\nb\n"),
        ("a\nb", 0, "new\na\nb"),
        ("a\nb\n", 2, "a\nb\nnew\n"),
        ("a\nb", 1, "a\nb\nnew"),
        ("", 0, "new\n"),
    ],
)
@pytest.mark.parametrize("n_times", [1, 2])
async def test_new_lines_at_one_place(
    harness: EditHarness, n_times: int, text: str, line: int, result: str
) -> None:
    harness.editor.open(text)
    at = Position(line, len(text.split("\n")[line]) if line else 0)
    running = start(harness, *[RangeWork(range=Range(at, at))] * n_times)
    (await harness.model.generation()).reply(answer(1, "new\n"))
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == result


async def test_a_secret_in_a_range_is_hidden_and_restored(
    harness: EditHarness,
) -> None:
    """No range shows the model what it must not see."""
    secret = 'API_KEY = "sk-' + "a1B2c3D4e5F6g7H8i9J0" * 2 + '"\n'
    harness.editor.open("one\n\n" + secret)
    running = start(harness, lines(0, 1), lines(2, 3))
    generation = await harness.model.generation()
    assert "a1B2c3" not in generation.prompt
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    hidden = task.target.splitlines(keepends=True)[-2]
    generation.reply(answer(1, "ONE\n") + answer(2, "# the key\n" + hidden))
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "ONE\n\n# the key\n" + secret


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([lines(2 * n, 2 * n + 1) for n in range(MAX_RANGES + 1)], "51 ranges"),
        ([lines(0, 1), lines(MAX_SPAN, MAX_SPAN + 1)], "5,001 lines"),
    ],
)
async def test_what_is_too_much_is_refused(
    harness: EditHarness, ranges: list[RangeWork], words: str
) -> None:
    """At once, with the limit; no session is left."""
    harness.editor.open("x\n" * (MAX_SPAN + 10))
    with pytest.raises(InvalidArgumentsError, match=f"{words}.*Nothing was changed"):
        start(harness, *ranges)
    assert harness.edits.sessions == ()


async def test_every_range_needs_an_instruction(harness: EditHarness) -> None:
    """Of its own, or one for all."""
    harness.editor.open(TEXT)
    with pytest.raises(InvalidArgumentsError, match="instruction is empty"):
        start(harness, lines(0, 1, "do it"), lines(5, 6), instruction=" ")


async def test_a_part_of_a_file_is_routed_by_its_ranges(harness: EditHarness) -> None:
    """Code between two ranges does not send an edit to a higher tier."""
    harness.tiers.models["standard"] = better = FakeModel(label="better")
    between = "def login(password, token):\n    return check_password(password)\n"
    harness.editor.open("a = 1\n" + between * 40 + "b = 2\n")
    start(harness, lines(0, 1), lines(81, 82), instruction="Rename it to c.")
    await harness.model.generation()
    assert better.n_running == 0
    assert URI in harness.editor.documents
