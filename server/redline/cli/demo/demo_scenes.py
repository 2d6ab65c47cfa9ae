"""The demo's scenes: each does one thing to the document, and shows a timeline.

The last one is a review in the background, while an edit runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import time
from collections.abc import Mapping, Sequence
from typing import Any  # JSON of messages that are only shown.

from redline.cli.demo.demo_editor import ServerAnswerError
from redline.cli.demo.demo_stage import Stage, milliseconds, server_times

_HINTS = "Add type hints"
_F_STRINGS = "Use f-strings"
_BOTH = "Add type hints and use f-strings"
_MAX_DIFF_LINES = 30
_KEY_S = 0.03
"""Seconds between two keys of a fast typist."""

_LIMIT_S = 600.0
"""A reasoning model may think for minutes; Ctrl-C ends the demo."""

_ENDS = frozenset({"done", "cancelled", "failed"})
_MOST_SHOWN = 8


async def show_edit(stage: Stage, instruction: str) -> None:
    """Show an edit with its preview, which is applied as one change and undone."""
    stage.screen.heading(f"An edit: “{instruction}”")
    before = stage.lines
    with stage.screen.streaming():
        result = await stage.edit("edit", instruction)
    if result["outcome"] not in ("offered", "held"):
        stage.screen.say(f"{result['outcome']}: {result.get('message', '')}")
        return
    asked = time.monotonic()
    await stage.say("redline.accept", "edit")
    rows = server_times(result["timing"])
    applied = milliseconds(time.monotonic() - asked)
    rows.append((applied, "from accept to applied: one edit, one undo step"))
    after = stage.lines
    asked = time.monotonic()
    await stage.say("redline.takeBack", "edit")
    rows.append((milliseconds(time.monotonic() - asked), "from undo to undone"))
    stage.screen.timeline(rows)
    _show_diff(stage, before, after)


async def show_stop(stage: Stage) -> None:
    """Show an edit that is stopped half-way."""
    stage.screen.heading(f"Stop: “{_HINTS}”, interrupted half-way")
    version = stage.editor.document.version
    half = len(stage.lines) // 2
    stage.stream.begin("stop")
    with stage.screen.streaming():
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(stage.edit("stop", _HINTS))
            await stage.stream.until(lambda: stage.stream.reached >= half, asking)
            stopped = time.monotonic()
            await stage.say("redline.stop", "stop")
            answered = time.monotonic()
    result = asking.result()
    if result["outcome"] != "stopped":
        await _pass_over(stage, "stop", result)
        return
    silence = max(0.0, stage.stream.last_hunks - stopped)
    stage.screen.timeline(
        [
            *server_times(result["timing"]),
            (milliseconds(answered - stopped), "from stop to its answer"),
            (milliseconds(silence), "from stop to the last message painted"),
        ]
    )
    is_same = stage.editor.document.version == version
    stage.screen.say("The document is " + ("untouched." if is_same else "CHANGED."))


async def show_redirect(stage: Stage) -> None:
    """Show an edit that is redirected half-way."""
    stage.screen.heading("Redirect")
    stage.screen.say(f"Half-way, “{_HINTS}” becomes “{_BOTH}”.")
    session = "redirect"
    half = len(stage.lines) // 2
    stage.stream.begin(session)
    with stage.screen.streaming():
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(stage.edit(session, _HINTS, tier="fast"))
            await stage.stream.until(lambda: stage.stream.reached >= half, asking)
            turned = time.monotonic()
            stage.stream.mark()
            done = await _redirected(stage, session, asking)
            begun = time.monotonic()
    result = asking.result()
    if done is None:
        await _pass_over(stage, session, result)
        return
    changed = stage.stream.first_hunks
    stage.screen.timeline(
        [
            (milliseconds(begun - turned), f"until the new one begins: {done['how']}"),
            (milliseconds(changed - turned), "until it changes what is painted"),
            (milliseconds(time.monotonic() - turned), "until it is all there"),
        ]
    )
    wasted = result.get("usage", {}).get("wastedTokens", 0)
    stage.screen.say(f"{stage.stream.n_hunks} changes offered; {wasted} tokens wasted.")
    await _reject(stage, session, result)


async def _redirected(
    stage: Stage, session: str, asking: asyncio.Task[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Redirect an edit; None if the model was faster."""
    if asking.done():
        return None
    try:
        done: Mapping[str, Any] = await stage.say(
            "redline.redirect", session, instruction=_BOTH
        )
    except ServerAnswerError:
        return None
    return done if done["accepted"] else None


async def _pass_over(stage: Stage, session: str, result: Mapping[str, Any]) -> None:
    """Report that the model finished before the scene could act."""
    what = result["outcome"]
    stage.screen.say(f"The model was done before that ({what}): nothing to show here.")
    # A stop that crossed the answer on its way has ended the offer already.
    with contextlib.suppress(ServerAnswerError):
        await _reject(stage, session, result)


async def _reject(stage: Stage, session: str, result: Mapping[str, Any]) -> None:
    """Reject the offer of an edit, if there is one."""
    if result["outcome"] in ("offered", "held"):
        await stage.say("redline.reject", session)


async def show_candidates(stage: Stage) -> None:
    """Show several generations that race; the best is offered first."""
    stage.screen.heading(f"Candidates: three generations of “{_F_STRINGS}”")
    stage.stream.begin("candidates")
    with stage.screen.streaming():
        result = await stage.edit(
            "candidates", _F_STRINGS, command="redline.variations", candidates=3
        )
    stage.screen.timeline(server_times(result["timing"]))
    if result["outcome"] not in ("offered", "held"):
        stage.screen.say(f"{result['outcome']}: {result.get('message', '')}")
        return
    state = await stage.say("redline.editState", "candidates")
    found = state["candidates"]
    n_sound = sum(not each["problems"] for each in found)
    stage.screen.say(
        f"To choose from: {len(found)} of 3, {n_sound} without problems. Identical "
        "ones are merged (the built-in rules always agree, models do not)."
    )
    await stage.say("redline.reject", "candidates")


async def show_live(stage: Stage) -> None:
    """Show an instruction that takes effect while it is typed."""
    stage.screen.heading(f"A live instruction: “{_HINTS}”, key by key")
    stage.stream.begin("live")
    n_answers = {"superseded": 0}
    with stage.screen.streaming():
        async with asyncio.TaskGroup() as group:
            drafts = []
            for end in range(4, len(_HINTS) + 1):
                typed_so_far = stage.edit("live", _HINTS[:end], draft=True)
                drafts.append(group.create_task(typed_so_far))
                await asyncio.sleep(_KEY_S)
            typed = time.monotonic()
            await stage.stream.until(lambda: bool(stage.stream.n_hunks), drafts[-1])
            shown = time.monotonic()
            final = await stage.edit("live", _HINTS)
            answered = time.monotonic()
    for draft in drafts:
        outcome = draft.result()["outcome"]
        n_answers[outcome] = n_answers.get(outcome, 0) + 1
    stage.screen.timeline(
        [
            (
                milliseconds(shown - typed),
                "from the last key to the first change shown",
            ),
            (milliseconds(answered - shown), "from Enter to the whole: reused"),
        ]
    )
    stage.screen.say(
        f"{len(drafts)} drafts were sent and {n_answers['superseded']} superseded; "
        f"the final one is {final['outcome']}, nothing was applied."
    )
    await _reject(stage, "live", final)


def _show_diff(stage: Stage, before: Sequence[str], after: Sequence[str]) -> None:
    lines = list(difflib.unified_diff(before, after, "before", "after", n=1))
    stage.screen.diff(lines[:_MAX_DIFF_LINES])
    if len(lines) > _MAX_DIFF_LINES:
        stage.screen.say(f"… and {len(lines) - _MAX_DIFF_LINES} more lines of diff.")


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
        result = await stage.edit("meanwhile", _F_STRINGS)
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
