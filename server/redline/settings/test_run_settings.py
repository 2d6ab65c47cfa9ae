"""The settings of test runs."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from redline.settings.table import SettingsTable


class TestRunSettings(SettingsTable, frozen=True, kw_only=True):
    """The command that runs your tests. A debug runs the failing test with it, in a
    copy of a workspace that `trust.workspaces` names, without keys and input."""

    command: Annotated[
        tuple[str, ...],
        Meta(
            description="The command line, one word each, run without a shell. "
            "`{test}` stands for the name of the failing test, as its runner prints "
            "it, and `{file}` for its file. Empty: no test is run."
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
