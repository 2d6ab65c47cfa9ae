"""The labelled tasks that the score is trained on are complete and consistent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

from redline.routing.route import Tier
from redline.routing.rules import NAMES
from redline.routing.task import Kind

FOLDER = Path(__file__).parents[1] / "data" / "routing"


def test_every_task_is_labelled_once_by_the_definition() -> None:
    rows: list[dict[str, Any]] = [
        json.loads(line)
        for file in sorted(FOLDER.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]

    assert len(rows) >= 6_000
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({(row["instruction"], row["code"]) for row in rows}) == len(rows)
    assert len({row["language"] for row in rows}) >= 40
    assert {row["tier"] for row in rows} == set(get_args(Tier))
    assert {row["kind"] for row in rows} <= set(get_args(Kind))
    assert {name for row in rows for name in row["boundaries"]} == set(NAMES)
    assert not [r["id"] for r in rows if r["boundaries"] and r["tier"] == "fast"]
