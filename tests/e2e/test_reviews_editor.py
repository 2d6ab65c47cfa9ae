"""Deep reviews in an editor: findings while it streams, fixes, dismissals, restarts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.assist.review.answering_model import claim, findings, verdict
from tests.assist.review.git_project import GitProject
from tests.assist.review.seeded_workspace import STOCK
from tests.e2e.conftest import Begin, Shared, seeded
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.review_session import (
    FIXED_LINE,
    INDEX,
    INDEX_LINE,
    TITLES,
    Reviewing,
    titles_of,
)
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import APPLY_EDIT

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEFAULT = "The default list is shared by all calls"

REQUEST_FAILED, INVALID_PARAMS, CONTENT_MODIFIED = -32803, -32602, -32801


async def test_findings_are_shown_while_the_rest_still_streams(
    here: Reviewing, reviewers: ScriptedModel
) -> None:
    """As diagnostics; the refuted one goes; in the end the report has them."""
    hold = reviewers.hold_model("deep", after=60)
    here.open()
    review_id = await here.review()
    await hold.reached()
    early = await here.published(lambda found: found)
    assert titles_of(early) == {"Two threads take the same goods"}
    (race,) = early
    line = here.line_of("    if _levels.get(name, 0) >= n:")
    assert race["range"] == span((line, 4), (line + 1, 26))
    assert (race["severity"], race["source"], race["code"]) == (
        1,
        "redline",
        "concurrency",
    )
    assert race["message"].endswith("it goes wrong for some input.")
    assert race["data"]["reviewId"] == review_id
    (running,) = (await here.editor.run_now("redline.status", {}))["reviews"]
    assert (running["reviewId"], running["state"]) == (review_id, "reviewing")
    hold.release()
    end = await here.ended(review_id)
    assert (await here.editor.run_now("redline.status", {}))["reviews"] == []
    assert (end["state"], end["findings"], end["percentage"]) == ("done", 3, 100)
    assert end["hasModel"]
    found = await here.shown(TITLES)
    assert {one["severity"] for one in found} == {1, 2}
    states = [one["state"] for one in here.editor.all_of("redline/review")]
    assert list(dict.fromkeys(states)) == [
        "queued", "gathering", "reviewing", "verifying", "done",
    ]  # fmt: skip
    progress = [p["value"] for p in here.editor.all_of("$/progress")]
    assert progress[0]["kind"] == "begin"
    assert progress[0]["cancellable"]
    percentages = [p["percentage"] for p in progress if "percentage" in p]
    assert percentages == sorted(percentages)
    assert progress[-1]["kind"] == "end"
    assert "3 findings" in progress[-1]["message"]


async def test_a_fix_is_applied_where_the_lines_are_now_and_undone(
    here: Reviewing,
) -> None:
    """One versioned edit; the finding goes with it and comes back with the undo."""
    await here.reviewed()
    finding = await here.finding(INDEX)
    assert finding["fix"]
    here.editor.type(here.uri, lines(0, 0), "# new\n")
    here.editor.type(here.uri, lines(1, 1), "# newer\n")
    done = await here.editor.run_now("redline.applyFix", {"findingId": finding["id"]})
    assert done == {"applied": [finding["id"]], "refused": []}
    (applied,) = [m for m in here.editor.heard if m.get("method") == APPLY_EDIT]
    (change,) = applied["params"]["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": here.uri, "version": 3}
    assert here.editor.text(here.uri) == "# new\n# newer\n" + STOCK.replace(
        INDEX_LINE, FIXED_LINE
    )
    await here.shown(TITLES - {INDEX})
    assert (await here.finding(INDEX))["state"] == "fixed"
    at = here.line_of(FIXED_LINE)
    here.editor.type(here.uri, lines(at, at + 1), f"{INDEX_LINE}\n")
    back = await here.shown(TITLES)
    (index,) = [one for one in back if one["message"].startswith(INDEX)]
    assert index["range"]["start"]["line"] == at


async def test_what_is_undone_at_once_is_told_again(here: Reviewing) -> None:
    """Editors drop the diagnostics of a line that is replaced, for good."""
    await here.reviewed()
    after = len(here.editor.heard)
    at = here.line_of(INDEX_LINE)
    here.editor.type(here.uri, lines(at, at + 1), f"{FIXED_LINE}\n")
    here.editor.type(here.uri, lines(at, at + 1), f"{INDEX_LINE}\n")

    def is_told(message: Json) -> bool:
        params = message.get("params", {})
        return (
            message.get("method") == "textDocument/publishDiagnostics"
            and params.get("version") == 3
            and titles_of(params["diagnostics"]) == TITLES
        )

    await here.editor.hear(is_told, after=after)


async def test_all_fixes_of_a_review(here: Reviewing) -> None:
    """Those that do not fit any more say why."""
    review_id = await here.reviewed()
    done = await here.editor.run_now("redline.applyFix", {"reviewId": review_id})
    fixed = set(done["applied"])
    listed = await here.editor.run_now("redline.reviews", {"reviewId": review_id})
    with_fix = {o["id"] for o in listed["findings"] if "fix" in o}
    assert fixed == with_fix
    assert len(fixed) == 2
    assert done["refused"] == []
    assert FIXED_LINE in here.editor.text(here.uri)
    await here.shown({"Two threads take the same goods"})


async def test_a_fix_whose_lines_are_gone_is_refused(here: Reviewing) -> None:
    """With a message; nothing is sent to the editor."""
    await here.reviewed()
    finding = await here.finding(INDEX)
    at = here.line_of(INDEX_LINE)
    here.editor.type(here.uri, lines(at, at + 1), "    return ''\n")
    await here.shown(TITLES - {INDEX})
    asked = here.editor.run("redline.applyFix", {"findingId": finding["id"]})
    error = await here.editor.error(asked)
    assert error["code"] == CONTENT_MODIFIED
    assert "are gone" in error["message"]
    assert here.editor.all_of(APPLY_EDIT) == []
    race = await here.finding("Two threads take the same goods")
    asked = here.editor.run("redline.applyFix", {"findingId": race["id"]})
    error = await here.editor.error(asked)
    assert error["code"] == REQUEST_FAILED
    assert "no fix" in error["message"]


async def test_a_finding_moves_and_turns_stale(here: Reviewing) -> None:
    """It moves with its lines, and is not shown once they are others."""
    await here.reviewed()
    here.editor.type(here.uri, lines(0, 0), "\n\n")
    at = here.line_of(INDEX_LINE)
    moved = await here.published(
        lambda found: any(one["range"]["start"]["line"] == at for one in found)
    )
    assert titles_of(moved) == TITLES
    here.editor.type(here.uri, span((at, 4), (at, 10)), "yield")
    await here.shown(TITLES - {INDEX})
    assert (await here.finding(INDEX))["state"] == "stale"


async def test_what_a_restart_keeps(begin: Begin) -> None:
    """What is stale is looked for; what is dismissed stays away, also from a later
    review of the same code. A folder that comes later has its findings as if it had
    been there from the start, until it is removed."""
    here = await begin()
    await here.reviewed()
    dismissed = await here.finding(DEFAULT)
    done = await here.editor.run_now(
        "redline.dismiss",
        {"findingId": dismissed["id"], "reason": "The list is never changed."},
    )
    assert done == {"findingId": dismissed["id"], "state": "dismissed"}
    await here.shown(TITLES - {DEFAULT})
    at = here.line_of(INDEX_LINE)
    here.editor.type(here.uri, span((at, 4), (at, 10)), "yield")
    await here.shown(TITLES - {DEFAULT, INDEX})
    assert (await here.finding(INDEX))["state"] == "stale"
    await here.redline.end()
    again = await begin(is_in_folder=False)
    again.open()
    listed = await again.editor.run_now("redline.reviews", {})
    assert listed == {"reviews": [], "findings": []}
    folder = {"uri": again.folder.as_uri(), "name": "project"}
    again.redline.change_folders(added=[folder])
    await again.shown(TITLES - {DEFAULT})
    again.redline.change_folders(removed=[folder])
    await again.shown(set())
    again.redline.change_folders(added=[folder])
    await again.shown(TITLES - {DEFAULT})
    end = await again.ended(await again.review(uri=again.uri, force=True))
    assert (end["state"], end["findings"]) == ("done", 2)
    await again.shown(TITLES - {DEFAULT})


async def test_the_same_file_in_another_folder(here: Reviewing, tmp_path: Path) -> None:
    """By the same name, with the same text: it is another file."""
    await here.reviewed()
    other = tmp_path / "other folder"
    other.mkdir()
    (other / here.file.name).write_text(STOCK)
    change = {"uri": other.as_uri(), "name": "o"}
    here.redline.change_folders(added=[change])
    uri = (other / here.file.name).as_uri()
    end = await here.ended(await here.review(uri=uri))
    assert (end["state"], end["findings"], end["sameAs"]) == ("done", 3, None)
    listed = (await here.editor.run_now("redline.reviews", {}))["findings"]
    assert {one["uri"] for one in listed} == {here.uri, uri}
    assert len(listed) == 6
    here.redline.change_folders(removed=[change])


async def test_an_unchanged_text_costs_nothing(
    here: Reviewing, reviewers: ScriptedModel
) -> None:
    """The second review says so, and asks no model; a forced one does."""
    first = await here.reviewed()
    n_asked = reviewers.n("create")
    end = await here.ended(await here.review())
    assert (end["state"], end["sameAs"]) == ("done", first)
    assert end["message"]
    assert reviewers.n("create") == n_asked
    assert (await here.ended(await here.review(uri=here.uri, force=True)))[
        "sameAs"
    ] is None
    assert reviewers.n("create") > n_asked


@pytest.mark.parametrize("way", ["command", "progress"])
async def test_a_review_is_cancelled(
    here: Reviewing, reviewers: ScriptedModel, way: str
) -> None:
    """What was found stays; cancelling again says that it is over."""
    hold = reviewers.hold_model("deep", after=60)
    here.open()
    review_id = await here.review()
    await hold.reached()
    await here.published(lambda found: found)
    if way == "command":
        done = await here.editor.run_now(
            "redline.cancelReview", {"reviewId": review_id}
        )
        assert done == {"cancelled": True}
    else:
        progress = await here.editor.hear_method("$/progress")
        token = {"token": progress["token"]}
        here.editor.notify("window/workDoneProgress/cancel", token)
    assert (await here.ended(review_id))["state"] == "cancelled"
    hold.release()
    again = await here.editor.run_now("redline.cancelReview", {"reviewId": review_id})
    assert again == {"cancelled": False}
    await here.shown({"Two threads take the same goods"})


async def test_the_progress_of_a_review_ends_with_its_server(
    begin: Begin, reviewers: ScriptedModel
) -> None:
    """It says that the review continues at the next start."""
    here = await begin()
    hold = reviewers.hold_model("deep", after=60)
    here.open()
    await here.review()
    await hold.reached()
    await here.editor.hear_method("$/progress")
    await here.redline.end()
    last = here.editor.all_of("$/progress")[-1]["value"]
    assert last["kind"] == "end"
    assert "starts again" in last["message"]


async def test_a_killed_server_goes_on_where_it_was(
    begin: Begin, reviewers: ScriptedModel
) -> None:
    """Nothing is lost, and nothing is there twice."""
    here = await begin()
    hold = reviewers.hold_model("deep", after=60)
    here.open()
    review_id = await here.review()
    await hold.reached()
    await here.published(lambda found: found)
    await here.redline.kill()
    hold.release()
    again = await begin()
    again.open()
    end = await again.ended(review_id)
    assert (end["state"], end["findings"]) == ("done", 3)
    found = await again.shown(TITLES)
    assert len(found) == len(TITLES)


async def test_what_does_not_exist_is_said(here: Reviewing) -> None:
    """Each command names what is wrong."""
    wrong: list[tuple[str, Json, int, str]] = [
        ("redline.cancelReview", {"reviewId": "x"}, REQUEST_FAILED, "'x'"),
        ("redline.reviews", {"reviewId": "x"}, REQUEST_FAILED, "'x'"),
        ("redline.openReport", {"reviewId": "x"}, REQUEST_FAILED, "'x'"),
        ("redline.openReport", {"findingId": "y"}, REQUEST_FAILED, "'y'"),
        ("redline.openReport", {}, INVALID_PARAMS, "findingId"),
        ("redline.dismiss", {"findingId": "y"}, REQUEST_FAILED, "'y'"),
        ("redline.applyFix", {"findingId": "y"}, REQUEST_FAILED, "'y'"),
        ("redline.applyFix", {"reviewId": "x"}, REQUEST_FAILED, "'x'"),
        ("redline.applyFix", {}, INVALID_PARAMS, "reviewId"),
        ("redline.deepReview", {}, INVALID_PARAMS, "uri"),
        ("redline.deepReview", {"change": "main"}, INVALID_PARAMS, "two dots"),
        ("redline.deepReview", {"uri": "file:///other/a.py", "change": "staged"},
         INVALID_PARAMS, "folder"),
        ("redline.deepReview", {"uri": here.uri, "range": lines(0, 1),
                                "change": "staged"}, INVALID_PARAMS, "not both"),
    ]  # fmt: skip
    for command, arguments, code, word in wrong:
        error = await here.editor.error(here.editor.run(command, arguments))
        assert error["code"] == code, command
        assert word in error["message"]


async def test_what_names_no_file_is_said(
    here: Reviewing, reviewers: ScriptedModel
) -> None:
    """Also a document of that kind does not keep others from being reviewed."""
    GitProject(here.folder)
    here.editor.open("diff://[a/b", "x = 1\n")
    here.editor.open(f"{here.uri}%00", "x = 1\n")
    for arguments, word in (
        ({"uri": "diff://[a/c"}, "it is no file"),
        ({"uri": f"{here.uri}%00%00"}, "it is no file"),
        ({"uri": f"{here.uri}{'x' * 300}"}, "name too long"),
        ({"change": "a\0b.."}, "no commit"),
    ):
        end = await here.ended(await here.review(**arguments))
        assert end["state"] == "failed"
        assert word in end["message"]
    assert reviewers.n("create") == 0
    here.open()
    end = await here.ended(await here.review(uri=here.uri, range=lines(0, 2**64)))
    assert (end["state"], end["scope"]) == ("done", "all of stock.py")


@pytest.mark.parametrize("name", [".env", "gone.py"])
async def test_a_file_that_cannot_be_reviewed(
    here: Reviewing, reviewers: ScriptedModel, name: str
) -> None:
    """One that is denied, and one that is not there: the review fails and says why."""
    if name == ".env":
        (here.folder / name).write_text("TOKEN=1234\n")
    uri = (here.folder / name).as_uri()
    end = await here.ended(await here.review(uri=uri))
    assert end["state"] == "failed"
    assert name in end["message"]
    assert reviewers.n("create") == 0


async def test_selected_lines_are_reviewed(here: Reviewing) -> None:
    """Only what is found in them is shown."""
    here.open()
    at = here.line_of(INDEX_LINE)
    review_id = await here.review(uri=here.uri, range=lines(at, at + 1))
    end = await here.ended(review_id)
    assert (end["findings"], end["scope"]) == (1, f"line {at + 1} of stock.py")
    await here.shown({INDEX})


async def test_a_change_is_reviewed(here: Reviewing) -> None:
    """Only what is found in its lines is shown, also in what is not saved yet."""
    harmless = STOCK.replace(INDEX_LINE, "    return names[0]")
    project = GitProject(here.folder)
    project.commit(stock=harmless)
    here.editor.open(here.uri, STOCK)
    end = await here.ended(await here.review(change="workingTree"))
    assert (end["state"], end["findings"]) == ("done", 1), end["message"]
    assert end["scope"] == "the changes in the working tree"
    (index,) = await here.shown({INDEX})
    assert index["range"]["start"]["line"] == here.line_of(INDEX_LINE)
    # Nothing is staged, and nothing was committed since.
    for change in ("staged", "main..", "main...HEAD"):
        end = await here.ended(await here.review(change=change))
        assert (end["state"], end["findings"]) == ("done", 0)
        assert end["message"]
    end = await here.ended(await here.review(change="nowhere.."))
    assert end["state"] == "failed"
    assert "nowhere" in end["message"]


async def test_a_save_is_reviewed_if_the_setting_says_so(
    shared_reviewing: Shared, reviewers: ScriptedModel, tmp_path: Path
) -> None:
    """By the standard tier, without progress, and shown as any finding."""
    async with seeded(shared_reviewing, reviewers, tmp_path, on_save="hunks") as here:
        GitProject(here.folder).commit()
        found = [
            {
                **claim("    return names[1000]", "No list is that long"),
                "file": "stock.py",
            }
        ]
        upheld = When(model="standard", contains="uphold")
        rules = (
            ScriptRule(when=upheld, reply=ScriptReply(text=verdict("upheld"))),
            ScriptRule(
                when=When(model="standard"), reply=ScriptReply(text=findings(*found))
            ),
        )
        reviewers.say(Script(rules=rules))
        here.open()
        line = here.line_of(INDEX_LINE)
        here.editor.type(
            here.uri, span((line, 0), (line, len(INDEX_LINE))), "    return names[1000]"
        )
        here.file.write_text(here.editor.text(here.uri))
        saved = {"textDocument": {"uri": here.uri}}
        here.editor.notify("textDocument/didSave", saved)
        review = await here.editor.hear(
            lambda m: (
                m.get("method") == "redline/review" and m["params"]["state"] == "done"
            )
        )
        assert review["params"]["live"]
        assert review["params"]["scope"] == "what was saved in stock.py"
        (shown,) = await here.shown({"No list is that long"})
        assert shown["range"]["start"]["line"] == line
        assert not here.editor.all_of("$/progress")
