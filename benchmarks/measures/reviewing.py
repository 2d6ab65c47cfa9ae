"""(r) Keystrokes and edits while 200 reviews are queued and four of them run.

The reviewing model is a gateway process, which streams its answers at the pace of a
reasoning model; the model of the edits runs in the benchmark, as in all measures.
"""

from __future__ import annotations

import asyncio
import json

import msgspec

from benchmarks.editor import Editor, editor, within
from benchmarks.figures import Budget, Figure, NotRunError, samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.scripted_gateway import TOKEN, scripted_gateway
from benchmarks.sources import ROOT_URI, settings, source_lines, text_of
from benchmarks.stub_model import Call, StubModel, stub_model
from benchmarks.typist import N_LINES, Typist

_N_PARALLEL = 4
_N_FILES = 8
_N_REVIEWED_LINES = 200
_N_FINDINGS = 5
_TOKENS_PER_S = 100.0
"""Pace of each running review: roughly that of reasoning models."""

_N_EDITED = 10
_N_WARM_UP = 20
_PAUSE_S = 0.02
"""Pause between two samples: fifty a second is faster than typing."""

_BUDGET = Budget(most=1.2, of="ratio")
_URI = f"{ROOT_URI}/edited.py"

_TIERS = """\
fast = "bench"
standard = "deep"
deep = "deep"
"""

_REVIEWS = """
[models.deep]
api = "responses-http"
url = "{url}"
name = "deep"
background = true
key = {{ command = ["printf", "{token}"] }}

[review]
parallel = {parallel}
scouts = 0
fixes = false

[routing]
second_opinions = 0
"""


def _script() -> dict[str, object]:
    """Return the answers of the reviewer and the refuter: five findings, all upheld."""
    lines = source_lines(_N_REVIEWED_LINES)
    claims = [
        {
            "file": "",
            "quote": lines[number * 30 + 1],
            "severity": "high",
            "category": "correctness",
            "title": f"Fault {number} of this file",
            "explanation": "It goes wrong for some input. " * 10,
            "fix": None,
        }
        for number in range(_N_FINDINGS)
    ]
    rules = [
        {
            "when": {"contains": f"reviewed_{number}.py"},
            "reply": {
                "text": json.dumps(
                    {
                        "findings": [
                            {**claim, "file": f"reviewed_{number}.py"}
                            for claim in claims
                        ]
                    }
                ),
                "tokens_per_s": _TOKENS_PER_S,
            },
        }
        for number in range(_N_FILES)
    ]
    refuting = {
        "when": {"contains": "verdict"},
        "reply": {"text": '{"reason": "It is so.", "verdict": "upheld"}'},
    }
    return {"rules": [refuting, *rules]}


class _User:
    """Types into a document, and requests edits of it."""

    def __init__(self, connected: Editor, model: StubModel) -> None:
        self.keystroke = Typist(connected, _URI).keystroke
        self._editor = connected
        self._model = model
        self._first = N_LINES // 2
        lines = source_lines(N_LINES)
        self._answer = text_of(lines[self._first : self._first + _N_EDITED])

    async def edit(self) -> float:
        """Return the seconds from an edit's request to its `response.create`."""
        seen: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
        self._model.on_call = seen.set_result
        asked = self._editor.edit(_URI, self._first, self._first + _N_EDITED)
        call = await within(seen)
        call.answer(self._answer)
        await asked.wait()
        return call.at - asked.sent


class _Times(msgspec.Struct):
    """The samples, in seconds."""

    keystrokes: list[float] = []
    edits: list[float] = []

    async def take(self, user: _User, n_times: int) -> None:
        """Measure some more."""
        for _ in range(n_times):
            self.keystrokes.append(await user.keystroke())
            await asyncio.sleep(_PAUSE_S)
            self.edits.append(await user.edit())
            await asyncio.sleep(_PAUSE_S)


async def _start_reviews(connected: Editor, n_reviews: int) -> list[float]:
    """Queue reviews; returns the seconds until each was answered."""
    answered = []
    for number in range(n_reviews):
        uri = _reviewed_uri(number % _N_FILES)
        arguments = {"uri": uri, "force": True}
        params = {"command": "redline.deepReview", "arguments": [arguments]}
        asked = connected.ask("workspace/executeCommand", params)
        _, at = await asked.wait()
        answered.append(at - asked.sent)
    return answered


async def _progress(connected: Editor) -> tuple[int, int]:
    """Return how many reviews are not over, and how many findings are shown."""
    listed = await connected.execute("redline.reviews")
    states = [one["state"] for one in listed["reviews"]]
    if "failed" in states:
        failed = next(o for o in listed["reviews"] if o["state"] == "failed")
        raise NotRunError(f"A review failed: {failed['message']}")
    n_left = sum(state not in ("done", "cancelled") for state in states)
    return n_left, len(listed["findings"])


def _reviewed_uri(number: int) -> str:
    return f"{ROOT_URI}/reviewed_{number}.py"


async def _run(scale: Scale) -> Found:
    n_reviews, n_times = scale.n(200, 20), scale.n(300, 30)
    async with scripted_gateway(_script()) as url, stub_model() as model:
        reviews = _REVIEWS.format(
            url=url.replace("ws://", "http://"), token=TOKEN, parallel=_N_PARALLEL
        )
        toml = settings(model.url).replace('fast = "bench"\n', _TIERS) + reviews
        async with editor(toml) as connected:
            await model.wait_open(2)
            user = _User(connected, model)
            for number in range(_N_FILES):
                lines = source_lines(_N_REVIEWED_LINES)
                connected.open_document(_reviewed_uri(number), lines)
            await _Times().take(user, _N_WARM_UP)
            idle, busy = _Times(), _Times()
            await idle.take(user, n_times)
            answered = await _start_reviews(connected, n_reviews)
            await busy.take(user, n_times)
            n_left, n_findings = await _progress(connected)
    if n_left < _N_PARALLEL:
        raise NotRunError("The reviews were done before everything was measured.")
    return Found(
        figures=(
            _figure("a keystroke, with a request", busy.keystrokes, idle.keystrokes),
            _figure("an edit to response.create", busy.edits, idle.edits),
            Figure(
                case="redline.deepReview to its answer",
                unit="ms",
                ours=samples(answered, times=1000),
                budget=Budget(most=50.0, of="p99"),
            ),
        ),
        notes=(
            f"{n_reviews} reviews were asked for, {_N_PARALLEL} run at once and "
            f"{n_left} were left in the end, with {n_findings} findings on show; each "
            f"streams {_TOKENS_PER_S:.0f} deltas a second.",
        ),
    )


def _figure(case: str, busy: list[float], idle: list[float]) -> Figure:
    return Figure(
        case=case,
        unit="ms",
        ours=samples(busy, times=1000),
        floor=samples(idle, times=1000),
        budget=_BUDGET,
    )


MEASURE = Measure(
    letter="r",
    title="Typing and editing while 200 reviews wait and four run",
    floor="the same server in the same run before the reviews",
    run=_run,
)
