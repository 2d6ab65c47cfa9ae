"""What applying a plan changes: edits of the files as they are now.

Every file is compared to the text that it was planned on. What the user has changed
meanwhile stays, and a change whose place is gone makes its steps stale.
"""

from __future__ import annotations

import os
import stat
from codecs import BOM_UTF8
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.plan.planned_files import MAX_PLANNED_BYTES, PlanFiles
from redline.errors import MissingFileError, UnreadableFileError
from redline.files import read_file, read_start
from redline.plans.graph import without_givers
from redline.plans.overlay import Overlay, PlannedChange
from redline.plans.plan import Plan, PlanStep
from redline.plans.rebase import rebase
from redline.plans.record import PlanRecord, SentEdit
from redline.text.document import ContentChange, Document, Snapshot
from redline.text.line_diff import LineHunk
from redline.text.lines import majority_end, split_lines, with_line_feeds
from redline.text.position import Encoding, Position, Range
from redline.text.region import TextEdit
from redline.text.uri import uri_path

_MARK = "\ufeff"
"""The byte order mark, which is no part of a document's text."""

_NO_VERSION = 0
"""Version of a document that is not open in the editor."""


class AppliedFile(Struct, frozen=True, kw_only=True):
    path: str
    uri: str
    snapshot: Snapshot
    """The text that `edits` are for; empty for a file that is created."""
    edits: tuple[TextEdit, ...]
    """In order and disjoint, in code points."""
    before: str | None
    """LF line ends; None: the file is created."""
    after: str | None
    """None: the file is deleted."""
    old_uri: str = ""
    """Where the file is now, if it is renamed."""
    old_path: str = ""
    mark: str = ""
    """The byte order mark of the file now; it is no part of the other texts."""
    exact: str | None = None
    """The text of a deleted file, with its line ends and its byte order mark."""
    permissions: int | None = None
    """Those of a deleted file, as `chmod` takes them; None: they are not known."""
    is_open: bool = False
    steps: tuple[str, ...] = ()
    """Ids of the steps that made it."""
    label: str = ""
    description: str = ""
    needs_look: bool = False
    """Whether the user is to confirm it."""


class PlanApplication(Struct, frozen=True, kw_only=True):
    """Everything that applying a plan changes."""

    files: tuple[AppliedFile, ...]
    left_out: tuple[str, ...] = ()
    """Ids of steps that use what is not applied, so they are not either."""
    stale: tuple[str, ...] = ()
    """Ids of steps whose places are gone."""
    stale_files: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    """Files that are here, in the editor or on disk, as they were before the plan."""
    rest: Overlay = Overlay()
    """What is not applied, over the texts that the files have then."""

    @property
    def steps(self) -> tuple[str, ...]:
        """Ids of the steps that are applied."""
        return tuple(dict.fromkeys(one for file in self.files for one in file.steps))

    @property
    def deleted(self) -> dict[str, str]:
        """The exact texts of the files that are deleted, by path."""
        return {
            one.path: one.exact
            for one in self.files
            if one.after is None and one.exact is not None
        }

    @property
    def deleted_permissions(self) -> dict[str, int]:
        return {
            one.path: one.permissions
            for one in self.files
            if one.after is None and one.permissions is not None
        }

    @property
    def sent(self) -> SentEdit:
        """What is stored before the edit is sent."""
        return SentEdit(
            landed=self.landed,
            deleted=self.deleted,
            deleted_permissions=self.deleted_permissions,
        )

    @property
    def landed(self) -> Overlay:
        """The texts before and after."""
        base: dict[str, str | None] = {}
        texts: dict[str, str | None] = {}
        renamed: dict[str, str] = {}
        for file in self.files:
            if file.old_path:
                base[file.old_path], texts[file.old_path] = file.before, None
                renamed[file.path] = file.old_path
            else:
                base[file.path] = file.before
            texts[file.path] = file.after
        return Overlay(base=base, texts=texts, renamed=renamed)


def application(
    record: PlanRecord,
    documents: Mapping[str, Snapshot],
    *,
    files: Collection[str] | None = None,
    steps: Collection[str] | None = None,
    is_forced: bool = False,
) -> PlanApplication:
    """Compare a plan to the workspace; blocks, so call it in a thread.

    Args:
        record: A plan that is ready or held.
        documents: The open documents by URI.
        files: Paths to apply; None: all.
        steps: Ids of steps to apply; None: all. A file is applied if all of its steps
            are.
        is_forced: Whether to apply steps that use what is not applied.
    """
    plan = record.plan or Plan(summary="")
    changes = record.overlay.changes()
    of_file = {one.path: _steps_of(one, plan, record) for one in changes}
    chosen = {
        step.id
        for one in changes
        for step in of_file[one.path]
        if files is None or one.path in files
        if steps is None or {each.id for each in of_file[one.path]} <= set(steps)
    }
    ran = {step.id for found in of_file.values() for step in found}
    dropped: set[str] = set()
    if not is_forced and chosen != ran:
        dropped = set(without_givers(_only(plan, ran), chosen))
        chosen -= dropped
    reader = _Reader(record.request.roots, documents)
    applied: list[AppliedFile] = []
    stale: list[PlannedChange] = []
    for one in changes:
        own = of_file[one.path]
        if files is not None and one.path not in files:
            continue
        if own and not {step.id for step in own} <= chosen:
            continue
        found = reader.apply(one)
        if found is None:
            stale.append(one)
        else:
            applied.append(_described(found, own, record))
    order = [step.id for step in plan.steps]
    applied.sort(key=lambda file: [order.index(one) for one in file.steps])
    return PlanApplication(
        files=tuple(applied),
        left_out=tuple(step.id for step in plan.steps if step.id in dropped),
        stale=tuple(step.id for one in stale for step in of_file[one.path]),
        stale_files=tuple(one.path for one in stale),
        rest=_rest(record.overlay, applied, stale, reader),
    )


def shown_of_sent(
    record: PlanRecord, documents: Mapping[str, Snapshot]
) -> PlanApplication:
    """Return what the files show of an edit whose end is not recorded; blocks."""
    reader = _Reader(record.request.roots, documents)
    plan = record.plan or Plan(summary="")
    # Without its folder, every file that a plan deletes is gone.
    sent = record.sent if reader.has_root() else SentEdit()
    applied = [
        AppliedFile(
            path=one.path,
            uri=reader.uri(one.path),
            snapshot=reader.empty(one.path),
            edits=(),
            before=one.before,
            after=one.after,
            old_path=one.old_path,
            exact=sent.deleted.get(one.path),
            permissions=sent.deleted_permissions.get(one.path),
            steps=tuple(step.id for step in _steps_of(one, plan, record)),
        )
        for one in sent.landed.changes()
        if reader.shows(one)
    ]
    rest = _rest(record.overlay, applied, (), reader)
    return PlanApplication(files=tuple(applied), rest=rest)


def applying_again(
    record: PlanRecord, documents: Mapping[str, Snapshot]
) -> PlanApplication:
    """Return the change of every file that is as it was before it was applied; blocks.

    The editor may have ended without saving it, or the user has undone it.
    """
    reader = _Reader(record.request.roots, documents)
    plan = record.plan or Plan(summary="")
    lost = [one for one in record.landed.changes() if reader.shows(one.back)]
    found = ((reader.apply(one), _steps_of(one, plan, record)) for one in lost)
    return PlanApplication(
        files=tuple(_described(one, own, record) for one, own in found if one),
        rest=record.overlay,
    )


def taking_back(
    record: PlanRecord, documents: Mapping[str, Snapshot]
) -> PlanApplication:
    """Return what restores every file that still is as the plan left it; blocks.

    Files that already are as they were before the plan are left out.
    """
    reader = _Reader(record.request.roots, documents)
    applied: list[AppliedFile] = []
    stale: list[str] = []
    restored: list[str] = []
    for one in record.landed.changes():
        back = one.back
        if reader.shows(back):
            # Restored by the user, or when only a part could be taken back.
            restored.append(one.path)
            continue
        found = reader.apply(back, is_exact=True)
        if found is None:
            stale.append(one.path)
        else:
            exact = record.deleted.get(found.path) if found.before is None else None
            permissions = record.deleted_permissions.get(found.path)
            applied.append(
                replace(
                    found,
                    exact=exact,
                    permissions=permissions,
                    label=f"Take back {found.path}",
                )
            )
    return PlanApplication(
        files=tuple(applied), stale_files=tuple(stale), restored=tuple(restored)
    )


def edited_text(file: AppliedFile) -> str:
    """Return the text of a file after its edits, with its own line ends."""
    snapshot = file.snapshot
    document = Document(
        uri=file.uri,
        language_id="",
        version=1,
        text=snapshot.text,
        encoding=snapshot.encoding,
    )
    changes = [
        ContentChange(range=edit.range, text=edit.new_text)
        for edit in reversed(file.edits)
    ]
    document.change(2, changes)
    return document.snapshot().text


class _Reader:
    """Reads files as they are now, and carries changes over to them."""

    def __init__(self, roots: Sequence[str], documents: Mapping[str, Snapshot]) -> None:
        self._files = PlanFiles(roots)
        self._root = Path(uri_path(roots[0]))
        self._documents = self._files.opened(documents)

    def uri(self, path: str) -> str:
        return self._files.uri(path)

    def has_root(self) -> bool:
        return self._root.is_dir()

    def text(self, path: str) -> str | None:
        """Return the text of a file now, with LF line ends; None: there is none."""
        now = self._snapshot(path)
        return None if now is None else with_line_feeds(now.lines)

    def shows(self, change: PlannedChange) -> bool:
        """Whether the files are as a change leaves them."""
        is_moved = not change.old_path or self.text(change.old_path) is None
        return is_moved and self.text(change.path) == change.after

    def apply(
        self, change: PlannedChange, *, is_exact: bool = False
    ) -> AppliedFile | None:
        """Return the change for the file as it is now; None: its place is gone."""
        now_path = change.old_path or change.path
        if self._files.is_linked(now_path) or self._files.is_linked(change.path):
            # It has become a link since the plan was written.
            return None
        now = self._snapshot(now_path)
        if self._is_moved_elsewhere(change, now):
            return None
        text = None if now is None else with_line_feeds(now.lines)
        target = self._snapshot(change.path) if change.old_path else None
        if (change.before is None) != (text is None) or target is not None:
            return None
        after = change.after
        hunks: Sequence[LineHunk] = ()
        if text is not None and after is None and text != change.before:
            # The user has changed a file that is to be deleted.
            return None
        if text is not None and after is not None:
            rebased = rebase(change.before or "", text, after)
            if rebased.n_lost or (is_exact and text != change.before):
                return None
            hunks, after = rebased.hunks, rebased.after
        mark = "" if now is None else self._mark(now)
        return AppliedFile(
            path=change.path,
            uri=self.uri(change.path) if change.old_path or now is None else now.uri,
            snapshot=now or self.empty(change.path),
            edits=_edits(now, hunks, after),
            before=text,
            after=after,
            old_path=change.old_path,
            old_uri=now.uri if change.old_path and now is not None else "",
            mark=mark,
            exact=mark + now.text if now is not None and after is None else None,
            permissions=self._permissions(now_path) if after is None else None,
            is_open=now_path in self._documents,
        )

    def _is_moved_elsewhere(self, change: PlannedChange, now: Snapshot | None) -> bool:
        """Whether a file is renamed or deleted that is open by another path.

        Its document would stay where it is, with what is not saved.
        """
        is_moved = bool(change.old_path) or change.after is None
        path = change.old_path or change.path
        return is_moved and now is not None and self._files.path(now.uri) != path

    def _mark(self, now: Snapshot) -> str:
        """Return the byte order mark that a file has and its text has not."""
        # A file may begin with several, of which all but one are text.
        n_in_text = len(now.text) - len(now.text.lstrip(_MARK))
        marks = BOM_UTF8 * (n_in_text + 1)
        with suppress(UnreadableFileError):
            if read_start(Path(uri_path(now.uri)), len(marks)) == marks:
                return _MARK
        return ""

    def _permissions(self, path: str) -> int | None:
        with suppress(OSError):
            return stat.S_IMODE(os.stat(self._root / path).st_mode)
        return None

    def _snapshot(self, path: str) -> Snapshot | None:
        opened = self._documents.get(path)
        if opened is not None:
            return opened
        try:
            data = read_file(
                self._root / path, max_bytes=MAX_PLANNED_BYTES, roots=[self._root]
            )
        except MissingFileError:
            return None
        except UnreadableFileError:
            # Something else is there now, such as a folder.
            return self.empty(path)
        return self._snapshot_of(path, data.decode("utf-8-sig", "replace"))

    def empty(self, path: str) -> Snapshot:
        return self._snapshot_of(path, "")

    def _snapshot_of(self, path: str, text: str) -> Snapshot:
        return Snapshot(
            uri=self._files.uri(path),
            version=_NO_VERSION,
            language_id="",
            lines=split_lines(text),
            encoding=Encoding.UTF_32,
        )


def _edits(
    now: Snapshot | None, hunks: Sequence[LineHunk], after: str | None
) -> tuple[TextEdit, ...]:
    if now is None:
        start = Position(0, 0)
        return (TextEdit(range=Range(start, start), new_text=after),) if after else ()
    end = majority_end(now.lines)
    return tuple(
        TextEdit(
            range=Range(Position(hunk.start, 0), _end_of(hunk, now.lines)),
            new_text="".join(hunk.lines).replace("\n", end),
        )
        for hunk in hunks
    )


def _end_of(hunk: LineHunk, lines: Sequence[str]) -> Position:
    if hunk.end < len(lines):
        return Position(hunk.end, 0)
    return Position(len(lines) - 1, len(lines[-1]))


def _steps_of(
    change: PlannedChange, plan: Plan, record: PlanRecord
) -> tuple[PlanStep, ...]:
    paths = {change.path, change.old_path or change.path}
    return tuple(
        step
        for step in plan.steps
        if {step.file, step.to or step.file} & paths
        if record.step_record(step.id).state in ("checked", "problem")
    )


def _rest(
    overlay: Overlay,
    applied: Sequence[AppliedFile],
    stale: Sequence[PlannedChange],
    reader: _Reader,
) -> Overlay:
    """Return the overlay without what is applied, and without lost changes."""
    base, texts = dict(overlay.base), dict(overlay.texts)
    renamed = dict(overlay.renamed)
    for file in applied:
        base[file.path] = file.after
        texts.pop(file.path, None)
        if file.old_path:
            base[file.old_path] = None
            texts.pop(file.old_path, None)
            renamed.pop(file.path, None)
    for change in stale:
        path = change.old_path or change.path
        base[path] = reader.text(path)
        texts.pop(path, None)
        texts.pop(change.path, None)
        renamed.pop(change.path, None)
    return Overlay(base=base, texts=texts, renamed=renamed)


def _only(plan: Plan, ids: Collection[str]) -> Plan:
    """Return a plan with some of its steps: others have given nothing."""
    return Plan(
        summary=plan.summary, steps=tuple(one for one in plan.steps if one.id in ids)
    )


def _described(
    file: AppliedFile, steps: Sequence[PlanStep], record: PlanRecord
) -> AppliedFile:
    records = [record.step_record(step.id) for step in steps]
    words = [" ".join(step.instruction.split()) for step in steps if step.instruction]
    words += [
        f"Problem: {problem.message}" for one in records for problem in one.problems
    ]
    labels = [f"{step.id} {step.symbol or step.file}" for step in steps]
    return replace(
        file,
        steps=tuple(step.id for step in steps),
        label=", ".join(labels) or file.path,
        description=" ".join(words),
        needs_look=record.state == "held"
        or file.after is None
        or any(one.needs_look or one.state == "problem" for one in records),
    )
