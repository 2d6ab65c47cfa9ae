"""The settings of test runs."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from redline.settings.table_base import SettingsTable


class TestRunSettings(SettingsTable, frozen=True, kw_only=True):
    """The command that runs your tests, in workspaces that `trust.workspaces` names,
    without keys and input. The editor runs a test with it, a debug the failing one,
    and a plan its tests if `plan.run_tests` is set."""

    command: Annotated[
        tuple[str, ...],
        Meta(
            description="The command line, one word each, run without a shell. "
            "`{test}` stands for the name by which its runner is asked for a test, and "
            "`{file}` for its file. Empty: no test is run."
        ),
    ] = ()
    timeout_s: Annotated[
        float,
        Meta(
            gt=0,
            le=3600,
            description="Longest run, in seconds; then the command is killed with all "
            "processes of its group.",
        ),
    ] = 120.0
    where: Annotated[
        Literal["copy", "workspace"],
        Meta(
            description="`copy`: in a temporary copy of the workspace, with the texts "
            "of open documents, saved or not. `workspace`: in the workspace itself, as "
            "it is saved; a debug and a plan then run none before they are applied."
        ),
    ] = "copy"
