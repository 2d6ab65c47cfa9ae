"""What a session shows of its edit, and what waits for the user's answer.

While a candidate writes, it is shown; when it is done, its proposal is offered. The
user accepts and rejects hunks of both one by one. Nothing here changes the document:
the offer is updated when the document shows the accepted hunks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from redline.assist.edit.attempts.candidate import Candidate
from redline.assist.edit.session.painter import Painter
from redline.assist.editor.editor import EditProgress
from redline.checks.problem import Problem
from redline.text.line_diff import LineHunk
from redline.text.proposal import Proposal
from redline.text.region import TextEdit
from redline.text.streaming_diff import Hunk, Update


class Offer:
    """The preview of one session, and its proposal."""

    def __init__(self) -> None:
        self.shown: Candidate | None = None
        """The candidate in the preview, or the one that was applied."""
        self.proposal: Proposal | None = None
        """The proposal that waits for the user; None while the candidate is written."""
        self.painter: Painter | None = None
        """The preview; None in clients without one."""
        self.edits: tuple[TextEdit, ...] = ()
        """The edit for a caller who applies it, for document version `version`."""
        self.version: int | None = None
        self._progress: EditProgress | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.shown.problems if self.shown is not None else ()

    @property
    def written(self) -> list[str]:
        """The new text so far."""
        if self.proposal is not None:
            return self.proposal.new_lines
        return self.shown.live.written if self.shown is not None else []

    @property
    def live_hunks(self) -> tuple[Hunk, ...]:
        """The hunks of the shown candidate as they are painted."""
        return self.shown.live.hunks if self.shown is not None else ()

    @property
    def is_empty(self) -> bool:
        """Whether every hunk of the proposal has been answered."""
        return self.proposal is not None and not self.proposal.hunks

    def has_any(self, hunk_ids: Collection[int]) -> bool:
        hunks: Sequence[Hunk] = self.live_hunks
        if self.proposal is not None:
            hunks = self.proposal.hunks
        return any(hunk.id in hunk_ids for hunk in hunks)

    # While the candidate is written.

    def open(self, progress: EditProgress) -> None:
        """Report progress here from now on."""
        self._progress = progress

    def paint_with(self, painter: Painter) -> None:
        self.painter = painter

    def show(self, candidate: Candidate) -> None:
        """Show another candidate, or the same one after a restart."""
        self.shown = candidate
        self._repaint(candidate.live.hunks)

    def show_other(self, candidate: Candidate) -> None:
        """Show a candidate, unless it is the shown one."""
        if candidate is not self.shown:
            self.show(candidate)

    def stream(
        self, candidate: Candidate, update: Update, *, rivals: Collection[Candidate]
    ) -> bool:
        """Paint an update of a candidate; the first rival that writes is shown.

        Returns:
            Whether the candidate is the shown one.
        """
        if self.shown is None:
            self.shown = candidate
        elif self.shown not in rivals:
            # Hunks are carried over; accepting may have changed what was painted since.
            self.show(candidate)
        if candidate is not self.shown:
            return False
        if self.painter is not None:
            self.painter.update(update.hunks, update.removed)
        return True

    def report(self, message: str) -> None:
        if self._progress is not None:
            self._progress.report(message)

    def repaint(self) -> None:
        """Paint the shown hunks again: they count from another line."""
        self._repaint(self.live_hunks)

    def drop_imports(self) -> None:
        """Offer only the changes of the range."""
        if self.proposal is not None:
            self.proposal = self.proposal.range_part
        self.repaint()

    def moved(self) -> None:
        """Repaint, because the document changed outside the region."""
        if self.painter is not None:
            self.painter.moved()

    def flush(self) -> None:
        """Paint pending hunks now."""
        if self.painter is not None:
            self.painter.flush()

    def clear(self) -> None:
        """Show nothing, because the text of the shown hunks is gone."""
        self.shown = None
        self._repaint(())

    # Once the candidate is done.

    def propose(self, proposal: Proposal) -> None:
        """Set the proposal that waits for the user or is to be applied."""
        self.proposal = proposal

    def hand_over(self, edits: Sequence[TextEdit], version: int) -> None:
        """Hand the edit to a caller who applies it to a version of the document."""
        self.edits, self.version = tuple(edits), version

    def keep_written(self, *, with_open: bool) -> bool:
        """Propose the text written so far; returns False if there is none.

        Args:
            with_open: Whether to propose the last lines as an insertion if the text
                ends before it shows which old lines they replace.
        """
        proposal = self.shown.proposal if self.shown is not None else None
        if proposal is not None and not with_open:
            proposal = self._without_open(proposal)
        if proposal is None or not proposal.hunks:
            return False
        self.proposal = proposal
        self._repaint(proposal.hunks)
        return True

    def has_rest(self, typed: Sequence[LineHunk]) -> bool:
        """Whether a shown hunk is of lines that the user has not changed.

        Args:
            typed: What changed, in lines of the region before.
        """
        if self.shown is None:
            return False
        proposal = self._without_open(self.shown.proposal)
        return bool(proposal.after_typing(typed).hunks)

    def _without_open(self, proposal: Proposal) -> Proposal:
        return proposal.without({hunk.id for hunk in self.live_hunks if hunk.is_open})

    def keep_rest(self, typed: Sequence[LineHunk]) -> None:
        """Keep the hunks of the proposal whose lines the user has not changed.

        Args:
            typed: What changed, in lines of the region before.
        """
        assert self.proposal is not None
        assert self.shown is not None
        self.shown.live.rebase(self.proposal.after_typing(typed))
        self.proposal = self.shown.proposal
        self._repaint(self.proposal.hunks)

    def withdraw(self) -> None:
        """Drop the proposal, because something else is being written."""
        self.proposal = None

    def end_progress(self, message: str) -> None:
        """Paint pending hunks and end the progress; a second call has no effect."""
        self.flush()
        if self._progress is not None:
            self._progress.end(message)
            self._progress = None

    def close(self) -> bool:
        """Stop painting; returns whether there was a preview."""
        if self.painter is None:
            return False
        self.painter.close()
        return True

    # The user's answers.

    def settled(self, hunk_ids: Collection[int]) -> tuple[Hunk, ...]:
        """Return those hunks of the shown candidate that will not change again."""
        return self.shown.live.settled(hunk_ids) if self.shown is not None else ()

    def accept(
        self,
        hunks: Sequence[Hunk],
        *,
        writing: Collection[Candidate],
        is_whole: bool,
    ) -> None:
        """Remove hunks of the shown candidate, which are in the document now.

        Call it right after they landed: the next paint is based on the new text.

        Args:
            hunks: The accepted hunks.
            writing: Candidates that are being written on the same text.
            is_whole: Whether the hunks are of the proposal, not of a growing text.
        """
        assert self.shown is not None
        for candidate in {self.shown, *writing}:
            candidate.live.accept(hunks)
        if self.proposal is not None:
            self.proposal = (
                self.proposal.after_accepting(hunks)
                if is_whole
                else self.shown.proposal
            )
        self._repaint(self.proposal.hunks if self.proposal else self.live_hunks)

    def reject(self, hunk_ids: Collection[int]) -> None:
        """Remove hunks from the proposal and from the preview."""
        if self.proposal is not None:
            self.proposal = self.proposal.without(hunk_ids)
        if self.painter is not None:
            self.painter.update((), removed=hunk_ids)
        if self.shown is not None:
            self.shown.live.reject(self.shown.live.settled(hunk_ids))

    def reject_written(
        self, hunk_ids: Collection[int], *, writing: Collection[Candidate]
    ) -> None:
        """Remove hunks of the shown candidate, while one is being written.

        Args:
            hunk_ids: Their ids.
            writing: Candidates that are being written: after a redirect, they carry
                hunks of the shown one.
        """
        if self.shown is None:
            return
        rejected = self.shown.live.settled(hunk_ids)
        for candidate in {self.shown, *writing}:
            candidate.live.reject(rejected)
        self.show(self.shown)

    def _repaint(self, hunks: Sequence[Hunk]) -> None:
        if self.painter is not None:
            self.painter.replace(hunks)
