"""(f) Resident memory after the start and after many edits, of server and gateway.

Runs without a configured model: the edits are real ones, by the built-in rules in the
gateway's process, and the editor applies them.
"""

from __future__ import annotations

import sys

from benchmarks.editor import editor
from benchmarks.figures import Budget, Figure, NotRunError, Samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.processes import children, resident_mb, running
from benchmarks.renamed_document import RenamedDocument

_N_LINES = 16
"""Few, so that a thousand edits by the rules engine do not take long."""

_BUDGET = Budget(most=70.0)
_GROWTH = Budget(most=2.0)
"""Megabytes in the last nine tenths of the edits; the first tenth fills caches."""

_WAIT = "import sys; sys.stdout.write('.'); sys.stdout.flush(); sys.stdin.read()"


async def _run(scale: Scale) -> Found:
    n_first, n_edits = scale.n(100, 10), scale.n(1_000, 60)
    async with editor(None) as connected:
        document = RenamedDocument(connected, n_lines=_N_LINES)
        status = await connected.execute("redline.status")
        if status["tiers"][0]["isModel"]:
            raise NotRunError("A model was found on this machine, whose edits vary.")
        await document.rename()
        server = connected.process.pid
        (gateway,) = children(server)
        at_start = (resident_mb(server), resident_mb(gateway))
        while document.n_edits < n_first:
            await document.rename()
        early = (resident_mb(server), resident_mb(gateway))
        while document.n_edits < n_edits:
            await document.rename()
        late = (resident_mb(server), resident_mb(gateway))
        bare = Samples((await _bare_python_mb(),))
    figures = []
    for index, name in enumerate(("server", "gateway")):
        budget = _BUDGET if name == "server" else None
        figures += [
            _figure(f"{name}, after the first edit", at_start[index], bare, budget),
            _figure(f"{name}, after {n_edits:,} edits", late[index], bare, budget),
            _figure(
                f"{name}, growth from edit {n_first} on",
                late[index] - early[index],
                None,
                _GROWTH,
            ),
        ]
    return Found(figures=tuple(figures))


def _figure(
    case: str, value: float, bare: Samples | None, budget: Budget | None
) -> Figure:
    return Figure(
        case=case, unit="MB", ours=Samples((value,)), floor=bare, budget=budget
    )


async def _bare_python_mb() -> float:
    async with running((sys.executable, "-c", _WAIT)) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        return resident_mb(process.pid)


MEASURE = Measure(
    letter="f",
    title="Resident memory",
    floor="a Python that has imported nothing",
    run=_run,
)
