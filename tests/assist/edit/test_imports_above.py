"""The imports that an edit needs: changes above its range, offered with the others."""

from __future__ import annotations

import asyncio
from textwrap import indent

import pytest
from tests.assist.conftest import EditHarness, RunningEdit

from redline.assist.edit.session.states import State
from redline.prompts.edit import read_edit_task

HEAD = "import os\nimport re\n\nx = os\n\n\n"
RANGE = "def f(a):\n    return re.escape(a)\n"
BETWEEN = "def g():\n    return x\n\n\n"
TEXT = HEAD + BETWEEN + RANGE + "\n\ny = 1\n"
NEW_RANGE = "def f(a):\n    return json.dumps(a)\n"
NEW = TEXT.replace(RANGE, NEW_RANGE).replace(
    "import os\nimport re", "import json\nimport os"
)
REPLY = f"import json\n\n\n{NEW_RANGE}"
FIRST, END = 10, 12


async def offered(harness: EditHarness) -> RunningEdit:
    """Offer a new range that needs one import, and another no more."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(FIRST, END, REPLY)
    assert harness.editor.shown(running.id) == NEW
    return running


def ids(harness: EditHarness, running: RunningEdit) -> list[int]:
    """Return the ids of the shown hunks, from the top."""
    hunks = harness.editor.previews[running.id].hunks.values()
    return [h.id for h in sorted(hunks, key=lambda h: h.edit.range.start)]


async def test_they_are_offered_once_the_edit_is_written(harness: EditHarness) -> None:
    """While it is written, they are shown nowhere; its range stays the same."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(FIRST, END)
    generation = await harness.model.generation()
    generation.write("import json\n\n\ndef f(a):\n    return json.dumps(a)\n")
    await harness.idle()
    shown = harness.editor.shown(running.id)
    assert "json.dumps" in shown
    assert "import json" not in shown
    assert harness.editor.previews[running.id].began.range.start.line == FIRST
    generation.reply("")
    assert (await running.result()).outcome == "offered"
    assert harness.editor.shown(running.id) == NEW
    assert running.session.edit_target.n_range_lines == END - FIRST
    await harness.accept(running.id, None)
    assert harness.editor.text() == NEW
    assert len(harness.editor.asked) == 1, "one undo step"
    await harness.edits.take_back(running.id)
    assert harness.editor.text() == TEXT


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_each_is_accepted_by_itself(
    harness: EditHarness, order: tuple[int, ...]
) -> None:
    """In any order; the others stay where they belong."""
    running = await offered(harness)
    shown = ids(harness, running)
    assert len(shown) == 3
    for at in order:
        await harness.accept(running.id, [shown[at]])
        assert harness.editor.text() != TEXT
        if not running.session.state.is_end:
            assert harness.editor.shown(running.id) == NEW
    assert harness.editor.text() == NEW
    await harness.edits.take_back(running.id)
    assert harness.editor.text() == TEXT


async def test_each_is_rejected_by_itself(harness: EditHarness) -> None:
    """The rest is what is accepted then."""
    running = await offered(harness)
    added, removed, _ = ids(harness, running)
    harness.edits.reject(running.id, [removed])
    await harness.accept(running.id, [added])
    await harness.accept(running.id, None)
    assert harness.editor.text() == NEW.replace("import os\n", "import os\nimport re\n")


async def test_typing_between_keeps_the_offer(harness: EditHarness) -> None:
    """Also another edit there, which does not take this one over."""
    running = await offered(harness)
    harness.editor.type("    return x", "    # Here.\n")
    await harness.idle()
    shown = NEW.replace("    return x", "    # Here.\n    return x")
    assert harness.editor.shown(running.id) == shown
    other = await harness.offer(6, 7, "def g() -> int:\n")
    assert running.session.state is State.OFFERED
    await harness.accept(other.id, None)
    await harness.idle()
    shown = shown.replace("def g():", "def g() -> int:")
    assert harness.editor.shown(running.id) == shown
    await harness.accept(running.id, None)
    assert harness.editor.text() == shown


async def test_typing_above_while_it_is_checked(harness: EditHarness) -> None:
    """The imports are placed in the text as it is then."""
    harness.preview()
    harness.editor.open(TEXT)
    harness.parser.may_work.clear()
    running = harness.edit_lines(FIRST, END)
    (await harness.model.generation()).reply(REPLY)
    await harness.idle()
    assert running.session.state is State.CHECKING
    harness.editor.type("import os", "# Mine.\n")
    harness.editor.type("import re", "# Typed.\n")
    harness.parser.may_work.set()
    assert (await running.result()).outcome == "offered"
    expected = NEW.replace("import os", "# Mine.\nimport os\n# Typed.")
    shown = harness.editor.shown(running.id)
    assert sorted(shown.splitlines()) == sorted(expected.splitlines())
    assert shown.index("import json") < shown.index("\ndef ")
    await harness.accept(running.id, None)
    assert harness.editor.text() == shown


async def test_an_import_that_the_user_adds_elsewhere_is_not_added_again(
    harness: EditHarness,
) -> None:
    """While it is checked; the other changes of imports stay."""
    harness.preview()
    harness.editor.open(TEXT)
    harness.parser.may_work.clear()
    running = harness.edit_lines(FIRST, END)
    (await harness.model.generation()).reply(REPLY)
    await harness.idle()
    harness.editor.type("x = os", "import json  # Mine.\n")
    harness.parser.may_work.set()
    assert (await running.result()).outcome == "offered"
    shown = harness.editor.shown(running.id)
    assert shown.count("import json") == 1
    assert "import re" not in shown


TWO_USES = (
    "import json\nimport os\n\n\ndef f(a):\n    return json.dumps(a)\n\n\n"
    "def g(a):\n    return os.getcwd()\n"
)
WITHOUT_JSON = "    return str(a)\n"
WITH_JSON = "    return json.loads(os.getcwd())\n"
BOTH_USE = TWO_USES.replace("    return json.dumps(a)\n", WITHOUT_JSON).replace(
    "    return os.getcwd()\n", WITH_JSON
)


@pytest.mark.parametrize("is_removed_first", [True, False])
async def test_an_import_that_another_offer_uses_stays(
    harness: EditHarness, *, is_removed_first: bool
) -> None:
    """Whichever of the two is accepted first."""
    harness.preview()
    harness.editor.open(TWO_USES)
    removing = await harness.offer(5, 6, WITHOUT_JSON)
    using = await harness.offer(9, 10, WITH_JSON)
    order = [removing, using] if is_removed_first else [using, removing]
    for each in order:
        await harness.accept(each.id, None)
    assert harness.editor.text() == BOTH_USE


async def test_an_import_that_another_edit_uses_stays(harness: EditHarness) -> None:
    """Both were checked at the same time, and are applied one after the other."""
    harness.editor.open(TWO_USES)
    removing = harness.edit_lines(5, 6)
    removed = await harness.model.generation()
    using = harness.edit_lines(9, 10)
    used = await harness.model.generation(1)
    harness.parser.may_work.clear()
    removed.reply(WITHOUT_JSON)
    used.reply(WITH_JSON)
    await harness.idle()
    harness.parser.may_work.set()
    for each in (removing, using):
        assert (await each.result()).outcome == "applied"
    assert harness.editor.text() == BOTH_USE


async def test_an_import_that_two_edits_add_is_added_once(harness: EditHarness) -> None:
    harness.editor.open(TWO_USES)
    edits = [harness.edit_lines(5, 6), harness.edit_lines(9, 10)]
    written = [await harness.model.generation(at) for at in (0, 1)]
    harness.parser.may_work.clear()
    written[0].reply("import re\n\n    return re.escape(json.dumps(a))\n")
    written[1].reply("import re\n\n    return re.escape(os.getcwd())\n")
    await harness.idle()
    harness.parser.may_work.set()
    for each in edits:
        assert (await each.result()).outcome == "applied"
    assert harness.editor.text().count("import re") == 1


@pytest.mark.parametrize("is_by_hand", [False, True])
async def test_imports_that_typing_leaves_no_place_for_are_named(
    harness: EditHarness, is_by_hand: bool
) -> None:
    """The edit is held, unless the user wrote the same import meanwhile."""
    harness.preview()
    head = "import re\n\n\n"
    harness.editor.open(head + RANGE)
    harness.parser.may_work.clear()
    running = harness.edit_lines(3, 5)
    (await harness.model.generation()).reply(REPLY)
    await harness.idle()
    assert running.session.state is State.CHECKING
    typed = "import json\n# Mine: " if is_by_hand else "# Mine: "
    harness.editor.type("import re", typed)
    harness.parser.may_work.set()
    result = await running.result()
    shown = harness.editor.shown(running.id)
    assert NEW_RANGE in shown
    if is_by_hand:
        assert result.outcome == "offered"
        assert shown.count("import json\n") == 1
        return
    assert "import json" not in shown
    assert result.outcome == "held"
    assert result.message == (
        "Held back: The imports above were changed meanwhile, so the edit does not add"
        " 'import json'; add it yourself, or run the edit again."
    )
    await harness.accept(running.id, None)
    assert harness.editor.text() == shown


async def test_a_redirect_is_of_the_range_alone(harness: EditHarness) -> None:
    """The model is not asked about the lines above it."""
    running = await offered(harness)
    first, *_ = ids(harness, running)
    await harness.accept(running.id, [first])
    redirect = asyncio.create_task(
        harness.edits.redirects.redirect(running.session, "Shorter.")
    )
    generation = await harness.model.generation(1)
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    assert (task.target, task.draft) == (RANGE, NEW_RANGE)
    assert (await redirect).is_accepted
    generation.reply("f = json.dumps\n")
    await harness.idle()
    expected = NEW.replace(NEW_RANGE, "f = json.dumps\n")
    assert harness.editor.shown(running.id) == expected
    await harness.accept(running.id, None)
    assert harness.editor.text() == expected


async def test_it_is_brought_back_with_its_imports(harness: EditHarness) -> None:
    """Also after a change between them and the range."""
    running = await offered(harness)
    harness.edits.reject(running.id, None)
    harness.editor.type("    return x", "    # Here.\n")
    again = await harness.bring_back()
    assert (await again.result()).outcome == "offered"
    expected = NEW.replace("    return x", "    # Here.\n    return x")
    assert harness.editor.shown(again.id) == expected


async def test_a_newer_edit_continues_from_the_range(harness: EditHarness) -> None:
    """Its draft has no line of what is above."""
    await offered(harness)
    harness.edit_lines(FIRST, END)
    task = read_edit_task((await harness.model.generation(1)).request.prompt)
    assert task is not None
    assert task.draft == NEW_RANGE


@pytest.mark.parametrize("apply", ["end", "stream"])
async def test_a_client_without_a_preview(harness: EditHarness, apply: str) -> None:
    """The document is changed as one edit, or the imports come last."""
    harness.configure(edit={"apply": apply})
    harness.editor.open(TEXT)
    running = harness.edit_lines(FIRST, END)
    (await harness.model.generation()).reply(REPLY)
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == NEW
    await harness.edits.take_back(running.id)
    assert harness.editor.text() == TEXT


async def test_an_edit_that_is_handed_over(harness: EditHarness) -> None:
    """All changes are in the answer."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(FIRST, END, apply="hand-over")
    (await harness.model.generation()).reply(REPLY)
    result = await running.result()
    assert (
        harness.editor.documents[running.session.request.uri].edited(result.edits)
        == NEW
    )


async def test_imports_without_a_place_stay_in_the_range(harness: EditHarness) -> None:
    """In a file that cannot be parsed, nothing above the range is changed."""
    harness.preview()
    text = "x = (\n\n\n" + RANGE
    harness.editor.open(text)
    running = await harness.offer(3, 5, REPLY)
    expected = f"x = (\n\n\nimport json\n\n{NEW_RANGE}"
    assert harness.editor.shown(running.id) == expected


async def test_imports_without_a_place_are_indented(harness: EditHarness) -> None:
    """They stand in front of the range's first line, as deep as that."""
    harness.preview()
    text = "x = (\n\nclass A:\n" + indent(RANGE, "    ")
    harness.editor.open(text)
    running = await harness.offer(3, 5, "import json\n\n\n" + indent(NEW_RANGE, "    "))
    expected = f"import json\n\n{NEW_RANGE}"
    assert harness.editor.shown(running.id) == (
        "x = (\n\nclass A:\n" + indent(expected, "    ")
    )


async def test_only_an_import_was_asked_for(harness: EditHarness) -> None:
    """It is offered although the range is the same."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(FIRST, END, f"import json\n\n\n{RANGE}")
    assert harness.editor.shown(running.id) == f"import json\n{TEXT}"


async def test_candidates_have_their_own(harness: EditHarness) -> None:
    """Each is shown with the imports that it needs."""
    harness.preview(candidates=2)
    harness.editor.open(TEXT)
    running = harness.edit_lines(FIRST, END)
    (await harness.model.generation(0)).reply(REPLY)
    (await harness.model.generation(1)).reply(RANGE.replace("(a)\n", "(a) or x\n"))
    assert (await running.result()).outcome == "offered"
    other = TEXT.replace("(a)\n", "(a) or x\n")
    seen = {harness.editor.shown(running.id)}
    harness.edits.next_candidate(running.id)
    await harness.idle()
    seen.add(harness.editor.shown(running.id))
    assert seen == {NEW, other}
