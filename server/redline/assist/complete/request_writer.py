"""Writes the requests of completions, with their secrets replaced."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.workspace import Workspace
from redline.completion.decode import CURSOR
from redline.keys_in_use import repeats_key
from redline.models.interface import GenerationRequest
from redline.prompts.completion import CompletionTask, NearbyCode, completion_prompt
from redline.prompts.redaction import (
    SecretTable,
    has_withheld,
    hide_all,
    placeholders_in,
    withholding,
)
from redline.prompts.secret_search import find_by_structure, find_secrets
from redline.text.document import Document
from redline.text.lines import strip_end, strip_ends
from redline.text.position import Position

MAX_OUTPUT_TOKENS = 160
"""Eight lines."""

_FIRST_DELTA_S = 5.0
_STALL_S = 5.0

_ABOVE_STEP, _BELOW_STEP = 32, 16
"""Windows begin and end at multiples of these, so that most keys leave them equal."""

_MAX_ABOVE, _MAX_BELOW = 3_500, 1_500
"""Characters."""

KEY_BLOCK = "PRIVATE KEY"


class CompletionRequest(Struct, frozen=True, kw_only=True):
    """A request, and how its reply is read."""

    request: GenerationRequest
    secrets: SecretTable
    path: str
    """The document's, in the prompt."""


class CompletionWriter:
    """Writes the requests of all documents."""

    def __init__(self, workspace: Workspace, cache_key: str) -> None:
        self._workspace = workspace
        self._cache_key = cache_key

    def write(
        self,
        document: Document,
        at: Position,
        recent: Sequence[tuple[str, str]] = (),
        nearby: Sequence[NearbyCode] = (),
    ) -> CompletionRequest | None:
        """Write a request for a cursor.

        Args:
            document: The document.
            at: The cursor, in code points.
            recent: Recent edits: paths and texts.
            nearby: Code of other places.

        Returns:
            None if the text around the cursor must not be sent, or cannot be marked.
        """
        path = self._workspace.relative_path(document.uri)
        line = strip_end(document.lines_between(at.line, at.line + 1)[0])
        left, right = line[: at.character], line[at.character :]
        above = _above(document, at.line)
        below = _below(document, at.line)
        if KEY_BLOCK in above or KEY_BLOCK in below or is_in_secret(line, at, path):
            return None
        # Separate texts: only the cursor's line is searched again for each key.
        recent = [each for each in recent if KEY_BLOCK not in each[1]]
        nearby = [each for each in nearby if KEY_BLOCK not in each.text]
        parts = (f"{above}\n", left, right, f"\n{below}")
        if cuts_secret("".join(parts), len(parts[0]) + len(left), path):
            return None
        others = [*((each.path, each.text) for each in nearby), *recent]
        hidden = hide_all([*((path, part) for part in parts), *others])
        above, left, right, below, *texts = hidden.texts
        changes = texts[len(nearby) :]
        above, below = above.removesuffix("\n"), below.removeprefix("\n")
        if any(CURSOR in text for text in hidden.texts):
            return None
        task = CompletionTask(
            path=path,
            language=document.language_id,
            above=above,
            left=left,
            right=right,
            below=below,
            recent="\n\n".join(changes),
            nearby=tuple(
                replace(each, text=text)
                for each, text in zip(nearby, texts, strict=False)
            ),
        )
        prompt = completion_prompt(task, cursor=CURSOR)
        request = GenerationRequest(
            prompt=prompt,
            max_output_tokens=MAX_OUTPUT_TOKENS,
            cache_key=self._cache_key,
            kind="completion",
            first_delta_s=_FIRST_DELTA_S,
            stall_s=_STALL_S,
        )
        own = placeholders_in([above, left, right, below])
        secrets = withholding(hidden.table, own=own)
        return CompletionRequest(request=request, secrets=secrets, path=path)


def invents_secret(line: str, path: str, table: SecretTable) -> bool:
    """Whether a line of a reply holds a secret that was not in the prompt, one of
    another file, or an API key in use."""
    if has_withheld(line, table) or repeats_key(line, before="\n".join(table.secrets)):
        return True
    return any(
        line[start:end] not in table.secrets for start, end in find_secrets(line, path)
    )


def is_in_secret(line: str, at: Position, path: str) -> bool:
    """Whether the cursor is inside a secret, whose parts would not be recognized."""
    if at.character >= len(line):
        return False
    return any(start < at.character < end for start, end in find_secrets(line, path))


def cuts_secret(text: str, at: int, path: str) -> bool:
    """Whether a place is inside a secret that only the lines around it show."""
    return any(start < at < end for start, end in find_by_structure(text, path))


def _above(document: Document, line: int) -> str:
    """Return the lines above, from a multiple of a step on."""
    first = max(0, (line // _ABOVE_STEP - 2) * _ABOVE_STEP)
    lines = document.lines_between(first, line)
    n_chars = sum(map(len, lines))
    while n_chars > _MAX_ABOVE and first + _ABOVE_STEP < line:
        n_chars -= sum(map(len, lines[:_ABOVE_STEP]))
        lines = lines[_ABOVE_STEP:]
        first += _ABOVE_STEP
    while n_chars > 2 * _MAX_ABOVE and lines:
        n_chars -= len(lines.pop(0))
    return "\n".join(strip_ends(lines))


def _below(document: Document, line: int) -> str:
    """Return the lines below, up to a multiple of a step."""
    end = (line // _BELOW_STEP + 3) * _BELOW_STEP
    lines = document.lines_between(line + 1, end)
    n_chars = sum(map(len, lines))
    while n_chars > _MAX_BELOW and lines:
        n_chars -= len(lines.pop())
    return "\n".join(strip_ends(lines)).rstrip("\n")
