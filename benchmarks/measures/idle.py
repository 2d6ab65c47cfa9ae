"""(n) Processor time while nobody does anything, of each process of a server.

Two servers with a real folder: one without a model, whose gateway writes the edits, and
one with a model. Each has just edited, indexed what it indexes and made an offer, so
that all its processes run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from benchmarks.editor import Editor, editor, within
from benchmarks.figures import Budget, Figure, NotRunError, Samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.processes import ROOT, command_line, cpu_s, descendants
from benchmarks.renamed_document import RenamedDocument
from benchmarks.sources import URI, source_lines, text_of
from benchmarks.stub_model import Call, stub_model

_BUDGET = Budget(most=5.0, of="p99")
"""Percent of a core, in the busiest span of time."""

_SPAN_S = 5.0

_SETTLE_S = 5.0
"""Time after the last edit and the index: pings that a keystroke starts take three
seconds, and the indexer loads its tokenizer."""

_N_LINES = 16
_POLL_S = 0.1
_INDEXED_S = 120.0

_SETTINGS = """\
[models.bench]
api = "responses-socket"
url = "{url}"
name = "bench"

[tiers]
fast = "bench"
"""

_KINDS = {
    "indexer_process": "indexer",
    "parser_main": "parser",
    " gateway ": "gateway",
    " serve ": "server",
}
"""What the command line of each kind of process holds."""


async def _run(scale: Scale) -> Found:
    n_spans = scale.n(6, 1)
    shares = {
        **await _without_a_model(n_spans),
        **await _with_a_model(n_spans),
    }
    return Found(
        figures=tuple(
            Figure(case=case, unit="%", ours=values, budget=_BUDGET)
            for case, values in shares.items()
        ),
        notes=(f"Each value is the share of a core in {_SPAN_S:g} s.",),
    )


async def _without_a_model(n_spans: int) -> Mapping[str, Samples]:
    async with editor(None) as connected:
        _add_folder(connected)
        await RenamedDocument(connected, n_lines=_N_LINES).rename()
        wanted = {"server", "gateway", "parser"}
        return await _shares(connected, "without a model", wanted, n_spans)


async def _with_a_model(n_spans: int) -> Mapping[str, Samples]:
    async with (
        stub_model() as model,
        editor(_SETTINGS.format(url=model.url)) as connected,
    ):
        await model.wait_open(1)
        _add_folder(connected)
        lines = source_lines(_N_LINES)
        connected.open_document(URI, lines)
        seen: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
        model.on_call = seen.set_result
        asked = connected.edit(URI, 1, 2, apply="preview")
        call = await within(seen)
        call.answer(text_of(["    first_value = transform(value)"]))
        await asked.wait()
        wanted = {"server", "indexer", "parser"}
        return await _shares(connected, "with a model", wanted, n_spans)


def _add_folder(connected: Editor) -> None:
    """Open a real folder."""
    folder = {"uri": (ROOT / "server").as_uri(), "name": "server"}
    event = {"added": [folder], "removed": []}
    connected.notify("workspace/didChangeWorkspaceFolders", {"event": event})


async def _until_idle(connected: Editor) -> None:
    """Wait until the folder is indexed and what an edit starts has ended."""
    async with asyncio.timeout(_INDEXED_S):
        while (await connected.execute("redline.status"))["indexing"]:  # noqa: ASYNC110
            await asyncio.sleep(_POLL_S)
    await asyncio.sleep(_SETTLE_S)


async def _shares(
    connected: Editor, how: str, wanted: set[str], n_spans: int
) -> Mapping[str, Samples]:
    """Return the percentages of a core that each kind of process uses."""
    await _until_idle(connected)
    server = connected.process.pid
    pids = [server, *descendants(server)]
    kinds = {pid: _kind(pid) for pid in pids}
    if missing := wanted - set(kinds.values()):
        raise NotRunError(f"Not running: {', '.join(sorted(missing))}.")
    values: dict[str, list[float]] = {kind: [] for kind in kinds.values()}
    for _ in range(n_spans):
        before = {pid: cpu_s(pid) for pid in pids}
        began = time.monotonic()
        await asyncio.sleep(_SPAN_S)
        elapsed_s = time.monotonic() - began
        for kind, shares in values.items():
            used_s = sum(cpu_s(p) - before[p] for p in pids if kinds[p] == kind)
            shares.append(100 * used_s / elapsed_s)
    return {f"{kind}, {how}": Samples(tuple(each)) for kind, each in values.items()}


def _kind(pid: int) -> str:
    line = command_line(pid)
    return next((kind for part, kind in _KINDS.items() if part in line), "other")


MEASURE = Measure(
    letter="n",
    title="Processor time while nobody does anything, share of a core",
    floor="none",
    run=_run,
)
