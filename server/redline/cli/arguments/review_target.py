"""Converts the arguments of `redline review` to a review's target."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from redline.cli.arguments.named_lines import named_lines
from redline.cli.arguments.text_argument import check_name_argument
from redline.errors import InvalidArgumentsError, NotReviewableError
from redline.findings.scope import (
    Selection,
    Since,
    Staged,
    Target,
    WholeFiles,
    WorkingTree,
    base_and_head,
)

MAX_FILES = 200
"""Most files in the given folders; a change may have more."""


def workspace_of(given: Path | None, *, beside: str | None = None) -> Path:
    """Choose the workspace: the given folder, the repository, or the current folder.

    Args:
        given: The folder that the user has named.
        beside: A file, perhaps with lines, whose repository counts; outside of any
            repository and of the current folder, its own folder counts.

    Raises:
        InvalidArgumentsError: If it is not a folder.
    """
    if given is not None:
        if not given.is_dir():
            raise InvalidArgumentsError(f"{given} is not a folder.")
        return _real(given)
    try:
        here = Path.cwd().resolve()
    except FileNotFoundError:
        raise InvalidArgumentsError(
            "The current folder does not exist any more.",
            remedy="Go to one that does, or name one with --workspace.",
        ) from None
    if beside is None:
        return _workspace_around(here, here) or here
    lines = named_lines(beside)
    path = Path(os.path.abspath(beside if lines is None else lines.path))
    # A link in a workspace that leads out of it makes no other folder the workspace.
    for link in (each for each in reversed(path.parents) if each.is_symlink()):
        workspace = _workspace_around(_real(link.parent), here)
        if workspace and not _real(link).is_relative_to(workspace):
            return workspace
    folder = _real(next(each for each in path.parents if each.is_dir()))
    return _workspace_around(folder, here) or folder


def _real(path: Path) -> Path:
    """Follow links. Unlike `Path.resolve`, this does not raise for a loop of them."""
    return Path(os.path.realpath(path))


def _workspace_around(folder: Path, here: Path) -> Path | None:
    """Return the repository of a folder, or the current folder if it is in that."""
    from redline.assist.review.change.git import Repository

    try:
        return Repository(folder).top
    except NotReviewableError:
        return here if folder.is_relative_to(here) else None


def target_of(arguments: argparse.Namespace, workspace: Path) -> Target:
    """Return the target of the review.

    Raises:
        InvalidArgumentsError: If the arguments are invalid.
    """
    asked: Sequence[str] = arguments.paths
    is_change = arguments.working_tree or arguments.staged or arguments.base is not None
    for one in (*asked, arguments.base or ""):
        check_name_argument(one)
    if asked and not is_change:
        return _files(asked, workspace)
    root, paths = (
        workspace.as_uri(),
        tuple(path_inside(one, workspace) for one in asked),
    )
    if arguments.staged:
        return Staged(root=root, paths=paths)
    if arguments.base is not None:
        base, head = base_and_head(arguments.base)
        if not base or base.startswith("-"):
            raise InvalidArgumentsError(f"{arguments.base!r} names no commit.")
        return Since(root=root, base=base, head=head, paths=paths)
    return WorkingTree(root=root, paths=paths)


def path_inside(path: str, workspace: Path) -> str:
    """Return a path relative to the workspace; the file need not exist any more."""
    place = Path(os.path.abspath(path))
    for one in (place, _real(place.parent) / place.name):
        if one.is_relative_to(workspace):
            return one.relative_to(workspace).as_posix()
    raise InvalidArgumentsError(f"{path} is not in {workspace}.")


def _files(asked: Sequence[str], workspace: Path) -> Target:
    if len(asked) == 1 and (lines := named_lines(asked[0])) is not None:
        return Selection(
            uri=_uri(lines.path, workspace),
            first_line=lines.first - 1,
            end_line=lines.last,
        )
    uris: list[str] = []
    for one in asked:
        path = Path(one)
        if not path.exists():
            raise InvalidArgumentsError(
                f"{one} does not exist.",
                remedy="Lines, as in a.py:3-9, can be named of one file at a time.",
            )
        uris += (
            _in_folder(path, workspace) if path.is_dir() else [_uri(path, workspace)]
        )
    return WholeFiles(uris=tuple(uris))


def _in_folder(folder: Path, workspace: Path) -> list[str]:
    """Find the code in a folder, without files that ignore rules match."""
    from redline.assist.context.workspace_files import source_files
    from redline.assist.privacy.ignore_rules import IgnoreRules

    place = place_of(folder, workspace)
    real = _real(place)
    if place.is_relative_to(workspace) and not real.is_relative_to(workspace):
        # Not entered: the review reports why it is left out.
        return [place.as_uri()]
    ignore_rules = IgnoreRules()
    roots = [workspace.as_uri()]
    uris: list[str] = []
    for file in source_files([real.as_uri()], ignore_rules):
        if file is None or ignore_rules.reason(file.uri, roots) is not None:
            continue
        uris.append(file.uri)
        if len(uris) > MAX_FILES:
            raise InvalidArgumentsError(
                f"{folder} has more than {MAX_FILES} files of code.",
                remedy="Name a part of it, or review a change with --base.",
            )
    if not uris:
        raise InvalidArgumentsError(f"{folder} has no code that may be reviewed.")
    return uris


def _uri(path: Path, workspace: Path) -> str:
    return place_of(path, workspace).as_uri()


def place_of(path: Path, workspace: Path) -> Path:
    """Return where a file or folder is; a link out of the workspace is not followed.

    The target of a link may be elsewhere, and has ignore rules of its own.
    """
    path = Path(os.path.abspath(path))
    place = _real(path.parent) / path.name
    if not place.is_relative_to(workspace):
        for folder in reversed(path.parents):
            inside = _real(folder)
            if inside.is_relative_to(workspace):
                # A folder further down leads out.
                return inside / path.relative_to(folder)
    return place
