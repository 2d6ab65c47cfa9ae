"""How long an answer to the editor waits: for more text, a check, or a quiet moment."""

from __future__ import annotations

from redline.assist.suggestions.complete.completion_checks import Readiness
from redline.assist.suggestions.complete.document_state import (
    CompletedDocument,
    OpenRequest,
)
from redline.completion.flights import Look

CHOICES_S = 1.5
"""Longest wait for further texts to choose from once there is one."""

_BLOCK_S = 0.15
"""Longest wait for further lines of a block."""

_QUIET_S = {"eager": 0.0, "normal": 0.12, "calm": 0.6, "manual": 0.0}
_CALMNESS = ("eager", "normal", "calm")


def answer_wait_s(
    state: CompletedDocument,
    request: OpenRequest,
    look: Look,
    ready: Readiness,
    *,
    calm: str,
    now_s: float,
) -> float:
    """Return how long to wait with an answer that there is."""
    if request.has_waited:
        return 0.0
    grows_s = _BLOCK_S if ready == "soon" else 0.0
    if look.was_shown:
        return grows_s
    if look.insertions[0].may_grow:
        grows_s = _BLOCK_S
    quiet_s = _QUIET_S[_calmness(state, calm)] - (now_s - state.key_s)
    return max(grows_s, quiet_s)


def _calmness(state: CompletedDocument, calm: str) -> str:
    """Return the setting, or a calmer one after rejections."""
    if calm not in _CALMNESS:
        return calm
    step = _CALMNESS.index(calm) + state.steps_calmer
    return _CALMNESS[min(step, len(_CALMNESS) - 1)]
