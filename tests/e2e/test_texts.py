"""Files as they really are: line ends, last lines, characters of every kind."""

from __future__ import annotations

import pytest
from tests.e2e.conftest import Start
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import CAPABILITIES

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/text.py"

# The file, the range, what the model says, the file afterwards.
CASES: dict[str, tuple[str, Json, str, str]] = {
    "CRLF": (
        "a = 1\r\nb = 2\r\nc = 3\r\n",
        lines(1, 2),
        "b = 20\nnew = 0\n",
        "a = 1\r\nb = 20\r\nnew = 0\r\nc = 3\r\n",
    ),
    "CR": ("a = 1\rb = 2\rc = 3\r", lines(1, 2), "b = 20\n", "a = 1\rb = 20\rc = 3\r"),
    "mixed line ends": (
        "a = 1\nb = 2\r\nc = 3\nd = 4\n",
        lines(0, 4),
        "a = 1\nb = 2\nc = 30\nd = 4\n",
        "a = 1\nb = 2\r\nc = 30\nd = 4\n",
    ),
    "no final newline": (
        "a = 1\nb = 2",
        span((1, 0), (1, 5)),
        "b = 20\n",
        "a = 1\nb = 20",
    ),
    "no final newline, CRLF": (
        "a = 1\r\nb = 2",
        span((0, 0), (1, 5)),
        "a = 10\nb = 20\n",
        "a = 10\r\nb = 20",
    ),
    "a file of one line": ("a = 1", span((0, 0), (0, 5)), "a = 10", "a = 10"),
    "an empty file": ("", span((0, 0), (0, 0)), "a = 1\nb = 2\n", "a = 1\nb = 2\n"),
    "only a newline": ("\n", span((0, 0), (0, 0)), "a = 1\n", "a = 1\n\n"),
    "an insertion at the start": (
        "a = 1\n",
        span((0, 0), (0, 0)),
        "import os\n",
        "import os\na = 1\n",
    ),
    "an insertion in the middle": (
        "a = 1\nb = 2\n",
        span((1, 0), (1, 0)),
        "x = 0\n",
        "a = 1\nx = 0\nb = 2\n",
    ),
    "an insertion after a line": (
        "a = 1\nb = 2\n",
        span((0, 3), (0, 3)),
        "x = 0\n",
        "a = 1\nx = 0\nb = 2\n",
    ),
    "an insertion at the end": (
        "a = 1\n",
        span((1, 0), (1, 0)),
        "b = 2\n",
        "a = 1\nb = 2\n",
    ),
    "an insertion at an open end": (
        "a = 1",
        span((0, 5), (0, 5)),
        "b = 2\n",
        "a = 1\nb = 2",
    ),
    "an insertion into CRLF": (
        "a = 1\r\nb = 2\r\n",
        span((1, 0), (1, 0)),
        "x = 0\ny = 0\n",
        "a = 1\r\nx = 0\r\ny = 0\r\nb = 2\r\n",
    ),
    "astral characters": (
        "s = '\U0001f600\U0001f600'\nt = '\U00010348' + s\nu = 1\n",
        span((1, 0), (1, 12)),
        "t = '\U00010348\U0001f680' + s\n",
        "s = '\U0001f600\U0001f600'\nt = '\U00010348\U0001f680' + s\nu = 1\n",
    ),
    "combining characters": (
        "e = 'e\u0301\u200d\u0644'\n",
        lines(0, 1),
        "e = 'e\u0301\u200d\u0644!'\n",
        "e = 'e\u0301\u200d\u0644!'\n",
    ),
    "form feed and U+2028": (
        "a = 1\x0c\nb = '\u2028\u0085'\nc = 3\n",
        lines(1, 2),
        "b = '\u2028\u0085!'\n",
        "a = 1\x0c\nb = '\u2028\u0085!'\nc = 3\n",
    ),
    "a form feed of its own": (
        "a = 1\n\x0c\nb = 2\n",
        lines(2, 3),
        "b = 20\n",
        "a = 1\n\x0c\nb = 20\n",
    ),
    "a range from mid-line to mid-line": (
        "a = 1\nb = 2\nc = 3\nd = 4\n",
        span((1, 3), (2, 1)),
        "b = 20\nc = 30\n",
        "a = 1\nb = 20\nc = 30\nd = 4\n",
    ),
    "tabs": ("if a:\n\tb = 1\n", lines(1, 2), "\tb = 10\n", "if a:\n\tb = 10\n"),
    "lost indentation": (
        "if a:\n    b = 1\n    c = 2\n",
        lines(1, 3),
        "b = 10\nc = 20\n",
        "if a:\n    b = 10\n    c = 20\n",
    ),
    "a fence and chatter around": (
        "a = 1\nb = 2\n",
        lines(0, 1),
        "Here is the code:\n\n```python\na = 10\n```\n",
        "a = 10\nb = 2\n",
    ),
    "a null character": ("a = '\0'\n", lines(0, 1), "a = '\0\0'\n", "a = '\0\0'\n"),
}


@pytest.mark.parametrize("apply", ["end", "preview"])
@pytest.mark.parametrize("case", CASES)
async def test_each_kind_of_text(
    redline: Redline, model: ScriptedModel, case: str, apply: str
) -> None:
    """Only what the model changed is changed, in the file's own manner."""
    text, where, reply, expected = CASES[case]
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(text=reply, chunk_chars=3)))
    editor.open(URI, text)
    edit = editor.edit(URI, where, sessionId="one", apply=apply)
    outcome = await editor.result(edit)
    if apply == "preview":
        assert outcome["outcome"] == "offered"
        await editor.run_now("redline.accept", {"sessionId": "one"})
    else:
        assert outcome["outcome"] == "applied"
    assert editor.text(URI) == expected


async def test_the_edit_is_no_larger_than_the_change(
    redline: Redline, model: ScriptedModel
) -> None:
    """Lines that stay are not in the edit: marks and cursors on them stay too."""
    editor = redline.editor
    rows = [f"a{number} = {number}\n" for number in range(100)]
    changed = [*rows[:50], "a50 = 'new'\n", *rows[51:]]
    model.say(Script(otherwise=ScriptReply(text="".join(changed))))
    editor.open(URI, "".join(rows))
    edit = editor.edit(URI, lines(0, 100), apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    (applied,) = editor.all_of("workspace/applyEdit")
    (change,) = applied["edit"]["documentChanges"][0]["edits"]
    assert change["range"] == lines(50, 51)


async def test_a_long_range_by_search_and_replace(
    redline: Redline, model: ScriptedModel
) -> None:
    """Beyond `edit.rewrite_lines` the model writes blocks instead of the whole."""
    editor = redline.editor
    rows = "".join(f"a{number} = {number}\n" for number in range(1_000))
    block = "<<<<<<< SEARCH\na7 = 7\n=======\na7 = 'x'\n>>>>>>> REPLACE\n"
    model.say(Script(otherwise=ScriptReply(text=block)))
    editor.open(URI, rows)
    edit = editor.edit(URI, lines(0, 1_000), apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert model.tasks[0].reply_format == "search-replace"
    assert editor.text(URI) == rows.replace("a7 = 7\n", "a7 = 'x'\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-32"])
async def test_other_position_encodings(
    start: Start, model: ScriptedModel, encoding: str
) -> None:
    """The client's first offer is what positions count, in both directions."""
    offers = {"positionEncodings": ["utf-7", encoding, "utf-16"]}
    capabilities = {**CAPABILITIES, "general": offers}
    redline = await start(model=model, capabilities=capabilities)
    editor = redline.editor
    assert editor.encoding == encoding
    text = "# \U0001f600\u00e9\na = '\U0001f600'\nb = '\u00e9\U0001f600'\n"
    model.say(Script(otherwise=ScriptReply(text="a = '\U0001f680'\n")))
    document = editor.open(URI, text)
    hold = model.hold("improve it", after=1)
    edit = editor.edit(URI, lines(1, 2), apply="end")
    await hold.reached()
    end_of_first = document.position(text.index("\n"))
    editor.type(URI, {"start": end_of_first, "end": end_of_first}, "\U0001f600")
    before_quote = editor.documents[URI].position(editor.text(URI).rindex("'"))
    editor.type(URI, {"start": before_quote, "end": before_quote}, "!\n")
    hold.release()
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == (
        "# \U0001f600\u00e9\U0001f600\na = '\U0001f680'\nb = '\u00e9\U0001f600!\n'\n"
    )


async def test_the_server_s_text_never_drifts(
    redline: Redline, model: ScriptedModel
) -> None:
    """After odd changes of every kind the model is shown what the editor has."""
    editor = redline.editor
    editor.open(URI, "\U0001f600a\r\nb\rc\n")
    for where, text in [
        (span((0, 2), (0, 3)), "\U00010348\u00e9"),
        (span((1, 1), (2, 0)), "\r\n"),
        (span((0, 0), (0, 2)), ""),
        (span((2, 0), (2, 1)), "x\u2028y\x0cz"),
        (span((0, 0), (0, 0)), "\n\n\r\r\n"),
    ]:
        editor.type(URI, where, text)
    end = editor.documents[URI].position(len(editor.text(URI)))
    await editor.result(editor.edit(URI, {"start": lines(0, 1)["start"], "end": end}))
    shown = editor.text(URI).replace("\r\n", "\n").replace("\r", "\n")
    assert model.tasks[0].target == shown
