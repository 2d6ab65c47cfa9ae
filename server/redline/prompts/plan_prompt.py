"""The prompt of a plan, and the blocks that its steps are shown.

The answer is JSON in the form of `answer_schema.plan_schema`; `plans/answer.py` reads
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import get_args

from msgspec import Struct

from redline.plans.plan import (
    MAX_FILES,
    MAX_STEP_LINES,
    MAX_STEPS,
    Contract,
    Plan,
    PlanStep,
    StepKind,
)
from redline.prompts.blocks import Block, on_one_line, write_blocks
from redline.prompts.message import ChatMessage, Prompt, one_question
from redline.prompts.render import render

_INSTRUCTION = "What to plan"


class PlanTask(Struct, frozen=True, kw_only=True):
    """What a planner is shown. All text has LF line ends, and no secrets."""

    instruction: str
    blocks: Sequence[Block]
    """The code, and what was found about it."""


def plan_prompt(task: PlanTask) -> Prompt:
    blocks = [*task.blocks, Block(title=_INSTRUCTION, text=task.instruction)]
    return one_question(_instructions(), write_blocks(*blocks))


def refused_plan_prompt(prompt: Prompt, answer: str, reasons: Sequence[str]) -> Prompt:
    """Continue the conversation with the reasons why the plan is refused."""
    listed = "\n".join(f"- {reason}" for reason in reasons)
    text = (
        "This plan does not fit the workspace:\n"
        f"{listed}\n\nReply with the whole plan again, corrected, in the same format."
    )
    return Prompt(
        instructions=prompt.instructions,
        chat_messages=(
            *prompt.chat_messages,
            ChatMessage(role="assistant", text=answer),
            ChatMessage(role="user", text=text),
        ),
    )


def step_blocks(plan: Plan, step: PlanStep) -> tuple[Block, ...]:
    """Return the contracts of a step, for the model that writes it."""
    given = [one for one in plan.contracts if one.name in step.gives]
    used = [one for one in plan.contracts if one.name in step.uses]
    blocks = []
    if given:
        title = "Define these names with exactly these signatures"
        blocks.append(Block(title=title, text=_contracts(given)))
    if used:
        title = "These names are being written elsewhere; use them as they are here"
        blocks.append(Block(title=title, text=_contracts(used)))
    return tuple(blocks)


def _contracts(contracts: Sequence[Contract]) -> str:
    return "\n\n".join(
        f"{on_one_line(one.name)} in {on_one_line(one.file)}"
        + (f", raises {', '.join(one.raises)}" if one.raises else "")
        + f":\n{one.signature}"
        for one in contracts
    )


@cache
def _instructions() -> str:
    return render(
        "plan",
        kinds=", ".join(get_args(StepKind)),
        max_steps=str(MAX_STEPS),
        max_files=str(MAX_FILES),
        max_lines=str(MAX_STEP_LINES),
    )
