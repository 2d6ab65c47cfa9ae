"""A task as data is the same task on the other side."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from redline.findings.parts import Excerpt
from redline.prompts.blocks import Block
from redline.prompts.context import NO_CONTEXT, FittedContext
from redline.prompts.edit import EditTask
from redline.prompts.review_prompt import ReviewTask
from redline.prompts.task_data import decode_task, encode_task
from redline.text.instruction_comment import InstructionComment

CONTEXT = FittedContext(head=(Block(title="Signatures", text="def g(): ..."),))
EDIT = EditTask(
    instruction="sort\n```\nlines",
    path='src/"half',
    language="python",
    before="a\u2028\n",
    target="b\n",
    after="",
    draft="c",
    earlier="d",
    from_comment=InstructionComment(lines=("x # redline: z", "# y"), kept=("x", "")),
    reply_format="search-replace",
    is_whole_file=False,
    context=CONTEXT,
)
REVIEW = ReviewTask(
    scope="these files",
    excerpts=[
        Excerpt(
            path="line\nfeed.rs",
            language="rust",
            first_line=119,
            text="fn f() {\n}\n",
            is_whole=False,
            spans=((119, 120), (121, 122)),
            diff="-a\n+b\n",
        )
    ],
    notes=[Block(title="Notes on d.py", text="1: no")],
    context=CONTEXT,
)


@pytest.mark.parametrize("task", [EDIT, REVIEW], ids=["edit", "review"])
def test_a_task_is_read_back(task: EditTask | ReviewTask) -> None:
    """All of it but the context, which is for models."""
    assert decode_task(encode_task(task)) == replace(task, context=NO_CONTEXT)


def test_no_task_is_none() -> None:
    assert decode_task(b"null") is None
    assert decode_task(b"{}") is None


@pytest.mark.parametrize("data", [b"[]", b'{"edit": {"instruction": 1}}', b"{"])
def test_what_is_no_task_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_task(data)
