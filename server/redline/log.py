"""The log: a rotating file of ids, sizes, durations, states and paths of files.

Callers must not log keys, prompts or document text; the filter here is a last line of
defence, for keys only. Tracebacks are written without messages that may quote a text.
Standard output carries the protocol and is never written to. Records pass through a
queue to a thread, so the event loop never waits for a disk.
"""

from __future__ import annotations

import errno
import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType

from redline.bare_traceback import bare_traceback
from redline.errors import UnreadableFileError
from redline.files import read_start
from redline.keys_in_use import redact
from redline.owner_only_files import create_private_folder, open_for_appending
from redline.printable import printable
from redline.settings.tree import LogSettings

MAX_BYTES = 1_000_000
N_FILES = 5
"""Total number of log files: the current one and its rotated predecessors."""

QUIET_LOGGERS = ("pygls", "httpx", "httpcore", "websockets", "asyncio", "uvicorn")
"""These loggers write bodies, addresses or every frame at INFO and below."""

_FIRST_WORDS = re.compile(r"[\w .']+")

_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_RECORD = re.compile(rb"[\d-]{10} [\d:]{8},\d{3} \d+ [A-Z]+ [\w.]+: ")
"""The beginning of a record, and so of every log."""


class KeyFilter(logging.Filter):
    """Removes keys and terminal control characters from messages."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record in place; always return true."""
        record.msg = printable(redact(record.getMessage()))
        record.args = None
        return True


class _BareFormatter(logging.Formatter):
    """Writes tracebacks and messages of asyncio without text of a document."""

    def format(self, record: logging.LogRecord) -> str:
        # Another handler may have stored the usual traceback.
        record.exc_text = None
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Cut messages of asyncio, which go on with arguments and exceptions."""
        if record.name == "asyncio" and (start := _FIRST_WORDS.match(record.message)):
            return start[0]
        return super().formatMessage(record)

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        return bare_traceback(ei[1]) if ei[1] is not None else ""


def default_log_file() -> Path:
    """Return the path of the log file if the settings name none."""
    # Imported late: it takes as long as the rest of this module's imports.
    from platformdirs import user_log_path

    return user_log_path("redline") / "redline.log"


@contextmanager
def logging_to(
    settings: LogSettings, *, verbose: bool = False, is_shown: bool = True
) -> Iterator[None]:
    """Write the log while the context is open.

    Leaving writes all queued records, ends the thread and restores the loggers.

    Args:
        settings: Level and file.
        verbose: Log at debug level, and to standard error even if it is not a terminal.
        is_shown: Whether the log may go to standard error; false for commands that show
            their progress there.
    """
    handlers = _file_handlers(settings)
    if is_shown:
        handlers += _stderr_handlers(verbose=verbose)
    with _logging_by(handlers):
        set_level(settings, verbose=verbose)
        yield


@contextmanager
def logging_to_stderr() -> Iterator[None]:
    """Write the log to standard error while the context is open, for a service."""
    with _logging_by([logging.StreamHandler(sys.stderr)]):
        set_level(LogSettings())
        yield


@contextmanager
def _logging_by(handlers: list[logging.Handler]) -> Iterator[None]:
    queue: SimpleQueue[logging.LogRecord] = SimpleQueue()
    for each in handlers:
        each.addFilter(KeyFilter())
        each.setFormatter(logging.Formatter(_FORMAT))
    listener = QueueListener(queue, *handlers)
    listener.start()
    handler = QueueHandler(queue)
    # It formats tracebacks before the records reach the thread.
    handler.setFormatter(_BareFormatter())
    restore = _attach(handler)
    try:
        yield
    finally:
        restore()
        listener.stop()
        for each in handlers:
            # A full disk has been reported by `_complain`.
            with suppress(OSError):
                each.close()


def set_level(settings: LogSettings, *, verbose: bool = False) -> None:
    """Apply the level of changed settings while `logging_to` is open."""
    level = "DEBUG" if verbose else settings.level.upper()
    logging.getLogger("redline").setLevel(level)


def _attach(handler: logging.Handler) -> Callable[[], None]:
    loggers = [logging.getLogger(name) for name in ("", "redline", *QUIET_LOGGERS)]
    before = {logger: logger.level for logger in loggers}
    for logger in loggers:
        logger.setLevel(logging.WARNING)
    root = logging.getLogger()
    root.addHandler(handler)

    def restore() -> None:
        root.removeHandler(handler)
        for logger, level in before.items():
            logger.setLevel(level)

    return restore


def _file_handlers(settings: LogSettings) -> list[logging.Handler]:
    path = Path(settings.file).expanduser() if settings.file else default_log_file()
    try:
        create_private_folder(path.parent)
        return [_LogFile(path)]
    except (OSError, UnreadableFileError) as error:
        _complain(path, error)
        return []


def _stderr_handlers(*, verbose: bool) -> list[logging.Handler]:
    # Under an editor, standard error is the editor's log: quiet by default.
    if verbose or sys.stderr.isatty():
        return [logging.StreamHandler(sys.stderr)]
    return []


class _LogFile(RotatingFileHandler):
    """The log file; a failure to write or rotate prints one line to standard error."""

    def __init__(self, path: Path) -> None:
        for each in (path, *(Path(f"{path}.{n}") for n in range(1, N_FILES))):
            _check_is_log(each)
        super().__init__(
            path, maxBytes=MAX_BYTES, backupCount=N_FILES - 1, encoding="utf-8"
        )
        self._has_complained = False

    def _open(self) -> TextIOWrapper:
        descriptor = open_for_appending(Path(self.baseFilename))
        return open(descriptor, "a", encoding=self.encoding)

    def handleError(self, record: logging.LogRecord) -> None:
        """Report only the first failure: a full disk fails every record."""
        error = sys.exc_info()[1]
        if not self._has_complained:
            self._has_complained = True
            _complain(Path(self.baseFilename), error)


def _check_is_log(path: Path) -> None:
    """Refuse to append to, and to rotate away, what is no log.

    Raises:
        OSError: If the file has something else.
    """
    start = read_start(path, 200) if path.is_file() else b""
    if start and not _RECORD.match(start):
        reason = f"{path.name} is not a log of Redline; name another file, or move it"
        raise FileExistsError(errno.EEXIST, reason, str(path))


def _complain(path: Path, error: BaseException | None) -> None:
    name = type(error).__name__
    reason = getattr(error, "strerror", None) or getattr(error, "reason", name)
    sys.stderr.write(f"redline: the log file {path} cannot be written: {reason}\n")
