"""An edit from its instruction to the document, where nothing goes wrong."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.fake_editor import URI, Applied, FakeEditor, never, take

from redline.assist.edit.session.result import EditRequest, Mode
from redline.assist.edit.session.states import State
from redline.errors import (
    HeldBackError,
    InvalidArgumentsError,
    PromptTooLongError,
    UnknownDocumentError,
    UnknownSessionError,
)
from redline.models.interface import Usage
from redline.prompts.edit import EditTask, read_edit_task
from redline.text.position import Position, Range

TEXT = "import os\n\n\ndef f(x):\n    return x\n\n\nprint(f(1))\n"
F = "def f(x):\n    return x\n"
TYPED = "def f(x: int) -> int:\n    return x\n"


async def test_an_edit_is_applied(harness: EditHarness) -> None:
    """One versioned edit with the changed lines only, then the answer."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5, "Add types.")
    generation = await harness.model.generation()
    generation.write("def f(x: int)", " -> int:\n    ret", "urn x")
    generation.finish(usage=Usage(output_n_tokens=12))
    result = await running.result()
    assert result.outcome == "applied"
    assert result.session_id == running.id
    assert result.checks == ()
    assert result.usage == Usage(output_n_tokens=12)
    assert harness.editor.text() == TEXT.replace(F, TYPED)
    (asked,) = harness.editor.asked
    assert (asked.uri, asked.version, asked.label) == (URI, 1, "Redline: Add types.")
    assert [edit.new_text for edit in asked.edits] == ["def f(x: int) -> int:\n"]
    assert harness.states[running.id] == [
        State.GENERATING,
        State.CHECKING,
        State.APPLYING,
        State.APPLIED,
    ]
    assert harness.edits.sessions == ()


async def test_the_prompt_holds_the_task(harness: EditHarness) -> None:
    """The range, what is around it, its name in the workspace; nothing else."""
    harness.workspace.roots = ("file:///project",)
    harness.editor.open(TEXT.replace("\n", "\r\n"))
    harness.edit_lines(3, 5, "Add types.")
    generation = await harness.model.generation()
    assert read_edit_task(generation.request.prompt) == EditTask(
        instruction="Add types.",
        path="app.py",
        language="python",
        before="import os\n\n\n",
        target=F,
        after="\n\nprint(f(1))\n",
        draft=None,
        reply_format="rewrite",
        is_whole_file=True,
    )
    assert generation.request.cache_key == "key"
    assert generation.request.kind == "edit"
    assert generation.request.previous is None


async def test_long_ranges_are_edited_by_blocks(harness: EditHarness) -> None:
    """Above the setting's number of lines, and only there."""
    harness.configure(edit={"rewrite_lines": 2})
    harness.editor.open("a = 1\nb = 2\nc = 3\n")
    running = harness.edit_lines(0, 3)
    generation = await harness.model.generation()
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    assert task.reply_format == "search-replace"
    generation.reply("<<<<<<< SEARCH\nb = 2\n=======\nb = 20\n>>>>>>> REPLACE\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "a = 1\nb = 20\nc = 3\n"
    harness.edit_lines(0, 2)
    task = read_edit_task((await harness.model.generation(1)).request.prompt)
    assert task is not None
    assert task.reply_format == "rewrite"


async def test_no_more_context_than_the_budget(harness: EditHarness) -> None:
    """The prompt says that it shows a part of the file."""
    harness.configure(edit={"context_tokens": 4})
    harness.editor.open("a = 1\n" * 50)
    harness.edit_lines(20, 21)
    task = read_edit_task((await harness.model.generation()).request.prompt)
    assert task is not None
    assert task.before == "a = 1\n"
    assert task.after == "a = 1\n"
    assert not task.is_whole_file


@pytest.mark.parametrize(
    ("text", "selection", "reply", "expected"),
    [
        # Parts of lines are widened to whole ones.
        ("ab\ncd\nef\n", (1, 4), "AB\nCD\n", "AB\nCD\nef\n"),
        # An empty range is a place for new lines, wherever it is.
        ("ab\ncd\n", (3, 3), "new\n", "ab\nnew\ncd\n"),
        ("ab\ncd\n", (1, 1), "new\n", "ab\nnew\ncd\n"),
        ("ab\ncd", (5, 5), "new\n", "ab\ncd\nnew"),
        ("", (0, 0), "new\n", "new\n"),
        # A document that does not end with a line end still does not.
        ("ab\ncd", (3, 5), "CD\n", "ab\nCD"),
        ("ab", (0, 2), "one\ntwo\n", "one\ntwo"),
        # New lines end like the others.
        ("ab\r\ncd\r\n", (0, 2), "one\ntwo\n", "one\r\ntwo\r\ncd\r\n"),
        ("ab\rcd\r", (0, 2), "one\ntwo\n", "one\rtwo\rcd\r"),
        ("ab\r\ncd", (3, 6), "one\ntwo\n", "ab\r\none\r\ntwo"),
        # Lines that stay keep their own ends, new ones take that of the line before.
        ("a\nb\r\nc\r\n", (0, 7), "a\nnew\nb\nc\n", "a\nnew\nb\r\nc\r\n"),
        # Form feed and U+2028 are no line ends.
        ("a\x0cb\u2028c\nd\n", (0, 5), "a\x0cB\u2028c\n", "a\x0cB\u2028c\nd\n"),
        # Characters outside the basic plane.
        (
            "x = '\U0001f600'\ny\n",
            (0, 1),
            "x = '\U0001f601'\n",
            "x = '\U0001f601'\ny\n",
        ),
        # Several places at once; and a deletion of the last line.
        ("a\nb\nc\nd\n", (0, 8), "A\nb\nc\nD\n", "A\nb\nc\nD\n"),
        ("a\nb", (0, 3), "a\n", "a"),
    ],
)
async def test_texts(
    harness: EditHarness,
    text: str,
    selection: tuple[int, int],
    reply: str,
    expected: str,
) -> None:
    """The range is replaced whole, with any line ends in the document."""
    harness.editor.open(text)
    running = harness.edit(*selection)
    (await harness.model.generation()).reply(reply)
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == expected


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (F, "The model changed nothing."),
        ("NO CHANGE: it has types already", "it has types already"),
        ("NO CHANGE:", "The model changed nothing."),
    ],
)
async def test_nothing_to_change(
    harness: EditHarness, reply: str, message: str
) -> None:
    """The document is not touched, and the answer says why."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    (await harness.model.generation()).reply(reply)
    result = await running.result()
    assert (result.outcome, result.message) == ("unchanged", message)
    assert harness.editor.asked == []


async def test_an_empty_reply_deletes_only_on_request(harness: EditHarness) -> None:
    """Otherwise it is a problem, and the range stays."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5, "Add types.")
    (await harness.model.generation()).reply("")
    result = await running.result()
    assert result.outcome == "held"
    assert [check.rule for check in result.checks] == ["reply"]
    assert harness.editor.text() == TEXT
    running = harness.edit_lines(3, 5, "Delete this function.")
    (await harness.model.generation(1)).reply("")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == TEXT.replace(F, "")


async def test_an_elision_is_held(harness: EditHarness) -> None:
    """It is not applied; the answer says what is wrong and where."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    (await harness.model.generation()).reply(
        "def g(x):\n    # ... rest unchanged ...\n"
    )
    result = await running.result()
    assert result.outcome == "held"
    assert [(check.rule, check.line) for check in result.checks] == [("elision", 1)]
    assert result.message is not None
    assert result.message.startswith("Held back: ")
    assert harness.editor.text() == TEXT
    assert harness.editor.progress[0].ends != []


async def test_a_held_edit_can_still_be_accepted(harness: EditHarness) -> None:
    """Also in a client without a preview: the person judges."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    (await harness.model.generation()).reply(
        "def g(x):\n    # ... rest unchanged ...\n"
    )
    assert (await running.result()).outcome == "held"
    answered = await harness.accept(running.id, None)
    assert (answered.state, answered.remaining) == ("accepted", 0)
    assert "def g(x):" in harness.editor.text()


async def test_a_reply_cut_by_the_output_limit_is_held(harness: EditHarness) -> None:
    """What came is not the whole range."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    generation = await harness.model.generation()
    generation.write("def f(x: int):\n")
    generation.finish("length")
    result = await running.result()
    assert result.outcome == "held"
    assert "output limit" in result.checks[0].message
    assert harness.editor.text() == TEXT


async def test_independent_ranges_run_side_by_side(harness: EditHarness) -> None:
    """Each is applied at its place, whichever is ready first."""
    harness.editor.open("a = 1\nb = 2\nc = 3\nd = 4\n")
    harness.editor.open("z = 0\n", uri="file:///project/other.py")
    edits = [
        harness.edit_lines(0, 1),
        harness.edit_lines(2, 3),
        harness.edit_lines(3, 3),
        harness.edit_lines(0, 1, uri="file:///project/other.py"),
    ]
    replies = ["a = 1\na2 = 1\n", "c = 30\n", "new = 0\n", "z = 26\n"]
    for n in (2, 0, 3, 1):
        (await harness.model.generation(n)).reply(replies[n])
    for running in edits:
        assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "a = 1\na2 = 1\nb = 2\nc = 30\nnew = 0\nd = 4\n"
    assert harness.editor.text("file:///project/other.py") == "z = 26\n"


async def test_the_tier_and_its_reasons_are_told(harness: EditHarness) -> None:
    """Why this tier, and what stands in for it."""
    harness.tiers.note = "No deep model is configured."
    harness.editor.open(TEXT)
    running = harness.edit(0, 1, tier="deep")
    (await harness.model.generation()).reply("NO CHANGE:")
    result = await running.result()
    assert result.tier == "deep"
    assert result.reasons[0] == "You asked for deep."
    assert result.reasons[-1] == "No deep model is configured."


async def test_an_instruction_names_its_tier(harness: EditHarness) -> None:
    """By a tag, which is not sent to the model; so does a redirect."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit(0, 1, "Add types. #deep", tier="fast")
    generation = await harness.model.generation()
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    assert task.instruction == "Add types."
    generation.reply("NO CHANGE:")
    assert (await running.result()).tier == "deep"
    other = harness.edit(0, 1, "Add types.")
    await harness.model.generation(1)
    await harness.edits.redirects.redirect(other.session, "#standard Add docstrings.")
    generation = await harness.model.generation(2)
    assert other.session.instruction == "Add docstrings."
    generation.reply("NO CHANGE:")
    assert (await other.result()).tier == "standard"


async def test_progress_is_shown_from_start_to_end(harness: EditHarness) -> None:
    """With the instruction's first line, and closed with how it came out."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5, "\n  Add types" + " and more" * 20 + "\nNow.")
    (progress,) = harness.editor.progress
    assert progress.title == "Redline"
    assert progress.message == ("Add types" + " and more" * 20)[:60]
    (await harness.model.generation()).reply(TYPED)
    await running.result()
    assert progress.ends == ["Applied."]


@pytest.mark.parametrize("instruction", ["", "  \n\t", "\u2028"])
async def test_no_instruction(harness: EditHarness, instruction: str) -> None:
    """Refused before anything begins."""
    harness.editor.open(TEXT)
    with pytest.raises(InvalidArgumentsError):
        harness.edit(0, 1, instruction)
    assert harness.edits.sessions == ()
    assert harness.editor.progress == []


async def test_a_name_in_use(harness: EditHarness) -> None:
    """Refused, and the session that has it goes on; later it can be used again."""
    harness.editor.open(TEXT)
    running = harness.edit(13, 30, session_id="mine")
    with pytest.raises(InvalidArgumentsError, match="sessionId"):
        harness.edit(0, 1, session_id="mine")
    (await harness.model.generation()).reply("NO CHANGE:")
    assert (await running.result()).outcome == "unchanged"
    harness.edit(0, 1, session_id="mine")


async def test_an_unknown_document(harness: EditHarness) -> None:
    """Refused; the message names the file without its folder."""
    request = EditRequest(
        session_id="x",
        uri="file:///project/secret/other.py",
        range=Range(Position(0, 0), Position(0, 0)),
        instruction="Do it.",
    )
    with pytest.raises(UnknownDocumentError, match=r"^'other\.py' is not open"):
        harness.edits.open(request)
    assert harness.edits.sessions == ()


async def test_held_back_files_are_not_sent(harness: EditHarness) -> None:
    """To a model; the rules engine, which is none and is here, may work on them."""
    uri = "file:///project/.env"
    harness.editor.open("KEY=1\n", uri=uri)
    running = harness.edit(0, 1, uri=uri)
    with pytest.raises(HeldBackError, match=r"^\.env is not sent to a model"):
        await running.result()
    assert running.session.state is State.FAILED
    assert harness.model.generations == []
    harness.model.is_model = False
    running = harness.edit(0, 1, uri=uri)
    (await harness.model.generation()).reply("NO CHANGE:")
    assert (await running.result()).outcome == "unchanged"


async def test_sessions_are_found_while_they_last(harness: EditHarness) -> None:
    """By their id, and not after their end."""
    harness.editor.open(TEXT)
    running = harness.edit(0, 1)
    assert harness.edits.session(running.id) is running.session
    assert harness.edits.sessions == (running.session,)
    assert harness.edits.stop(session_id=running.id) == [running.id]
    with pytest.raises(UnknownSessionError):
        harness.edits.session(running.id)
    await running.result()


async def test_timing(harness: EditHarness) -> None:
    """In seconds after the request was read, and only of what happened."""
    harness.editor.open(TEXT)
    running = harness.edit(0, 1)
    assert harness.edits.stop() == [running.id]
    timing = (await running.result()).timing
    assert (timing.sent_s, timing.first_delta_s) == (None, None)
    assert timing.ended_s is not None
    assert timing.ended_s >= 0


async def test_a_prompt_that_is_too_long_is_shortened_once(
    harness: EditHarness,
) -> None:
    """The model has learnt its window from the refusal."""
    harness.editor.open("x = 1\n" * 4_000)
    harness.configure(edit={"context_tokens": 40_000})
    running = harness.edit_lines(2_000, 2_001)
    refused = await harness.model.generation()
    harness.model.context_tokens = 4_000
    refused.fail(PromptTooLongError("The request is too long."))
    again = await harness.model.generation(1)
    assert len(again.prompt) < len(refused.prompt) / 4
    again.reply("x = 2\n")
    assert (await running.result()).outcome == "applied"


async def test_a_prompt_that_stays_too_long_is_reported(harness: EditHarness) -> None:
    """With the model's own sentence."""
    harness.editor.open("x = 1\n")
    running = harness.edit_lines(0, 1)
    refused = await harness.model.generation()
    refused.fail(PromptTooLongError("The request is too long."))
    with pytest.raises(PromptTooLongError):
        await running.result()


async def test_the_lines_of_an_edit(harness: EditHarness) -> None:
    """They follow the text, and are free again once the edit is over."""
    harness.editor.open("a = 1\nb = 2\nc = 3\nd = 4\n")
    uri = URI
    running = harness.edit_lines(1, 3)
    generation = await harness.model.generation()
    covered = [harness.edits.covers(uri, line) for line in range(4)]
    assert covered == [False, True, True, False]
    assert not harness.edits.covers("file:///other.py", 1)
    generation.reply("b = 20\nc = 3\n")
    await running.result()
    assert not harness.edits.covers(uri, 1)


async def test_an_edit_is_taken_back_while_its_document_is_closed(
    harness: EditHarness,
) -> None:
    """The command is answered: its text was restored before."""

    async def take_and_close(editor: FakeEditor, asked: Applied) -> bool:
        await take(editor, asked)
        editor.close()
        return True

    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    (await harness.model.generation()).reply("x = 2\n")
    assert (await running.result()).outcome == "applied"
    harness.editor.take_edit = take_and_close
    await harness.edits.take_back(running.id)
    with pytest.raises(UnknownSessionError):
        await harness.edits.take_back(running.id)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("apply", ["end", "stream"])
async def test_lines_after_a_last_line_without_an_end_are_taken_back(
    harness: EditHarness, apply: Mode, end: str
) -> None:
    """With the line end that they needed, also while the user types above."""
    harness.editor.open(f"a = 1{end}b = 2")
    running = harness.edit_lines(2, 2, apply=apply)
    generation = await harness.model.generation()
    generation.write("c = 3\n", "d = 4\n")
    await harness.idle()
    harness.editor.type("a = 1", "# ")
    generation.finish()
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == f"# a = 1{end}b = 2{end}c = 3{end}d = 4"
    await harness.edits.take_back(running.id)
    assert harness.editor.text() == f"# a = 1{end}b = 2"


async def test_a_redirect_while_another_edit_is_on_its_way(
    harness: EditHarness,
) -> None:
    """What waits for that edit is not applied; the new text is."""
    harness.editor.open(TEXT)
    harness.editor.take_edit = never
    first = harness.edit_lines(0, 1)
    (await harness.model.generation()).reply("import sys\n")
    second = harness.edit_lines(3, 5)
    (await harness.model.generation(1)).reply(TYPED)
    await harness.idle()
    redirecting = asyncio.create_task(
        harness.edits.redirects.redirect(second.session, "Otherwise.")
    )
    await harness.idle()
    harness.editor.take_edit = take
    await take(harness.editor, harness.editor.asked[0])
    (await harness.model.generation(2)).reply("def f(x):\n    return 2 * x\n")
    assert (await redirecting).is_accepted
    assert (await first.result()).outcome == "applied"
    assert (await second.result()).outcome == "applied"
    text = TEXT.replace("import os", "import sys").replace("return x", "return 2 * x")
    assert harness.editor.text() == text


async def test_observers_hear_of_a_start_when_the_request_is_sent(
    harness: EditHarness,
) -> None:
    """They never delay it; a stop before it is reported all the same."""
    heard: list[tuple[State, int]] = []
    harness.observers.append(
        lambda session: heard.append((session.state, len(harness.model.generations)))
    )
    harness.editor.open("one\ntwo\n")
    running = harness.edit_lines(0, 1)
    (await harness.model.generation()).reply("ONE\n")
    await running.result()
    assert heard[0] == (State.GENERATING, 1)
    heard.clear()
    stopped = harness.edit_lines(0, 1)
    harness.edits.stop()
    await stopped.result()
    assert heard == [(State.STOPPED, 1)]
