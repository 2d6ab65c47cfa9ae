"""Joining: the deterministic checks of all steps together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from redline.assist.plan.plan_tools import PlanTools
from redline.assist.plan.planned_files import PlanFiles
from redline.checks.checked_folders import checked_folders
from redline.checks.edit_question import CHECK, EditCheck, unchecked
from redline.errors import ParserEndedError
from redline.plans.contracts import (
    JOIN,
    JoinAnswer,
    JoinProblem,
    JoinQuestion,
    RemovedName,
    dangling,
)
from redline.plans.overlay import Overlay, PlannedChange
from redline.plans.plan import Plan
from redline.syntax.language import language_of
from redline.text.document import Snapshot
from redline.text.lines import split_lines

NOT_JOINED = frozenset(
    {
        "elision",
        "hidden-character",
        "indentation",
        "leftover-marker",
        "line-ends",
        "lost-definition",
        "lost-protection",
        "lost-test",
        "outside-range",
    }
)
"""Checks of one step alone, which have run on it; all others run on joined files."""


async def join(
    plan: Plan,
    overlay: Overlay,
    *,
    files: PlanFiles,
    tools: PlanTools,
    snapshots: Mapping[str, Snapshot],
) -> tuple[JoinProblem, ...]:
    """Check the joined steps.

    Args:
        plan: The plan, with the steps that are written.
        overlay: The result of its steps.
        files: The workspace.
        tools: Their parser checks.
        snapshots: The files of the overlay by URI.
    """
    changes = overlay.changes()
    problems = list(await _contracts(plan, overlay, changes, files, tools))
    for change in changes:
        if change.after is not None:
            problems += await _names(change, plan, files, tools, snapshots)
    return tuple(problems)


async def _contracts(
    plan: Plan,
    overlay: Overlay,
    changes: tuple[PlannedChange, ...],
    files: PlanFiles,
    tools: PlanTools,
) -> tuple[JoinProblem, ...]:
    chosen = {name for step in plan.chosen for name in step.gives}
    question = JoinQuestion(
        contracts=tuple(one for one in plan.contracts if one.name in chosen),
        before={
            change.path: change.before
            for change in changes
            if change.before is not None
        },
        after={
            change.path: change.after for change in changes if change.after is not None
        },
    )
    try:
        answer = await tools.services.parser.run(JOIN, question)
    except ParserEndedError as error:
        problem = unchecked(error)
        answer = JoinAnswer(
            problems=(JoinProblem(rule=problem.rule, file="", message=problem.message),)
        )
    found = await asyncio.to_thread(_dangling, answer.removed, overlay, files)
    return (*answer.problems, *found)


def _dangling(
    removed: tuple[RemovedName, ...], overlay: Overlay, files: PlanFiles
) -> tuple[JoinProblem, ...]:
    """Find the uses of removed names in the workspace as the plan leaves it; blocks."""
    held = files.holding([one.last for one in removed if one.last.isidentifier()])
    texts = {path: text for found in held.values() for path, text in found.items()}
    for path in {*texts, *overlay.texts}:
        now = overlay.text(path)
        if now is not None:
            texts[path] = now
        elif path in overlay.texts:
            texts.pop(path, None)
    return dangling(removed, texts)


async def _names(
    change: PlannedChange,
    plan: Plan,
    files: PlanFiles,
    tools: PlanTools,
    snapshots: Mapping[str, Snapshot],
) -> list[JoinProblem]:
    """Run the checks of names on a whole file, which sees the other steps now."""
    settings = tools.services.settings()
    language = language_of(change.path)
    before = tuple(split_lines(change.before or ""))
    new = tuple(split_lines(change.after or ""))
    words = [step.instruction for step in plan.steps if step.file == change.path]
    question = EditCheck(
        before=before,
        first=0,
        n_old=len(before),
        new=new,
        path=change.path,
        language=language.value if language else "",
        instruction="\n".join(words),
        off=NOT_JOINED | frozenset(settings.checks.off),
        environment=checked_folders(
            files.roots,
            settings=settings,
            documents=snapshots,
            language=language,
        ),
    )
    try:
        found = (await tools.services.parser.run(CHECK, question)).problems
    except ParserEndedError as error:
        found = (unchecked(error),)
    return [
        JoinProblem(rule=one.rule, file=change.path, message=one.message, line=one.line)
        for one in found
    ]
