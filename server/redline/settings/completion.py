"""The settings of what is offered unasked: inline completions and next edits."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from redline.settings.table_base import SettingsTable


class CompletionSettings(SettingsTable, frozen=True, kw_only=True):
    """Inline completion: the text that is shown at the cursor while you type."""

    enabled: Annotated[bool, Meta(description="Whether text is shown unasked.")] = True
    model: Annotated[
        str | None,
        Meta(
            description="The model of completions, by its name in the settings; "
            "absent: that of the fast tier."
        ),
    ] = None
    languages: Annotated[
        dict[str, str],
        Meta(
            description="Models of single languages, by LSP language id: "
            '`{ rust = "local" }`.'
        ),
    ] = field(default_factory=dict)
    off: Annotated[
        tuple[str, ...],
        Meta(description="LSP language ids in which nothing is shown unasked."),
    ] = ("markdown", "plaintext", "git-commit", "gitcommit", "log")
    calm: Annotated[
        Literal["eager", "normal", "calm", "manual"],
        Meta(
            description="When new text is shown: `eager`: as soon as it is there. "
            "`normal`: 0.12 s after the last key. `calm`: 0.6 s after it. `manual`: "
            "only on request. Text that you type along is always shown at once."
        ),
    ] = "eager"
    in_comments: Annotated[
        Literal["line", "off", "on"],
        Meta(
            description="In comments: finish only the line, show nothing, or complete "
            "as in code."
        ),
    ] = "line"
    per_minute: Annotated[
        int, Meta(ge=0, le=600, description="Most requests to a model a minute.")
    ] = 60
    usd_per_day: Annotated[
        float,
        Meta(
            ge=0,
            description="Most US dollars a day for completions of this server, as far "
            "as the model's price is known. At 80 % only a new token sends a request.",
        ),
    ] = 1.0
    effort: Annotated[
        str | None,
        Meta(
            description="Reasoning effort of completions, as the provider names it; "
            "absent: `none` for a model whose own setting names an effort."
        ),
    ] = None


class NextEditSettings(SettingsTable, frozen=True, kw_only=True):
    """Next edits: what follows from your last edit, by rules, and by a model if the
    rules find nothing."""

    enabled: Annotated[bool, Meta(description="Whether next edits are offered.")] = True
    off: Annotated[
        tuple[str, ...],
        Meta(description="LSP language ids in which none are offered."),
    ] = ("markdown", "plaintext", "git-commit", "gitcommit", "log")
    model: Annotated[
        str | None,
        Meta(
            description="The model that is asked if the rules find nothing, by its "
            "name in the settings; `none`: no model; absent: that of the fast tier."
        ),
    ] = None
    languages: Annotated[
        dict[str, str],
        Meta(
            description="Models of single languages, by LSP language id: "
            '`{ rust = "local", sql = "none" }`.'
        ),
    ] = field(default_factory=dict)
    eagerness: Annotated[
        Literal["low", "normal", "high"],
        Meta(
            description="How sure a model must be of an edit that is offered: `low`: "
            "sure. `normal`: fairly sure. `high`: any edit."
        ),
    ] = "normal"
    show: Annotated[
        Literal["lens", "hint", "actions"],
        Meta(
            description="How editors show a next edit that do not draw it themselves: "
            "`lens`: a code lens above its line. `hint`: a diagnostic of severity hint "
            "at its place. `actions`: only code actions, which there are in any case."
        ),
    ] = "lens"
    per_minute: Annotated[
        int, Meta(ge=0, le=120, description="Most requests to a model a minute.")
    ] = 20
    usd_per_day: Annotated[
        float,
        Meta(
            ge=0,
            description="Most US dollars a day for next edits of this server, as far "
            "as the model's price is known.",
        ),
    ] = 0.5
    effort: Annotated[
        str | None,
        Meta(
            description="Reasoning effort of next edits, as the provider names it; "
            "absent: `none` for a model whose own setting names an effort."
        ),
    ] = None
    remove_imports: Annotated[
        bool,
        Meta(
            description="Whether to offer the removal of a Python import whose last "
            "use you removed."
        ),
    ] = False
