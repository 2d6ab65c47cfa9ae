"""Has replies checked in a parser process before they are shown.

A single line is shown without a check. A block is checked while it would wait for
further lines anyway, and is shown unchecked if the check takes longer. An import of
Python is never shown before it is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.document_state import CompletedDocument
from redline.checks.completion_check import COUNT_GOOD_LINES, CompletionCheck, is_import
from redline.checks.edit_question import CheckedFolders
from redline.completion.filters import Insertion
from redline.completion.flight import Flight
from redline.completion.flights import Look
from redline.completion.place import Place
from redline.errors import ParserEndedError
from redline.parsing.work import WorkRunner
from redline.supervisor import Supervisor
from redline.syntax.language import Language, language_of
from redline.text.lines import strip_end
from redline.text.position import Position

Readiness = Literal["ready", "soon", "unknown"]
"""Whether a text may be shown: at once; after a short wait, checked or not; only after
its check."""

_MAX_LINES = 2_000
"""Of a longer file only a part around the cursor is parsed."""

_N_IMPORTS = 300
"""First lines of a file that hold its imports."""


class CompletionChecks:
    """The checks of the replies of all documents."""

    def __init__(
        self,
        workspace: Workspace,
        parser: WorkRunner,
        folders: Callable[[], CheckedFolders | None],
        on_checked: Callable[[Flight], None],
    ) -> None:
        """Begin.

        Args:
            workspace: Names the paths of documents.
            parser: Runs the checks.
            folders: Returns what Python's imports are resolved with; None: they are
                not checked.
            on_checked: Called when a reply has been checked; must not raise.
        """
        self._workspace = workspace
        self._parser = parser
        self._folders = folders
        self._on_checked = on_checked
        self._supervisor = Supervisor()
        self._running: set[Flight] = set()

    async def aclose(self) -> None:
        await self._supervisor.aclose()

    def readiness(
        self, state: CompletedDocument, at: Position, place: Place, look: Look
    ) -> list[Readiness]:
        """Say for each text whether it may be shown, and begin the checks it needs.

        Args:
            state: The document.
            at: The cursor, in code points.
            place: The same.
            look: What fits it.
        """
        pairs = zip(look.flights, look.insertions, strict=True)
        return [
            "ready"
            if number == 0 and one.text.count("\n") < look.n_shown
            else self._readiness(state, at, place, flight, one)
            for number, (flight, one) in enumerate(pairs)
        ]

    def _readiness(
        self,
        state: CompletedDocument,
        at: Position,
        place: Place,
        flight: Flight,
        insertion: Insertion,
    ) -> Readiness:
        new = insertion.text.split("\n")
        n_lines = at.line - flight.line + len(new)
        language = language_of(state.document.uri, state.document.language_id)
        has_import = language is Language.PYTHON and any(
            is_import(line) for line in (place.left + new[0], *new[1:])
        )
        is_block = language is not None and sum(map(bool, map(str.strip, new))) > 1
        if n_lines <= flight.n_checked or not (has_import or is_block):
            return "ready"
        if flight not in self._running and (has_import or not insertion.may_grow):
            check = self._check(state, at, place, insertion, has_import=has_import)
            self._running.add(flight)
            self._supervisor.start(
                self._run(flight, check, at.line - flight.line),
                name=f"check of completion {flight.number}",
            )
        return "unknown" if has_import else "soon"

    async def _run(self, flight: Flight, check: CompletionCheck, n_above: int) -> None:
        n_good = len(check.new)
        try:
            n_good = await self._parser.run(COUNT_GOOD_LINES, check)
        except ParserEndedError:
            pass  # What cannot be judged is shown.
        finally:
            self._running.discard(flight)
        flight.note_checked(n_above + len(check.new), n_above + n_good)
        self._on_checked(flight)

    def _check(
        self,
        state: CompletedDocument,
        at: Position,
        place: Place,
        insertion: Insertion,
        *,
        has_import: bool,
    ) -> CompletionCheck:
        document = state.document
        first = 0
        if document.n_lines > _MAX_LINES:
            first = max(0, at.line - _MAX_LINES // 2)
        lines = document.lines_between(first, first + _MAX_LINES)
        imports: Sequence[str] = ()
        folders = self._folders() if has_import else None
        if folders is not None:
            top = document.lines_between(0, _N_IMPORTS)
            imports = [
                strip_end(line)
                for line in top
                if is_import(line) and not line[0].isspace()
            ]
        return CompletionCheck(
            lines=[*map(strip_end, lines)],
            at=at.line - first,
            left=place.left[: len(place.left) - insertion.n_left],
            new=insertion.text.split("\n"),
            right=place.right[insertion.n_right :],
            path=self._workspace.relative_path(document.uri),
            language=document.language_id,
            imports=imports,
            environment=folders,
        )
