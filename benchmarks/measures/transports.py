"""(g) A new edit's first delta: on a warm socket, on a new one, over new HTTPS.

All connections use TLS, over loopback and over a line with 40 ms of round trip, for
requests of three sizes, right after the last one and after pauses. On a warm socket the
edit is announced, as when the instruction box opens; that also starts the pings, which
keep the TCP window open while the instruction is typed.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trustme

from benchmarks.editor import Editor, editor, within
from benchmarks.figures import Budget, Figure, samples
from benchmarks.lines import LineProcess, line_process
from benchmarks.measure import Found, Measure, Scale
from benchmarks.network.link import Link, loopback, slow_link
from benchmarks.sources import ROOT_URI, settings, source_lines, text_of

_ROUND_TRIP_S = 0.04
_HOSTS = ("127.0.0.1", "10.77.0.2")
_APIS = {"wss": "responses-socket", "https": "responses-http"}
_NEW = {"socket": "new socket", "https": "new HTTPS"}
_TINY_BYTES = 100
_N_EDITED = 10

_PINGS_LAST_S = 3.5
"""How long pings continue after an action of the user, and a little more."""

_NOTICED_S = 0.1
"""Seconds after which a dropped socket was noticed, and no new one was opened yet."""

_SPARE_OPENED_S = 0.5
_N_WARM_UP = 3
"""Requests until the TCP window is large enough for them."""

_BUDGET = Budget(most=3.0, of="p50 over floor")


@dataclass(frozen=True, slots=True)
class _Plan:
    """The number of samples on one line."""

    n: int
    sizes_kb: Sequence[int]
    pauses_s: Sequence[float]


class _Subject:
    """A server of ours, with a document of each size."""

    def __init__(self, connected: Editor, sizes_kb: Sequence[int]) -> None:
        self._editor = connected
        self._documents = {size: _lines_of(size * 1000) for size in sizes_kb}
        for size, lines in self._documents.items():
            connected.open_document(_uri(size), lines)

    async def first_delta(self, size_kb: int) -> float:
        """Return the seconds from an edit's request to its first hunks."""
        painted: asyncio.Future[float] = asyncio.get_running_loop().create_future()

        def listen(method: str, params: bytes, at: float) -> None:
            if b"changed(" in bytes(params) and not painted.done():
                painted.set_result(at)

        self._editor.listener = listen
        first = len(self._documents[size_kb]) // 2
        asked = self._editor.edit(
            _uri(size_kb), first, first + _N_EDITED, apply="preview"
        )
        result = await asked.result()
        await self._editor.execute("redline.reject", sessionId=result["sessionId"])
        return await within(painted) - asked.sent

    def tell(self, size_kb: int) -> None:
        """Open the instruction box."""
        first = len(self._documents[size_kb]) // 2
        self._editor.prepare(_uri(size_kb), first, first + _N_EDITED)


@dataclass(slots=True, kw_only=True)
class _Line:
    """One line with everything at its ends, and what was measured on it."""

    far: LineProcess
    bare: LineProcess
    socket: _Subject
    https: _Subject
    plan: _Plan
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    round_trips: list[float] = field(default_factory=list)

    async def measure(self) -> None:
        """Take every case."""
        for size in self.plan.sizes_kb:
            await self._at_once(size)
        for size in self.plan.sizes_kb:
            await self._new_connections(size)
        for has_pings in (False, True):
            for size in self.plan.sizes_kb:
                await self._after_pauses(size, has_pings=has_pings)
        # The next measure must not find pings of this one.
        await asyncio.sleep(_PINGS_LAST_S)

    async def _at_once(self, size: int) -> None:
        """Send one request right after the other, so that the TCP window stays open."""
        await self._start_afresh(size)
        for _ in range(self.plan.n):
            self.socket.tell(size)
            self.round_trips.append(await self.bare.ask(["warm", _TINY_BYTES]))
            bare = await self.bare.ask(["warm", size * 1000])
            self._keep(f"{size} kB, warm, bare client", bare)
            self._keep(f"{size} kB, warm", await self.socket.first_delta(size))

    async def _new_connections(self, size: int) -> None:
        for _ in range(self.plan.n):
            self.round_trips.append(await self.bare.ask(["warm", _TINY_BYTES]))
            for how, case in _NEW.items():
                seconds = await self.bare.ask([how, size * 1000])
                self._keep(f"{size} kB, {case}, bare client", seconds)
            self._keep(f"{size} kB, new HTTPS", await self.https.first_delta(size))
            await self._drop_sockets()
            self._keep(f"{size} kB, new socket", await self.socket.first_delta(size))
            await asyncio.sleep(_SPARE_OPENED_S)

    async def _after_pauses(self, size: int, *, has_pings: bool) -> None:
        await asyncio.sleep(_PINGS_LAST_S)
        await self._start_afresh(size)
        pings = "pings" if has_pings else "no pings"
        for _ in range(self.plan.n):
            self.round_trips.append(await self.bare.ask(["warm", _TINY_BYTES]))
            for pause_s in self.plan.pauses_s:
                await self.socket.first_delta(size)
                if has_pings:
                    self.socket.tell(size)
                await asyncio.sleep(pause_s)
                seconds = await self.socket.first_delta(size)
                self._keep(f"{size} kB, warm, {pause_s:g} s later, {pings}", seconds)

    async def _start_afresh(self, size: int) -> None:
        """Open new sockets, and their TCP windows by requests of this size.

        After a pause, TCP remembers how far the window may open again.
        """
        await self._drop_sockets()
        for _ in range(_N_WARM_UP):
            await self.socket.first_delta(size)
            await self.bare.ask(["warm", size * 1000])

    async def _drop_sockets(self) -> None:
        await self.far.ask("drop")
        await asyncio.sleep(_NOTICED_S)

    def _keep(self, case: str, seconds: float) -> None:
        self.times[case].append(seconds)

    def figures(self, name: str) -> list[Figure]:
        """Return the figures, with one round trip as floor."""
        return [
            Figure(
                case=f"{name}: {case}",
                unit="ms",
                ours=samples(values, times=1000),
                floor=samples(self.round_trips, times=1000),
                budget=_BUDGET if _has_budget(case) else None,
            )
            for case, values in sorted(self.times.items(), key=_order)
        ]


def _has_budget(case: str) -> bool:
    return case.endswith(("warm", " pings")) and not case.endswith("no pings")


def _order(case: tuple[str, list[float]]) -> tuple[bool, bool, int]:
    words = case[0]
    return ("warm" not in words, "HTTPS" in words, int(words.split()[0]))


def _uri(size_kb: int) -> str:
    return f"{ROOT_URI}/of_{size_kb}_kB.py"


def _lines_of(n_bytes: int) -> list[str]:
    lines = source_lines(n_bytes // 30)
    while len(text_of(lines)) > n_bytes:
        lines.pop()
    return lines


@asynccontextmanager
async def _line(
    link: Link, certificate: Path, authority: Path, plan: _Plan
) -> AsyncIterator[_Line]:
    python = (sys.executable, "-m")
    edit = ["context_tokens = 1_000_000", "paints_per_s = 0"]
    model = [f'ca_file = "{authority}"', 'proxy = ""']
    async with AsyncExitStack() as stack:
        far = await stack.enter_async_context(
            line_process(
                (
                    *link.server,
                    *python,
                    "benchmarks.far_model",
                    link.host,
                    str(certificate),
                )
            )
        )
        ports = [await link.reach(stack, port) for port in await far.read()]
        words = (link.host, *map(str, ports), str(authority))
        bare = await stack.enter_async_context(
            line_process((*link.client, *python, "benchmarks.bare_client", *words))
        )
        subjects = {}
        for scheme, port in zip(("wss", "https"), ports, strict=True):
            url = f"{scheme}://{link.host}:{port}/v1/responses"
            written = settings(url, api=_APIS[scheme], edit=edit, model=model)
            connected = await stack.enter_async_context(
                editor(written, prefix=link.client)
            )
            subjects[scheme] = _Subject(connected, plan.sizes_kb)
        yield _Line(
            far=far,
            bare=bare,
            socket=subjects["wss"],
            https=subjects["https"],
            plan=plan,
        )


async def _run(scale: Scale) -> Found:
    sizes = (4, 128) if scale.is_quick else (4, 32, 128)
    near = _Plan(scale.n(10, 2), sizes, (0.5,))
    slow = _Plan(scale.n(10, 2), sizes, (0.5,) if scale.is_quick else (0.5, 2.0))
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as folder:
        certificate, authority = Path(folder, "server.pem"), Path(folder, "ca.pem")
        ca = trustme.CA()
        ca.cert_pem.write_to_path(authority)
        ca.issue_cert(*_HOSTS).private_key_and_cert_chain_pem.write_to_path(certificate)
        async with loopback() as link:
            async with _line(link, certificate, authority, near) as line:
                await line.measure()
            figures += line.figures("loopback")
        async with slow_link(_ROUND_TRIP_S) as link:
            async with _line(link, certificate, authority, slow) as line:
                await line.measure()
            figures += line.figures("40 ms")
            how = link.description
    return Found(
        figures=tuple(figures),
        notes=(
            f"40 ms of round trip by {how}.",
            "The ratio is in round trips. A bare client has no editor and no document.",
        ),
    )


MEASURE = Measure(
    letter="g",
    title="A new edit's first delta, over TLS, by transport",
    floor="one round trip: a request of 100 bytes on a bare client's warm WebSocket",
    run=_run,
)
