"""Writes the requests of completions, with their secrets replaced."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, starmap

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.editor.workspace import Workspace
from redline.completion.decode import CURSOR
from redline.completion.place import Around, Place
from redline.keys_in_use import repeats_key
from redline.models.interface import GenerationRequest
from redline.prompts.completion import CompletionTask, NearbyCode, completion_prompt
from redline.prompts.enclosing_lines import enclosing_lines
from redline.prompts.redaction import (
    HiddenTexts,
    SecretTable,
    has_unknown,
    has_withheld,
    hide_all,
    is_free,
    placeholders_in,
    spans_of,
    withholding,
)
from redline.prompts.secrets.kinds import kind_of
from redline.prompts.secrets.provider_keys import BEGUN_KEY
from redline.prompts.secrets.search import find_secrets, is_clean, may_change
from redline.prompts.secrets.values import UNQUOTED
from redline.text.document import Document
from redline.text.lines import with_line_feeds

MAX_OUTPUT_TOKENS = 160
"""Eight lines."""

_FIRST_DELTA_S = 5.0
_STALL_S = 5.0

_ABOVE_STEP, _BELOW_STEP = 32, 16
"""Windows begin and end at multiples of these, so that most keys leave them equal."""

_AROUND_LINES = 120
"""Lines before and after the cursor's that are searched for secrets; more than are
sent, and few enough for a search at each line that the cursor comes to."""

_MAX_ABOVE, _MAX_BELOW = 3_500, 1_500
"""Characters."""

KEY_BLOCK = "PRIVATE KEY"

_MIN_BEGUN, _MAX_BEGUN = 8, 500
"""Characters of a string that is searched for the beginning of a key."""


class CompletionRequest(Struct, frozen=True, kw_only=True):
    """A request, and how its reply is read."""

    request: GenerationRequest
    secrets: SecretTable
    path: str
    """The document's, in the prompt."""


class _Window(Struct, frozen=True, kw_only=True):
    """The lines around a cursor's line that are sent, without secrets replaced."""

    around: Around
    """What it was written for; a change of other lines than the cursor's ends it."""
    path: str
    above: str
    below: str
    has_key: bool
    """Whether there may be a private key in them: then nothing is sent."""
    enclosing: str
    """The lines farther above that enclose them, which say what they are."""
    around_text: str
    """The lines that are searched for secrets: these and more, and the cursor's."""
    is_plain: bool
    """Whether there are none in them."""
    may_change: bool
    """Whether a clean line of the cursor changes nothing about what is one in them."""


class CompletionWriter:
    """Writes the requests of all documents."""

    def __init__(self, workspace: Workspace, cache_key: str) -> None:
        self._workspace = workspace
        self._cache_key = cache_key
        self._last: _Window | None = None
        """That of the last request: most keys are in the same line."""

    def write(
        self,
        document: Document,
        line: int,
        place: Place,
        recent: Sequence[tuple[str, str]] = (),
        nearby: Sequence[NearbyCode] = (),
        known: Sequence[str] = (),
    ) -> CompletionRequest | None:
        """Write a request for a cursor.

        Args:
            document: The document.
            line: The cursor's line.
            place: The cursor.
            recent: Recent edits: paths and texts.
            nearby: Code of other places.
            known: Secrets that the recent edits may show without a sign of it.

        Returns:
            None if the text around the cursor must not be sent, or cannot be marked.
        """
        path = self._workspace.relative_path(document.uri)
        window = self._window(document, line, place.around, path)
        left = place.left
        if window.has_key or is_in_secret(left + place.right, len(left), path):
            return None
        # Separate texts: only the cursor's line is searched again for each key.
        recent = [each for each in recent if KEY_BLOCK not in each[1]]
        nearby = [each for each in nearby if KEY_BLOCK not in each.text]
        others = [*((each.path, each.text) for each in nearby), *recent]
        known = [*known, *chain.from_iterable(each.secrets for each in nearby)]
        hidden = _hide(window, place, others, known)
        if hidden is None or any(CURSOR in text for text in hidden.texts):
            return None
        above, left, right, below, *texts = hidden.texts
        shown_path, paths = hidden.paths[0], hidden.paths[4:]
        task = CompletionTask(
            path=shown_path,
            language=document.language_id,
            above=above,
            left=left,
            right=right,
            below=below,
            recent="\n\n".join(texts[len(nearby) :]),
            nearby=tuple(
                replace(each, path=other, text=text, secrets=())
                for each, other, text in zip(nearby, paths, texts, strict=False)
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
        return CompletionRequest(
            request=request, secrets=_secrets_of_reply(hidden), path=path
        )

    def _window(
        self, document: Document, line: int, around: Around, path: str
    ) -> _Window:
        last = self._last
        if last is None or last.around is not around or last.path != path:
            last = self._last = _read_window(document, line, around, path)
        return last


def _read_window(document: Document, line: int, around: Around, path: str) -> _Window:
    above = _above(document, line)
    below = _below(document, line)
    texts = (above, below)
    lines = document.lines
    first = line - 1 - above.count("\n") if above else line
    searched = max(0, line - _AROUND_LINES)
    numbers = enclosing_lines(lines, first)
    enclosing = with_line_feeds(lines[number] for number in numbers)
    farther = (lines[number] for number in numbers if number < searched)
    around_text = with_line_feeds([*farther, *lines[searched : line + _AROUND_LINES]])
    return _Window(
        around=around,
        path=path,
        above=above,
        below=below,
        has_key=any(KEY_BLOCK in text for text in texts),
        enclosing=enclosing,
        around_text=around_text,
        is_plain=is_free(path, around_text),
        may_change=may_change(enclosing + above, below, path),
    )


def _hide(
    window: _Window,
    place: Place,
    others: Sequence[tuple[str, str]],
    known: Sequence[str],
) -> HiddenTexts | None:
    """Replace the secrets of all that is sent; None: the cursor is in one.

    Returns:
        The lines above, the cursor's line before and after the cursor, the lines below,
        and the other texts.
    """
    path, left, right = window.path, place.left, place.right
    parts = (f"{window.above}\n", left, right, f"\n{window.below}")
    is_plain = (window.is_plain and not known) and all(
        starmap(is_free, ((path, left), (path, right), *others))
    )
    # Most keys change nothing about the lines around theirs.
    is_same = window.may_change and is_clean(left + right, path)
    shown = "" if is_same else "".join((window.enclosing, *parts))
    if is_plain and (is_same or is_free(path, shown)):
        # The usual case: there is nothing to hide.
        own = (window.above, left, right, window.below)
        texts = (*((path, text) for text in own), *others)
        paths, shown_texts = zip(*texts, strict=True)
        return HiddenTexts(texts=shown_texts, paths=paths)
    n_before = len(window.enclosing) + len(parts[0]) + len(left)
    if not is_same and cuts_secret(shown, n_before, path):
        return None
    hidden = hide_all(
        [*((path, part) for part in parts), *others],
        # The cursor's line may have changed since the lines around it were read.
        wholes=[(path, window.around_text), (path, shown)],
        known=known,
    )
    above, left, right, below, *more = hidden.texts
    above, below = above.removesuffix("\n"), below.removeprefix("\n")
    return replace(hidden, texts=(above, left, right, below, *more))


def _secrets_of_reply(hidden: HiddenTexts) -> SecretTable:
    """Return the secrets that are put back: those of the file itself."""
    if not hidden.table.secrets:
        return hidden.table
    return withholding(hidden.table, own=placeholders_in(hidden.texts[:4]))


def invents_secret(line: str, path: str, table: SecretTable) -> bool:
    """Whether a line of a reply holds a secret that was not in the prompt, one of
    another file, an API key in use, or a placeholder that stands for none."""
    if has_withheld(line, table) or has_unknown(line, table):
        return True
    if repeats_key(line, before=lambda: "\n".join(table.secrets)):
        return True
    return any(
        line[start:end] not in table.secrets for start, end in find_secrets(line, path)
    )


def is_in_secret(line: str, at: int, path: str) -> bool:
    """Whether the text on one side of the cursor has a part of a secret that is not
    recognized there, or ends with the beginning of a key that is being typed."""
    start = max(line.rfind(mark, 0, at) for mark in "\"'`= \t") + 1
    if _MIN_BEGUN <= at - start <= _MAX_BEGUN and BEGUN_KEY.match(line[start:at]):
        is_value = kind_of(path) in UNQUOTED
        if is_value or any(mark in line[:start] for mark in "\"'`"):
            return True
    if is_free(path, line):
        return False
    seen = {*find_secrets(line[:at], path)}
    seen |= {(at + a, at + b) for a, b in find_secrets(line[at:], path)}
    return not seen.issuperset(find_secrets(line, path))


def cuts_secret(text: str, at: int, path: str) -> bool:
    """Whether a place is inside a secret, which the lines around it may show."""
    return any(start < at < end for start, end in spans_of(path, text))


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
    return with_line_feeds(lines).removesuffix("\n")


def _below(document: Document, line: int) -> str:
    """Return the lines below, up to a multiple of a step."""
    end = (line // _BELOW_STEP + 3) * _BELOW_STEP
    lines = document.lines_between(line + 1, end)
    n_chars = sum(map(len, lines))
    while n_chars > _MAX_BELOW and lines:
        n_chars -= len(lines.pop())
    return with_line_feeds(lines).rstrip("\n")
