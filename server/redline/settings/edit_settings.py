"""The settings of edits."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from redline.settings.table_base import SettingsTable

ApplyMode = Literal["end", "stream", "preview"]


class EditSettings(SettingsTable, frozen=True, kw_only=True):
    """How edits behave."""

    apply: Annotated[
        ApplyMode,
        Meta(
            description="`end`: one edit when the generation is complete. `stream`: "
            "growing edits of whole lines while it writes. `preview`: show it first, "
            "in clients that can. If this is not set, VS Code shows an edit that you "
            "ask for first."
        ),
    ] = "end"
    on_stop: Annotated[
        Literal["drop", "keep"],
        Meta(
            description="What happens to the part written before a stop: dropped, or "
            "kept as a proposal in clients with a preview."
        ),
    ] = "drop"
    on_typing: Annotated[
        Literal["stop", "replan"],
        Meta(
            description="What typing inside the range does to a running edit: "
            "it stops, or it starts over on the new text once you pause."
        ),
    ] = "stop"
    candidates: Annotated[
        int, Meta(ge=1, le=10, description="Generations that race for each edit.")
    ] = 1
    live_pause_s: Annotated[
        float,
        Meta(
            ge=0,
            description="Pause in typing an instruction after which it is tried.",
        ),
    ] = 0.15
    live_per_minute: Annotated[
        int,
        Meta(
            ge=0,
            description="Most generations a minute for instructions that are still "
            "being typed; the final one is always carried out.",
        ),
    ] = 30
    context_tokens: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="Most tokens of context sent with an edit on the fast tier: "
            "the code around the range and other context. The standard tier gets four "
            "times as many, the deep tier eight times. Requests under 13 kB "
            "fit a fresh TCP window and save a round trip.",
        ),
    ] = 2_200
    rewrite_lines: Annotated[
        int,
        Meta(
            ge=1,
            description="Longest range, in lines, that is rewritten whole; longer ones "
            "are edited by search and replace blocks.",
        ),
    ] = 300
    paints_per_s: Annotated[
        float,
        Meta(
            ge=0,
            description="Most preview updates a second; 0: one per turn of the event "
            "loop.",
        ),
    ] = 30.0
