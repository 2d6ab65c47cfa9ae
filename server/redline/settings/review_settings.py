"""The settings of deep reviews."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from redline.settings.table_base import SettingsTable


class ReviewSettings(SettingsTable, frozen=True, kw_only=True):
    """Reviews by the deep tier, which run in the background."""

    on_save: Annotated[
        Literal["off", "hunks"],
        Meta(
            description='`"hunks"`: review what each save has changed, by the standard '
            "tier, without being asked."
        ),
    ] = "off"
    live_per_hour: Annotated[
        int, Meta(ge=1, description="Most reviews on save in an hour.")
    ] = 60
    live_cost_per_day: Annotated[
        float,
        Meta(
            gt=0,
            description="US dollars in a day after which no more saves are reviewed.",
        ),
    ] = 1.0
    parallel: Annotated[
        int, Meta(ge=1, le=32, description="Most reviews at a time; others wait.")
    ] = 2
    scouts: Annotated[
        int,
        Meta(
            ge=0,
            le=32,
            description="Most fast generations at a time that read related files for a "
            "review; 0: the deep model gets the related code itself.",
        ),
    ] = 4
    timeout_s: Annotated[
        float,
        Meta(ge=120, description="Longest time for one answer of the deep model."),
    ] = 600.0
    stall_s: Annotated[
        float,
        Meta(
            gt=0,
            description="Longest silence of the deep model, before and in its answer; "
            "a model that thinks is silent for minutes.",
        ),
    ] = 300.0
    retries: Annotated[
        int,
        Meta(
            ge=0,
            le=20,
            description="How often a busy, failed or interrupted model is asked again, "
            "after growing pauses or those that it asks for.",
        ),
    ] = 5
    refute: Annotated[
        bool,
        Meta(
            description="Let the standard tier try to refute each finding; refuted "
            "findings are not shown."
        ),
    ] = True
    fixes: Annotated[
        bool,
        Meta(
            description="Let the fast tier write a fix for each finding; only fixes "
            "that pass the checks are offered."
        ),
    ] = True
    part_tokens: Annotated[
        int,
        Meta(
            ge=1_000,
            description="Most tokens of code in one question to the deep model; a "
            "larger change is reviewed in parts.",
        ),
    ] = 40_000
    max_parts: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="Most parts of one review; the report lists what was left out.",
        ),
    ] = 20
    max_findings: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000,
            description="Most findings of one review, the worst ones; the report lists "
            "the others.",
        ),
    ] = 50
