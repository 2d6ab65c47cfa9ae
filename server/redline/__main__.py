"""Run the `redline` command: the console script, and `python -m redline`."""

from __future__ import annotations

import os
import signal
import sys

_EXIT_INTERRUPTED = 130


def main() -> int:
    """Run the command line and return the exit code.

    Until the command is imported, an interrupt ends the process at once: nothing is
    open yet, and a traceback of half an import would help nobody.
    """
    before = signal.getsignal(signal.SIGINT)
    # It may be ignored, as in a shell's background job.
    is_default = before is signal.default_int_handler
    if is_default:
        signal.signal(signal.SIGINT, lambda *_: os._exit(_EXIT_INTERRUPTED))
    from redline.cli.main import main as run

    if is_default:
        signal.signal(signal.SIGINT, before)
    return run()


if __name__ == "__main__":
    sys.exit(main())
