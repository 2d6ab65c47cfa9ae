"""What is done before a signal ends the process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Those that a system does not have are left out."""


class _LastAct:
    """A handler that acts, and then ends the process as the system would have."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act

    def __call__(self, number: int, _: FrameType | None) -> None:
        # If the act hangs, the next signal ends the process.
        signal.signal(number, signal.SIG_DFL)
        self._act()
        signal.raise_signal(number)


@contextmanager
def act_before_ending(act: Callable[[], None]) -> Iterator[None]:
    """Act before a signal ends the process at once; Ctrl-C is left to its handler.

    Args:
        act: Must not raise.
    """
    handler = _LastAct(act)
    ending = [each for each in _received() if signal.getsignal(each) is signal.SIG_DFL]
    for number in ending:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in ending:
            if signal.getsignal(number) is handler:
                signal.signal(number, signal.SIG_DFL)


@contextmanager
def signals_held(
    warn: Callable[[str], None], message: Callable[[], str]
) -> Iterator[None]:
    """Let files of the user be complete before a signal takes effect.

    Args:
        warn: Prints a message before a signal that was held ends the process. A handler
            of another kind, as for Ctrl-C in asyncio, has its own message.
        message: Returns what is written then; empty: nothing.
    """
    held: list[int] = []
    before = {
        int(number): signal.signal(number, lambda got, _: held.append(got))
        for number in _received()
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for got in dict.fromkeys(held):
            handler = before[got]
            ends = handler is signal.SIG_DFL or isinstance(handler, _LastAct)
            if ends and (said := message()):
                warn(said)
            signal.raise_signal(got)


def _received() -> list[signal.Signals]:
    """Return the signals that can end the process and that this thread can handle.

    One that is ignored stays so, as SIGHUP under nohup.
    """
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread receives signals.
        return []
    known = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    return [
        each for each in known if signal.getsignal(each) not in (signal.SIG_IGN, None)
    ]
