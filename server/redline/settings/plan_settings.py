"""The settings of plans."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from redline.settings.table_base import SettingsTable


class PlanSettings(SettingsTable, frozen=True, kw_only=True):
    """Plans: changes over several files, designed by the deep tier and written in
    steps by the others."""

    parallel: Annotated[
        int,
        Meta(ge=1, le=16, description="Most steps of a plan that are written at once."),
    ] = 4
    max_cost: Annotated[
        float,
        Meta(
            ge=0,
            description="US dollars after which a plan asks no model; a run that is "
            "estimated to cost more does not begin. 0: no limit.",
        ),
    ] = 0.0
    run_tests: Annotated[
        bool,
        Meta(
            description="Run the tests that a plan names with `test.command` in a copy "
            "of a trusted workspace, on the steps of models and before you see them; "
            "a plan with which one fails is held."
        ),
    ] = False
