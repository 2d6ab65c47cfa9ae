"""Gathers the scope of a review: the texts, and which of their lines are reviewed.

An open document has priority over the file on disk, as the developer sees it. Ignored
files are never read, and are listed with the reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import assert_never

import msgspec

from redline.assist.editor.workspace import display_name
from redline.assist.review.change.gathered_change import gather_change
from redline.assist.review.change.reading import (
    EMPTY,
    NotRead,
    Reader,
    n_lines,
    path_of,
    with_line_feeds,
)
from redline.assist.review.change.since_review import since_review, unlisted
from redline.errors import HeldBackError, NotReviewableError
from redline.findings.scope import (
    ChangeTarget,
    LeftOutFile,
    ReviewedFile,
    ReviewScope,
    Selection,
    Since,
    SinceReview,
    Staged,
    Target,
    WholeFiles,
    WorkingTree,
)
from redline.text.document import Snapshot


def gather(
    target: Target,
    *,
    roots: Sequence[str],
    documents: Mapping[str, Snapshot],
    reviewed: Mapping[str, bytes] = {},
) -> ReviewScope:
    """Read the files of a target; slow, so call it in a thread.

    Args:
        target: What to review.
        roots: URIs of the workspace folders; without one, a change's own folder.
        documents: The open documents by URI, see `Workspace.snapshots`.
        reviewed: By URI, the lines that were reviewed last, see `ReviewedLines`.

    Raises:
        HeldBackError: If the target is one file, and it must not be sent.
        NotReviewableError: If git is missing, the folder is in no repository, the base
            is not known, or the target is one file that cannot be read as text.
    """
    match target:
        case Selection():
            scope = _selection(target, roots, documents)
        case WholeFiles():
            scope = _whole_files(target, roots, documents)
        case WorkingTree() | Staged() | Since():
            scope = _change(target, roots, documents)
        case SinceReview():
            scope = _since_review(target, roots, documents, reviewed)
        case _:
            assert_never(target)
    return msgspec.structs.replace(scope, fingerprint=_fingerprint(scope.files))


def _since_review(
    target: SinceReview,
    roots: Sequence[str],
    documents: Mapping[str, Snapshot],
    reviewed: Mapping[str, bytes],
) -> ReviewScope:
    change = WorkingTree(root=target.root, paths=target.paths)
    scope = _change(change, roots, documents)
    if not target.paths:
        reader = Reader(roots=roots, documents=documents)
        more = [
            _file(uri, reader, documents)
            for uri in unlisted(scope, reviewed, root=target.root)
        ]
        files = [one for one in more if isinstance(one, ReviewedFile)]
        scope = msgspec.structs.replace(scope, files=(*scope.files, *files))
    scope = since_review(scope, reviewed)
    return msgspec.structs.replace(scope, target=target)


def _selection(
    target: Selection, roots: Sequence[str], documents: Mapping[str, Snapshot]
) -> ReviewScope:
    file = _file(target.uri, Reader(roots=roots, documents=documents), documents)
    if isinstance(file, LeftOutFile):
        raise _refusal(file, target.uri, roots)
    length = n_lines(file.text)
    first = max(0, min(target.first_line, length - 1))
    end = max(first + 1, min(target.end_line, length))
    is_all = (first, end) == (0, length)
    lines = f"line {end}" if end == first + 1 else f"lines {first + 1} to {end}"
    return ReviewScope(
        target=target,
        title=f"{'all' if is_all else lines} of {file.path}",
        files=(msgspec.structs.replace(file, spans=((first, end),)),),
    )


def _whole_files(
    target: WholeFiles, roots: Sequence[str], documents: Mapping[str, Snapshot]
) -> ReviewScope:
    reader = Reader(roots=roots, documents=documents)
    found = [_file(uri, reader, documents) for uri in dict.fromkeys(target.uris)]
    files = _with_unique_names(
        [one for one in found if isinstance(one, ReviewedFile)], reader
    )
    left_out = [one for one in found if isinstance(one, LeftOutFile)]
    if len(found) == 1 and left_out:
        raise _refusal(left_out[0], target.uris[0], roots)
    title = f"{len(files)} file{'s' * (len(files) != 1)}"
    if len(found) == 1:
        title = f"all of {files[0].path}"
    return ReviewScope(
        target=target,
        title=title,
        files=tuple(sorted(files, key=lambda file: file.path)),
        left_out=tuple(sorted(left_out, key=lambda file: file.path)),
    )


def _with_unique_names(
    files: Sequence[ReviewedFile], reader: Reader
) -> list[ReviewedFile]:
    """Prefix file names with as many of their folders as make each name unique."""
    taken: set[str] = set()
    renamed: list[ReviewedFile] = []
    places = [(path_of(file.uri) or Path(file.path), file) for file in files]
    for path, file in sorted(places, key=lambda place: not reader.is_inside(place[0])):
        parts = path.parts
        more = ("/".join(parts[-n:]) for n in range(2, len(parts) + 1))
        name = next((one for one in (file.path, *more) if one not in taken), file.path)
        taken.add(name)
        renamed.append(msgspec.structs.replace(file, path=name))
    return renamed


def _file(
    uri: str, reader: Reader, documents: Mapping[str, Snapshot]
) -> ReviewedFile | LeftOutFile:
    path = path_of(uri)
    if path is None:
        return _unsaved(uri, reader, documents)
    text = reader.text(path)
    name = reader.name(path)
    if isinstance(text, NotRead):
        return text.of(name)
    return _whole(name, reader.uri(path), reader.language(path), text)


def _unsaved(
    uri: str, reader: Reader, documents: Mapping[str, Snapshot]
) -> ReviewedFile | LeftOutFile:
    """Read a document that exists only in the editor."""
    name = display_name(uri)
    document = documents.get(uri)
    if document is None:
        return LeftOutFile(path=name, reason="it is no file, and not open")
    reason = reader.reason(uri)
    if reason is not None:
        return LeftOutFile(path=name, reason=reason, by_rule=True)
    return _whole(name, uri, document.language_id, with_line_feeds(document.text))


def _whole(name: str, uri: str, language: str, text: str) -> ReviewedFile | LeftOutFile:
    if not text:
        return EMPTY.of(name)
    return ReviewedFile(
        path=name, uri=uri, language=language, text=text, spans=((0, n_lines(text)),)
    )


def _refusal(
    file: LeftOutFile, uri: str, roots: Sequence[str]
) -> HeldBackError | NotReviewableError:
    """Return the error for a target whose one file is not reviewed."""
    path = path_of(uri)
    reader = Reader(roots=roots, documents={})
    if path is not None and reader.ignored(path) is not None:
        return HeldBackError(f"{file.path} is not sent to a model: {file.reason}.")
    return NotReviewableError(f"{file.path} is not reviewed: {file.reason}.")


def _change(
    target: ChangeTarget, roots: Sequence[str], documents: Mapping[str, Snapshot]
) -> ReviewScope:
    folder = path_of(target.root)
    if folder is None or not folder.is_dir():
        raise NotReviewableError(
            f"{display_name(target.root)} is no folder; there is no change to review."
        )
    reader = Reader(roots=roots, documents=documents)
    if not reader.is_inside(folder):
        reader = Reader(roots=(target.root, *roots), documents=documents)
    gathered = gather_change(target, folder, reader)
    return ReviewScope(
        target=target,
        title=_change_title(target),
        files=gathered.files,
        left_out=gathered.left_out,
        deleted=gathered.deleted,
    )


def _change_title(target: ChangeTarget) -> str:
    match target:
        case WorkingTree():
            return "the changes in the working tree"
        case Staged():
            return "the staged changes"
        case Since():
            last = "" if target.head == "HEAD" else f", up to {target.head}"
            return f"the changes since {target.base}{last}"


def _fingerprint(files: Sequence[ReviewedFile]) -> str:
    """Hash the paths, the reviewed lines and the texts."""
    content = [(file.path, file.spans, file.text) for file in files]
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()
