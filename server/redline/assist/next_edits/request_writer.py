"""Writes the request for a next edit, with secrets replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from redline.assist.complete.edits_at_pause import shown_edits
from redline.assist.complete.request_writer import (
    KEY_BLOCK,
    cuts_secret,
    is_in_secret,
)
from redline.assist.context.recent_edits import RecentEdit
from redline.assist.privacy.ignore_rules import IgnoreRules, is_inside
from redline.assist.workspace import Workspace
from redline.completion.decode import CURSOR
from redline.models.interface import GenerationRequest
from redline.next_edits.journal import UserChange
from redline.next_edits.sights import NotedPlace, SeenFile, Sight, sites, window
from redline.prompts.next_edit import (
    NextEditTask,
    ShownPlace,
    next_edit_prompt,
    written_edit,
)
from redline.prompts.redaction import (
    SecretTable,
    hide_all,
    placeholders_in,
    withholding,
)
from redline.prompts.secret_search import find_secrets
from redline.text.document import Document
from redline.text.lines import strip_end
from redline.text.position import Position

MAX_OUTPUT_TOKENS = 400
"""Three patches of a dozen lines."""

_FIRST_DELTA_S, _STALL_S = 5.0, 5.0
_MAX_FILES = 20
_MAX_LINES = 20_000
"""Of an open file that is searched for related places."""
_AROUND_LINES = 200
"""Lines around a part that are searched for a secret that they share with it."""
_MAX_PROBLEMS, _MAX_MESSAGE = 10, 300
"""Problems that are shown, and characters of each."""
_MAX_AROUND = 100_000
"""Characters of them; a part among more is not shown, as the search would take long."""


class NextEditRequest(Struct, frozen=True, kw_only=True):
    """A request, and what its reply is read with."""

    request: GenerationRequest
    secrets: SecretTable
    sights: tuple[Sight, ...]
    """What the model is shown of files; the window with the cursor first."""


class NextEditWriter:
    """Writes the requests of all documents."""

    def __init__(
        self,
        workspace: Workspace,
        cache_key: str,
        ignore_rules: IgnoreRules,
        *,
        recent_edits: Callable[[], Sequence[RecentEdit]],
        is_accepted: Callable[[RecentEdit], bool],
        problems: Callable[[Document, range], Sequence[tuple[int, str]]],
    ) -> None:
        """Begin.

        Args:
            workspace: The open documents.
            cache_key: Routes requests to a provider's prompt cache.
            ignore_rules: Ignored files are not shown.
            recent_edits: Returns the last edits of all documents, the newest last.
            is_accepted: Whether an edit is an accepted suggestion.
            problems: Returns the editor's problems in some lines of a document: the
                line and the message of each.
        """
        self._workspace = workspace
        self._cache_key = cache_key
        self._ignore_rules = ignore_rules
        self._recent_edits = recent_edits
        self._is_accepted = is_accepted
        self._problems = problems

    def write(
        self, document: Document, at: Position, changes: Sequence[UserChange]
    ) -> NextEditRequest | None:
        """Write a request.

        Args:
            document: The document.
            at: The cursor, in code points.
            changes: What the user did in it, the newest last.

        Returns:
            None if the text around the cursor must not be sent, is too long, or
            cannot be marked.
        """
        files = self._files(document)
        edits = self._recent_edits()
        shown = window(files[0], at.line)
        if shown is None:
            return None
        problems = [
            (line, message[:_MAX_MESSAGE])
            for line, message in self._problems(
                document, range(shown.first, shown.end)
            )[:_MAX_PROBLEMS]
        ]
        spots = [
            NotedPlace(edit.document.uri, edit.lines.start) for edit in reversed(edits)
        ] + [NotedPlace(document.uri, line) for line, _ in problems]
        found = sites(shown, at.line, files, changes, spots)
        if _shares_secret(shown) or _is_in_secret(shown, at):
            return None
        others = [site for site in found if not _shares_secret(site)]
        recent = shown_edits(
            edits, document, self._workspace, self._ignore_rules, write=self._written
        )
        recent = tuple(each for each in recent if KEY_BLOCK not in each[1])
        return self._request(document, at, (shown, *others), recent, problems)

    def _request(
        self,
        document: Document,
        at: Position,
        sights: tuple[Sight, ...],
        recent: Sequence[tuple[str, str]],
        problems: Sequence[tuple[int, str]],
    ) -> NextEditRequest | None:
        shown, *others = sights
        path = shown.file.path
        before, after = _cut(shown, at)
        hidden = hide_all(
            [
                (path, before),
                (path, after),
                *((site.file.path, "\n".join(site.lines)) for site in others),
                ("", "\n".join(message for _, message in problems)),
                *recent,
            ]
        )
        if any(CURSOR in text for text in hidden.texts):
            return None
        before, after, *texts = hidden.texts
        n_others = len(others)
        task = NextEditTask(
            path=path,
            language=document.language_id,
            edits="\n\n".join(texts[n_others + 1 :]),
            problems=texts[n_others],
            sites=tuple(
                ShownPlace(path=site.file.path, first=site.first + 1, text=text)
                for site, text in zip(others, texts[:n_others], strict=True)
            ),
            window=ShownPlace(
                path=path, first=shown.first + 1, text=f"{before}{CURSOR}{after}"
            ),
        )
        prompt = next_edit_prompt(task, cursor=CURSOR)
        request = GenerationRequest(
            prompt=prompt,
            max_output_tokens=MAX_OUTPUT_TOKENS,
            cache_key=self._cache_key,
            kind="completion",
            first_delta_s=_FIRST_DELTA_S,
            stall_s=_STALL_S,
        )
        own = placeholders_in([before, after])
        return NextEditRequest(
            request=request,
            secrets=withholding(hidden.table, own=own),
            sights=sights,
        )

    def _files(self, document: Document) -> list[SeenFile]:
        """Return the document, then the other open files that may be shown."""
        roots = self._workspace.roots
        others = [
            one
            for one in self._workspace.documents
            if one is not document
            and one.n_lines <= _MAX_LINES
            and is_inside(one.uri, roots)
            and self._ignore_rules.reason(one.uri, roots) is None
        ]
        return [
            SeenFile(
                uri=one.uri,
                path=self._workspace.relative_path(one.uri),
                lines=one.snapshot().lines,
            )
            for one in (document, *others[-_MAX_FILES:])
        ]

    def _written(self, edit: RecentEdit) -> str:
        return written_edit(
            edit.above, edit.old, edit.new, is_accepted=self._is_accepted(edit)
        )


def _cut(shown: Sight, at: Position) -> tuple[str, str]:
    """Return the text of a window before and after the cursor."""
    lines = shown.lines
    number = at.line - shown.first
    line = lines[number]
    before = "\n".join([*lines[:number], line[: at.character]])
    return before, "\n".join([line[at.character :], *lines[number + 1 :]])


def _is_in_secret(shown: Sight, at: Position) -> bool:
    """Whether the cursor is inside a secret, whose parts would not be recognized."""
    path = shown.file.path
    line = strip_end(shown.file.lines[at.line])
    before, after = _cut(shown, at)
    return is_in_secret(line, at, path) or cuts_secret(
        before + after, len(before), path
    )


def _shares_secret(sight: Sight) -> bool:
    """Whether lines around a part show a secret in it that it does not show alone."""
    first = max(0, sight.first - _AROUND_LINES)
    lines = [*map(strip_end, sight.file.lines[first : sight.end + _AROUND_LINES])]
    if sum(map(len, lines)) > _MAX_AROUND or any(KEY_BLOCK in one for one in lines):
        return True
    path = sight.file.path
    start = sum(len(line) + 1 for line in lines[: sight.first - first])
    text = "\n".join(sight.lines)
    known = {(one + start, other + start) for one, other in find_secrets(text, path)}
    return any(
        one < start + len(text) and other > start and (one, other) not in known
        for one, other in find_secrets("\n".join(lines), path)
    )
