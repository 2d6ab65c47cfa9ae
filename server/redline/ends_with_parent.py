"""Runs one command, which ends when the parent of this process ends; a script.

Standard input is the lifeline: the parent holds its other end, so it ends even when the
parent is killed. Then the group of this process is killed, and the command with it.
What the command leaves behind when it exits, such as an agent that keeps a store
unlocked, goes on.

The command has no input, and its standard error is discarded. That of this process says
why the command could not be started.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

COMMAND = (sys.executable, "-I", "-S", __file__)
"""What the words of the command follow. Isolated: no module of the current folder or of
the environment is loaded."""


def _main() -> int:
    try:
        process = subprocess.Popen(
            sys.argv[1:], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        sys.stderr.write(reason)
        return 1
    threading.Thread(target=_end_with_parent, args=(process,), daemon=True).start()
    code = process.wait()
    return code if code >= 0 else 128 - code


def _end_with_parent(process: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1):
        pass
    if sys.platform == "win32":
        process.kill()
    elif os.getpgrp() == os.getpid():
        # Only if it leads the group: the parent's own group is not its to kill.
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(_main())
