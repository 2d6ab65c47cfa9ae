"""Why a plan is refused: what it names must be in the workspace, and fit together.

A plan is refused, not repaired: the planner gets the list once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from redline.plans.graph import cycle
from redline.plans.places import place_of, quoted_lines
from redline.plans.plan import (
    MAX_PATHS,
    MAX_PLAN_CHARS,
    MAX_STEP_LINES,
    Plan,
    PlanStep,
)
from redline.syntax.facts import Definition

_MAX_SHOWN = 30
_ID = re.compile(r"[A-Za-z][\w-]{0,31}", re.ASCII)
_DRIVE = re.compile(r"[A-Za-z]:")

_REPOSITORIES = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", "_darcs"})
"""Folders whose files name programs that run later, such as hooks. `CVS` is one only in
upper case: `cvs` may be anything."""

_OBEYED = frozenset({".gitignore", ".redlineignore", "redline.toml", ".redline"})
"""Files and folders that decide what Redline sends, trusts and asks."""

_REMOVED = re.compile(r"\[(?:secret|redacted)\]")
"""What stands for a secret or a key in a path of the planner."""


class PlannedFile(Struct, frozen=True, kw_only=True):
    """What the workspace has at a path that a plan names."""

    text: str | None = None
    """None: there is no such file, or it must not be used."""
    reason: str | None = None
    """Why it must not be used, as the end of a sentence."""
    definitions: tuple[Definition, ...] = ()
    """Those of its text, outer before inner."""


class PlanRefusal(Struct, frozen=True, kw_only=True):
    """One reason to refuse a plan."""

    step: str
    """The id of the step; empty: the plan as a whole."""
    message: str
    """A sentence."""

    def __str__(self) -> str:
        return f"Step {self.step}: {self.message}" if self.step else self.message


NO_FILE = PlannedFile()


def path_fault(path: str) -> str | None:
    """Return why a path cannot name a file of the workspace; None: it can.

    Only its form is looked at: links and ignore rules need the disk.
    """
    parts = path.split("/")
    if not path or not path.isprintable():
        return "the path is empty or cannot be printed"
    if path.startswith(("/", "~")) or "\\" in path or _DRIVE.match(path):
        return "the path is not relative to the workspace folder"
    if any(part in ("", ".", "..") for part in parts):
        return "the path is not a plain one inside the workspace folder"
    if any(part.lower() in _REPOSITORIES or part == "CVS" for part in parts):
        return "the path is in the folder of a version control system"
    if any(part.lower() in _OBEYED for part in parts):
        return "Redline itself obeys it, so only you change it"
    if _REMOVED.search(path):
        return "the path holds a secret"
    return None


def refusals(
    plan: Plan,
    files: Mapping[str, PlannedFile],
    *,
    is_defined: Callable[[str], bool],
) -> tuple[PlanRefusal, ...]:
    """Compare a plan to the workspace.

    Args:
        plan: The plan, with at most `MAX_STEPS` steps.
        files: What is at each path of the plan; a path that is not in it is missing.
        is_defined: Whether the workspace defines a name.
    """
    found = [
        *_of_whole(plan, files),
        *(one for step in plan.steps for one in _of_step(step, plan, files)),
        *_of_moves(plan.steps),
        *_of_contracts(plan, is_defined),
        *_of_overlaps(plan.chosen, files),
    ]
    return tuple(dict.fromkeys(found))[:_MAX_SHOWN]


def path_faults(plan: Plan) -> tuple[str, ...]:
    """Return what is wrong with the form of the paths that a plan names."""
    return tuple(
        f"{path!r} cannot be used: {fault}."
        for path in paths_of(plan)
        if (fault := path_fault(path)) is not None
    )


def size_faults(plan: Plan) -> tuple[str, ...]:
    """Return what is wrong with the number of files that a plan names.

    Looked at before they are read.
    """
    n_paths = len(paths_of(plan))
    if n_paths <= MAX_PATHS:
        return ()
    return (
        f"It names {n_paths} files, at most {MAX_PATHS} are read: leave some of "
        "`reads` and `tests` out.",
    )


def paths_of(plan: Plan) -> tuple[str, ...]:
    """Return the paths that a plan names, each once."""
    paths = [
        path
        for step in plan.steps
        for path in (step.file, *([step.to] if step.to else []), *step.reads)
    ]
    return tuple(dict.fromkeys([*paths, *plan.tests]))


def _of_whole(plan: Plan, files: Mapping[str, PlannedFile]) -> Iterator[PlanRefusal]:
    n_chars = sum(len(file.text or "") for file in files.values())
    if n_chars > MAX_PLAN_CHARS:
        message = (
            f"Its files have {n_chars:,} characters, and at most {MAX_PLAN_CHARS:,} "
            "are read: leave some of `reads` and `tests` out."
        )
        yield PlanRefusal(step="", message=message)
    if not plan.steps and not plan.questions:
        yield PlanRefusal(step="", message="The plan has no steps.")
    for step_id, n in Counter(step.id for step in plan.steps).items():
        if n > 1:
            yield PlanRefusal(step=step_id, message=f"{n} steps have this id.")
        if not _ID.fullmatch(step_id):
            yield PlanRefusal(step=step_id, message="The id is not a plain word.")
    if waiting := cycle(plan.steps):
        names = ", ".join(waiting)
        yield PlanRefusal(step="", message=f"The steps {names} wait for each other.")


def _of_step(
    step: PlanStep, plan: Plan, files: Mapping[str, PlannedFile]
) -> Iterator[PlanRefusal]:
    def refuse(message: str) -> PlanRefusal:
        return PlanRefusal(step=step.id, message=message)

    ids = {one.id for one in plan.steps}
    for other in step.after:
        if other not in ids:
            yield refuse(f"It waits for {other!r}, which is no step.")
    if step.kind in ("edit", "create") and not step.instruction:
        yield refuse("It has no instruction.")
    for path in (step.file, *([step.to] if step.kind == "rename" else [])):
        reason = path_fault(path) or files.get(path, NO_FILE).reason
        if reason is not None:
            yield refuse(f"{path!r} cannot be used: {reason}.")
            return
    for path in step.reads:
        reason = path_fault(path) or files.get(path, NO_FILE).reason
        if reason is not None:
            yield refuse(f"{path!r} cannot be read: {reason}.")
    message = _existence(step, plan, files) or _place_fault(step, files)
    if message is not None:
        yield refuse(message)


def _existence(
    step: PlanStep, plan: Plan, files: Mapping[str, PlannedFile]
) -> str | None:
    """Return what is wrong about a file being there, or not."""
    is_there = files.get(step.file, NO_FILE).text is not None
    created = {one.file for one in plan.steps if one.kind == "create"}
    match step.kind:
        case "create" if is_there:
            return f"{step.file!r} exists already; edit it instead."
        case "edit" | "rename" | "delete" if not is_there and step.file not in created:
            return f"{step.file!r} does not exist; create it instead."
        case "rename" if files.get(step.to, NO_FILE).text is not None:
            return f"{step.to!r} exists already."
    return None


def _of_moves(steps: Sequence[PlanStep]) -> Iterator[PlanRefusal]:
    """Refuse steps of which one would undo or overwrite what another has made."""
    makers: dict[str, PlanStep] = {}
    leavers: dict[str, PlanStep] = {}
    for step in steps:
        made = {"create": step.file, "rename": step.to}.get(step.kind)
        # Some systems ignore the case of the letters.
        other = makers.setdefault(made.casefold(), step) if made else step
        if other is not step:
            message = f"It makes {made!r}, which step {other.id} makes already."
            yield PlanRefusal(step=step.id, message=message)
        if step.kind in ("rename", "delete"):
            other = leavers.setdefault(step.file.casefold(), step)
            if other is not step:
                message = f"{step.file!r} is renamed or deleted by step {other.id}."
                yield PlanRefusal(step=step.id, message=message)
    for step in steps:
        leaver = leavers.get(step.file.casefold())
        if step.kind == "edit" and leaver is not None and leaver.kind == "delete":
            message = f"It edits {step.file!r}, which step {leaver.id} deletes."
            yield PlanRefusal(step=step.id, message=message)


def _place_fault(step: PlanStep, files: Mapping[str, PlannedFile]) -> str | None:
    """Return what is wrong with the lines that a step edits."""
    file = files.get(step.file, NO_FILE)
    if step.kind != "edit" or file.text is None:
        return None
    if step.quote and quoted_lines(file.text, step.quote) is None:
        return f"The quote is not in {step.file!r}; quote a line as it is there."
    place = place_of(step, file.text, file.definitions)
    if place is None:
        return f"{step.symbol!r} is not in {step.file!r}; quote a line of its place."
    if len(place) > MAX_STEP_LINES:
        return (
            f"It rewrites {len(place)} lines; a step rewrites at most "
            f"{MAX_STEP_LINES}. Name a definition inside of them."
        )
    return None


def _of_contracts(
    plan: Plan, is_defined: Callable[[str], bool]
) -> Iterator[PlanRefusal]:
    contracts = {one.name: one for one in plan.contracts}
    given: Counter[str] = Counter()
    for step in plan.steps:
        given.update(step.gives)
        for name in step.gives:
            contract = contracts.get(name)
            if contract is None:
                message = f"It gives {name!r}, which has no contract."
                yield PlanRefusal(step=step.id, message=message)
            elif contract.file not in (step.file, step.to):
                yield PlanRefusal(
                    step=step.id,
                    message=f"It edits {step.file!r}, and gives {name!r} of "
                    f"{contract.file!r}.",
                )
    for name, n in given.items():
        if n > 1:
            yield PlanRefusal(step="", message=f"{n} steps give {name!r}.")
    for step in plan.steps:
        for name in step.uses:
            if name not in given and not is_defined(name):
                message = f"It uses {name!r}, which no step gives or file defines."
                yield PlanRefusal(step=step.id, message=message)


def _of_overlaps(
    steps: Sequence[PlanStep], files: Mapping[str, PlannedFile]
) -> Iterator[PlanRefusal]:
    places = [
        (step, place)
        for step in steps
        if step.kind == "edit"
        and (file := files.get(step.file, NO_FILE)).text is not None
        and (place := place_of(step, file.text, file.definitions)) is not None
    ]
    for (one, here), (other, there) in combinations(places, 2):
        is_same = one.file == other.file
        if is_same and here.start < there.stop and there.start < here.stop:
            yield PlanRefusal(
                step=other.id,
                message=f"It edits the same lines of {one.file!r} as step {one.id}; "
                "make them one step.",
            )
