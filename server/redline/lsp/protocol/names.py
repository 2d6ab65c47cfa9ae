"""Names of Redline's own commands and notifications; `*_messages` have their types.

They are separate from the types because `initialize` lists the commands and must not
wait for imports.
"""

from __future__ import annotations

EDIT = "redline.edit"
STOP = "redline.stop"
ACCEPT = "redline.accept"
REJECT = "redline.reject"
REDIRECT = "redline.redirect"
VARIATIONS = "redline.variations"
NEXT_CANDIDATE = "redline.nextCandidate"
EDIT_STATE = "redline.editState"
TAKE_BACK = "redline.takeBack"
BRING_BACK = "redline.bringBack"
EDIT_TARGET = "redline.editTarget"
SHARPEN = "redline.sharpen"
NEXT_PROMPT = "redline.nextPrompt"
FILES = "redline.files"
PROMPTS = "redline.prompts"
EXPLAIN = "redline.explain"
WRITE_TESTS = "redline.writeTests"
DEEP_REVIEW = "redline.deepReview"
REVIEWS = "redline.reviews"
CANCEL_REVIEW = "redline.cancelReview"
OPEN_REPORT = "redline.openReport"
DISMISS = "redline.dismiss"
APPLY_FIX = "redline.applyFix"
DEBUG = "redline.debug"
PLAN = "redline.plan"
RUN_PLAN = "redline.runPlan"
APPLY_PLAN = "redline.applyPlan"
PLANS = "redline.plans"
PLAN_STATE = "redline.planState"
OPEN_PLAN = "redline.openPlan"
PLAN_AGAIN = "redline.planAgain"
REJECT_PLAN = "redline.rejectPlan"
CANCEL_PLAN = "redline.cancelPlan"
RUN_TESTS = "redline.runTests"
CANCEL_TESTS = "redline.cancelTests"
TEST_RUNS = "redline.testRuns"
TEST_OUTPUT = "redline.testOutput"
STATUS = "redline.status"
STATS = "redline.stats"
LAST_PROMPT = "redline.lastPrompt"
NEXT_EDIT_ACCEPTED = "redline.nextEditAccepted"
APPLY_NEXT_EDIT = "redline.applyNextEdit"

COMMANDS = (
    EDIT,
    VARIATIONS,
    REDIRECT,
    STOP,
    ACCEPT,
    REJECT,
    NEXT_CANDIDATE,
    EDIT_STATE,
    TAKE_BACK,
    BRING_BACK,
    EDIT_TARGET,
    SHARPEN,
    NEXT_PROMPT,
    FILES,
    PROMPTS,
    EXPLAIN,
    WRITE_TESTS,
    DEEP_REVIEW,
    REVIEWS,
    CANCEL_REVIEW,
    OPEN_REPORT,
    DISMISS,
    APPLY_FIX,
    DEBUG,
    PLAN,
    RUN_PLAN,
    APPLY_PLAN,
    PLANS,
    PLAN_STATE,
    OPEN_PLAN,
    PLAN_AGAIN,
    REJECT_PLAN,
    CANCEL_PLAN,
    RUN_TESTS,
    CANCEL_TESTS,
    TEST_RUNS,
    TEST_OUTPUT,
    STATUS,
    STATS,
    LAST_PROMPT,
    NEXT_EDIT_ACCEPTED,
    APPLY_NEXT_EDIT,
)

FEATURE_COMMANDS = frozenset({OPEN_REPORT, REVIEWS, STATS, LAST_PROMPT, PROMPTS})
"""The ordinary pygls commands, see `lsp.methods.pygls_commands`."""

PREPARE = "redline/edit/prepare"
"""Sent by the client; the server sends the others."""
BEGAN = "redline/edit/began"
HUNKS = "redline/edit/hunks"
ENDED = "redline/edit/ended"
STATUS_CHANGED = "redline/status"
REVIEW = "redline/review"
PLAN_CHANGED = "redline/plan"
TESTS_CHANGED = "redline/tests"
NEXT_EDIT_SHOWN = "redline/nextEdit/shown"
"""Sent by the client, as the next one."""
NEXT_EDIT_DISMISSED = "redline/nextEdit/dismissed"
NEXT_EDIT_CHANGED = "redline/nextEdit/changed"
INLINE_CHANGED = "redline/inline/changed"
INLINE_DISMISSED = "redline/inline/dismissed"
"""Sent by the client."""

NOTIFICATIONS = (
    PREPARE,
    BEGAN,
    HUNKS,
    ENDED,
    STATUS_CHANGED,
    REVIEW,
    PLAN_CHANGED,
    TESTS_CHANGED,
    NEXT_EDIT_SHOWN,
    NEXT_EDIT_DISMISSED,
    NEXT_EDIT_CHANGED,
    INLINE_CHANGED,
    INLINE_DISMISSED,
)

NEXT_EDIT = "redline/nextEdit"

REQUESTS = (NEXT_EDIT,)
"""Requests of the client that are not commands."""

REPORT_SCHEME = "redline-review"
"""The scheme of report URIs, for clients that request their content."""
