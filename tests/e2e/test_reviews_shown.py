"""How findings look in editors of all kinds: pulled, in lenses, menus and reports."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.assist.review.seeded_workspace import STOCK
from tests.e2e.conftest import Shared, Start, seeded, sharing
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.review_session import (
    FIXED_LINE,
    INDEX,
    INDEX_LINE,
    TITLES,
    Reviewing,
    reviewing,
    titles_of,
)
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import APPLY_EDIT, WireEditor

from redline.assist.review.change.reading import path_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

REPORT = "redline-review"

INDEX_AT = STOCK.split("\n").index(INDEX_LINE) + 1

PULLS = reviewing(
    textDocument={"diagnostic": {"dynamicRegistration": False}},
    workspace={"diagnostics": {"refreshSupport": True}},
)
"""Of a client that pulls diagnostics."""

SHOWS_MORE = reviewing(
    textDocument={"publishDiagnostics": {"relatedInformation": True}},
    workspace={"codeLens": {"refreshSupport": True}, "textDocumentContent": {}},
)
"""Of a client that refreshes lenses, shows related information and asks for content."""


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def shared_pulling(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Shared]:
    """The server of `pulling`."""
    folder = tmp_path_factory.mktemp("pulling")
    async with sharing(folder, PULLS, "models", "tiers") as shared:
        yield shared


@pytest_asyncio.fixture(loop_scope="session")
async def pulling(
    shared_pulling: Shared, reviewers: ScriptedModel, tmp_path: Path
) -> AsyncIterator[Reviewing]:
    """Like `here`, with a client that pulls diagnostics."""
    async with seeded(shared_pulling, reviewers, tmp_path) as here:
        yield here


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def shared_showing_more(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Shared]:
    """The server of `showing_more`."""
    folder = tmp_path_factory.mktemp("showing_more")
    async with sharing(folder, SHOWS_MORE, "models", "tiers") as shared:
        yield shared


@pytest_asyncio.fixture(loop_scope="session")
async def showing_more(
    shared_showing_more: Shared, reviewers: ScriptedModel, tmp_path: Path
) -> AsyncIterator[Reviewing]:
    """Like `here`, with a client that can show more than most."""
    async with seeded(shared_showing_more, reviewers, tmp_path) as here:
        yield here


async def menu(here: Reviewing, line: int, **context: Any) -> list[Json]:
    """The code actions in a line."""
    params = {
        "textDocument": {"uri": here.uri},
        "range": {
            "start": {"line": line, "character": 0},
            "end": {"line": line, "character": 0},
        },
        "context": {"diagnostics": [], **context},
    }
    asked = here.editor.ask("textDocument/codeAction", params)
    actions: list[Json] = await here.editor.result(asked)
    return actions


def named(actions: list[Json], begin: str) -> Json:
    """The one action whose title begins so."""
    (action,) = [one for one in actions if one["title"].startswith(begin)]
    return action


async def run(editor: WireEditor, action: Json) -> Any:
    """Choose an action that is a command."""
    command = action["command"]
    return await editor.run_now(command["command"], *command["arguments"])


async def test_the_menu_at_a_finding(here: Reviewing) -> None:
    """Apply, apply all, explain, dismiss and open; each is about its diagnostic."""
    await here.reviewed()
    found = await here.shown(TITLES)
    (diagnostic,) = [one for one in found if one["message"].startswith(INDEX)]
    at = here.line_of(INDEX_LINE)
    actions = await menu(here, at, diagnostics=[diagnostic])
    fix = named(actions, f"Apply fix: {INDEX}")
    assert (fix["kind"], fix["isPreferred"]) == ("quickfix", True)
    assert fix["diagnostics"] == [diagnostic]
    assert named(actions, "Apply all 2 fixes")["kind"] == "quickfix"
    assert len(actions) == 5
    elsewhere = await menu(here, 0)
    assert named(elsewhere, "Review this file")["kind"] == "redline.review"
    assert not [one for one in await menu(here, 0) if INDEX in one["title"]]
    only = await menu(here, at, only=["redline.review"])
    assert {one["kind"] for one in only} == {"redline.review"}
    dismissed = await run(here.editor, named(actions, f"Dismiss: {INDEX}"))
    assert dismissed["state"] == "dismissed"
    await here.shown(TITLES - {INDEX})


async def test_the_menu_at_several_findings(here: Reviewing) -> None:
    """What is about their whole review is there once."""
    await here.reviewed()
    await here.shown(TITLES)
    params = {
        "textDocument": {"uri": here.uri},
        "range": lines(0, len(STOCK.splitlines())),
        "context": {"diagnostics": []},
    }
    asked = here.editor.ask("textDocument/codeAction", params)
    titles = [one["title"] for one in await here.editor.result(asked)]
    explained = [title for title in titles if title.startswith("Explain: ")]
    assert len(explained) == len(TITLES) > 1
    assert titles.count("Open the report of this review") == 1
    assert titles.count("Apply all 2 fixes of this review") == 1


async def test_a_report_is_a_file_for_most_clients(here: Reviewing) -> None:
    """One that only the user can read; if it cannot be shown, its path is reported."""
    here.redline.says_paths = True
    review_id = await here.reviewed()
    shown = await here.editor.run_now("redline.openReport", {"reviewId": review_id})
    assert (await here.editor.hear_method("window/showDocument"))["uri"] == shown["uri"]
    file = path_of(shown["uri"])
    assert file is not None
    assert not shown["shown"]
    message = (await here.editor.hear_method("window/showMessage"))["message"]
    assert str(file) in message
    assert file.stat().st_mode & 0o077 == 0
    assert here.redline.home in file.parents
    text = await asyncio.to_thread(file.read_text)
    assert all(title in text for title in TITLES)
    assert f"[`stock.py:{INDEX_AT}`]({here.uri}#L{INDEX_AT})" in text


async def test_a_report_that_cannot_be_written_is_an_error(here: Reviewing) -> None:
    here.redline.says_paths = True
    review_id = await here.reviewed()
    first = await here.editor.run_now("redline.openReport", {"reviewId": review_id})
    file = path_of(first["uri"])
    assert file is not None
    shutil.rmtree(file.parent)
    file.parent.write_text("no folder")
    asked = here.editor.run("redline.openReport", {"reviewId": review_id})
    error = await here.editor.error(asked)
    assert error["code"] == -32803
    assert f"cannot be written to {file.parent}" in error["message"]
    file.parent.unlink()


async def test_an_action_applies_a_fix(here: Reviewing) -> None:
    """By its command, in clients of all kinds."""
    await here.reviewed()
    actions = await menu(here, here.line_of(INDEX_LINE))
    await run(here.editor, named(actions, "Apply fix"))
    assert here.editor.text(here.uri) == STOCK.replace(INDEX_LINE, FIXED_LINE)


async def test_selected_lines_are_offered_for_review(here: Reviewing) -> None:
    """With a selection, those lines."""
    here.open()
    params = {
        "textDocument": {"uri": here.uri},
        "range": lines(2, 4),
        "context": {"diagnostics": []},
    }
    asked = here.editor.ask("textDocument/codeAction", params)
    action = named(await here.editor.result(asked), "Review these lines")
    started = await run(here.editor, action)
    end = await here.ended(started["reviewId"])
    assert end["scope"] == "lines 3 to 4 of stock.py"


async def test_a_block_cursor_selects_nothing(here: Reviewing) -> None:
    """Editors whose cursor is a character are offered the file, too."""
    here.open()
    params = {
        "textDocument": {"uri": here.uri},
        "range": span((2, 0), (2, 1)),
        "context": {"diagnostics": []},
    }
    asked = here.editor.ask("textDocument/codeAction", params)
    named(await here.editor.result(asked), "Review this file")


async def test_a_lens_counts_the_findings(showing_more: Reviewing) -> None:
    """In the first line, and the client is notified when to ask again."""
    here = showing_more
    here.open()
    params = {"textDocument": {"uri": here.uri}}
    asked = here.editor.ask("textDocument/codeLens", params)
    assert await here.editor.result(asked) == []
    review_id = await here.review()
    await here.ended(review_id)
    await here.shown(TITLES)
    await here.editor.hear(lambda m: m.get("method") == "workspace/codeLens/refresh")
    asked = here.editor.ask("textDocument/codeLens", params)
    (lens,) = await here.editor.result(asked)
    assert lens["range"] == lines(0, 0)
    assert lens["command"]["title"] == "Redline: 3 findings (2 high, 1 medium)"
    assert lens["command"]["arguments"] == [{"reviewId": review_id}]


async def test_a_client_that_pulls_is_not_pushed_what_it_pulls(
    pulling: Reviewing,
) -> None:
    """It is asked to pull; findings of files that are not open are pushed."""
    here = pulling
    await here.ended(await here.review())
    await here.shown(TITLES)
    here.open()
    await here.published(lambda found: not found)
    pull: Json = {"textDocument": {"uri": here.uri}}
    report = await here.editor.result(here.editor.ask("textDocument/diagnostic", pull))
    assert report["kind"] == "full"
    assert titles_of(report["items"]) == TITLES
    again = {**pull, "previousResultId": report["resultId"]}
    same = await here.editor.result(here.editor.ask("textDocument/diagnostic", again))
    assert same == {"kind": "unchanged", "resultId": report["resultId"]}
    after = len(here.editor.heard)
    at = here.line_of(INDEX_LINE)
    here.editor.type(here.uri, lines(at, at + 1), "    return ''\n")
    await here.editor.hear(
        lambda m: m.get("method") == "workspace/diagnostic/refresh", after=after
    )
    less = await here.editor.result(here.editor.ask("textDocument/diagnostic", again))
    assert titles_of(less["items"]) == TITLES - {INDEX}
    here.editor.close_document(here.uri)
    await here.shown(TITLES)


async def test_a_file_that_is_read_again_is_pulled_anew(pulling: Reviewing) -> None:
    """Clients drop what they show of it, but keep the id of what they had."""
    here = pulling
    here.open()
    await here.ended(await here.review())
    pull: Json = {"textDocument": {"uri": here.uri}}
    first = await here.editor.result(here.editor.ask("textDocument/diagnostic", pull))
    assert titles_of(first["items"]) == TITLES
    here.editor.close_document(here.uri)
    here.open()
    again = {**pull, "previousResultId": first["resultId"]}
    report = await here.editor.result(here.editor.ask("textDocument/diagnostic", again))
    assert report["kind"] == "full"
    assert titles_of(report["items"]) == TITLES


async def test_a_diagnostic_says_what_was_verified(showing_more: Reviewing) -> None:
    """Where the client shows related information."""
    here = showing_more
    await here.reviewed()
    found = await here.published(
        lambda found: any("fix" in str(one["relatedInformation"]) for one in found)
    )
    for one in found:
        for said in one["relatedInformation"]:
            assert said["location"] == {"uri": here.uri, "range": one["range"]}
            assert said["message"].endswith(".")
        about_fix = [said for said in one["relatedInformation"] if "fix" in str(said)]
        assert len(about_fix) <= 1


async def test_files_that_are_not_open_are_fixed_too(here: Reviewing) -> None:
    """By an edit without a version: what is on disk counts."""

    def write(editor: WireEditor, request: Json) -> None:
        (part,) = request["params"]["edit"]["documentChanges"]
        assert part["textDocument"] == {"uri": here.uri, "version": None}
        here.file.write_text(STOCK.replace(INDEX_LINE, FIXED_LINE))
        editor.reply(request, {"applied": True})

    here.editor.take_edit = write
    await here.ended(await here.review())
    await here.shown(TITLES)
    finding = await here.finding(INDEX)
    await here.editor.run_now("redline.applyFix", {"findingId": finding["id"]})
    (applied,) = here.editor.all_of(APPLY_EDIT)
    (part,) = applied["edit"]["documentChanges"]
    assert [edit["newText"] for edit in part["edits"]] == [f"{FIXED_LINE}\n"]
    await here.shown(TITLES - {INDEX})


async def test_a_report_is_a_document_of_our_scheme(showing_more: Reviewing) -> None:
    """Where the client asks for its content; else it is a file."""
    here = showing_more
    editor = here.editor
    review_id = await here.reviewed()
    opened = await editor.run_now("redline.openReport", {"reviewId": review_id})
    uri = f"{REPORT}:/review/{review_id}/Review%20of%20all%20of%20stock.py.md"
    assert opened == {"uri": uri, "shown": False}
    assert (await editor.hear_method("window/showDocument"))["uri"] == uri
    asked = editor.ask("workspace/textDocumentContent", {"uri": uri})
    text = (await editor.result(asked))["text"]
    assert text.startswith("# Review of ")
    assert f"[`stock.py:{INDEX_AT}`](/stock.py#L{INDEX_AT})" in text
    assert all(title in text for title in TITLES)
    finding = await here.finding(INDEX)
    await editor.run_now("redline.openReport", {"findingId": finding["id"]})
    name = editor.all_of("window/showDocument")[-1]["uri"]
    assert name.startswith(f"{REPORT}:/finding/{finding['id']}/")
    assert name.endswith(f"{INDEX.split()[-1]}.md")
    asked = editor.ask("workspace/textDocumentContent", {"uri": name})
    one = (await editor.result(asked))["text"]
    assert INDEX in one
    assert "take the same goods" not in one
    await editor.run_now("redline.dismiss", {"findingId": finding["id"]})
    refreshed = await editor.hear_method("workspace/textDocumentContent/refresh")
    assert refreshed["uri"] in (uri, name)
    asked = editor.ask("workspace/textDocumentContent", {"uri": f"{REPORT}:/review/x"})
    assert "'x'" in (await editor.error(asked))["message"]


async def test_an_editor_that_knows_nothing_of_reviews(
    shared: Shared, reviewers: ScriptedModel, tmp_path: Path
) -> None:
    """It has diagnostics, and hears the outcome in a message."""
    async with seeded(shared, reviewers, tmp_path) as here:
        here.open()
        await here.review()
        message = await here.editor.hear_method("window/showMessage")
        assert message == {
            "type": 3,
            "message": "Redline: Review of all of stock.py: 3 findings.",
        }
        await here.shown(TITLES)
        assert here.editor.all_of("redline/review") == []


async def test_without_a_model_the_rules_review(start: Start, tmp_path: Path) -> None:
    """What is found is real, and it is said that no model took part."""
    folder = tmp_path / "project"
    folder.mkdir()
    redline = await start(
        capabilities=reviewing(),
        workspaceFolders=[{"uri": folder.as_uri(), "name": "project"}],
    )
    here = Reviewing(redline, folder)
    here.file.write_text("def f(items=[]):\n    return itmes\n")
    review_id = await here.review()
    end = await here.ended(review_id)
    assert end["state"] == "done"
    assert not end["hasModel"]
    found = await here.published(lambda found: found)
    assert any("itmes" in one["message"] for one in found)
