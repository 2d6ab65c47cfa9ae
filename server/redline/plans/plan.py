"""The values of a plan: its steps, and the contracts that cross files."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

MAX_STEPS = 20
MAX_FIX_STEPS = 3
"""Most steps of a debug: they are run without a question."""
MAX_FILES = 12
MAX_STEP_LINES = 400
"""Most lines that one step may rewrite."""

MAX_PATHS = 60
"""Most files that a plan may change, read and test."""
MAX_PLAN_CHARS = 4_000_000
"""Most text of these files: it is stored with each change of the plan."""

StepKind = Literal["edit", "create", "rename", "delete"]


class Contract(Struct, frozen=True, kw_only=True):
    """A name that one step defines and others use, with its exact signature."""

    name: str
    """Qualified in its file: `Price.in_currency`."""
    file: str
    signature: str
    """The source up to the body, such as `def total(self) -> int`."""
    raises: tuple[str, ...] = ()


class PlanStep(Struct, frozen=True, kw_only=True):
    """One edit of one file."""

    id: str
    file: str
    """Relative to the workspace folder, with `/`."""
    kind: StepKind = "edit"
    symbol: str = ""
    """The definition to edit, qualified; empty: the quoted lines or the whole file."""
    quote: str = ""
    """A line or some lines that the file must have."""
    to: str = ""
    """The new path of a renamed file."""
    instruction: str
    reads: tuple[str, ...] = ()
    """Files that are shown to the model that writes the step."""
    gives: tuple[str, ...] = ()
    """Names of the contracts that this step defines."""
    uses: tuple[str, ...] = ()
    """Names that it uses and other steps, or the workspace, define."""
    after: tuple[str, ...] = ()
    """Ids of the steps that must be done before it."""
    is_left_out: bool = False
    """Whether the user has taken it out of the plan."""


class Plan(Struct, frozen=True, kw_only=True):
    """What is to be changed, and in which steps."""

    summary: str
    assumptions: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    """What the user must decide; while there are some, the plan does not run."""
    contracts: tuple[Contract, ...] = ()
    steps: tuple[PlanStep, ...] = ()
    tests: tuple[str, ...] = ()
    """Test files of the workspace that cover the change."""

    @property
    def chosen(self) -> tuple[PlanStep, ...]:
        """The steps that the user has not left out."""
        return tuple(step for step in self.steps if not step.is_left_out)

    def step(self, step_id: str) -> PlanStep | None:
        return next((step for step in self.steps if step.id == step_id), None)
