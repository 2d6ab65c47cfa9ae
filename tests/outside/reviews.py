"""What a client does for a review."""

from __future__ import annotations

from tests.e2e.editor_document import Json
from tests.e2e.wire_editor import CAPABILITIES, WireEditor

LISTS_REVIEWS: Json = {
    **CAPABILITIES,
    "experimental": {"redline": {"preview": True, "status": True, "reviews": True}},
}
"""Capabilities of an editor that shows how reviews stand."""

RUNNING = ("queued", "gathering", "reviewing", "verifying")


async def start_review(editor: WireEditor, uri: str) -> str:
    """Ask for a review of a file; returns its id."""
    started = await editor.run_now("redline.deepReview", {"uri": uri})
    review_id: str = started["reviewId"]
    return review_id


async def review_ended(editor: WireEditor, review_id: str) -> Json:
    """Wait until a review is over; returns how it stands."""

    def is_end(message: Json) -> bool:
        if message.get("method") != "redline/review":
            return False
        params = message["params"]
        return params["reviewId"] == review_id and params["state"] not in RUNNING

    message = await editor.hear(is_end)
    params: Json = message["params"]
    return params
