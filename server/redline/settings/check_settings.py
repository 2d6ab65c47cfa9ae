"""The settings of the checks of edits, and the user's own checkers."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field

from redline.settings.table_base import SettingsTable


class CheckCommand(SettingsTable, frozen=True, kw_only=True):
    """A type checker or linter that judges edits."""

    command: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="The command line, one word each, run without a shell in a copy"
            " of the workspace. `{file}` stands for the path of the edited file.",
        ),
    ]
    languages: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="LSP language ids of the files whose edits it judges.",
        ),
    ]
    timeout_s: Annotated[
        float,
        Meta(
            gt=0,
            le=60,
            description="Longest time that an edit waits for its answer, in seconds; "
            "then the edit is offered without it.",
        ),
    ] = 1.0


class ChecksSettings(SettingsTable, frozen=True, kw_only=True):
    """What happens to an edit with problems."""

    off: Annotated[
        tuple[str, ...],
        Meta(description="Ids of checks to switch off, such as `lost-definition`."),
    ] = ()
    repair: Annotated[
        bool,
        Meta(description="Send problems back once to the model that made them."),
    ] = True
    escalate: Annotated[
        bool,
        Meta(
            description="Hand an edit that still has problems to the next higher tier, "
            "where another model fills it."
        ),
    ] = True
    commands: Annotated[
        dict[str, CheckCommand],
        Meta(
            description="Your own type checkers and linters, by name: `{ command = […],"
            " languages = […], timeout_s = … }`. They judge edits in workspaces that "
            "`trust.workspaces` names; only errors that an edit adds count. [Some run "
            "code of the project](../explanation/trust.md#who-may-set-what)."
        ),
    ] = field(default_factory=dict)
