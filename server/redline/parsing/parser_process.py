"""One parser process from outside: starts it, calls functions in it, ends it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO, cast

import msgspec

from redline.child_environment import child_environment
from redline.errors import ParserEndedError
from redline.parsing.messages import Done, Order, Raised, read_message, write_message
from redline.parsing.work import Argument, Result, Work

logger = logging.getLogger(__name__)

COMMAND = (
    sys.executable,
    # Otherwise a `redline` in the editor's working directory, which may be an
    # untrusted workspace, would run instead.
    "-P",
    *("-m", "redline.parsing.parser_main"),
)

_decoder: msgspec.msgpack.Decoder[Done | Raised] = msgspec.msgpack.Decoder(
    Done | Raised
)


class ParserProcess:
    """A running parser process; only `kill` may be called from another thread."""

    def __init__(self, *, limit_s: float, command: Sequence[str] = COMMAND) -> None:
        """Start the process.

        Args:
            limit_s: Time limit of each call; the process keeps it itself.
            command: The command that starts it.

        Raises:
            ParserEndedError: If it cannot be started.
        """
        self._limit_s = limit_s
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=child_environment(os.environ),
                # Ctrl-C in the terminal is meant for the parent; the child ends with
                # it. Killing the group ends linters that the child started.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as exc:
            raise ParserEndedError("a parser process could not be started") from exc
        self._stdin = cast(BinaryIO, self._process.stdin)  # Both are pipes.
        self._stdout = cast(BinaryIO, self._process.stdout)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it can no longer be used."""
        return self._process.poll() is not None

    def load(self, work: Work[Argument, Result]) -> None:
        """Import a function ahead of its first call.

        Raises:
            ParserEndedError: If the process ends.
        """
        self._ask(Order(function=work.function, limit_s=self._limit_s))

    def call(self, work: Work[Argument, Result], argument: Argument) -> Result:
        """Call a function.

        Raises:
            ParserEndedError: If the process ends before it answers, if the function
                raises, or if the argument has text that is not valid Unicode.
        """
        try:
            encoded = msgspec.Raw(msgspec.msgpack.encode(argument))
        except UnicodeEncodeError as exc:
            raise ParserEndedError("it is not valid Unicode") from exc
        answer = self._ask(
            Order(function=work.function, limit_s=self._limit_s, argument=encoded)
        )
        if isinstance(answer, Raised):
            logger.error("%s failed: %s", work.function, answer.traceback)
            raise ParserEndedError("Redline failed at it, as its log says")
        assert not isinstance(answer.result, msgspec.UnsetType)
        return msgspec.msgpack.decode(answer.result, type=work.result)

    def kill(self) -> None:
        """End it at once, with the processes that it started; idempotent."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def close(self) -> None:
        """Kill it and free what it used."""
        self.kill()
        self._process.wait()
        with suppress(OSError):
            self._stdin.close()
        self._stdout.close()

    def _ask(self, order: Order) -> Done | Raised:
        began = time.monotonic()
        try:
            write_message(self._stdin, order)
            body = read_message(self._stdout)
        except OSError:
            body = None
        if body is not None:
            return _decoder.decode(body)
        if time.monotonic() - began >= self._limit_s:
            raise ParserEndedError(f"it took longer than {self._limit_s:g} s")
        raise ParserEndedError("its parser failed, or needed too much memory")
