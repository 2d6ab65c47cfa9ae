"""Twenty changes over several files, each with a real test suite, and what models
answer: right, nearly right and wrong.

A file of `tests/data/plan_tasks` begins with the plan, in TOML; then come files and
replies, each below a line `-- NAME --`: `before/PATH` is a file of the project, and
`right/STEP`, `nearly/STEP` and `wrong/STEP` are replies to a step. A step without a
nearly right or wrong reply gets the right one.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from tests.e2e.editor_document import Json
from tests.e2e.plan_session import (
    Planning,
    plan_answer,
    plan_script,
    plan_settings,
    planning,
    step,
)
from tests.e2e.redline_session import ENVIRONMENT, KEY, start_redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import WireEditor

from redline.gateway.engines.script import Script
from redline.text.uri import uri_path

FOLDER = Path(__file__).parents[1] / "data" / "plan_tasks"
_PART = re.compile(r"^-- (.+) --\n", re.MULTILINE)

Language: TypeAlias = Literal["python", "typescript", "go"]
Variant: TypeAlias = Literal["right", "nearly", "wrong"]
VARIANTS: tuple[Variant, ...] = ("right", "nearly", "wrong")


class PlanTask(Struct, frozen=True):
    """A change of a small project."""

    name: str
    plan: Json
    before: Mapping[str, str]
    """The files of the project by path."""
    replies: Mapping[str, str]
    """By variant and id of the step: `right/s1`."""

    def reply(self, variant: Variant, step_id: str) -> str:
        """Return what a model says to a step."""
        return (
            self.replies.get(f"{variant}/{step_id}") or self.replies[f"right/{step_id}"]
        )

    def write(self, folder: Path) -> None:
        """Write the project."""
        for path, text in self.before.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")

    def is_untouched(self, folder: Path) -> bool:
        """Whether the files of the project are as they were written."""
        return all(
            (folder / path).read_text(encoding="utf-8") == text
            for path, text in self.before.items()
        )

    def script(self, variant: Variant) -> Script:
        """Return what the models say."""
        steps = [self._step(one) for one in self.plan["steps"]]
        contracts = [{"raises": [], **one} for one in self.plan["contracts"]]
        answer = plan_answer(
            steps,
            contracts=contracts,
            tests=self.plan["tests"],
            summary=self.plan["instruction"],
        )
        replies = {
            one["instruction"]: self.reply(variant, one["id"])
            for one in self.plan["steps"]
            if one.get("do") != "delete"
        }
        return plan_script(answer, replies=replies)

    def _step(self, given: Json) -> Json:
        fields = {name: value for name, value in given.items() if name != "symbol"}
        return step(**fields, where={"symbol": given.get("symbol")})


class TaskOutcome(Struct, frozen=True):
    """What became of a task."""

    state: str
    proved: str
    message: str
    passes: bool
    """Whether the tests of the project pass once it is applied."""
    planned: Sequence[Json]
    """What the planning alone took, by tier."""
    usage: Sequence[Json]
    problems: Sequence[Json] = ()
    """Those of its steps."""


def plan_tasks(language: Language) -> list[PlanTask]:
    """Read the tasks of a language."""
    return [_read(path) for path in sorted(FOLDER.glob(f"{language}_*.txt"))]


def _read(path: Path) -> PlanTask:
    plan, *parts = _PART.split(path.read_text(encoding="utf-8"))
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    return PlanTask(
        name=path.stem,
        plan=tomllib.loads(plan),
        before={
            name.removeprefix("before/"): text
            for name, text in texts.items()
            if name.startswith("before/")
        },
        replies=texts,
    )


def test_command(language: Language) -> list[str]:
    """Return the command that runs tests of a language."""
    if language == "python":
        return [sys.executable, "-m", "unittest", "{test}"]
    name = {"typescript": "node", "go": "go"}[language]
    program = shutil.which(name)
    assert program, f"{name} is not in PATH"
    if language == "typescript":
        return [program, "--test", "{file}"]
    return [program, "test", "-vet=off", "-run", "^{test}$", "./..."]


def check_outcomes(
    outcomes: Mapping[tuple[str, Variant], TaskOutcome], *, n_tasks: int
) -> None:
    """Check that right plans were applied and pass, and that all others are held."""
    assert len(outcomes) == n_tasks * len(VARIANTS)
    for (name, variant), outcome in outcomes.items():
        is_right = variant == "right"
        found = (outcome.state, outcome.passes)
        assert found == (("applied", True) if is_right else ("held", False)), (
            name,
            variant,
            outcome,
        )
        if variant == "wrong":
            # No check of code finds these.
            assert (outcome.proved, list(outcome.problems)) == ("red", []), name
        elif is_right:
            assert outcome.proved == "green", (name, outcome.message)


async def run_tasks(
    language: Language,
    folder: Path,
    *,
    variants: Sequence[Variant] = VARIANTS,
    runs_tests: bool = True,
) -> dict[tuple[str, Variant], TaskOutcome]:
    """Plan, run and, if it is ready, apply each task with the answers of each variant.

    Args:
        language: Whose tasks.
        folder: An empty folder.
        variants: The answers.
        runs_tests: Whether tests run: by the plan, and once it is applied.
    """
    tasks = [(task, one) for task in plan_tasks(language) for one in variants]
    places = [folder / f"{task.name}-{variant}" for task, variant in tasks]
    for (task, _), place in zip(tasks, places, strict=True):
        task.write(place)
    environment = dict(ENVIRONMENT)
    if language == "go":
        # One cache for all; without it, each run compiles the standard library.
        environment |= {"GOCACHE": str(folder / "go-cache"), "GOFLAGS": "-mod=mod"}
    config = folder / "config.toml"
    trusted = json.dumps([str(place) for place in places])
    config.write_text(f"[trust]\nworkspaces = {trusted}\n")
    model = ScriptedModel(Script(), token=KEY)
    await model.listen()
    redline = await start_redline(
        *("--config", str(config)),
        home=folder,
        capabilities=planning(),
        environment=environment,
    )
    redline.says_paths = True
    redline.editor.take_edit = write_edit
    command = test_command(language) if runs_tests else []
    await redline.editor.initialize(
        initializationOptions=plan_settings(
            model,
            folder / "plans.sqlite3",
            plan={"run_tests": runs_tests},
            test={"command": command},
        ),
        workspaceFolders=[
            {"uri": place.as_uri(), "name": place.name} for place in places
        ],
    )
    outcomes: dict[tuple[str, Variant], TaskOutcome] = {}
    for (task, variant), place in zip(tasks, places, strict=True):
        model.say(task.script(variant))
        planned, done = await _carried_out(Planning(redline, place), task)
        passes = False
        if done["state"] == "applied" and runs_tests:
            passes = await asyncio.to_thread(
                _passes, language, place, environment, task
            )
        elif done["state"] != "applied":
            assert task.is_untouched(place), (task.name, variant)
        outcomes[task.name, variant] = TaskOutcome(
            state=done["state"],
            proved=done["proved"],
            message=done["message"],
            passes=passes,
            planned=planned["usage"],
            usage=done["usage"],
            problems=[one for each in done["steps"] for one in each["problems"]],
        )
    await redline.editor.shut_down()
    await redline.process.gone()
    await model.aclose()
    return outcomes


async def _carried_out(here: Planning, task: PlanTask) -> tuple[Json, Json]:
    """Return the plan when it was planned, and at its end."""
    uri = here.uri(next(path for path in task.before if not path.endswith(".json")))
    instruction = task.plan["instruction"]
    plan_id = await here.plan(uri=uri, instruction=instruction)
    planned = await here.settled(plan_id)
    assert planned["state"] == "planned", (task.name, planned["message"])
    done = await here.run(plan_id)
    if done["state"] == "ready":
        await here.apply(plan_id)
        done = await here.state(plan_id)
    return planned, done


def _passes(
    language: Language, folder: Path, environment: Mapping[str, str], task: PlanTask
) -> bool:
    """Whether all tests of a project pass."""
    words = test_command(language)
    command = {
        "python": [*words[:-1], "discover"],
        "typescript": [*words[:-1], *task.plan["tests"]],
        "go": [words[0], "test", "-vet=off", "./..."],
    }[language]
    run = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )
    return run.returncode == 0


def write_edit(editor: WireEditor, request: Json) -> None:
    """Apply an edit as an editor does that opens no file and saves all."""
    for change in request["params"]["edit"]["documentChanges"]:
        match change.get("kind"):
            case "create":
                file = Path(uri_path(change["uri"]))
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
            case "rename":
                Path(uri_path(change["oldUri"])).rename(uri_path(change["newUri"]))
            case "delete":
                Path(uri_path(change["uri"])).unlink()
            case None:
                _write_edits(change)
    editor.reply(request, {"applied": True})


def _write_edits(change: Json) -> None:
    file = Path(uri_path(change["textDocument"]["uri"]))
    lines = file.read_text(encoding="utf-8").split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    offset = partial(_offset, starts)
    text = "\n".join(lines)
    for edit in reversed(change["edits"]):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    file.write_text(text, encoding="utf-8")


def _offset(starts: Sequence[int], position: Any) -> int:  # Any: LSP's JSON.
    """Return an offset; the lines that are edited begin at their first character."""
    return int(starts[position["line"]] + position["character"])
