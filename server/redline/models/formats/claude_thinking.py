"""How much a model behind the Messages API is asked to think.

Models differ in which switches they take, and refuse the others. The table is that of
anthropic 2.12 and of the models' own pages, autumn 2026.
"""

from __future__ import annotations

import re

from msgspec import Struct

from redline.models.formats.effort import EFFORT_OFF
from redline.settings.tree import ModelSettings

_LEVELS = ("low", "medium", "high", "xhigh", "max")

_BUDGETS = {"low": 1_024, "medium": 4_096, "high": 16_384}
"""Tokens to think with, for models that take a budget instead of an effort."""

_MIN_BUDGET = 1_024
"""The least budget that the API takes."""

_ROOM = {"low": 2_048, "medium": 8_192}
_FULL_ROOM = 32_768
"""Tokens added to a limit of the answer, since thinking counts as output."""


class _Family(Struct, frozen=True, kw_only=True):
    """The switches of one family of models."""

    names: str
    has_effort: bool = True
    off: str | None = "disabled"
    """The type that switches thinking off; None: it cannot be switched off."""
    highest: str = "max"


_FAMILIES = (
    _Family(names=r"claude-opus-5-5", off=None),
    _Family(names=r"claude-sonnet-5-5", off="between_tools"),
    _Family(names=r"claude-(fable|mythos)-", off=None),
    _Family(
        names=r"claude-(opus|sonnet|haiku)-4-5",
        has_effort=False,
        highest="high",
    ),
    _Family(names=r"claude-"),
)
"""The first that fits is used."""

_OTHERS = _Family(names="", has_effort=False, highest="high")
"""Models of others that are served in this format: they take a budget."""


class Thinking(Struct, frozen=True, kw_only=True):
    """What a request says about thinking."""

    thinking: dict[str, object] | None = None
    effort: str | None = None
    """`output_config.effort`."""
    room_n_tokens: int = 0
    """Tokens to add to a limit that is meant for the answer alone."""


def choose_thinking(settings: ModelSettings, *, max_tokens: int) -> Thinking:
    """Choose the switches for a model's configured effort.

    Args:
        settings: The model's settings; without an effort, its own default is used.
        max_tokens: The limit of the output. A budget must be below it.
    """
    effort = settings.effort
    if effort is None:
        return Thinking(room_n_tokens=_FULL_ROOM)
    family = next(
        (each for each in _FAMILIES if re.search(each.names, settings.name)), _OTHERS
    )
    if effort in EFFORT_OFF and family.off is not None:
        return Thinking(thinking={"type": family.off})
    level = _level(effort, highest=family.highest)
    room = _ROOM.get(level, _FULL_ROOM)
    if family.has_effort:
        thinking: dict[str, object] = {"type": "adaptive", "display": "summarized"}
        return Thinking(thinking=thinking, effort=level, room_n_tokens=room)
    budget = min(_BUDGETS[level], max_tokens // 2)
    if budget < _MIN_BUDGET:
        return Thinking(thinking={"type": "disabled"})
    thinking = {"type": "enabled", "budget_tokens": budget}
    return Thinking(thinking=thinking, room_n_tokens=room)


def _level(effort: str, *, highest: str) -> str:
    """Return the nearest effort that the model takes."""
    if effort not in _LEVELS:
        return "low"
    return _LEVELS[min(_LEVELS.index(effort), _LEVELS.index(highest))]
