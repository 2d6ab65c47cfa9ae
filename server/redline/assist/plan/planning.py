"""Planning: one generation of the deep tier, and one more if the plan is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.plan.estimate import prompt_cost
from redline.assist.plan.gathering import PlanBrief
from redline.assist.plan.plan_answers import PlanAnswers
from redline.assist.plan.plan_tools import PlanTools
from redline.assist.plan.planned_files import PlanFiles, read_files
from redline.assist.privacy.excluded_files import send_check
from redline.assist.review.job.cost import cost_of_answer, wasted_cost
from redline.assist.review.job.model_client import AnswerMark, ask
from redline.assist.tiers.cost import Cost
from redline.errors import PlanRefusedError
from redline.keys_in_use import without_known_keys
from redline.models.interface import GenerationRequest, Model
from redline.plans.answer import UnreadableAnswer, read_answer
from redline.plans.graph import first_part
from redline.plans.plan import Plan
from redline.plans.refusals import paths_of, refusals, size_faults
from redline.prompts.answer_schema import plan_schema
from redline.prompts.message import JsonSchema, Prompt
from redline.prompts.plan_prompt import PlanTask, plan_prompt, refused_plan_prompt
from redline.prompts.redaction import put_back, without_placeholders
from redline.routing.route import Tier

_MAX_SHOWN_CHARS = 2_000
"""Longest part of an answer that is no plan which a message quotes."""


class Planned(Struct, frozen=True, kw_only=True):
    """A plan that fits the workspace."""

    plan: Plan
    message: str = ""
    """What the user should know of it, a sentence; empty: nothing."""


class Planner:
    """Asks for plans, and compares them to the workspace."""

    def __init__(
        self, tools: PlanTools, files: PlanFiles, answers: PlanAnswers
    ) -> None:
        self._tools = tools
        self._files = files
        self._answers = answers

    async def plan(
        self,
        brief: PlanBrief,
        *,
        tier: Tier,
        on_spent: Callable[[Cost], None],
        check_cost: Callable[[float | None], None],
    ) -> Planned:
        """Ask the planner; a plan that is refused goes back to it once.

        Args:
            brief: What it is shown.
            tier: The tier that plans.
            on_spent: Receives the cost of each answer.
            check_cost: Receives the estimated cost of each answer before the model is
                asked, and raises if it is too much.

        Raises:
            HeldBackError: If a file that it is shown is excluded now.
            ModelError: If there is no answer.
            PlanRefusedError: If there is no plan that fits.
        """
        model = self._tools.job.tiers.choose(tier).model
        task = PlanTask(instruction=brief.instruction, blocks=brief.blocks)
        prompt = await self._tools.job.in_thread(plan_prompt, task)
        reasons: tuple[str, ...] = ()
        answer = ""
        paths = [block.path for block in brief.blocks]
        for _ in range(2):
            if reasons:
                prompt = refused_plan_prompt(prompt, answer, reasons)
            check_cost(prompt_cost(model, prompt))
            answer = await self.ask(
                model, prompt, plan_schema(), paths=paths, on_spent=on_spent
            )
            planned = await self.read(answer, brief)
            if isinstance(planned, Planned):
                return planned
            reasons = planned
        shown = without_known_keys(" ".join(answer.split())[:_MAX_SHOWN_CHARS])
        raise PlanRefusedError(
            f"Model {model.describe().label} made no plan that fits this workspace: "
            f"{' '.join(reasons)} Its last answer was: {shown}",
        )

    async def refused(self, plan: Plan) -> tuple[str, ...]:
        """Return why a plan does not fit the workspace as it is now."""
        if faults := size_faults(plan):
            return faults
        files = await read_files(
            self._files,
            paths_of(plan),
            documents=self._tools.job.documents(),
            parser=self._tools.services.parser,
        )
        defined = {
            name
            for file in files.values()
            for one in file.definitions
            for name in (one.qualified_name, one.name)
        }
        last = {
            name: name.replace("::", ".").split(".")[-1]
            for step in plan.steps
            for name in step.uses
        }
        missing = {word for name, word in last.items() if name not in defined}
        holding = await asyncio.to_thread(
            self._files.holding, {word for word in missing if word.isidentifier()}
        )
        found = refusals(
            plan,
            files,
            is_defined=lambda name: (
                name in defined or bool(holding.get(last.get(name, "")))
            ),
        )
        return tuple(map(str, found))

    async def read(self, answer: str, brief: PlanBrief) -> Planned | tuple[str, ...]:
        """Read a plan; or return why it is none that fits the workspace."""
        table = brief.table
        read = await asyncio.to_thread(
            read_answer,
            answer,
            as_code=lambda text: put_back(text, table),
            as_prose=lambda text: without_known_keys(without_placeholders(text, table)),
        )
        if isinstance(read, UnreadableAnswer):
            return (read.reason,)
        part, message = first_part(read)
        reasons = await self.refused(part)
        return reasons or Planned(plan=part, message=message)

    async def ask(
        self,
        model: Model,
        prompt: Prompt,
        schema: JsonSchema,
        *,
        paths: Iterable[str],
        on_spent: Callable[[Cost], None],
    ) -> str:
        """Ask a model about some files, and return its answer.

        Raises:
            HeldBackError: If one of the files is excluded now.
            ModelError: If there is none.
        """
        request = GenerationRequest(
            prompt=prompt,
            text_format=schema,
            background=True,
            cache_key=self._tools.job.cache_key,
            kind="review",
        )
        listener = _Listener()
        check_files = send_check(paths, self._files.roots)
        asking = self._tools.job.asking(check_files)
        how = replace(asking, on_stored=self._answers.note)
        try:
            ended = await ask(model, request, listener, how)
        except BaseException:
            self._answers.delete(listener.marks)
            on_spent(wasted_cost(model, request, listener.text))
            raise
        self._answers.delete(listener.marks, ended=listener.marks[-1])
        on_spent(cost_of_answer(model, request, ended.usage, listener.text))
        return listener.text


class _Listener:
    """Implements `AnswerListener`: collects the answer."""

    def __init__(self) -> None:
        self.marks: list[AnswerMark] = []
        """Of all answers: the last one counts, the earlier ones were given up."""

    @property
    def text(self) -> str:
        """The answer so far."""
        return self.marks[-1].text if self.marks else ""

    async def begins(self, mark: AnswerMark) -> None:
        self.marks.append(mark)

    async def gets_id(self, mark: AnswerMark) -> None:
        """Keep the id, to delete the answer."""
        self.marks[-1] = mark

    async def continues(self, delta: str, mark: AnswerMark) -> None:
        """Keep the text so far."""
        self.marks[-1] = mark
