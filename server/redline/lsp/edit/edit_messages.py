"""The messages of edits, and of what code actions do."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, UnsetType

from redline.lsp.protocol.message_bases import (
    CommandArguments,
    SentMessage,
    SparseArguments,
    SparseMessage,
    Tier,
)
from redline.lsp.protocol.messages import LspPosition, LspRange
from redline.routing.task import ActionKind

Outcome = Literal["applied", "offered", "held", "unchanged", "stopped", "superseded"]
Ending = Literal["accepted", "rejected", "unchanged", "stopped", "failed", "superseded"]


class EditRange(SparseArguments, frozen=True):
    range: LspRange
    instruction: Annotated[str, Meta(max_length=100_000)] = ""
    """What to do with it, besides the instruction of the edit."""
    from_comment: LspRange | None = None
    """The comment in the document that its instruction was written in; the edit removes
    it."""


class EditArguments(SparseArguments, frozen=True):
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
    model: Annotated[str, Meta(max_length=200)] | None = None
    """The name of a configured model, which counts before `tier`."""
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


class PrepareArguments(SentMessage, frozen=True):
    """Params of `redline/edit/prepare`; unknown fields are ignored."""

    uri: str
    range: LspRange


class StopArguments(CommandArguments, frozen=True):
    """Arguments of `redline.stop`; without a field: all sessions."""

    session_id: str | None = None
    uri: str | None = None


class HunkArguments(CommandArguments, frozen=True):
    """Arguments of `redline.accept` and `redline.reject`; no hunks: all of them."""

    session_id: str
    hunks: list[int] | None = None


class RedirectArguments(CommandArguments, frozen=True):
    """Arguments of `redline.redirect`: a session, or the one at a place."""

    instruction: Annotated[str, Meta(max_length=100_000)]
    from_comment: LspRange | None = None
    """The comment in the document that the instruction was written in; the edit removes
    it."""
    session_id: str | None = None
    uri: str | None = None
    position: LspPosition | None = None


class SessionArguments(CommandArguments, frozen=True):
    """Arguments of `redline.editState` and `redline.nextCandidate`."""

    session_id: str


class TakeBackArguments(CommandArguments, frozen=True):
    """Arguments of `redline.takeBack`: an edit or a plan."""

    session_id: str | None = None
    plan_id: str | None = None


class StoredOffer(CommandArguments, frozen=True):
    range: LspRange
    """The lines that it replaces; empty: it inserts new lines."""
    new_text: str
    instruction: str
    """What it carries out; may be empty."""


class BringBackArguments(CommandArguments, frozen=True):
    uri: str
    session_id: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    """A session id chosen by the client; absent: the server chooses."""
    offer: StoredOffer | None = None
    """What to offer; absent: the last offer that the server remembers."""


class EditTargetArguments(CommandArguments, frozen=True):
    uri: str
    position: LspPosition


class ExplainArguments(SparseArguments, frozen=True):
    uri: str
    range: LspRange
    question: Annotated[str, Meta(max_length=20_000)] | None = None
    show: bool = False
    """Show it as a document, too; else the client shows it."""
    stream_token: str | int | None = None
    """Sends what is written so far as the value of `$/progress` with this token."""


class WriteTestsArguments(SparseArguments, frozen=True):
    uri: str
    range: LspRange
    wish: Annotated[str, Meta(max_length=20_000)] | None = None
    """Further instructions of the user."""


class Check(SparseMessage, frozen=True):
    """A problem that a check found in a candidate."""

    rule: str
    message: str
    line: int | UnsetType = UNSET
    """Line of the candidate, counted from its first."""


class EditTimes(SparseMessage, frozen=True):
    """When things happened, in seconds after the request was read."""

    sent_s: float | UnsetType = UNSET
    first_delta_s: float | UnsetType = UNSET
    last_delta_s: float | UnsetType = UNSET
    ended_s: float | UnsetType = UNSET


class TokenUsage(SentMessage, frozen=True):
    """Token counts of the session's last generation, as the provider reports them."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    wasted_tokens: int = 0
    """Estimated tokens of the session's stopped and losing generations."""


class EditOutcome(SparseMessage, frozen=True):
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


class StopResult(SentMessage, frozen=True):
    stopped: list[str]


class AcceptResult(SentMessage, frozen=True):
    """The result of `redline.accept` and `redline.reject`."""

    outcome: Literal[
        "generating", "accepted", "rejected", "offered", "held", "stopped", "failed"
    ]
    remaining: int


class RedirectResult(SentMessage, frozen=True):
    """The result of `redline.redirect`, once the new generation has begun."""

    accepted: bool
    how: Literal["steered", "restarted"]
    session_id: str


class TakeBackResult(SentMessage, frozen=True):
    """The result of `redline.takeBack`: the id as it was given."""

    session_id: str
    outcome: Literal["takenBack"] = "takenBack"


class EditTargetResult(SentMessage, frozen=True):
    range: LspRange
    """Whole lines; empty: a place for new lines."""
    name: str | None
    """The definition that these lines are; null: one line, or a place."""
    version: int
    """The document version of `range`."""


class Explanation(SentMessage, frozen=True):
    """The result of `redline.explain`."""

    markdown: str
    """Markdown without links to commands, images and tags."""
    tier: Tier


class WriteTestsResult(SentMessage, frozen=True):
    """The result of `redline.writeTests`, once the editor has applied the tests."""

    uri: str
    """The URI of the test file."""
    created: bool
    outcome: Literal["applied"] = "applied"


class ActionData(SentMessage, frozen=True):
    """The `data` of a code action: the work to do once it is chosen."""

    command: str
    """`redline.edit` or `redline.writeTests`, whose work `resolve` does."""
    version: int
    """The version of the document in `arguments`."""
    arguments: Raw
    """The arguments of the command."""


class EditBegan(SentMessage, frozen=True):
    """`redline/edit/began`: a session started writing."""

    session_id: str
    uri: str
    version: int
    range: LspRange
    tier: Tier
    reasons: tuple[str, ...]
    assumes: tuple[str, ...]


class Hunk(SentMessage, frozen=True):
    """One change; its range is in the coordinates of its message's version."""

    id: int
    range: LspRange
    new_text: str
    state: Literal["growing", "settled"]
    covers: int


class EditHunks(SentMessage, frozen=True):
    """`redline/edit/hunks`: what changed in a preview."""

    session_id: str
    seq: int
    version: int
    full: bool
    hunks: tuple[Hunk, ...]
    removed: tuple[int, ...]


class CandidateSummary(SentMessage, frozen=True):
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


class EditEnded(SparseMessage, frozen=True):
    """`redline/edit/ended`: a session that had begun has ended."""

    session_id: str
    outcome: Ending
    message: str | UnsetType = UNSET
    superseded_by: str | UnsetType = UNSET
