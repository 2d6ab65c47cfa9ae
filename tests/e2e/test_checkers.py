"""Edits that the user's own type checkers and linters judge."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.conftest import Serve, Shared, Start
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import KEY, Redline, settings_for
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.test_mending import saying

from redline.settings.check_settings import ChecksSettings

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIMIT_S = 60
"""A busy machine needs more than the default."""

OLD = "def size(name: str) -> int:\n    return len(name)\n"
BAD = 'def size(name: str) -> int:\n    return name + "!"\n'
GOOD = "def size(name: str) -> int:\n    return 2 * len(name)\n"
OLD_ERROR = "\n\ndef old() -> int:\n    return ''\n"
MYPY = [sys.executable, "-m", "mypy", "--config-file=", "{file}"]

TOOL = """\
import os, sys
from pathlib import Path

Path(LOG).open("a").write(os.environ.get("E2E_KEY", "no key") + os.getcwd() + "\\n")
path = sys.argv[1]
for number, line in enumerate(Path(path).read_text().splitlines(), 1):
    if "!" in line:
        print(f"{path}:{number}:1: error: no shouting")
        if HANGS:
            import time
            time.sleep(600)
"""

Project = Callable[..., Awaitable[Redline]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace folder with a file that has an error already."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "a.py").write_text(OLD + OLD_ERROR)
    return folder


@pytest_asyncio.fixture(loop_scope="session")
async def project(shared: Shared, serve: Serve, folder: Path) -> AsyncIterator[Project]:
    """Open the folder for a user who has a checker, and a file of it."""
    async with AsyncExitStack() as stack:

        async def project(
            *replies: str,
            command: list[str],
            timeout_s: float = LIMIT_S,
            trusted: bool = True,
            repair: bool = True,
            language: str = "python",
            name: str = "a.py",
        ) -> Redline:
            settings = settings_with(
                await serve(saying(*replies)),
                {"command": command, "languages": [language], "timeout_s": timeout_s},
                repair=repair,
            )
            there = shared.in_folder(folder, settings, is_trusted=trusted)
            redline = await stack.enter_async_context(there)
            text = (folder / name).read_text()
            redline.editor.open((folder / name).as_uri(), text, language=language)
            return redline

        yield project


def settings_with(model: ScriptedModel, checker: Json, *, repair: bool = True) -> Json:
    """Settings with a checker; beside it, the checks are those of the defaults."""
    defaults = ChecksSettings()
    checks = {"off": defaults.off, "escalate": defaults.escalate, "repair": repair}
    checks["commands"] = {"tool": checker}
    return settings_for(model, name="fast", checks=checks)


def tool(tmp_path: Path, *, hangs: bool = False) -> list[str]:
    """Write a checker that reports exclamation marks; return its command."""
    script = tmp_path / "tool.py"
    log = tmp_path / "log"
    script.write_text(f"LOG = {str(log)!r}\nHANGS = {hangs}\n{TOOL}")
    return [sys.executable, "-I", str(script), "{file}"]


async def edited(redline: Redline, folder: Path, name: str = "a.py") -> Json:
    """Edit the function; return the outcome."""
    uri = (folder / name).as_uri()
    edit = redline.editor.edit(uri, lines(0, 2), apply="end")
    outcome: Json = await redline.editor.result(edit)
    return outcome


async def test_a_type_error_goes_back_to_the_model(
    project: Project, folder: Path
) -> None:
    """By mypy; the error that the file had before does not count."""
    redline = await project(BAD, GOOD, command=MYPY)
    outcome = await edited(redline, folder)
    assert (outcome["outcome"], outcome["checks"]) == ("applied", [])
    assert any("(checker)" in reason for reason in outcome["reasons"])
    assert redline.editor.text((folder / "a.py").as_uri()) == GOOD + OLD_ERROR
    # The user's folder is as it was, without caches.
    assert os.listdir(folder) == ["a.py"]


async def test_a_type_error_of_typescript_is_held(
    project: Project, folder: Path
) -> None:
    """With the sentence of tsc."""
    tsc = Path(__file__).parents[2] / "editors/vscode/node_modules/typescript/bin/tsc"
    (folder / "a.ts").write_text("export function f(): number {\n  return 1;\n}\n")
    bad = 'export function f(): number {\n  return "ab".slice(1);\n}\n'
    redline = await project(
        bad,
        command=["node", str(tsc), "--noEmit", "{file}"],
        repair=False,
        language="typescript",
        name="a.ts",
    )
    uri = (folder / "a.ts").as_uri()
    edit = redline.editor.edit(uri, lines(0, 3), apply="end")
    outcome = await redline.editor.result(edit)
    assert outcome["outcome"] == "held", outcome["reasons"]
    (problem,) = outcome["checks"]
    assert (problem["rule"], problem["line"]) == ("checker", 1)
    assert problem["message"].startswith("tool: TS2322: Type 'string' is not")


@pytest.mark.parametrize("apply", ["end", "stream"])
async def test_it_reads_lines_after_a_last_line_without_an_end(
    project: Project, folder: Path, tmp_path: Path, apply: str
) -> None:
    """As lines of their own, also after the first of them are in the document."""
    (folder / "a.py").write_text("a = 1\nb = 2  # A comment!")
    reply = "c = 3\nd = 4  # Another one!\n"
    redline = await project(reply, command=tool(tmp_path), repair=False)
    uri = (folder / "a.py").as_uri()
    edit = redline.editor.edit(uri, lines(2, 2), apply=apply)
    outcome = await redline.editor.result(edit)
    assert outcome["outcome"] == ("held" if apply == "end" else "applied")
    assert not [one for one in outcome["reasons"] if one.startswith("Not checked")]
    assert [(one["message"], one["line"]) for one in outcome["checks"]] == [
        ("tool: no shouting", 1)
    ]


async def test_it_runs_in_a_copy_without_keys(
    start: Start, serve: Serve, folder: Path, tmp_path: Path
) -> None:
    """On the original once, and on each edit; the copy is deleted at the end."""
    config = tmp_path / "config.toml"
    config.write_text(f"[trust]\nworkspaces = {json.dumps([str(folder)])}\n")
    checker = {"command": tool(tmp_path), "languages": ["python"], "timeout_s": LIMIT_S}
    redline = await start(
        "--config",
        str(config),
        options=settings_with(await serve(saying(BAD, BAD)), checker),
        workspaceFolders=[{"uri": folder.as_uri(), "name": "shop"}],
    )
    await redline.editor.hear_method("redline/status")
    redline.editor.open((folder / "a.py").as_uri(), OLD + OLD_ERROR)
    for _ in range(2):
        outcome = await edited(redline, folder)
        assert outcome["outcome"] == "held"
        (problem,) = outcome["checks"]
        assert problem["message"] == "tool: no shouting"
    runs = (tmp_path / "log").read_text().splitlines()
    # Each edit is repaired once.
    assert len(runs) == 1 + 4
    assert KEY not in "".join(runs)
    copies = {Path(run.removeprefix("no key")) for run in runs}
    (copy,) = copies
    assert copy.is_dir()
    assert folder not in (copy, *copy.parents)
    await redline.end()
    assert not copy.exists()


async def test_an_edit_does_not_wait_for_a_checker_that_hangs(
    project: Project, folder: Path, tmp_path: Path
) -> None:
    """It is offered as it is, and says so."""
    redline = await project(
        BAD, command=tool(tmp_path, hangs=True), timeout_s=0.5, repair=False
    )
    outcome = await edited(redline, folder)
    assert (outcome["outcome"], outcome["checks"]) == ("applied", [])
    assert "Not checked by tool: no answer in 0.5 s." in outcome["reasons"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["redline-no-such-tool"], "cannot be started: No such file or directory."),
        ([sys.executable, "-c", "exit('bad option')"], "with code 1: bad option."),
    ],
)
async def test_a_checker_that_does_not_work_is_named(
    project: Project, folder: Path, words: list[str], reason: str
) -> None:
    """One that is missing or has another error; nothing is held because of it."""
    redline = await project(BAD, command=words)
    outcome = await edited(redline, folder)
    assert outcome["outcome"] == "applied"
    (note,) = [one for one in outcome["reasons"] if one.startswith("Not checked by")]
    assert note.startswith("Not checked by tool: ")
    assert note.endswith(reason)


async def test_nothing_runs_in_a_folder_that_is_not_trusted(
    project: Project, folder: Path, tmp_path: Path
) -> None:
    """Also if the settings of the user or of the folder name a checker."""
    command = json.dumps(tool(tmp_path))
    (folder / "redline.toml").write_text(
        f'[checks.commands.own]\ncommand = {command}\nlanguages = ["python"]\n'
    )
    redline = await project(BAD, command=tool(tmp_path), trusted=False)
    outcome = await edited(redline, folder)
    assert outcome["outcome"] == "applied"
    assert not (tmp_path / "log").exists()


async def test_nothing_runs_on_a_file_that_a_link_leads_to(
    project: Project, folder: Path, tmp_path: Path
) -> None:
    """The link is in a trusted folder, and what it leads to is not."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.py").write_text(OLD)
    (folder / "inner").symlink_to(other)
    redline = await project(BAD, command=tool(tmp_path), name="inner/b.py")
    outcome = await edited(redline, folder, "inner/b.py")
    assert outcome["outcome"] == "applied"
    note = "Not checked by tool: it is a link out of the trusted folders."
    assert note in outcome["reasons"]
    assert not (tmp_path / "log").exists()


async def test_a_file_that_a_checker_runs_is_not_given_to_it(
    project: Project, folder: Path, tmp_path: Path
) -> None:
    """A model's text in it would be executed."""
    (folder / "eslint.config.js").write_text("export default [];\n\n")
    redline = await project(
        "export default [1];\n\n",
        command=tool(tmp_path),
        language="javascript",
        name="eslint.config.js",
    )
    outcome = await edited(redline, folder, "eslint.config.js")
    assert outcome["outcome"] == "applied"
    assert "Not checked by tool: it may run this file." in outcome["reasons"]
