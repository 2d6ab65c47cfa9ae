"""Redline's own protocol on top of LSP: commands, notifications and their types.

The reference is `docs/reference/protocol.md`; a test compares the two. Names
on the wire are camel case; positions are in the negotiated encoding; durations are
seconds; sizes say their unit. Unknown arguments are an error, so that a misspelt option
is not ignored.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

from redline.lsp.actions.action_messages import LspCommand
from redline.lsp.messages import DocumentId, LspPosition, LspRange
from redline.routing.task import ActionKind

Tier = Literal["fast", "standard", "deep"]
Band = Literal["0-30", "30-60", "60-80", "80-100"]
Outcome = Literal["applied", "offered", "held", "unchanged", "stopped", "superseded"]
Ending = Literal["accepted", "rejected", "unchanged", "stopped", "failed", "superseded"]


class _Message(Struct, frozen=True, rename="camel"):
    """What the server sends."""


class _SparseMessage(_Message, frozen=True, omit_defaults=True):
    """The same without the fields that have their default."""


class _Arguments(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What a client sends to a command."""


class _SparseArguments(_Arguments, frozen=True, omit_defaults=True):
    """The same; in code actions, which contain it, without the defaults."""


NextEditReason = Literal["idle", "accepted", "saved", "moved", "diagnostics", "manual"]
NextEditDisplay = Literal["inline", "here", "jump"]


# Arguments of commands and params of notifications from the client.


class EditRange(_SparseArguments, frozen=True):
    """One of several ranges of an edit."""

    range: LspRange
    instruction: Annotated[str, Meta(max_length=100_000)] = ""
    """What to do with it, besides the instruction of the edit."""
    from_comment: LspRange | None = None
    """The comment in the document that its instruction was written in; the edit removes
    it."""


class EditArguments(_SparseArguments, frozen=True):
    """Arguments of `redline.edit` and `redline.variations`."""

    uri: str
    range: LspRange | None = None
    """Needed, unless there are `ranges`."""
    ranges: tuple[EditRange, ...] = ()
    """Several ranges of the document, which are one edit: one preview and one undo
    step."""
    instruction: Annotated[str, Meta(max_length=100_000)] = ""
    """Needed, unless each of the `ranges` has its own."""
    kind: ActionKind = "edit"
    """The kind of action that it comes from, which affects the tier."""
    tier: Tier | None = None
    from_comment: LspRange | None = None
    """The comment in the document that the instruction was written in; the edit removes
    it."""
    candidates: Annotated[int, Meta(ge=1, le=10)] | None = None
    """How many generations race."""
    apply: Literal["end", "stream", "preview"] | None = None
    session_id: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    """A session id chosen by the client, so that it can stop the session before the
    answer; absent: the server chooses. A draft uses the same id each time."""
    draft: bool = False
    """The instruction is still being typed: preview it and apply nothing."""
    attachments: Annotated[tuple[str, ...], Meta(max_length=4)] = ()
    """URIs of images that the instruction is about: of files, or `data:` URIs in
    base64; png, jpeg, webp or gif."""
    title: Annotated[str, Meta(max_length=200)] | None = None
    """What progress calls it; absent: the beginning of the instruction."""


class PrepareArguments(_Message, frozen=True):
    """Params of `redline/edit/prepare`; unknown fields are ignored."""

    uri: str
    range: LspRange


class StopArguments(_Arguments, frozen=True):
    """Arguments of `redline.stop`; without a field: all sessions."""

    session_id: str | None = None
    uri: str | None = None


class HunkArguments(_Arguments, frozen=True):
    """Arguments of `redline.accept` and `redline.reject`; no hunks: all of them."""

    session_id: str
    hunks: list[int] | None = None


class RedirectArguments(_Arguments, frozen=True):
    """Arguments of `redline.redirect`: a session, or the one at a place."""

    instruction: Annotated[str, Meta(max_length=100_000)]
    from_comment: LspRange | None = None
    """The comment in the document that the instruction was written in; the edit removes
    it."""
    session_id: str | None = None
    uri: str | None = None
    position: LspPosition | None = None


class SessionArguments(_Arguments, frozen=True):
    """Arguments of `redline.editState` and `redline.nextCandidate`."""

    session_id: str


class TakeBackArguments(_Arguments, frozen=True):
    """Arguments of `redline.takeBack`: an edit or a plan."""

    session_id: str | None = None
    plan_id: str | None = None


class StoredOffer(_Arguments, frozen=True):
    """An offer that the client has stored."""

    range: LspRange
    """The lines that it replaces; empty: it inserts new lines."""
    new_text: str
    instruction: str
    """What it carries out; may be empty."""


class BringBackArguments(_Arguments, frozen=True):
    """Arguments of `redline.bringBack`."""

    uri: str
    session_id: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    """A session id chosen by the client; absent: the server chooses."""
    offer: StoredOffer | None = None
    """What to offer; absent: the last offer that the server remembers."""


class EditTargetArguments(_Arguments, frozen=True):
    """Arguments of `redline.editTarget`."""

    uri: str
    position: LspPosition


class SharpenArguments(_Arguments, frozen=True):
    """Arguments of `redline.sharpen`."""

    uri: str
    range: LspRange
    instruction: Annotated[str, Meta(max_length=100_000)]


class NextPromptArguments(_Arguments, frozen=True):
    """Arguments of `redline.nextPrompt`."""

    uri: str
    range: LspRange | None = None
    ranges: tuple[EditRange, ...] = ()
    """Several ranges, in place of `range`."""
    instruction: Annotated[str, Meta(max_length=100_000)] = ""
    """What is typed of it so far."""
    images: Annotated[int, Meta(ge=0, le=4)] = 0
    """The number of attached images."""


class FilesArguments(_Arguments, frozen=True):
    """Arguments of `redline.files`."""

    typed: Annotated[str, Meta(max_length=1_000)] = ""
    """Part of a path or of a definition's name; empty: any file."""


class StatsArguments(_Arguments, frozen=True):
    """Arguments of `redline.stats`."""

    since: date | None = None
    """The first local day to include; absent: the last 30 days."""
    by: tuple[Literal["tier", "day", "kind"], ...] = ("tier", "day")
    """The fields to group by, in this order; none: one group."""


class ExplainArguments(_SparseArguments, frozen=True):
    """Arguments of `redline.explain`."""

    uri: str
    range: LspRange
    question: Annotated[str, Meta(max_length=20_000)] | None = None
    show: bool = False
    """Show it as a document, too; else the client shows it."""
    stream_token: str | int | None = None
    """Sends what is written so far as the value of `$/progress` with this token."""


class WriteTestsArguments(_SparseArguments, frozen=True):
    """Arguments of `redline.writeTests`."""

    uri: str
    range: LspRange
    wish: Annotated[str, Meta(max_length=20_000)] | None = None
    """Further instructions of the user."""


class DeepReviewArguments(_SparseArguments, frozen=True):
    """Arguments of `redline.deepReview`: lines of a file, the file, or a change."""

    uri: str | None = None
    range: LspRange | None = None
    """The lines to review; widened to whole lines."""
    change: Annotated[str, Meta(min_length=1, max_length=1_000)] | None = None
    """`workingTree`, `staged`, or a base followed by two dots."""
    force: bool = False
    """Review it again even if nothing has changed."""
    max_cost: Annotated[float, Meta(gt=0)] | None = None
    """US dollars."""


class ReviewsArguments(_Arguments, frozen=True):
    """Arguments of `redline.reviews`; no review: all of them."""

    review_id: str | None = None


class ReviewArguments(_Arguments, frozen=True):
    """Arguments of `redline.cancelReview`."""

    review_id: str


class OpenReportArguments(_SparseArguments, frozen=True):
    """Arguments of `redline.openReport`: a review, or one of its findings."""

    review_id: str | None = None
    finding_id: str | None = None


class DismissArguments(_SparseArguments, frozen=True):
    """Arguments of `redline.dismiss`."""

    finding_id: str
    reason: Annotated[str, Meta(max_length=2_000)] = ""


class ApplyFixArguments(_SparseArguments, frozen=True):
    """Arguments of `redline.applyFix`: a finding, or all of a review."""

    finding_id: str | None = None
    review_id: str | None = None
    apply: Literal["end", "stream", "preview"] | None = None
    """`preview`: offer the fix of a finding; else it is one versioned edit."""


class NoArguments(_Arguments, frozen=True):
    """Arguments of `redline.status`."""


class LastPromptArguments(_Arguments, frozen=True):
    """Arguments of `redline.lastPrompt`; no session: the last prompt of any session."""

    session_id: str | None = None


# Results of commands, and the parts of them.


class PromptMessage(_Message, frozen=True):
    """One message of a prompt."""

    role: Literal["user", "assistant"]
    text: str


class LeftOut(_Message, frozen=True):
    """Context that was gathered for a prompt and is not, or only partly, in it."""

    kind: str
    source: str
    reason: Literal["budget", "duplicate", "empty"]


class LastPrompt(_Message, frozen=True):
    """The result of `redline.lastPrompt`: exactly what was sent to the model."""

    session_id: str
    model: str
    instructions: str
    messages: tuple[PromptMessage, ...]
    tokens: int
    """Tokens of the whole prompt by o200k_base; other models tokenize differently."""
    context_band: Band
    """The share of the model's window that it uses, in per cent."""
    left_out: tuple[LeftOut, ...]


class Check(_SparseMessage, frozen=True):
    """A problem that a check found in a candidate."""

    rule: str
    message: str
    line: int | UnsetType = UNSET
    """Line of the candidate, counted from its first."""


class EditTimes(_SparseMessage, frozen=True):
    """When things happened, in seconds after the request was read."""

    sent_s: float | UnsetType = UNSET
    first_delta_s: float | UnsetType = UNSET
    last_delta_s: float | UnsetType = UNSET
    ended_s: float | UnsetType = UNSET


class TokenUsage(_Message, frozen=True):
    """Token counts of the session's last generation, as the provider reports them."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    wasted_tokens: int = 0
    """Estimated tokens of the session's stopped and losing generations."""


class EditOutcome(_SparseMessage, frozen=True):
    """The result of `redline.edit`."""

    session_id: str
    outcome: Outcome
    tier: Tier
    reasons: tuple[str, ...]
    assumes: tuple[str, ...]
    checks: tuple[Check, ...]
    timing: EditTimes
    message: str | UnsetType = UNSET
    superseded_by: str | UnsetType = UNSET
    usage: TokenUsage | UnsetType = UNSET


class StopResult(_Message, frozen=True):
    """The result of `redline.stop`."""

    stopped: list[str]


class AcceptResult(_Message, frozen=True):
    """The result of `redline.accept` and `redline.reject`."""

    outcome: Literal[
        "generating", "accepted", "rejected", "offered", "held", "stopped", "failed"
    ]
    remaining: int


class RedirectResult(_Message, frozen=True):
    """The result of `redline.redirect`, once the new generation has begun."""

    accepted: bool
    how: Literal["steered", "restarted"]
    session_id: str


class TakeBackResult(_Message, frozen=True):
    """The result of `redline.takeBack`: the id as it was given."""

    session_id: str
    outcome: Literal["takenBack"] = "takenBack"


class EditTargetResult(_Message, frozen=True):
    """The result of `redline.editTarget`."""

    range: LspRange
    """Whole lines; empty: a place for new lines."""
    name: str | None
    """The definition that these lines are; null: one line, or a place."""
    version: int
    """The document version of `range`."""


class SharpenTarget(_SparseMessage, frozen=True):
    """What an instruction is about."""

    path: str
    range: LspRange
    symbol: str | UnsetType = UNSET


class SharpenResult(_SparseMessage, frozen=True):
    """The result of `redline.sharpen`."""

    task: str
    target: SharpenTarget
    keeps: tuple[str, ...]
    assumes: tuple[str, ...]
    vague: bool
    tier: Tier
    reasons: tuple[str, ...]
    expected: str | UnsetType = UNSET


class PromptTokens(_Message, frozen=True):
    """The size of a prompt and of its parts, in tokens."""

    window: int
    """What fits into the model, the reply included."""
    total: int
    range: int
    around: int
    """The code around the range."""
    context: int
    """Of other places: signatures, imports, recent edits."""
    files: int
    """What the instruction names by `@`."""
    images: int


class NextPromptResult(_SparseMessage, frozen=True):
    """The result of `redline.nextPrompt`: what an instruction would be sent with."""

    tier: Tier
    assumes: tuple[str, ...]
    summary: str = ""
    """The model and the size of the prompt in a line for people."""
    model: str = ""
    """The name of the model."""
    tokens: PromptTokens | UnsetType = UNSET


class FilesResult(_Message, frozen=True):
    """The result of `redline.files`."""

    files: tuple[str, ...]
    """Paths relative to their workspace folder, the likeliest first."""
    definitions: tuple[str, ...]
    """A path, `#` and a qualified name each, the likeliest first."""


class SavedPrompt(_Message, frozen=True):
    """An instruction that the user has saved."""

    name: str
    text: str
    """It may have several lines."""


class PromptsResult(_Message, frozen=True):
    """The result of `redline.prompts`."""

    prompts: tuple[SavedPrompt, ...]
    """By name."""
    folders: tuple[str, ...]
    """The folders that are read, as absolute paths; they need not exist."""
    problems: tuple[str, ...]
    """Why a folder or a file was left out, a sentence each."""


class Explanation(_Message, frozen=True):
    """The result of `redline.explain`."""

    markdown: str
    """Markdown without links to commands, images and tags."""
    tier: Tier


class WriteTestsResult(_Message, frozen=True):
    """The result of `redline.writeTests`, once the editor has applied the tests."""

    uri: str
    """The URI of the test file."""
    created: bool
    outcome: Literal["applied"] = "applied"


class DeepReviewResult(_Message, frozen=True):
    """The result of `redline.deepReview`, returned at once."""

    review_id: str


class NotReviewed(_Message, frozen=True):
    """Something that was not reviewed."""

    path: str
    """For people."""
    reason: str
    """The end of a sentence, with the lines if only part of it was left out."""
    by_rule: bool
    """It is never reviewed: ignore rules match it, or it has no changed text."""


class ReviewStatus(_Message, frozen=True):
    """`redline/review`: a review started, progressed or ended."""

    review_id: str
    state: Literal[
        "queued", "gathering", "reviewing", "verifying", "done", "cancelled", "failed"
    ]
    scope: str
    """What it reviews, as the end of a sentence; empty until that is known."""
    step: str
    """The current step, for display; empty: it has ended."""
    percentage: int
    findings: int
    dropped: int
    message: str
    """A message about it, such as why it failed; may be empty."""
    has_model: bool
    """False: the built-in rules do the review, since no model is configured."""
    cost: float | None
    """US dollars so far; null: unknown."""
    created_at: float
    """Unix seconds."""
    ended_at: float | None
    same_as: str | None
    """The earlier review of the same text whose findings are reused at no cost.
    """
    left_out: tuple[NotReviewed, ...]
    """Requested parts that were not, or only partly, reviewed."""
    partial: bool
    """Done, but not everything was reviewed; `leftOut` and `message` name the rest.
    Such a review without findings does not mean that the code is fine."""
    live: bool
    """A review on save, see the setting `review.on_save`."""


class Finding(_SparseMessage, frozen=True, kw_only=True):
    """The current state of a finding."""

    id: str
    review_id: str
    uri: str
    file: str
    """For people."""
    range: LspRange
    """If the finding is stale or fixed, its last range."""
    quote: str
    """Its lines as in the file, with LF between them."""
    severity: Literal["critical", "high", "medium", "low"]
    category: str
    title: str
    explanation: str
    rule: str | None
    """The linter's rule; null: a model reported it."""
    confidence: float
    """From 0 to 1, computed from what was verified."""
    evidence: tuple[str, ...]
    """What was verified."""
    fix: str | UnsetType = UNSET
    """New text for these lines, which applied and passed the checks; absent: none."""
    state: Literal["open", "stale", "fixed", "dismissed"]


class ReviewList(_Message, frozen=True):
    """The result of `redline.reviews`."""

    reviews: tuple[ReviewStatus, ...]
    """The oldest first."""
    findings: tuple[Finding, ...]


class CancelReviewResult(_Message, frozen=True):
    """The result of `redline.cancelReview`."""

    cancelled: bool
    """False: it had already ended."""


class OpenReportResult(_Message, frozen=True):
    """The result of `redline.openReport`."""

    uri: str
    shown: bool
    """Whether the client showed it; if not, it can open the URI."""


class DismissResult(_Message, frozen=True):
    """The result of `redline.dismiss`."""

    finding_id: str
    state: Literal["dismissed"] = "dismissed"


class FixRefusal(_Message, frozen=True):
    """A fix that was not applied."""

    finding_id: str
    message: str


class ApplyFixResult(_SparseMessage, frozen=True):
    """The result of `redline.applyFix`."""

    applied: tuple[str, ...]
    """Ids of the fixed findings."""
    refused: tuple[FixRefusal, ...]
    """Refusals of a whole review's fixes; for one finding, a refusal is the error."""
    offered: EditOutcome | UnsetType = UNSET
    """The outcome of the session that offers the fix."""


class FindingData(_Message, frozen=True):
    """The `data` of a diagnostic: which finding it is."""

    finding_id: str
    review_id: str


class ActionData(_Message, frozen=True):
    """The `data` of a code action: the work to do once it is chosen."""

    command: str
    """`redline.edit` or `redline.writeTests`, whose work `resolve` does."""
    version: int
    """The version of the document in `arguments`."""
    arguments: Raw
    """The arguments of the command."""


# Notifications to the client, and the parts of them.


class EditBegan(_Message, frozen=True):
    """`redline/edit/began`: a session started writing."""

    session_id: str
    uri: str
    version: int
    range: LspRange
    tier: Tier
    reasons: tuple[str, ...]
    assumes: tuple[str, ...]


class Hunk(_Message, frozen=True):
    """One change; its range is in the coordinates of its message's version."""

    id: int
    range: LspRange
    new_text: str
    state: Literal["growing", "settled"]
    covers: int


class EditHunks(_Message, frozen=True):
    """`redline/edit/hunks`: what changed in a preview."""

    session_id: str
    seq: int
    version: int
    full: bool
    hunks: tuple[Hunk, ...]
    removed: tuple[int, ...]


class CandidateSummary(_Message, frozen=True):
    """One finished candidate, for a picker; the best comes first."""

    number: int
    shown: bool
    problems: tuple[Check, ...]
    hunks: int


class EditState(EditHunks, frozen=True):
    """The result of `redline.editState` and `redline.nextCandidate`.

    The whole preview, as a message with `full`; a session without one has no hunks.
    """

    state: str
    instruction: str
    assumes: tuple[str, ...]
    candidates: tuple[CandidateSummary, ...]


class EditEnded(_SparseMessage, frozen=True):
    """`redline/edit/ended`: a session that had begun has ended."""

    session_id: str
    outcome: Ending
    message: str | UnsetType = UNSET
    superseded_by: str | UnsetType = UNSET


class RunningSession(_Message, frozen=True):
    """A session that has not ended."""

    session_id: str
    uri: str
    state: str
    tier: Tier | None
    """The model that writes it now; null until that is known."""


class TierStatus(_Message, frozen=True):
    """Which model fills a tier."""

    tier: Tier
    model: str
    is_model: bool
    """False for the built-in rules engine."""
    note: str | None


class CompletionStatus(_Message, frozen=True):
    """What completions did since the start."""

    requests: int
    """Requests to a model."""
    shown: int
    """Requests of the editor that were answered with a text."""
    at_once: int
    """Of these, answered from an earlier reply or without a model."""
    accepted: int
    cost: float
    """US dollars of the last 24 hours, as far as prices are known."""
    pause: Literal["", "minute", "day", "failures"]
    """Why no request is sent at the moment; empty: nothing prevents it."""


class NextEditStatus(_Message, frozen=True):
    """What next edits did since the start, by rules and by a model."""

    requests: int
    """Requests to a model."""
    shown: int
    """Edits that became visible."""
    accepted: int
    cost: float
    """US dollars of the last 24 hours, as far as prices are known."""
    pause: Literal["", "minute", "day", "failures"]
    """Why no model is asked at the moment; empty: nothing prevents it."""


class Status(_Message, frozen=True):
    """`redline/status`, and the result of `redline.status`."""

    connection: Literal["cold", "connecting", "ready", "fallback", "down"]
    """The state of the fast tier's model."""
    detail: str
    """One sentence for the user, or empty."""
    tiers: tuple[TierStatus, ...]
    last_model: str | None
    """The model of the last generation, by its name at the provider."""
    first_delta_s: float | None
    """Seconds from request to first delta of the last generation."""
    tokens_per_s: float | None
    """Tokens a second of the last generation."""
    cost_today: float | None
    """US dollars on this local day, of all editors with the same usage file, as far as
    prices are known; null: usage is not recorded."""
    completions: CompletionStatus
    next_edits: NextEditStatus
    wasted_tokens: int
    """Estimated tokens of stopped generations since the start."""
    context_band: Band | None
    """The share of its model's window that the last prompt used, in per cent."""
    context_share: float | None
    """The same as a number; above 1 the prompt did not fit."""
    indexing: bool
    """Whether the workspace is being indexed for context."""
    sessions: tuple[RunningSession, ...]
    reviews: tuple[ReviewStatus, ...]
    """The running reviews; hundreds may wait."""
    problems: tuple[str, ...]
    """Problems of the settings or the usage file, one sentence each."""


class UsageTotals(_Message, frozen=True):
    """The measures of one group of tasks."""

    tier: str | None
    day: str | None
    kind: str | None
    tasks: int
    accepted: int
    rejected: int
    reworked: int
    undone: int
    failed_checks: int
    repaired: int
    escalated: int
    task_p50_s: float | None = field(name="taskP50S")
    task_p90_s: float | None = field(name="taskP90S")
    rework_share: float | None
    cost_per_accepted: float | None
    cost: float | None
    unpriced: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    wasted_tokens: int


class UnaskedUsageTotals(_Message, frozen=True):
    """What completions or next edits by one model did."""

    kind: str
    tier: str | None
    model: str | None
    requests: int
    shown: int
    at_once: int
    accepted: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float | None
    unpriced: int


class Stats(_Message, frozen=True):
    """The result of `redline.stats`."""

    since: date
    totals: tuple[UsageTotals, ...]
    unasked: tuple[UnaskedUsageTotals, ...]


# Next edits.


class NextEditContextArguments(Struct, frozen=True, rename="camel", kw_only=True):
    """Why a next edit is requested."""

    trigger_kind: int = 2
    """1: the user asked for it; 2: automatic."""
    reason: NextEditReason = "idle"


class NextEditArguments(Struct, frozen=True, rename="camel", kw_only=True):
    """Params of `redline/nextEdit`; unknown fields are ignored."""

    text_document: DocumentId
    position: LspPosition
    context: NextEditContextArguments = NextEditContextArguments()


class NextEditItem(Struct, frozen=True, rename="camel", kw_only=True):
    """One next edit."""

    id: str
    kind: Literal["edit", "jump"]
    text_document: DocumentId
    """It may be another file; without a version if that is not open."""
    range: LspRange
    old: str
    """The replaced text."""
    text: str
    cursor: LspPosition
    """Where the cursor belongs afterwards."""
    why: str
    from_: Literal["rules", "model"] = field(name="from")
    left: int
    """How many follow it."""
    display: NextEditDisplay
    command: LspCommand


class NextEditList(Struct, frozen=True, kw_only=True):
    """The answer of `redline/nextEdit`."""

    edits: tuple[NextEditItem, ...]
    """One or none."""


class NextEditIdArguments(Struct, frozen=True, kw_only=True):
    """Of `redline.nextEditAccepted`, `redline.applyNextEdit` and
    `redline/nextEdit/shown`."""

    id: str


class NextEditDismissedArguments(Struct, frozen=True, kw_only=True):
    """Params of `redline/nextEdit/dismissed`."""

    id: str
    reason: Literal["rejected", "ignored", "typed"]


class NextEditChanged(Struct, frozen=True, kw_only=True):
    """`redline/nextEdit/changed`: the client should ask again."""

    uri: str


class InlineChanged(Struct, frozen=True, kw_only=True):
    """`redline/inline/changed`: the client should request the completion again."""

    uri: str
    version: int
    """Of the document for which more is there."""


class InlineDismissedArguments(Struct, frozen=True, kw_only=True):
    """Params of `redline/inline/dismissed`."""

    uri: str


# Capabilities of the client.


class InlineCapability(_Message, frozen=True):
    """Of `inline`."""

    refresh: bool
    """The client receives `redline/inline/changed`."""


class Capabilities(_Message, frozen=True):
    """The client's `experimental.redline`."""

    preview: bool = False
    status: bool = False
    prompt: bool = False
    """The client asks the user for the instruction of a redirect without one."""
    reviews: bool = False
    """The client receives `redline/review`."""
    plan: bool = False
    """The client receives `redline/plan`."""
    tests: bool = False
    """The client receives `redline/tests`."""
    next_edit: bool = False
    """The client shows next edits."""
    inline: InlineCapability | None = None
