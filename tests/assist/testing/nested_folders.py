"""Folders as deep as a faulty program may nest them."""

from __future__ import annotations

import os
from pathlib import Path

N_NESTED = 1_500
LONG_NAME = 200 * "d"


def nest(folder: Path) -> None:
    """Nest folders deeper than recursion, descriptors and the length of a path allow.

    The innermost one has a file and may not be written.
    """
    inside = os.open(folder, os.O_RDONLY)
    for _ in range(N_NESTED):
        os.mkdir(LONG_NAME, dir_fd=inside)
        outside, inside = inside, os.open(LONG_NAME, os.O_RDONLY, dir_fd=inside)
        os.close(outside)
    os.close(os.open("file", os.O_CREAT, dir_fd=inside))
    os.fchmod(inside, 0o500)
    os.close(inside)
