"""What a request is for, by which it is queued."""

from __future__ import annotations

from typing import get_args

from redline.wire.events import TASK_KIND, ResponseCreate, TaskKind

JSON_FORMATS = frozenset({"json_schema", "json_object"})


def task_kind(create: ResponseCreate) -> TaskKind:
    """Return what a request is for: as it says, or as it looks."""
    said = (create.metadata or {}).get(TASK_KIND)
    kinds: tuple[TaskKind, ...] = get_args(TaskKind)
    if said in kinds:
        return kinds[kinds.index(said)]
    text_format = create.text.format if create.text else None
    is_json = text_format is not None and text_format.type in JSON_FORMATS
    return "review" if create.background or is_json else "edit"
