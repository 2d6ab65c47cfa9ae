"""Diagnosing: one generation of the deep tier, and one more if its fix is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct

from redline.assist.plan.estimate import prompt_cost
from redline.assist.plan.gathering import PlanBrief
from redline.assist.plan.plan_answers import PlanAnswers
from redline.assist.plan.plan_tools import PlanTools
from redline.assist.plan.planned_files import PlanFiles
from redline.assist.plan.planning import Planned, Planner
from redline.assist.tiers.cost import Cost
from redline.errors import PlanRefusedError
from redline.keys_in_use import without_known_keys
from redline.plans.answer import Diagnosis, UnreadableAnswer, read_diagnosis
from redline.plans.places import quoted_lines
from redline.plans.plan import MAX_FIX_STEPS, Plan
from redline.prompts.answer_schema import debug_schema
from redline.prompts.debug_prompt import debug_prompt
from redline.prompts.plan_prompt import PlanTask, refused_plan_prompt
from redline.prompts.redaction import put_back, without_placeholders
from redline.routing.route import Tier

GUESS = (
    "This cause is a guess: no line of a file shows it, so no fix is written for it."
)


class Diagnosed(Struct, frozen=True, kw_only=True):
    """What is known of a failure."""

    diagnosis: Diagnosis
    """With the quotes that are in files, and no others."""
    plan: Plan | None = None
    """The fix, which fits the workspace; None: there is none."""
    message: str = ""
    """Why there is no fix; a sentence or more."""


class Diagnoser:
    """Asks for the cause of a failure, and verifies what it is shown as evidence."""

    def __init__(
        self, tools: PlanTools, files: PlanFiles, answers: PlanAnswers
    ) -> None:
        self._tools = tools
        self._files = files
        self._planner = Planner(tools, files, answers)

    async def diagnose(
        self,
        brief: PlanBrief,
        *,
        tier: Tier,
        on_spent: Callable[[Cost], None],
        check_cost: Callable[[float | None], None],
    ) -> Diagnosed:
        """Ask for the cause and the fix; a refused fix goes back once.

        Raises:
            HeldBackError: If a file that it is shown is excluded now.
            ModelError: If there is no answer.
            PlanRefusedError: If no answer can be read.
        """
        model = self._tools.job.tiers.choose(tier).model
        task = PlanTask(instruction=brief.instruction, blocks=brief.blocks)
        prompt = await self._tools.job.in_thread(debug_prompt, task)
        last: Diagnosed | None = None
        reasons: tuple[str, ...] = ()
        answer = ""
        paths = [block.path for block in brief.blocks]
        for _ in range(2):
            if reasons:
                prompt = refused_plan_prompt(prompt, answer, reasons)
            check_cost(prompt_cost(model, prompt))
            answer = await self._planner.ask(
                model, prompt, debug_schema(), paths=paths, on_spent=on_spent
            )
            diagnosis = await self._read(answer, brief)
            if isinstance(diagnosis, UnreadableAnswer):
                reasons = (diagnosis.reason,)
                continue
            if not diagnosis.evidence:
                return Diagnosed(diagnosis=diagnosis, message=GUESS)
            if not diagnosis.has_steps:
                message = "No fix is proposed."
                return Diagnosed(diagnosis=diagnosis, message=message)
            planned = await self._read_fix(answer, brief)
            if isinstance(planned, Planned):
                return Diagnosed(
                    diagnosis=diagnosis, plan=planned.plan, message=planned.message
                )
            reasons = planned
            words = f"Its fix does not fit the workspace: {' '.join(reasons)}"
            last = Diagnosed(diagnosis=diagnosis, message=words)
        if last is not None:
            return last
        raise PlanRefusedError(
            f"Model {model.describe().label} gave no readable cause: "
            f"{' '.join(reasons)}"
        )

    async def _read_fix(
        self, answer: str, brief: PlanBrief
    ) -> Planned | tuple[str, ...]:
        """Read a fix; or return why it cannot be carried out."""
        planned = await self._planner.read(answer, brief)
        if isinstance(planned, Planned):
            n_steps = len(planned.plan.steps)
            if n_steps > MAX_FIX_STEPS:
                return (f"It has {n_steps} steps; at most {MAX_FIX_STEPS} are run.",)
        return planned

    async def _read(
        self, answer: str, brief: PlanBrief
    ) -> Diagnosis | UnreadableAnswer:
        """Read a diagnosis, with the evidence that files have."""
        table = brief.table
        read = await asyncio.to_thread(
            read_diagnosis,
            answer,
            as_code=lambda text: put_back(text, table),
            as_prose=lambda text: without_known_keys(without_placeholders(text, table)),
        )
        if isinstance(read, UnreadableAnswer):
            return read
        paths = {one.file for one in read.evidence}
        files = await asyncio.to_thread(
            self._files.read, paths, self._tools.job.documents()
        )
        return read.with_evidence(
            tuple(
                one
                for one in read.evidence
                if (text := files[one.file].text) is not None
                and quoted_lines(text, one.quote) is not None
            )
        )
