"""Export of a table."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path


def export(rows: Iterable[tuple[str, int]], path: Path) -> None:
    """Write rows; an older export is replaced."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for row in rows:
            writer.writerow(row)
