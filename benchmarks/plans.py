"""`python -m benchmarks.plans`: how long the steps of a plan take side by side.

A plan of four steps in four files is run by a real server, whose models are scripted
and write each step in a known time: all steps at once, the longest step alone, and one
step after the other (`plan.parallel = 1`). It prints the times from the command to the
end of the last step, and the tokens of each tier. The times include what the server
does for each step: routing, prompts, checks and the store.

Then it carries out the right plans of `tests/data/plan_tasks`, and prints their tokens
by tier beside those of one deep model that writes everything: it is shown what the
planner is shown, and answers with the texts of all steps.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table
from tests.e2e.plan_session import (
    Planning,
    plan_answer,
    plan_script,
    plan_settings,
    planning,
    step,
)
from tests.e2e.plan_tasks import Language, plan_tasks, run_tasks
from tests.e2e.redline_session import KEY, start_redline
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When
from redline.prompts.tokens import TokenCounter

STEP_S = (1.0, 2.0, 3.0, 4.0)
"""How long the model writes each step."""

MAX_OVER_LONGEST = 1.15
_N_RUNS = 3
_TEXT = "def price(cents: int) -> float:\n    return cents / 10\n"
_NEW = _TEXT.replace("/ 10", "/ 100")
_NAMES = tuple(f"part{n}" for n in range(1, len(STEP_S) + 1))
_LONGEST = f"s{len(STEP_S)}"


def main() -> int:
    """Print the times; return 1 if four steps take too long."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> int:
    shop = folder / "shop"
    shop.mkdir()
    for name in _NAMES:
        (shop / f"{name}.py").write_text(_TEXT)
    model = ScriptedModel(_script(), token=KEY)
    await model.listen()
    try:
        side_by_side, tokens = await _times(model, folder, lanes=len(STEP_S))
        alone, _ = await _times(model, folder, lanes=len(STEP_S), steps=[_LONGEST])
        one_by_one, _ = await _times(model, folder, lanes=1)
    finally:
        await model.aclose()
    table = Table("four steps", "seconds, median", "to the longest step")
    longest = statistics.median(alone)
    for what, times in (
        ("side by side", side_by_side),
        ("the longest alone", alone),
        ("one by one", one_by_one),
    ):
        median = statistics.median(times)
        table.add_row(what, f"{median:.2f}", f"{median / longest:.3f}")
    console = Console(width=80)
    console.print(table)
    console.print("Output tokens of a plan and its run, by tier: " + tokens)
    console.print(await _tokens(folder))
    return int(statistics.median(side_by_side) > longest * MAX_OVER_LONGEST)


async def _times(
    model: ScriptedModel, folder: Path, *, lanes: int, steps: list[str] | None = None
) -> tuple[list[float], str]:
    """Run the plan some times; return the seconds and the tokens of the last run."""
    home = Path(tempfile.mkdtemp(dir=folder))
    redline = await start_redline(home=home, capabilities=planning())
    options = plan_settings(
        model,
        home / "plans.sqlite3",
        plan={"parallel": lanes},
        checks={"repair": False},
    )
    shop = folder / "shop"
    await redline.editor.initialize(
        initializationOptions=options,
        workspaceFolders=[{"uri": shop.as_uri(), "name": "shop"}],
    )
    redline.says_paths = True
    here = Planning(redline, shop)
    times: list[float] = []
    for _ in range(_N_RUNS):
        plan_id = await here.plan(uri=here.uri("part1.py"))
        await here.settled(plan_id)
        arguments = {"planId": plan_id} | ({"steps": steps} if steps else {})
        after = len(here.editor.heard)
        began = time.perf_counter()
        here.editor.run("redline.runPlan", arguments)
        await here.until(plan_id, lambda one: one["state"] == "joining", after=after)
        times.append(time.perf_counter() - began)
        ended = await here.settled(plan_id, after=after)
    await redline.end()
    tokens = ", ".join(f"{one['tier']} {one['outputTokens']}" for one in ended["usage"])
    return times, tokens


async def _tokens(folder: Path) -> Table:
    """Carry out all tasks; return a table of their tokens."""
    counter = TokenCounter()
    counter.load()
    plans: Counter[str] = Counter()
    one: Counter[str] = Counter()
    n_tasks = 0
    for language in get_args(Language):
        place = folder / language
        place.mkdir()
        outcomes = await run_tasks(
            language, place, variants=("right",), runs_tests=False
        )
        for task in plan_tasks(language):
            outcome = outcomes[task.name, "right"]
            assert outcome.state == "applied", (task.name, outcome)
            n_tasks += 1
            for use in outcome.usage:
                plans[f"{use['tier']} in"] += use["inputTokens"]
                plans[f"{use['tier']} out"] += use["outputTokens"]
            (planned,) = outcome.planned
            plans["planned in"] += planned["inputTokens"]
            plans["planned out"] += planned["outputTokens"]
            one["in"] += planned["inputTokens"]
            one["out"] += sum(
                counter.count(task.reply("right", step["id"]))
                for step in task.plan["steps"]
                if step.get("do") != "delete"
            )
    table = Table(f"tokens of {n_tasks} plans", "input", "output")
    for what, n_in, n_out in (
        ("deep tier: planning", plans["planned in"], plans["planned out"]),
        (
            "deep tier: review of the whole",
            plans["deep in"] - plans["planned in"],
            plans["deep out"] - plans["planned out"],
        ),
        ("fast tier: steps", plans["fast in"], plans["fast out"]),
        ("standard tier: steps", plans["standard in"], plans["standard out"]),
        ("one deep model, no review", one["in"], one["out"]),
    ):
        table.add_row(what, f"{n_in:,}", f"{n_out:,}")
    return table


def _script() -> Script:
    steps = [
        step(
            id=f"s{n}",
            file=f"{name}.py",
            where={"symbol": "price"},
            instruction=f"Correct {name}.",
        )
        for n, name in enumerate(_NAMES, start=1)
    ]
    paced = tuple(
        ScriptRule(
            when=When(instruction=f"Correct {name}."),
            reply=ScriptReply(text=_NEW, delay_s=seconds, chunk_chars=200),
        )
        for name, seconds in zip(_NAMES, STEP_S, strict=True)
    )
    return plan_script(plan_answer(steps, contracts=[]), more=paced)


if __name__ == "__main__":
    sys.exit(main())
