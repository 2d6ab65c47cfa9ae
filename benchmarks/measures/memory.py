"""(f) Resident memory after the start and after many edits, of server and gateway.

Runs without a configured model: the edits are real ones, by the built-in rules in the
gateway's process, and the editor applies them.
"""

from __future__ import annotations

import sys

import msgspec

from benchmarks.editor import Editor, editor
from benchmarks.figures import Budget, Figure, NotRunError, Samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.processes import children, resident_mb, running
from benchmarks.sources import URI, source_lines, text_of
from redline.lsp.messages import TextDocumentEdit, our_range
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding


class _Changes(msgspec.Struct, rename="camel"):
    document_changes: list[TextDocumentEdit]


class _Apply(msgspec.Struct):
    """What `workspace/applyEdit` asks for here: changes of one document."""

    edit: _Changes


_N_LINES = 16
"""Few, so that a thousand edits by the rules engine do not take long."""

_NAMES = ("function_000000", "first_function")
_BUDGET = Budget(most=70.0)
_GROWTH = Budget(most=2.0)
"""Megabytes in the last nine tenths of the edits; the first tenth fills caches."""

_WAIT = "import sys; sys.stdout.write('.'); sys.stdout.flush(); sys.stdin.read()"


class _Document:
    """The document as the editor keeps it."""

    def __init__(self, connected: Editor) -> None:
        lines = source_lines(_N_LINES)
        self.n_edits = 0
        self._editor = connected
        self._document = Document(
            uri=URI,
            language_id="python",
            version=1,
            text=text_of(lines),
            encoding=Encoding.UTF_16,
        )
        connected.open_document(URI, lines)
        connected.answer_edit = self._apply

    async def rename(self) -> None:
        """Request renames of a name, there and back.

        Raises:
            NotRunError: If the server did not rename it.
        """
        old, new = _NAMES if self.n_edits % 2 == 0 else reversed(_NAMES)
        asked = self._editor.edit(
            URI, 0, _N_LINES, instruction=f"Rename {old} to {new}", apply="end"
        )
        n_before = self.n_edits
        result = await asked.result()
        if self.n_edits == n_before:
            raise NotRunError(f"The rules engine renamed nothing: {result}")

    def _apply(self, params: msgspec.Raw) -> bool:
        (part,) = msgspec.json.decode(params, type=_Apply).edit.document_changes
        document = self._document
        if part.text_document.version != document.version:
            return False
        # From the last to the first, so that no edit moves another.
        ordered = sorted(part.edits, key=lambda e: e.range.start.line, reverse=True)
        changes = [
            ContentChange(range=our_range(e.range), text=e.new_text) for e in ordered
        ]
        document.change(document.version + 1, changes)
        self._editor.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": URI, "version": document.version},
                "contentChanges": [
                    {"range": e.range, "text": e.new_text} for e in ordered
                ],
            },
        )
        self.n_edits += 1
        return True


async def _run(scale: Scale) -> Found:
    n_first, n_edits = scale.n(100, 10), scale.n(1_000, 60)
    async with editor(None) as connected:
        document = _Document(connected)
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
