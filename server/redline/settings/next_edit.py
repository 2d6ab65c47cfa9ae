"""The settings of next edits."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class NextEditSettings(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """Next edits: what follows from your last edit, by rules and without a model."""

    enabled: Annotated[bool, Meta(description="Whether next edits are offered.")] = True
    off: Annotated[
        tuple[str, ...],
        Meta(description="LSP language ids in which none are offered."),
    ] = ("markdown", "plaintext", "git-commit", "gitcommit", "log")
    remove_imports: Annotated[
        bool,
        Meta(
            description="Whether to offer the removal of a Python import whose last "
            "use you removed."
        ),
    ] = False
