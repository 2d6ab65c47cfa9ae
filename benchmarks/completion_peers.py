"""The replay of `benchmarks.completion` with other tools' completions beside ours.

`python -m benchmarks.completion_peers` installs tabby-agent from the npm registry and
runs it with the oracle as its model; `--peer lsp-ai` builds lsp-ai with cargo. The same
texts are typed for all by the same users from the same seed; the editor requests a
completion after each key, and keeps a shown text that agrees with a key until the next
answer.

The tools' timers run on the real clock, so a thousand characters take about three
minutes; Redline's rows are those of the virtual clock.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from benchmarks.completion import Replayed, User, new_table, replay, row
from benchmarks.completion import sources as texts_of
from benchmarks.completion_policies import Display, Policy
from benchmarks.oracle import Oracle, OracleModel, Rates
from benchmarks.peers import lsp_ai, tabby_agent

_USERS = ("types on", "accepts")


@dataclass(frozen=True, slots=True)
class _Peer:
    """Another tool."""

    version: str
    install: Callable[[Path], None]
    """Installs it into a folder."""
    run: Callable[[Path, OracleModel, Display], AbstractAsyncContextManager[Policy]]
    """Runs what is installed in a folder."""


_PEERS = {
    "tabby-agent": _Peer(
        tabby_agent.VERSION, tabby_agent.install, tabby_agent.tabby_agent
    ),
    "lsp-ai": _Peer(lsp_ai.VERSION, lsp_ai.install, lsp_ai.lsp_ai),
}


async def _typed(
    peer: _Peer, folder: Path, source: str, user: str, rates: Rates, *, seed: int
) -> Replayed:
    """Type one source for a tool, in real time."""
    typist = User(source, user, 0.0, seed)
    model = OracleModel(Oracle(rates, seed), typist.truth)
    async with peer.run(folder, model, typist.display) as policy:
        await typist.type(policy)
        await policy.aclose()
    typist.seen.n_requests = model.n_sent
    return typist.seen


async def _peer_rows(
    peer: _Peer, folder: Path, texts: Sequence[str], rates: Rates, *, seed: int
) -> list[list[Replayed]]:
    """Type the texts in turn, for all users at once."""
    work = [
        asyncio.gather(
            *(_typed(peer, folder, text, user, rates, seed=seed) for text in texts)
        )
        for user in _USERS
    ]
    return [*map(list, await asyncio.gather(*work))]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.completion_peers", description=__doc__
    )
    parser.add_argument("--keys", type=int, default=1_000, help="characters to type")
    parser.add_argument("--right", type=float, default=0.85)
    parser.add_argument("--fault", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=Path, nargs="+", default=())
    parser.add_argument("--peer", choices=_PEERS, default="tabby-agent")
    parser.add_argument("--folder", type=Path, help="where to install; a new one")
    arguments = parser.parse_args()
    peer = _PEERS[arguments.peer]
    rates = Rates(right=arguments.right, fault=arguments.fault)
    texts = list(texts_of(arguments.keys, arguments.files))
    table = new_table()
    faults: list[str] = []
    for user in _USERS:
        seen = [
            replay(text, "Redline", user, rates, typos=0.0, seed=arguments.seed)
            for text in texts
        ]
        table.add_row("Redline", user, *row(seen))
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        peer.install(folder)
        typing = _peer_rows(peer, folder, texts, rates, seed=arguments.seed)
        rows = asyncio.run(typing)
    for user, seen in zip(_USERS, rows, strict=True):
        table.add_row(f"{arguments.peer} {peer.version}", user, *row(seen))
        faults += [fault for one in seen for fault in one.faults]
    console = Console(width=130)
    console.print(table)
    for fault in faults[:10]:
        console.print(f"fault: {fault}", markup=False, highlight=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
