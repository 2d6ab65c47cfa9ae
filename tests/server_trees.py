"""The syntax trees of the server's modules, for the tests of the whole repository."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

import redline

SERVER = Path(redline.__file__).parent

_SAMPLES = SERVER / "cli" / "demo" / "samples"
"""Code that is shown to models, not run."""


@cache
def server_trees() -> dict[str, ast.Module]:
    """Parse each module once; the keys are paths below `redline/`, with slashes.

    The trees stay, so they are left out of garbage collection: looking through them
    again and again takes twice as long as parsing.
    """
    gc.collect()
    gc.disable()
    trees = {
        path.relative_to(SERVER).as_posix(): ast.parse(path.read_bytes())
        for path in sorted(SERVER.rglob("*.py"))
        if not path.is_relative_to(_SAMPLES)
    }
    gc.freeze()
    gc.enable()
    return trees
