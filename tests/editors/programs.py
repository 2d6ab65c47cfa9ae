"""The real editors: got into a folder by the scripts in `get/`, once."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_HERE = Path(__file__).parent

FOLDER = Path(os.environ.get("REDLINE_EDITORS", _HERE.parents[1] / ".editors"))
"""Where they are kept; a folder that can be thrown away."""


def program(editor: str) -> Path:
    """Return an editor's program, got first if it is not there.

    Args:
        editor: The part of a script's name after `get-`.

    Raises:
        RuntimeError: If it cannot be had; the message holds what the script said.
    """
    script = _HERE / "get" / f"get-{editor}"
    done = subprocess.run(
        [script, FOLDER / editor], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{script.name} failed:\n{done.stderr}")
    return Path(done.stdout.strip().splitlines()[-1])
