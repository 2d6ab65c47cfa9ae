"""The prompt of a debug: a failure, its code, and what the answer must show.

The answer is JSON in the form of `answer_schema.debug_schema`; `plans/answer.py` reads
it.
"""

from __future__ import annotations

from functools import cache
from typing import get_args

from redline.plans.plan import MAX_FIX_STEPS, MAX_STEP_LINES, StepKind
from redline.prompts.blocks import Block, write_blocks
from redline.prompts.message import Prompt, one_question
from redline.prompts.plan_prompt import PlanTask
from redline.prompts.render import render

_FAILURE = "What failed"


def debug_prompt(task: PlanTask) -> Prompt:
    blocks = [*task.blocks, Block(title=_FAILURE, text=task.instruction)]
    return one_question(_instructions(), write_blocks(*blocks))


@cache
def _instructions() -> str:
    return render(
        "debug",
        kinds=", ".join(get_args(StepKind)),
        max_lines=str(MAX_STEP_LINES),
        max_steps=str(MAX_FIX_STEPS),
    )
