"""(v) Keystrokes while a plan of 20 steps runs, four of them at once.

The models of all tiers are a gateway process, which streams each step as fast as the
fastest models do. Times without and with a running plan alternate, plan by plan.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

import msgspec

from benchmarks.editor import ANSWER_LIMIT_S, Editor, editor
from benchmarks.figures import Budget, Figure, NotRunError, samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.scripted_gateway import TOKEN, scripted_gateway
from benchmarks.typist import Typist

_N_STEPS = 20
_N_PARALLEL = 4
_N_FUNCTION_LINES = 120
_TOKENS_PER_S = 1_000.0
"""Pace of each running step: that of the fastest models."""

_N_WARM_UP = 20
_PAUSE_S = 0.02
"""Pause between two samples: fifty a second is faster than typing."""

_WAITS = frozenset({"planned", "ready", "held"})
_FAILED = frozenset({"failed", "cancelled"})

_SETTINGS = """\
[models.fast]
api = "responses-socket"
url = "{url}"
name = "fast"
key = {{ command = ["printf", "{token}"] }}

[models.deep]
api = "responses-http"
url = "{http_url}"
name = "deep"
key = {{ command = ["printf", "{token}"] }}

[tiers]
fast = "fast"
standard = "fast"
deep = "deep"

[plan]
parallel = {parallel}

[review]
scouts = 0
refute = false
fixes = false

[next_edit]
model = "none"
"""


class _PlanState(msgspec.Struct, rename="camel"):
    plan_id: str
    state: str
    message: str = ""


class _Plans:
    """The plans of one server."""

    def __init__(self, connected: Editor, uri: str) -> None:
        self._editor = connected
        self._uri = uri
        self._states: dict[str, _PlanState] = {}
        self._has_news = asyncio.Event()
        connected.listener = self._listen

    async def planned(self) -> str:
        """Write a plan; returns its id."""
        started = await self._editor.execute(
            "redline.plan", uri=self._uri, instruction="Change every part"
        )
        plan_id: str = started["planId"]
        await self._until_waiting(plan_id)
        return plan_id

    async def run(self, plan_id: str) -> None:
        """Carry out a plan, and discard what was written.

        Raises:
            NotRunError: If it is not ready in the end.
        """
        del self._states[plan_id]
        await self._editor.execute("redline.runPlan", planId=plan_id)
        ended = await self._until_waiting(plan_id)
        if ended.state != "ready":
            raise NotRunError(f"A plan ended {ended.state}: {ended.message}")
        await self._editor.execute("redline.rejectPlan", planId=plan_id)

    async def _until_waiting(self, plan_id: str) -> _PlanState:
        async with asyncio.timeout(ANSWER_LIMIT_S):
            while True:
                now = self._states.get(plan_id)
                if now is not None and now.state in _FAILED:
                    raise NotRunError(f"A plan {now.state}: {now.message}")
                if now is not None and now.state in _WAITS:
                    return now
                self._has_news.clear()
                await self._has_news.wait()

    def _listen(self, method: str, params: msgspec.Raw, at: float) -> None:
        if method == "redline/plan":
            state = msgspec.json.decode(params, type=_PlanState)
            self._states[state.plan_id] = state
            self._has_news.set()


def _function(number: int, *, constant: int) -> str:
    """Write the function of a step; the constant is in all of its lines."""
    body = "".join(
        f"    value_{line:06d} = value * {line} + {constant}\n"
        for line in range(_N_FUNCTION_LINES - 2)
    )
    return f"def part_{number}(value: int) -> int:\n{body}    return value_000000\n"


def _path(number: int) -> str:
    """Return the file of a step: two steps share one."""
    return f"parts_{number // 2}.py"


def _write_files(folder: Path) -> None:
    for number in range(0, _N_STEPS, 2):
        functions = (_function(one, constant=7) for one in (number, number + 1))
        (folder / _path(number)).write_text("\n\n".join(functions))


def _instruction(number: int) -> str:
    return f"Change the constant of part {number:02d}"


def _script() -> dict[str, object]:
    """Return the answers of the planner, of the reviewer and of each step."""
    steps = [
        {
            "id": f"s{number}",
            "file": _path(number),
            "do": "edit",
            "where": {"symbol": f"part_{number}"},
            "quote": None,
            "instruction": _instruction(number),
        }
        for number in range(_N_STEPS)
    ]
    plan = {"summary": "All parts change.", "contracts": [], "steps": steps}
    answers = {"redline_plan": plan, "redline_findings": {"findings": []}}
    by_schema = [
        {"when": {"schema": name}, "reply": {"text": json.dumps(answer)}}
        for name, answer in answers.items()
    ]
    by_step = [
        {
            "when": {"instruction": _instruction(number)},
            "reply": {
                "text": _function(number, constant=8),
                "tokens_per_s": _TOKENS_PER_S,
            },
        }
        for number in range(_N_STEPS)
    ]
    return {"rules": [*by_schema, *by_step]}


async def _keystroke(typist: Typist) -> float:
    seconds = await typist.keystroke()
    await asyncio.sleep(_PAUSE_S)
    return seconds


async def _run(scale: Scale) -> Found:
    idle: list[float] = []
    busy: list[float] = []
    n_plans, n_idle = scale.n(4, 1), scale.n(500, 50)
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as name:
        folder = Path(name)
        _write_files(folder)
        async with scripted_gateway(_script()) as url:
            toml = _SETTINGS.format(
                url=url,
                http_url=url.replace("ws://", "http://"),
                token=TOKEN,
                parallel=_N_PARALLEL,
            )
            async with editor(toml, root_uri=folder.as_uri()) as connected:
                typist = Typist(connected, (folder / "typed.py").as_uri())
                plans = _Plans(connected, (folder / _path(0)).as_uri())
                for _ in range(_N_WARM_UP):
                    await _keystroke(typist)
                for _ in range(n_plans):
                    plan_id = await plans.planned()
                    idle += [await _keystroke(typist) for _ in range(n_idle)]
                    running = asyncio.create_task(plans.run(plan_id))
                    while not running.done():
                        busy.append(await _keystroke(typist))
                    await running
    return Found(
        figures=(
            Figure(
                case="a keystroke, with a request",
                unit="ms",
                ours=samples(busy, times=1000),
                floor=samples(idle, times=1000),
                budget=Budget(most=1.2, of="ratio"),
            ),
        ),
        notes=(
            f"{n_plans} plans of {_N_STEPS} steps, {_N_PARALLEL} at once, each writes "
            f"{_N_FUNCTION_LINES} lines at {_TOKENS_PER_S:.0f} deltas a second; "
            f"{len(busy)} keystrokes meanwhile.",
        ),
    )


MEASURE = Measure(
    letter="v",
    title="Typing while a plan of 20 steps runs",
    floor="the same server in the same run between the plans",
    run=_run,
)
