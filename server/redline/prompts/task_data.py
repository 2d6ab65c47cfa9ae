"""A task as data, sent in addition to its prompt.

Redline's own rules engine works on the data, so that prompts are written only for
models. No other server receives it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec.structs import replace

from redline.prompts.context import NO_CONTEXT
from redline.prompts.edit import EditTask

if TYPE_CHECKING:
    # Review modules are not loaded until there is a review.
    from redline.prompts.review_prompt import ReviewTask

GivenTask: TypeAlias = "EditTask | ReviewTask"


def encode_task(task: GivenTask) -> bytes:
    """Encode a task as JSON, without its context, which is for models."""
    kind = "edit" if isinstance(task, EditTask) else "review"
    return msgspec.json.encode({kind: replace(task, context=NO_CONTEXT)})


def decode_task(data: bytes | msgspec.Raw) -> GivenTask | None:
    """Decode a task; None if there is none.

    Raises:
        DecodeError: If it is not a task of this module.
    """
    found = _task_data.decode(data)
    if found is None or isinstance(found.review, msgspec.UnsetType):
        return None if found is None else found.edit
    from redline.prompts.review_prompt import ReviewTask

    return msgspec.json.decode(found.review, type=ReviewTask)


class _TaskData(msgspec.Struct):
    edit: EditTask | None = None
    review: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_task_data = msgspec.json.Decoder(_TaskData | None)
