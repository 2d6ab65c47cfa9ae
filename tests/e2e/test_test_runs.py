"""The user's own tests, run from the editor: lenses, diagnostics, and a debug."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
from tests.e2e.conftest import OpenPlanning, Serve, Start
from tests.e2e.debug_session import FIX, PRICE, TEST, debug_script, write_project
from tests.e2e.editor_document import Json, place, span
from tests.e2e.plan_session import Planning, start_planning
from tests.e2e.scripted_model import ScriptedModel

pytestmark = pytest.mark.asyncio(loop_scope="session")

PYTEST = [
    sys.executable, "-m", "pytest", "-q", "--disable-plugin-autoload",
    "-p", "no:cacheprovider", "{test}",
]  # fmt: skip
ENDS = ("passed", "failed", "error", "timeout", "cancelled")
MORE = TEST + "\n\ndef test_none():\n    assert euros(0) == 0\n"
PATH = "tests/test_price.py"
NAME = "tests/test_price.py::test_euros"
SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)", "pytest", "{test}"]


class Testing(Planning):
    """What a test does in a project with tests."""

    __test__ = False

    async def lenses(self) -> list[Json]:
        """Return the lenses of the tests."""
        asked = {"textDocument": {"uri": self.uri(PATH)}}
        request = self.editor.ask("textDocument/codeLens", asked)
        found: list[Json] = await self.editor.result(request)
        return [one["command"] | one["range"]["start"] for one in found]

    async def run_tests(self, **arguments: object) -> Json:
        """Run tests, and wait for the end."""
        after = len(self.editor.heard)
        given = {"uri": self.uri(PATH), **arguments}
        started = await self.editor.run_now("redline.runTests", given)
        return await self.ended(started["runId"], after=after)

    async def ended(self, run_id: str, *, after: int = 0, state: str = "") -> Json:
        """Wait for the end of a run, or for a state."""

        def is_it(message: Json) -> bool:
            if message.get("method") != "redline/tests":
                return False
            run = message["params"]
            wanted = (state,) if state else ENDS
            return run["runId"] == run_id and run["state"] in wanted

        message = await self.editor.hear(is_it, after=after)
        params: Json = message["params"]
        return params

    async def actions(self, line: int, *diagnostics: Json, only: str) -> list[Json]:
        """Return the entries of the menu at a line."""
        at = place(line)
        asked = {
            "textDocument": {"uri": self.uri(PATH)},
            "range": {"start": at, "end": at},
            "context": {"diagnostics": diagnostics, "only": [only]},
        }
        request = self.editor.ask("textDocument/codeAction", asked)
        found: list[Json] = await self.editor.result(request)
        return found

    def shown(self, path: str) -> list[Json]:
        """Return the diagnostics that are shown in a file."""
        said = [
            one["params"]["diagnostics"]
            for one in self.editor.heard
            if one.get("method") == "textDocument/publishDiagnostics"
            and one["params"]["uri"] == self.uri(path)
        ]
        return said[-1] if said else []


Project = Callable[..., Awaitable[Testing]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a test that fails."""
    folder = tmp_path / "shop"
    write_project(folder)
    (folder / PATH).write_text(MORE, encoding="utf-8")
    return folder


@pytest.fixture
def project(open_planning: OpenPlanning, serve: Serve, folder: Path) -> Project:
    """Open the project, which is trusted, in a server that tests share."""

    async def project(
        model: ScriptedModel | None = None,
        *,
        command: list[str] = PYTEST,
        trusted: bool = True,
        where: str = "copy",
    ) -> Testing:
        opened = await open_planning(
            folder,
            model or await serve(debug_script()),
            is_trusted=trusted,
            test=settings_of_tests(command, where=where),
        )
        here = Testing(opened.redline, folder)
        here.open(PATH)
        return here

    return project


def settings_of_tests(command: list[str], *, where: str = "copy") -> Json:
    return {"command": command, "timeout_s": 60, "where": where}


async def test_a_failing_test_is_shown_and_debugged(
    project: Project, serve: Serve
) -> None:
    """From the lens to the fix that was proved; the mark follows and goes."""
    model = await serve(debug_script())
    here = await project(model)
    lenses = await here.lenses()
    assert [(one["line"], one["title"]) for one in lenses] == [
        (0, "Run all 2 tests"),
        (3, "Run test"),
        (7, "Run test"),
    ]
    (arguments,) = lenses[1]["arguments"]
    assert arguments == {"uri": here.uri(PATH), "test": NAME}
    failed = await here.run_tests(**arguments)
    assert (failed["state"], failed["failed"]) == ("failed", [NAME])
    (failure,) = failed["failures"]
    assert failure["uri"] == here.uri(PATH)
    (shown,) = here.shown(PATH)
    assert (shown["source"], shown["severity"]) == ("redline-test", 1)
    assert shown["range"]["start"] == place(4, 4)
    assert "assert 25.0 == 2.5" in shown["message"]
    # The user's files are as they were, without caches.
    assert not list(here.folder.rglob("__pycache__"))
    assert [one["title"] for one in await here.lenses()] == [
        "Run all 2 tests", "Run test", "Debug failure", "Run test",
    ]  # fmt: skip
    (debug,) = [
        one
        for one in await here.actions(4, shown, only="quickfix")
        if one["title"] == "Debug this failure"
    ]
    assert debug["diagnostics"] == [shown]
    (arguments,) = debug["command"]["arguments"]
    started = await here.editor.run_now("redline.debug", arguments)
    ready = await here.settled(started["planId"])
    assert (ready["state"], ready["proved"]) == ("ready", "green"), ready["message"]
    # A line above moves the mark; a change of its line removes it.
    here.editor.type(here.uri(PATH), span((0, 0), (0, 0)), "# New.\n")
    here.editor.type(here.uri(PATH), span((5, 11), (5, 11)), "int")
    await here.lenses()
    assert here.shown(PATH) == []


async def test_an_unsaved_fix_is_what_runs(project: Project) -> None:
    """All tests of the file; the failures of the earlier run go."""
    here = await project()
    failed = await here.run_tests()
    assert failed["failed"] == [NAME]
    assert failed["title"] == "2 tests of tests/test_price.py"
    assert len(here.shown(PATH)) == 1
    here.open("shop/price.py")
    here.editor.replace_all(here.uri("shop/price.py"), FIX)
    passed = await here.run_tests(position=place(4))
    assert (passed["state"], passed["tests"]) == ("passed", [NAME])
    assert here.shown(PATH) == []
    assert (here.folder / "shop/price.py").read_text(encoding="utf-8") == PRICE
    listed = await here.editor.run_now("redline.testRuns", {})
    *_, first, second = listed["runs"]
    assert (first["runId"], first["state"]) == (failed["runId"], "failed")
    assert (second["runId"], second["state"]) == (passed["runId"], "passed")
    run_id = {"runId": passed["runId"]}
    said = await here.editor.run_now("redline.testOutput", run_id)
    assert "1 passed" in said["output"]


async def test_in_the_workspace_itself(project: Project) -> None:
    """`test.where` = "workspace": as it is saved; a debug is not proved."""
    code = "from pathlib import Path; Path('ran').touch()"
    command = [sys.executable, "-c", code, "pytest", "{test}"]
    here = await project(command=command, where="workspace")
    passed = await here.run_tests(test=NAME)
    assert passed["state"] == "passed"
    assert (here.folder / "ran").exists()


async def test_a_run_is_cancelled(start: Start, serve: Serve, folder: Path) -> None:
    """Also one that waits for its turn. The last one runs when the server ends."""
    config = folder.parent / "config.toml"
    config.write_text(f"[trust]\nworkspaces = {[str(folder)]}\n", encoding="utf-8")
    opened = await start_planning(
        partial(start, "--config", str(config)),
        folder,
        await serve(debug_script()),
        test=settings_of_tests(SLEEPER),
    )
    here = Testing(opened.redline, folder)
    here.open(PATH)
    run = {"uri": here.uri(PATH)}
    first = await here.editor.run_now("redline.runTests", run)
    second = await here.editor.run_now("redline.runTests", run)
    await here.ended(first["runId"], state="running")
    done = await here.editor.run_now("redline.cancelTests", {})
    assert done["cancelled"]
    for one in (first, second):
        assert (await here.ended(one["runId"]))["state"] == "cancelled"
    assert not (await here.editor.run_now("redline.cancelTests", {}))["cancelled"]
    # The next one has its turn.
    third = await here.editor.run_now("redline.runTests", run)
    await here.ended(third["runId"], state="running")


@pytest.mark.parametrize(
    ("arranged", "reason"),
    [
        ({"trusted": False}, "not in `trust.workspaces`"),
        ({"command": []}, "No `test.command` is configured"),
        ({"command": ["go", "test", "-run", "{test}"]}, "collects no tests from"),
    ],
)
async def test_tests_that_cannot_be_run(
    project: Project, arranged: Json, reason: str
) -> None:
    """There is no lens and no action, and the command says why."""
    here = await project(**arranged)
    assert await here.lenses() == []
    (written,) = await here.actions(4, only="redline.tests")
    assert written["title"] == "Write tests with Redline"
    request = here.editor.run("redline.runTests", {"uri": here.uri(PATH)})
    assert reason in (await here.editor.error(request))["message"]


async def test_tests_that_a_link_leads_to_are_not_run(
    project: Project, folder: Path, tmp_path: Path
) -> None:
    """The link is in a trusted folder, and what it leads to is not."""
    write_project(tmp_path / "other")
    (folder / "inner").symlink_to(tmp_path / "other")
    here = await project()
    linked = f"inner/{PATH}"
    here.open(linked)
    request = here.editor.run("redline.runTests", {"uri": here.uri(linked)})
    error = await here.editor.error(request)
    assert error["message"].startswith(f"No test was found in {linked}")


async def test_wrong_names_and_failed_commands(project: Project) -> None:
    """Each with what to do; the menu has the same as the lenses."""
    here = await project(command=[sys.executable, "-c", "1/0", "pytest", "{test}"])
    for arguments, reason in (
        ({"test": "-p evil"}, "There is no test '-p evil'"),
        ({"position": place(0)}, "no test around line 1"),
    ):
        given = {"uri": here.uri(PATH), **arguments}
        request = here.editor.run("redline.runTests", given)
        assert reason in (await here.editor.error(request))["message"]
    request = here.editor.run("redline.testOutput", {"runId": "x"})
    assert "no test run 'x'" in (await here.editor.error(request))["message"]
    request = here.editor.run("redline.debug", {"failure": "x:0"})
    assert "no test run 'x'" in (await here.editor.error(request))["message"]
    titles = [one["title"] for one in await here.actions(4, only="redline.tests")]
    assert titles[:2] == ["Run this test", "Run the tests of this file"]
    ended = await here.run_tests()
    assert ended["state"] == "error"
    assert "ZeroDivisionError" in ended["message"]
