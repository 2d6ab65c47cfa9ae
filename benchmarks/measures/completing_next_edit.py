"""How soon a next edit that the rules find can be shown, in (t)."""

from __future__ import annotations

from contextlib import AsyncExitStack

from benchmarks.editor import Editor, editor
from benchmarks.figures import Budget, Figure, samples
from benchmarks.floor import floor
from benchmarks.measure import Scale
from benchmarks.sources import ROOT_URI

_BUDGET = Budget(most=10.0)
_N_FUNCTIONS = 1_000
_N_WARM_UP = 5
_OLD, _NEW = "total", "grand"

_FUNCTION = """\
def cost_{number:04d}(rows):
    total = sum(rows)
    if total > {number}:
        print(rows)
    log(rows, {number})
    save(rows)
    check(rows)
    close(rows)
    done(rows)

"""
_N_LINES = _FUNCTION.count("\n")


class _Renamed:
    """A document in which a variable is renamed in each sample."""

    def __init__(self, connected: Editor) -> None:
        self.n_asked = self.n_answered = 0
        self._editor = connected
        self._uri = f"{ROOT_URI}/renamed.py"
        self._version = 1
        self._number = 0
        texts = [_FUNCTION.format(number=number) for number in range(_N_FUNCTIONS)]
        connected.open_document(self._uri, "".join(texts).split("\n"))

    async def once(self) -> float:
        """Rename a variable, leave its line, and return the seconds to the offer."""
        first = self._number * _N_LINES
        self._number += 1
        self._replace(first + 1, len("    "))
        params = {
            "textDocument": {"uri": self._uri, "version": self._version},
            "position": {"line": first + 4, "character": 0},
            "context": {"triggerKind": 2, "reason": "idle"},
        }
        asked = self._editor.ask("redline/nextEdit", params)
        response, answered = await asked.wait()
        answer = bytes(response.result)
        assert f'"line":{first + 2}'.encode() in answer, answer
        self.n_asked, self.n_answered = asked.n_bytes, len(answer) + 60
        # The offer is accepted: nothing is left of this rename.
        self._replace(first + 2, len("    if "))
        return answered - asked.sent

    def _replace(self, line: int, character: int) -> None:
        self._version += 1
        start = {"line": line, "character": character}
        end = {"line": line, "character": character + len(_OLD)}
        document = {"uri": self._uri, "version": self._version}
        change = {"range": {"start": start, "end": end}, "text": _NEW}
        self._editor.notify(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": [change]},
        )


async def next_edit_by_rules(scale: Scale) -> Figure:
    """Time the answer behind a rename, in a file of 10,000 lines without a model."""
    async with AsyncExitStack() as stack:
        renamed = _Renamed(await stack.enter_async_context(editor("")))
        for _ in range(_N_WARM_UP):
            await renamed.once()
        echo = await stack.enter_async_context(
            floor("echo", n_in=renamed.n_asked, n_out=renamed.n_answered)
        )
        seconds: list[float] = []
        bare: list[float] = []
        for _ in range(scale.n(200, 20)):
            seconds.append(await renamed.once())
            bare.append(await echo.echo())
    return Figure(
        case="next edit by rules, 10,000 lines",
        unit="ms",
        ours=samples(seconds, times=1000),
        floor=samples(bare, times=1000),
        budget=_BUDGET,
    )
