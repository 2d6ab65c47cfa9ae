"""Scouts: concurrent fast generations that read related files and write short notes.

Without a fast model, the excerpt of the file is the note.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec
from msgspec.structs import replace

from redline.assist.review.related.related_place import RelatedPlace
from redline.assist.tiers.cost import Cost
from redline.assist.tiers.text_answer import TextAnswer
from redline.errors import (
    HeldBackError,
    ModelError,
    ModelRejectedError,
    ModelStalledError,
)
from redline.findings.scope import ReviewScope
from redline.keys_in_use import without_known_keys
from redline.models.interface import Finish, GenerationRequest, Model
from redline.prompts.redaction import HiddenTexts, SecretTable, hide_all
from redline.prompts.review_prompt import NOTHING, ScoutTask, scout_prompt

_MAX_CHANGED_CHARS = 6_000
"""Most of the reviewed lines that a scout is sent: a short prompt is a fast one."""

_MAX_SECRET_CHARS = 4_000
"""Length of the longest secret, an RSA key of 4,096 bits."""

_MAX_NOTE_CHARS = 2_000
"""Longest note; the prompt asks for eight lines."""

_MAX_NOTE_TOKENS = 600

_MAX_PROBLEMS = 3
"""Problems that are reported; the others are mostly the same."""


class ScoutNote(msgspec.Struct, frozen=True, kw_only=True):
    """A note about one place; goes into the review's prompt unchanged."""

    path: str
    first_line: int
    """From 0."""
    end_line: int
    text: str
    """LF line ends, secrets hidden."""
    is_model: bool
    """Whether a model wrote it; if not, it is an excerpt of the file."""


class ScoutReport(msgspec.Struct, frozen=True, kw_only=True):
    """The notes of all scouts, their cost and their problems."""

    notes: tuple[ScoutNote, ...]
    spent: Cost = Cost()
    """The cost of all generations together."""
    problems: tuple[str, ...] = ()
    """Why some failed, a sentence each; the other notes are valid."""
    n_unread: int = 0
    """Places that no scout read because of the cost limit."""


async def scout(
    scope: ReviewScope,
    places: Sequence[RelatedPlace],
    *,
    model: Model | None,
    n_at_once: int,
    limit_s: float,
    table: SecretTable,
    check_files: Callable[[Sequence[str]], Awaitable[None]],
    may_spend: Callable[[], bool] = lambda: True,
    on_spent: Callable[[Cost], None] = lambda spent: None,
    on_note: Callable[[int, int], None] = lambda n_done, n_all: None,
) -> tuple[ScoutReport, SecretTable]:
    """Let a model read the places and write a note about each.

    Cancelling is safe: the generations are stopped. A failing model does not raise.

    Args:
        scope: What the review is about.
        places: What to read, the closest first.
        model: Reads the places; None, or an engine that is no model: the notes are
            excerpts.
        n_at_once: Most generations at a time.
        limit_s: Time limit of each generation.
        table: The review's secrets so far.
        check_files: Receives the paths of the files that a scout is shown before it is
            asked, and raises HeldBackError if one is excluded now: it is not asked.
        may_spend: Called before each scout; if false, the note is an excerpt.
        on_spent: Receives the total cost of all scouts each time it grows.
        on_note: Receives how many places are done, and how many there are.

    Returns:
        The notes in the order of the places, and the table with the secrets in them.
    """
    # Hide secrets in everything that is sent.
    hidden = await asyncio.to_thread(_hidden, scope, places, table)
    changed, title, *place_texts = hidden.texts
    shown = [
        msgspec.structs.replace(
            place, path=path, text=text, names=tuple(names.split("\n"))
        )
        for place, path, text, names in zip(
            places,
            hidden.paths[2::2],
            place_texts[::2],
            place_texts[1::2],
            strict=True,
        )
    ]
    if model is None or not model.describe().is_model:
        notes = tuple(map(_excerpt, shown))
        return ScoutReport(notes=notes), hidden.table
    files = [file.path for file in scope.files]
    party = _Party(
        model,
        title,
        changed,
        limit_s=limit_s,
        check_files=lambda place: check_files([*files, place.path]),
        may_spend=may_spend,
        on_spent=on_spent,
    )
    return await party.read(shown, n_at_once, on_note), hidden.table


def _hidden(
    scope: ReviewScope, places: Sequence[RelatedPlace], table: SecretTable
) -> HiddenTexts:
    """Hide secrets in the reviewed lines, the title of the review, and each place and
    its names: a name may be any quoted text."""
    changed = _changed(scope)[: _MAX_CHANGED_CHARS + _MAX_SECRET_CHARS]
    texts = [("", changed), ("", scope.title)]
    for place in places:
        texts += (place.path, place.text), ("", "\n".join(place.names))
    hidden = hide_all(texts, table)
    # Cut last: a secret that is cut in two is not recognized.
    changed, *others = hidden.texts
    return replace(hidden, texts=(changed[:_MAX_CHANGED_CHARS], *others))


def _changed(scope: ReviewScope) -> str:
    """Return the reviewed lines of each file, under its name."""
    shown: list[str] = []
    for file in scope.files:
        lines = file.text.split("\n")
        shown.append(f"{file.path}:")
        for first, end in file.spans:
            shown += lines[first:end]
    return "\n".join(shown)


class _Party:
    """The scouts of one review."""

    def __init__(
        self,
        model: Model,
        scope: str,
        changed: str,
        *,
        limit_s: float,
        check_files: Callable[[RelatedPlace], Awaitable[None]],
        may_spend: Callable[[], bool],
        on_spent: Callable[[Cost], None],
    ) -> None:
        self._model = model
        self._scope = scope
        self._changed = changed
        self._limit_s = limit_s
        self._check_files = check_files
        self._may_spend = may_spend
        self._on_spent = on_spent
        self._spent = Cost()
        self._problems: list[str] = []
        self._n_done = 0
        self._n_unread = 0

    async def read(
        self,
        places: Sequence[RelatedPlace],
        n_at_once: int,
        on_note: Callable[[int, int], None],
    ) -> ScoutReport:
        """Read all places, at most `n_at_once` at a time."""
        turn = asyncio.Semaphore(n_at_once)

        async def one(place: RelatedPlace) -> ScoutNote | None:
            async with turn:
                note = await self._read(place)
            self._n_done += 1
            on_note(self._n_done, len(places))
            return note

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(place)) for place in places]
        notes = [task.result() for task in tasks]
        return ScoutReport(
            notes=tuple(note for note in notes if note is not None),
            spent=self._spent,
            problems=tuple(dict.fromkeys(self._problems))[:_MAX_PROBLEMS],
            n_unread=self._n_unread,
        )

    async def _read(self, place: RelatedPlace) -> ScoutNote | None:
        if self._may_spend():
            return await self._note(place)
        self._n_unread += 1
        return _excerpt(place)

    async def _note(self, place: RelatedPlace) -> ScoutNote | None:
        """Return the note about one place; None: it is not relevant, or excluded."""
        try:
            await self._check_files(place)
            async with asyncio.timeout(self._limit_s):
                text = await self._answer(place)
        except HeldBackError:
            return None
        except TimeoutError:
            self._problems.append(f"A scout took longer than {self._limit_s:g} s.")
            return _excerpt(place)
        except ModelError as error:
            self._problems.append(str(error))
            return _excerpt(place)
        # Before it is cut: a part of a key at the end could be too short to be found.
        words = without_known_keys(text, before=place.text)
        words = words.strip()[:_MAX_NOTE_CHARS].strip()
        if words.strip(".`*\"'").upper() == NOTHING:
            return None
        if not words:
            return _excerpt(place)
        return msgspec.structs.replace(_excerpt(place), text=words, is_model=True)

    async def _answer(self, place: RelatedPlace) -> str:
        prompt = scout_prompt(
            ScoutTask(
                scope=self._scope,
                changed=self._changed,
                path=place.path,
                first_line=place.first_line,
                text=place.text,
                relation=place.relation,
                names=place.names,
            )
        )
        request = GenerationRequest(
            prompt=prompt, max_output_tokens=_MAX_NOTE_TOKENS, kind="review"
        )
        return await self._hear(request)

    async def _hear(self, request: GenerationRequest) -> str:
        answer = TextAnswer(2 * _MAX_NOTE_CHARS)
        try:
            async with self._model.start(request) as generation:
                await answer.read(generation)
        finally:
            # Cancelled generations count, too; one without any text costs nothing.
            if answer.text or (answer.finish is not None and answer.finish.usage):
                self._spent += answer.cost(self._model, request)
                self._on_spent(self._spent)
        if answer.finish is not None:
            _check_end(answer.finish)
        return answer.text


def _check_end(finish: Finish) -> None:
    if finish.error is not None:
        raise finish.error
    if finish.reason == "filtered":
        raise ModelRejectedError("A scout's model refused to read a file.")
    if finish.reason == "stopped":
        raise ModelStalledError("A scout was stopped.")


def _excerpt(place: RelatedPlace) -> ScoutNote:
    return ScoutNote(
        path=place.path,
        first_line=place.first_line,
        end_line=place.first_line + place.text.count("\n") + 1,
        text=place.text,
        is_model=False,
    )
