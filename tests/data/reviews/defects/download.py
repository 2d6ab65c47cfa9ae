"""Files for visitors."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path("/srv/public")


def download(name: str) -> bytes:
    """Return a file of the public folder; `name` is from the URL."""
    path = FOLDER / name
    if not path.is_file():
        raise FileNotFoundError(name)
    return path.read_bytes()
