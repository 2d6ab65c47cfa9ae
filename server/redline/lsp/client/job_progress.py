"""The progress of background jobs: reviews, plans and test runs."""

from __future__ import annotations

from collections.abc import Callable

from redline.lsp.client.progress import ProgressRegistry, WorkDoneProgress


class JobProgress:
    """The jobs that run, by their ids."""

    def __init__(
        self, progress: ProgressRegistry, cancel: Callable[[str], object]
    ) -> None:
        """Start with no job.

        Args:
            progress: Creates work done progress.
            cancel: Called with the id of a job that the user cancels.
        """
        self._progress = progress
        self._cancel = cancel
        self._open: dict[str, WorkDoneProgress] = {}

    def report(
        self, job_id: str, title: str, step: str, percentage: int | None = None
    ) -> None:
        """Show the step of a job; the first one opens its progress."""
        progress = self._open.get(job_id)
        if progress is None:
            progress = self._open[job_id] = self._progress.start(
                title, None, lambda: self._cancel(job_id), percentage=percentage
            )
        progress.report(step, percentage=percentage)

    def end(self, job_id: str, message: str) -> bool:
        """End the progress of a job; returns False if it has none."""
        progress = self._open.pop(job_id, None)
        if progress is not None:
            progress.end(message)
        return progress is not None

    def close(self, message: str) -> None:
        for job_id in list(self._open):
            self.end(job_id, message)
