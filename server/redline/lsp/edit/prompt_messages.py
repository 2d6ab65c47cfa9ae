"""The messages about prompts: before one is sent, and the last that was."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from redline.lsp.edit.edit_messages import EditRange
from redline.lsp.protocol.message_bases import (
    CommandArguments,
    SentMessage,
    SparseMessage,
    Tier,
)
from redline.lsp.protocol.messages import LspRange
from redline.prompts.window import Band


class SharpenArguments(CommandArguments, frozen=True):
    uri: str
    range: LspRange
    instruction: Annotated[str, Meta(max_length=100_000)]


class NextPromptArguments(CommandArguments, frozen=True):
    uri: str
    range: LspRange | None = None
    ranges: tuple[EditRange, ...] = ()
    """Several ranges, in place of `range`."""
    instruction: Annotated[str, Meta(max_length=100_000)] = ""
    """What is typed of it so far."""
    images: Annotated[int, Meta(ge=0, le=4)] = 0
    """The number of attached images."""


class FilesArguments(CommandArguments, frozen=True):
    typed: Annotated[str, Meta(max_length=1_000)] = ""
    """Part of a path or of a definition's name; empty: any file."""


class LastPromptArguments(CommandArguments, frozen=True):
    """Arguments of `redline.lastPrompt`; no session: the last prompt of any session."""

    session_id: str | None = None


class PromptMessage(SentMessage, frozen=True):
    role: Literal["user", "assistant"]
    text: str


class LeftOut(SentMessage, frozen=True):
    """Context that was gathered for a prompt and is not, or only partly, in it."""

    kind: str
    source: str
    reason: Literal["budget", "duplicate", "empty"]


class LastPrompt(SentMessage, frozen=True):
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


class SharpenTarget(SparseMessage, frozen=True):
    """What an instruction is about."""

    path: str
    range: LspRange
    symbol: str | UnsetType = UNSET


class SharpenResult(SparseMessage, frozen=True):
    task: str
    target: SharpenTarget
    keeps: tuple[str, ...]
    assumes: tuple[str, ...]
    vague: bool
    tier: Tier
    reasons: tuple[str, ...]
    expected: str | UnsetType = UNSET


class PromptTokens(SentMessage, frozen=True):
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


class NextPromptResult(SparseMessage, frozen=True):
    """The result of `redline.nextPrompt`: what an instruction would be sent with."""

    tier: Tier
    assumes: tuple[str, ...]
    summary: str = ""
    """The model and the size of the prompt in a line for people."""
    model: str = ""
    """The name of the model."""
    tokens: PromptTokens | UnsetType = UNSET


class NamedModel(SentMessage, frozen=True):
    """A model that an instruction can name by `#` and its name."""

    name: str
    """Its name in the settings."""
    model: str
    """Its name at its provider."""


class FilesResult(SentMessage, frozen=True):
    files: tuple[str, ...]
    """Paths relative to their workspace folder, the likeliest first."""
    definitions: tuple[str, ...]
    """A path, `#` and a qualified name each, the likeliest first."""
    models: tuple[NamedModel, ...]
    """All of them, in the order of the settings."""


class SavedPrompt(SentMessage, frozen=True):
    name: str
    text: str
    """It may have several lines."""


class PromptsResult(SentMessage, frozen=True):
    prompts: tuple[SavedPrompt, ...]
    """By name."""
    folders: tuple[str, ...]
    """The folders that are read, as absolute paths; they need not exist."""
    problems: tuple[str, ...]
    """Why a folder or a file was left out, a sentence each."""
