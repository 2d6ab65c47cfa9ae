"""The demo's last scene: a review in the background, while an edit runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any  # JSON of messages that are only shown.

from redline.cli.demo_editor import ServerAnswerError
from redline.cli.demo_stage import Stage, milliseconds, server_times

_INSTRUCTION = "Use f-strings"
_LIMIT_S = 600.0
"""A reasoning model may think for minutes; Ctrl-C ends the demo."""

_ENDS = frozenset({"done", "cancelled", "failed"})
_MOST_SHOWN = 8


class DemoReviewNews:
    """Collects the server's notifications about a review and its findings."""

    def __init__(self) -> None:
        self.review: Mapping[str, Any] = {}
        """The newest `redline/review`."""
        self.first_finding = 0.0
        """When the first one was shown."""
        self.ended = asyncio.Event()
        self.ended_at = 0.0

    def heard(self, method: str, params: Any, at: float) -> None:
        """Handle a notification of the server."""
        if method == "textDocument/publishDiagnostics":
            is_ours = any(one.get("data") for one in params["diagnostics"])
            if is_ours and self.review:
                self.first_finding = self.first_finding or at
        if method == "redline/review":
            self.review = params
            if params["state"] in _ENDS:
                self.ended_at = at
                self.ended.set()


async def show_review(stage: Stage, news: DemoReviewNews, *, is_rules: bool) -> None:
    """Start a review of the file, and edit it meanwhile."""
    stage.screen.heading("A review of this file, while an edit runs")
    # Start the review.
    asked = time.monotonic()
    try:
        answer = await stage.editor.execute(
            "redline.deepReview", {"uri": stage.editor.document.uri, "force": True}
        )
    except ServerAnswerError as error:
        stage.screen.say(str(error))
        return
    answered = time.monotonic()
    # Edit the file while the review runs.
    stage.stream.begin("meanwhile")
    with stage.screen.streaming():
        result = await stage.edit("meanwhile", _INSTRUCTION)
    if result["outcome"] in ("offered", "held"):
        await stage.say("redline.reject", "meanwhile")
    try:
        async with asyncio.timeout(_LIMIT_S):
            await news.ended.wait()
    except TimeoutError:
        stage.screen.say("The review goes on after the demo.")
        return
    # Show the timeline and the findings.
    rows = [(milliseconds(answered - asked), "until the review has its id")]
    rows += [
        (when, f"the edit: {what}") for when, what in server_times(result["timing"])
    ]
    if news.first_finding:
        shown = milliseconds(news.first_finding - asked)
        rows.append((shown, "until the first finding is a diagnostic"))
    rows.append((milliseconds(news.ended_at - asked), "until the review is done"))
    stage.screen.timeline(rows)
    await _tell(stage, news.review, answer["reviewId"])
    if is_rules or not news.review["hasModel"]:
        stage.screen.say(
            "The built-in rules have reviewed, not a model; name one for the tier "
            "`deep` in the settings."
        )


async def _tell(stage: Stage, review: Mapping[str, Any], review_id: str) -> None:
    if review["message"]:
        stage.screen.say_plainly(review["message"])
    known = await stage.editor.execute("redline.reviews", {"reviewId": review_id})
    for one in known["findings"][:_MOST_SHOWN]:
        line = one["range"]["start"]["line"] + 1
        fix = ", with a fix" if "fix" in one else ""
        stage.screen.say_plainly(
            f"line {line}: {one['severity']} {one['category']}: {one['title']}{fix}"
        )
    if not known["findings"]:
        stage.screen.say("Nothing was found.")
