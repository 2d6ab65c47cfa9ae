"""The settings of code actions, and the user's own actions."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from redline.settings.table_base import SettingsTable


class OwnAction(SettingsTable, frozen=True, kw_only=True):
    """A code action that the user defines."""

    title: Annotated[
        str, Meta(min_length=1, max_length=100, description="What the menu shows.")
    ]
    instruction: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=20_000,
            description="What to do with the selection, or with the "
            "definition around the cursor.",
        ),
    ]
    kind: Annotated[
        str,
        Meta(
            pattern=r"^\w+(\.\w+)*$",
            description="Its LSP kind, such as `quickfix` or `source.mine`.",
        ),
    ] = "refactor.rewrite"
    languages: Annotated[
        tuple[str, ...],
        Meta(description="LSP language ids that it is offered for; empty: all."),
    ] = ()
    tier: Annotated[
        Literal["fast", "standard", "deep"] | None,
        Meta(description="The tier that does it; absent: Redline chooses."),
    ] = None


class ActionSettings(SettingsTable, frozen=True, kw_only=True):
    """What the code action menu offers."""

    own: Annotated[
        dict[str, OwnAction],
        Meta(
            description="Your own actions, by name: `{ title = …, instruction = …, "
            "kind = …, languages = […], tier = … }`."
        ),
    ] = field(default_factory=dict)
    precompute: Annotated[
        bool,
        Meta(
            description="Compute the fix of the problem under the cursor before you "
            "ask for it. This costs a generation for every problem you only look at."
        ),
    ] = False
    precompute_per_minute: Annotated[
        int,
        Meta(ge=0, le=60, description="Most precomputed fixes a minute."),
    ] = 6
