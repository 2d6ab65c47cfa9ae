"""Writes the request for a next edit, with secrets replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from redline.assist.context.recent_edits import RecentEdit, secrets_around
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.timely_rules import TimelyRules
from redline.assist.suggestions.complete.edits_at_pause import shown_edits
from redline.assist.suggestions.complete.request_writer import (
    KEY_BLOCK,
    cuts_secret,
    is_in_secret,
)
from redline.completion.decode import CURSOR
from redline.models.interface import GenerationRequest
from redline.next_edits.journal import UserChange
from redline.next_edits.sights import NotedPlace, SeenFile, Sight, sites, window
from redline.prompts.message import Prompt
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
    text_around,
    text_before,
    withholding,
)
from redline.prompts.rewrite import RewriteForm, RewriteTask, WrittenChange
from redline.prompts.secrets.cuts import beginning
from redline.text.document import Document
from redline.text.lines import strip_end, with_line_feeds
from redline.text.position import Position

MAX_OUTPUT_TOKENS = 400
"""Three patches of a dozen lines."""

_FIRST_DELTA_S, _STALL_S = 5.0, 5.0
_MAX_FILES = 20
_MAX_LINES = 20_000
"""Of an open file that is searched for related places."""
_AROUND_LINES = 200
"""Lines around a part that are searched for secrets with it."""
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
    form: RewriteForm | None = None
    """Of a model that rewrites the first of these; None: it answers with patches."""


class NextEditWriter:
    """Writes the requests of all documents."""

    def __init__(
        self,
        workspace: Workspace,
        cache_key: str,
        ignore_rules: TimelyRules,
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
        self,
        document: Document,
        at: Position,
        changes: Sequence[UserChange],
        form: RewriteForm | None = None,
    ) -> NextEditRequest | None:
        """Write a request.

        Args:
            document: The document.
            at: The cursor, in code points.
            changes: What the user did in it, the newest last.
            form: The form of a model that rewrites lines; None: it answers with
                patches.

        Returns:
            None if the text around the cursor must not be sent, is too long, or
            cannot be marked.
        """
        files = self._files(document)
        edits = self._recent_edits()
        shown = window(files[0], at.line)
        if shown is None:
            return None
        if form is not None:
            return self._rewrite(document, at, shown, changes, form)
        problems = [
            (line, beginning(message, _MAX_MESSAGE))
            for line, message in self._problems(
                document, range(shown.first, shown.end)
            )[:_MAX_PROBLEMS]
        ]
        spots = [
            NotedPlace(edit.document.uri, edit.lines.start) for edit in reversed(edits)
        ] + [NotedPlace(document.uri, line) for line, _ in problems]
        found = sites(shown, at.line, files, changes, spots)
        if not _may_be_shown(shown) or _is_in_secret(shown, at):
            return None
        others = [site for site in found if _may_be_shown(site)]
        recent = self._recent(document, self._written)
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
            ],
            wholes=[(site.file.path, _text_around(site)) for site in sights],
            known=secrets_around(self._recent_edits()),
        )
        if any(CURSOR in text for text in hidden.texts):
            return None
        before, after, *texts = hidden.texts
        n_others = len(others)
        shown_path, _, *other_paths = hidden.paths
        task = NextEditTask(
            path=shown_path,
            language=document.language_id,
            edits="\n\n".join(texts[n_others + 1 :]),
            problems=texts[n_others],
            sites=tuple(
                ShownPlace(path=other, first=site.first + 1, text=text)
                for site, other, text in zip(others, other_paths, texts, strict=False)
            ),
            window=ShownPlace(
                path=shown_path,
                first=shown.first + 1,
                text=f"{before}{CURSOR}{after}",
            ),
        )
        own = placeholders_in([before, after])
        return NextEditRequest(
            request=self._generation(next_edit_prompt(task, cursor=CURSOR)),
            secrets=withholding(hidden.table, own=own),
            sights=sights,
        )

    def _rewrite(
        self,
        document: Document,
        at: Position,
        shown: Sight,
        changes: Sequence[UserChange],
        form: RewriteForm,
    ) -> NextEditRequest | None:
        """Write the request for a model that rewrites the lines at the cursor."""
        if not _may_be_shown(shown) or _is_in_secret(shown, at):
            return None
        sight = _rewritten_lines(shown, at.line, form.n_lines)
        path = shown.file.path
        left, right = _cut(sight, at)
        above = _joined(shown, shown.first, sight.first)
        below = _joined(shown, sight.end, shown.end)
        earlier = "\n".join(_earlier(sight, changes))
        before = _text_before(shown, shown.first)
        around = (above, left, right, below, earlier)
        recent = self._recent(document, partial(_change_as, form))
        hidden = hide_all(
            [*((path, text) for text in around), *recent],
            wholes=[
                (path, _text_around(shown)),
                (path, f"{before}{above}{earlier}\n{below}"),
            ],
            known=secrets_around(self._recent_edits()),
        )
        shown_path = hidden.paths[0]
        if not form.is_safe((shown_path, *hidden.texts)) or CURSOR in "".join(
            hidden.texts
        ):
            return None
        above, left, right, below, earlier, *edits = hidden.texts
        task = RewriteTask(
            path=shown_path,
            edits=edits,
            above=above,
            earlier=earlier,
            left=left,
            right=right,
            below=below,
        )
        prompt = Prompt(instructions="", chat_messages=(), raw=form.prompt(task))
        own = placeholders_in([left, right])
        return NextEditRequest(
            request=self._generation(prompt),
            secrets=withholding(hidden.table, own=own),
            sights=(sight,),
            form=form,
        )

    def _generation(self, prompt: Prompt) -> GenerationRequest:
        return GenerationRequest(
            prompt=prompt,
            max_output_tokens=MAX_OUTPUT_TOKENS,
            cache_key=self._cache_key,
            kind="completion",
            first_delta_s=_FIRST_DELTA_S,
            stall_s=_STALL_S,
        )

    def _recent(
        self, document: Document, write: Callable[[RecentEdit], str]
    ) -> tuple[tuple[str, str], ...]:
        """Return the last edits that may be sent: path and text."""
        recent = shown_edits(
            self._recent_edits(),
            document,
            self._workspace,
            self._ignore_rules,
            write=write,
        )
        return tuple(each for each in recent if KEY_BLOCK not in each[1])

    def _files(self, document: Document) -> list[SeenFile]:
        """Return the document, then the other open files that may be shown."""
        roots = self._workspace.roots
        others = [
            one
            for one in self._workspace.documents
            if one is not document
            and one.n_lines <= _MAX_LINES
            and self._ignore_rules.is_inside(one.uri, roots)
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


def _rewritten_lines(shown: Sight, line: int, n_around: int) -> Sight:
    """Return the lines that a model is to rewrite.

    The empty line behind the end of a text is none, unless the cursor is there: no
    model writes it.
    """
    end = min(shown.end, line + n_around + 1)
    if end - 1 > line and not shown.file.lines[end - 1]:
        end -= 1
    return Sight(file=shown.file, first=max(shown.first, line - n_around), end=end)


def _change_as(form: RewriteForm, edit: RecentEdit) -> str:
    change = WrittenChange(
        first=edit.lines.start, above=edit.above, old=edit.old, new=edit.new
    )
    return form.write_edit(change)


def _joined(shown: Sight, first: int, end: int) -> str:
    """Return some lines with LF line ends."""
    lines = map(strip_end, shown.file.lines[first:end])
    return "".join(f"{line}\n" for line in lines)


def _earlier(sight: Sight, changes: Sequence[UserChange]) -> list[str]:
    """Return the lines as they were before the last change, if that is in them."""
    lines, last = sight.lines, changes[-1] if changes else None
    if last is not None and sight.first <= last.first and last.end <= sight.end:
        start = last.first - sight.first
        lines[start : start + len(last.new)] = map(strip_end, last.old)
    return lines


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
    before = _text_before(shown, at.line)
    end = at.line + _AROUND_LINES
    text = before + with_line_feeds(shown.file.lines[at.line : end])
    return is_in_secret(line, at.character, path) or cuts_secret(
        text, len(before) + at.character, path
    )


def _may_be_shown(sight: Sight) -> bool:
    """Whether lines can be searched for secrets and are near no private key."""
    text = _text_around(sight)
    return len(text) <= _MAX_AROUND and KEY_BLOCK not in text


def _text_before(shown: Sight, line: int) -> str:
    return text_before(shown.file.lines, line, n_around=_AROUND_LINES)


def _text_around(sight: Sight) -> str:
    return text_around(sight.file.lines, sight.first, sight.end, n_around=_AROUND_LINES)
