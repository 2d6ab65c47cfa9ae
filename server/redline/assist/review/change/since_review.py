"""What has changed since the last review: the changed lines of files that one has read,
and all changes of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from redline.findings.reviewed_lines import changed_spans
from redline.findings.scope import LeftOutFile, ReviewedFile, ReviewScope

_UNCHANGED = "it has not changed since its last review"


def since_review(scope: ReviewScope, reviewed: Mapping[str, bytes]) -> ReviewScope:
    """Narrow a scope to what no review has read.

    Args:
        scope: The changes since the last commit, and the files that a review has read.
        reviewed: By URI, the lines that were reviewed last, see `ReviewedLines`.
    """
    files: list[ReviewedFile] = []
    left_out = [*scope.left_out]
    for file in scope.files:
        narrow = _narrowed(file, reviewed)
        if narrow is None:
            left_out.append(
                LeftOutFile(path=file.path, reason=_UNCHANGED, by_rule=True)
            )
        else:
            files.append(narrow)
    return replace(
        scope,
        title="what has changed since the last review",
        files=tuple(files),
        left_out=tuple(left_out),
    )


def unlisted(
    scope: ReviewScope, reviewed: Mapping[str, bytes], *, root: str
) -> Iterator[str]:
    """Yield the files of a folder that a review has read, and the change does not list.

    They were committed since, or have not changed.
    """
    listed = {file.uri for file in scope.files}
    folder = root.rstrip("/") + "/"
    for uri in reviewed:
        if uri not in listed and uri.startswith(folder):
            yield uri


def _narrowed(file: ReviewedFile, reviewed: Mapping[str, bytes]) -> ReviewedFile | None:
    if file.uri not in reviewed:
        return file
    spans = changed_spans(reviewed[file.uri], file.text)
    # Git's hunks are of all changes since the commit.
    return replace(file, spans=spans, diff="") if spans else None
