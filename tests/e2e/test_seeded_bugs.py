"""Twelve seeded bugs, each with a test that fails: right fixes are proved, wrong ones
are not."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Struct
from tests.e2e.conftest import Serve, Start
from tests.e2e.debug_session import debug_answer
from tests.e2e.editor_document import Json
from tests.e2e.plan_session import Planning, plan_script, plan_settings, planning, step

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Bug(Struct, frozen=True):
    """A function that is wrong, two fixes of its body, and its test."""

    head: str
    body: str
    right: str
    wrong: str
    test: str

    @property
    def name(self) -> str:
        return self.head.partition("(")[0]

    def text(self, body: str) -> str:
        return f"def {self.head}:\n    {body}\n"


BUGS = (
    Bug(
        "last(items)", "return items[len(items)]", "return items[-1]",
        "return items[0]", "self.assertEqual(last([1, 2]), 2)",
    ),
    Bug(
        "add(item, items=[])", "return items.append(item) or items",
        "return [*items, item]", "items.append(item); return items",
        "add(1); self.assertEqual(add(2), [2])",
    ),
    Bug(
        "euros(cents)", "return cents // 100", "return cents / 100",
        "return cents % 100", "self.assertEqual(euros(250), 2.5)",
    ),
    Bug(
        "stock(shelf, name)", "return shelf[name]", "return shelf.get(name, 0)",
        "return shelf.get(name)", "self.assertEqual(stock({}, 'tea'), 0)",
    ),
    Bug(
        "mean(a, b)", "return a + b / 2", "return (a + b) / 2", "return a / 2 + b",
        "self.assertEqual(mean(2, 4), 3)",
    ),
    Bug(
        "is_adult(age)", "return age > 18", "return age >= 18", "return age < 18",
        "self.assertTrue(is_adult(18))",
    ),
    Bug(
        "stem(name)", "return name.strip('.py')", "return name.removesuffix('.py')",
        "return name.rstrip('.py')", "self.assertEqual(stem('happy.py'), 'happy')",
    ),
    Bug(
        "adders()", "return [lambda x: x + n for n in range(3)]",
        "return [lambda x, n=n: x + n for n in range(3)]",
        "return [lambda x: x + n for n in range(4)]",
        "self.assertEqual([one(0) for one in adders()], [0, 1, 2])",
    ),
    Bug(
        "largest(items)", "return items.sort()", "return max(items)",
        "return sorted(items)", "self.assertEqual(largest([1, 3, 2]), 3)",
    ),
    Bug(
        "is_leap(year)", "return year % 4 == 0",
        "return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
        "return year % 4 == 0 or year % 400 == 0", "self.assertFalse(is_leap(1900))",
    ),
    Bug(
        "merged(a, b)", "return a.update(b) or a", "return {**a, **b}",
        "a |= b; return a",
        "one = {'x': 1}; merged(one, {'y': 2}); self.assertEqual(one, {'x': 1})",
    ),
    Bug(
        "depth(node)", "return 1 + depth(node)",
        "return 1 + depth(node[0]) if node else 0", "return depth(node) + 1",
        "self.assertEqual(depth([[[]]]), 2)",
    ),
)  # fmt: skip
COMMAND = [sys.executable, "-m", "unittest", "{test}"]


def write_bugs(folder: Path) -> None:
    """Write each function and its test into a file of its own."""
    for place in ("bugs", "tests"):
        (folder / place).mkdir(parents=True)
        (folder / place / "__init__.py").touch()
    for bug in BUGS:
        name = bug.name
        (folder / "bugs" / f"{name}.py").write_text(bug.text(bug.body))
        (folder / "tests" / f"test_{name}.py").write_text(
            f"import unittest\n\nfrom bugs.{name} import {name}\n\n\n"
            f"class Case(unittest.TestCase):\n    def test_{name}(self):\n"
            f"        {bug.test}\n"
        )


def failing(folder: Path, bug: Bug) -> str:
    """Run the test of a bug; return its output."""
    command = (*COMMAND[:-1], f"tests.test_{bug.name}")
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert run.returncode == 1
    return run.stderr


def fixing(*, is_right: bool) -> Script:
    """Return what the models say to all bugs."""
    replies = {
        f"Fix {bug.name}.": bug.text(bug.right if is_right else bug.wrong)
        for bug in BUGS
    }
    rules = [
        ScriptRule(
            when=When(schema="redline_debug", contains=f"in test_{bug.name}\n"),
            reply=ScriptReply(
                text=debug_answer(
                    evidence=[{"file": f"bugs/{bug.name}.py", "quote": bug.body}],
                    steps=[
                        step(
                            file=f"bugs/{bug.name}.py",
                            where={"symbol": bug.name},
                            instruction=f"Fix {bug.name}.",
                        )
                    ],
                ),
                chunk_chars=200,
            ),
        )
        for bug in BUGS
    ]
    return plan_script(replies=replies, more=tuple(rules))


async def test_right_fixes_are_proved_and_wrong_ones_are_not(
    start: Start, serve: Serve, tmp_path: Path
) -> None:
    """Red before; green after a right fix, red after a wrong one, which is held."""
    folder = tmp_path / "shop"
    write_bugs(folder)
    outputs = [await asyncio.to_thread(failing, folder, bug) for bug in BUGS]
    model = await serve(fixing(is_right=True))
    config = tmp_path / "config.toml"
    config.write_text(f"[trust]\nworkspaces = {json.dumps([str(folder)])}\n")
    redline = await start(
        "--config",
        str(config),
        options=plan_settings(
            model, tmp_path / "kept" / "plans.sqlite3", test={"command": COMMAND}
        ),
        capabilities=planning(),
        workspaceFolders=[{"uri": folder.as_uri(), "name": "shop"}],
    )
    redline.says_paths = True
    here = Planning(redline, folder)

    async def debugged(output: str) -> Json:
        started = await here.editor.run_now("redline.debug", {"text": output})
        return await here.settled(started["planId"])

    for is_right, expected in ((True, ("ready", "green")), (False, ("held", "red"))):
        model.say(fixing(is_right=is_right))
        for bug, output in zip(BUGS, outputs, strict=True):
            found = await debugged(output)
            assert (found["state"], found["proved"]) == expected, (
                bug.name,
                found["message"],
            )
            assert "not proved" in found["message"] or is_right
    for bug in BUGS:
        text = (folder / "bugs" / f"{bug.name}.py").read_text()
        assert text == bug.text(bug.body)
