"""Unified diffs as git writes them, so that `git apply` and `patch` read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from redline.text.line_diff import LineHunk, diff_lines

_N_CONTEXT = 3
"""Context lines around a hunk, as in git's diffs."""

_NONE = "/dev/null\n"
"""The name of a file that does not exist."""

_NO_END = "\n\\ No newline at end of file\n"

_ESCAPES = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def unified_diff(
    old: str | None,
    new: str | None,
    *,
    path: str = "file",
    old_path: str = "",
    is_executable: bool = False,
) -> str:
    """Return the differences in git's format, with a file header; empty: none.

    Args:
        old: Its lines end at line feeds only; a carriage return belongs to its line.
            None: the file is created.
        new: Likewise. None: the file is deleted.
        path: The file's path for the header, with slashes.
        old_path: Its path before, if it is renamed.
        is_executable: Whether its owner may execute it, if it is deleted.
    """
    old_lines, new_lines = _lines(old or ""), _lines(new or "")
    groups = _groups(diff_lines(old_lines, new_lines))
    n_added = 0
    written: list[str] = []
    for group in groups:
        lines, added = _written(group, old_lines, n_added)
        written += lines
        n_added += added
    head = [f"diff --git {_name(f'a/{old_path or path}')} {_name(f'b/{path}')}\n"]
    if old is None:
        head.append("new file mode 100644\n")
    elif new is None:
        head.append(f"deleted file mode {100755 if is_executable else 100644}\n")
    elif old_path:
        head += (f"rename from {_name(old_path)}\n", f"rename to {_name(path)}\n")
    if written:
        head.append(f"--- {_side('a', old_path or path) if old is not None else _NONE}")
        head.append(f"+++ {_side('b', path) if new is not None else _NONE}")
    return "".join((*head, *map(_ended, written))) if head[1:] else ""


def _side(letter: str, path: str) -> str:
    # A tab ends a name with blanks.
    return _name(f"{letter}/{path}") + ("\t\n" if " " in path else "\n")


def _name(path: str) -> str:
    """Quote a name as git does, if it could end its line or be read as quoted."""
    if not any(one in _ESCAPES or one < " " for one in path):
        return path
    return f'"{"".join(map(_escaped, path))}"'


def _escaped(one: str) -> str:
    return _ESCAPES.get(one) or (one if one >= " " else f"\\{ord(one):03o}")


def _lines(text: str) -> list[str]:
    """Split at line feeds, which stay; the last line may have none."""
    *lines, rest = text.split("\n")
    ended = [f"{line}\n" for line in lines]
    return [*ended, rest] if rest else ended


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + _NO_END


def _groups(hunks: Iterable[LineHunk]) -> list[list[LineHunk]]:
    """Group hunks whose context lines would meet."""
    groups: list[list[LineHunk]] = []
    for hunk in hunks:
        if groups and hunk.start - groups[-1][-1].end <= 2 * _N_CONTEXT:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    return groups


def _written(
    group: Sequence[LineHunk], old: Sequence[str], n_added: int
) -> tuple[list[str], int]:
    """Return one hunk of the diff, and the number of lines that it adds."""
    start = max(0, group[0].start - _N_CONTEXT)
    end = min(len(old), group[-1].end + _N_CONTEXT)
    lines: list[str] = []
    at = start
    for hunk in group:
        lines += (f" {line}" for line in old[at : hunk.start])
        lines += (f"-{line}" for line in old[hunk.start : hunk.end])
        lines += (f"+{line}" for line in hunk.lines)
        at = hunk.end
    lines += (f" {line}" for line in old[at:end])
    added = sum(len(hunk.lines) - (hunk.end - hunk.start) for hunk in group)
    here = _place(start, end - start)
    there = _place(start + n_added, end - start + added)
    return [f"@@ -{here} +{there} @@\n", *lines], added


def _place(start: int, count: int) -> str:
    # An empty range is numbered by the line before it.
    return f"{start + 1 if count else start},{count}"
