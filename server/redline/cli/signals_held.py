"""Holds signals back that would end the process while it writes the user's files."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Those that a system does not have are left out."""


@contextmanager
def signals_held(
    warn: Callable[[str], None], message: Callable[[], str]
) -> Iterator[None]:
    """Let files be complete before a signal takes effect.

    Only Python's main thread receives signals; elsewhere this does nothing.

    Args:
        warn: Prints a message before a signal that was held ends the process at once,
            which is the system's default. Where Python has a handler, as for Ctrl-C in
            asyncio, this is left to it.
        message: Returns what is written then; empty: nothing.
    """
    held: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name, None) for name in _ENDING):
            # A signal that is ignored stays so, as SIGHUP under nohup.
            if number is None or signal.getsignal(number) in (signal.SIG_IGN, None):
                continue
            before[number] = signal.signal(number, lambda got, _: held.append(got))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for got in dict.fromkeys(held):
            if signal.getsignal(got) is signal.SIG_DFL and (said := message()):
                warn(said)
            signal.raise_signal(got)
