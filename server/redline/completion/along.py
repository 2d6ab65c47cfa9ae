"""Follows what the user types along a text that was read for an earlier cursor."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.completion.place import depth_of, indent_of, white_space


class Rest(Struct, frozen=True):
    """What is left of a text."""

    text: str


class Ahead(Struct, frozen=True):
    """The user has typed more than the text has so far, and nothing else."""


def rest_of(text: str, typed: Sequence[str], unit: str) -> Rest | Ahead | None:
    """Return what is left of a text after some of it was typed.

    Args:
        text: What was to be inserted.
        typed: The lines from its place to the cursor.
        unit: The file's indentation of one level.

    Returns:
        None if something else was typed. White space at the start of a new line is the
        editor's: the rest is indented to match it.
    """
    lines = text.split("\n")
    n_whole = len(typed) - 1
    for at in range(min(n_whole, len(lines))):
        is_last = at == len(lines) - 1
        if not _is_alike(lines[at], typed[at], at, is_last=is_last):
            return None
    if n_whole >= len(lines):
        return Ahead()
    last = typed[-1]
    if n_whole == 0:
        return _plain(lines, last)
    # As the lines above were indented, so is this one: `last` may be a part of that.
    below = indented(lines, typed[:-1], unit)
    if below[0].strip() and below[0].startswith(last):
        return _plain(below, last)
    return _indented(lines, typed, unit)


def _is_alike(line: str, typed: str, at: int, *, is_last: bool) -> bool:
    one = line.rstrip() if at == 0 else line.strip()
    other = typed.rstrip() if at == 0 else typed.strip()
    return one == other or (is_last and other.startswith(one))


def _plain(lines: Sequence[str], typed: str) -> Rest | Ahead | None:
    first = lines[0]
    if first.startswith(typed):
        return Rest("\n".join([first[len(typed) :], *lines[1:]]))
    is_last = len(lines) == 1
    return Ahead() if is_last and typed.startswith(first) else None


def _indented(
    lines: Sequence[str], typed: Sequence[str], unit: str
) -> Rest | Ahead | None:
    core, written = lines[len(typed) - 1].lstrip(" \t"), typed[-1].lstrip(" \t")
    if not core.startswith(written):
        is_last = len(lines) == len(typed)
        return Ahead() if is_last and written.startswith(core) else None
    return Rest("\n".join([core[len(written) :], *indented(lines, typed, unit)]))


def indented(lines: Sequence[str], typed: Sequence[str], unit: str) -> list[str]:
    """Return the lines below those that were typed, indented to match how the last one
    with a text was."""
    n_typed = len(typed)
    own = [
        depth_of(other) - depth_of(line)
        for line, other in zip(lines[1:n_typed], typed[1:], strict=False)
        if line.strip()
    ]
    shift = own[-1] if own else 0
    if not shift:
        return list(lines[n_typed:])
    return [
        white_space(max(0, depth_of(line) + shift), unit) + line[len(indent_of(line)) :]
        for line in lines[n_typed:]
    ]
