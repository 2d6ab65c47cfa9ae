"""Opens the file of reviews; while it cannot be used, memory takes its place.

A disk that fails for a moment must not cost the reviews of a whole session, so the file
is tried again when it is next needed. What was written meanwhile is then moved into it.

The settings may name another file, or none, while the server runs. What the file before
holds is then copied, so that reviews go on, and the file is left as it is.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from redline.errors import StoreBusyError, StoreUnavailableError
from redline.settings.tree import StoreSettings
from redline.store.database import file_of
from redline.store.review_file import IN_MEMORY, ReviewFile

RETRY_S = 10.0
"""Shortest time between two tries to open the file."""

logger = logging.getLogger(__name__)


class StoreListener(Protocol):
    """Learns of problems with the file; called in the store's thread."""

    def has_trouble(self, message: str, *, cause: str = "") -> None:
        """A file, or some rows, are not used.

        Args:
            message: A sentence for the user.
            cause: The error in it; empty: none.
        """

    def has_recovered(self, message: str) -> None:
        """What a message said before no longer holds."""


class ReviewOpener:
    """The file of one store, or the memory in its place; used by one thread."""

    def __init__(
        self,
        settings: Callable[[], StoreSettings],
        listener: StoreListener,
        *,
        owner: str,
        retry_s: float = RETRY_S,
    ) -> None:
        self._settings = settings
        self._listener = listener
        self._owner = owner
        self._retry_s = retry_s
        self._used: ReviewFile | None = None
        self._place: Path | None = None
        """The file of the settings that it was opened for, or `IN_MEMORY`."""
        self._left: dict[Path, ReviewFile] = {}
        """Files that were used before and have reviews or plans that have not ended:
        these stay ours, so that no other server begins them again."""
        self._tried_at: float | None = None
        """When the file could not be opened last; None: memory is not in its place."""
        self._trouble = ""
        """Why the file is not used, as the listener was notified."""

    def opened(self) -> ReviewFile:
        """Return what to read and write now.

        Raises:
            StoreBusyError: If another program has locked the file.
        """
        settings = self._settings()
        place = file_of(settings) if settings.enabled else IN_MEMORY
        if self._used is not None and place != self._place:
            self._used = self._moved(self._used, settings)
        elif self._used is None or self._is_due():
            self._used = self._open(settings)
        self._place = place
        return self._used

    def close(self) -> None:
        """Close the file; idempotent."""
        if self._used is not None:
            self._used.close()
            self._used = None
        for file in self._left.values():
            file.close()
        self._left.clear()

    def _moved(self, used: ReviewFile, settings: StoreSettings) -> ReviewFile:
        """Return memory, or the file of changed settings, with what was used before."""
        memory = self._memory(settings)
        memory.write(used.changes())
        self._report_left(used)
        if used.path != IN_MEMORY and used.has_unfinished():
            self._left[used.path] = used
        else:
            used.close()
        self._used, self._tried_at, self._trouble = memory, None, ""
        return self._open(settings)

    def _is_due(self) -> bool:
        tried_at = self._tried_at
        return tried_at is not None and time.monotonic() >= tried_at + self._retry_s

    def _open(self, settings: StoreSettings) -> ReviewFile:
        if not settings.enabled:
            return self._used or self._memory(settings)
        path = file_of(settings)
        # Its lock excludes another one for the same path, also our own.
        left = self._left.get(path)
        file = left or self._file(path, settings)
        try:
            # Without memory in its place an empty write, to detect problems.
            file.write(() if self._used is None else self._used.changes())
        except StoreUnavailableError as error:
            if left is None:
                file.close()
            if not isinstance(error, StoreBusyError):
                self._report(error)
                return self._used or self._memory(settings)
            if self._used is None:
                # The lock is temporary, and nothing was written yet.
                raise
            self._tried_at = time.monotonic()
            return self._used
        self._left.pop(path, None)
        if self._used is not None:
            self._used.close()
            self._tried_at = None
            if self._trouble:
                logger.info("reviews are stored again")
                self._listener.has_recovered(self._trouble)
        return file

    def _report_left(self, used: ReviewFile) -> None:
        """Name a file with work that a server left and no server goes on with."""
        if used.path != IN_MEMORY and (n := used.n_orphans()):
            message = (
                f"Unfinished reviews or plans of a Redline that was killed stay in "
                f"{used.path} ({n}). Set `store.file` to it and start Redline again "
                "to go on with them."
            )
            self._listener.has_trouble(message)

    def _report(self, error: StoreUnavailableError) -> None:
        if self._tried_at is None:
            self._trouble = (
                f"Reviews are not stored for now: {error} The file is tried again "
                "while reviews are used."
            )
            self._listener.has_trouble(self._trouble, cause=str(error))
        self._tried_at = time.monotonic()

    def _memory(self, settings: StoreSettings) -> ReviewFile:
        return self._file(IN_MEMORY, settings)

    def _file(self, path: Path, settings: StoreSettings) -> ReviewFile:
        return ReviewFile(
            path,
            owner=self._owner,
            keep_days=settings.keep_days,
            notify=self._listener.has_trouble,
        )
