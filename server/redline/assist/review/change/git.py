"""Reads changes and blobs from a git repository.

Nothing is written to the repository: git refreshes a copy of the index. See
`git_process` for the programs that git must not run.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from redline.assist.review.change.git_listing import (
    ChangedPath,
    blobs_of,
    changed_paths,
    sizes_of,
)
from redline.assist.review.change.git_process import run_git
from redline.assist.review.change.git_special import refuse_special_files
from redline.errors import NotReviewableError, UnreadableFileError
from redline.files import read_file, stamp_of
from redline.owner_only_files import let_owner_in

_DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--relative",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--find-renames",
)
_PATCH = (
    "--patch",
    "--unified=3",
    "--inter-hunk-context=0",
    # A change of line ends alone would mark every line as changed.
    "--ignore-cr-at-eol",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_RAW = ("--raw", "--no-abbrev", "-z")

_MAX_INDEX_BYTES = 500_000_000
"""That of a repository with millions of files."""

_LOCAL_FILTER = re.compile(r"^filter\.(.+)\.(?:clean|smudge|process|required)$")


class DiffRange(Struct, frozen=True, kw_only=True):
    """The differences between two states of a repository."""

    paths: tuple[ChangedPath, ...]
    patch: bytes
    """The differences as a unified diff."""


class Repository:
    """The part of a repository that is under one folder."""

    def __init__(self, folder: Path) -> None:
        """Find the repository of a folder.

        Raises:
            NotReviewableError: If git cannot be run or would block on a pipe, or if
                there is no repository.
        """
        refuse_special_files(folder)
        self._folder = folder
        self._filters: tuple[str, ...] = ()
        self._index: Path | None = None
        # `core.worktree` of a hostile repository could name the user's home.
        self._worktree = _worktree_of(folder)
        try:
            found = self._output("rev-parse", "--show-toplevel")
        except NotReviewableError as exc:
            if "dubious ownership" in str(exc):
                raise NotReviewableError(
                    f"git does not read {folder}: it belongs to another user.",
                    remedy="If you trust it, run"
                    f" `git config --global --add safe.directory {folder}` first.",
                ) from None
            if "not a git repository" not in str(exc):
                raise
            raise NotReviewableError(
                f"{folder} is in no git repository, so there is no change to review.",
                remedy="Name a file instead, or run `git init` first.",
            ) from None
        self.top = Path(os.fsdecode(found.rstrip(b"\n")))
        self._filters = self._without_local_filters()
        self._index = self._index_of_a_hook()

    def working_tree(self, paths: Sequence[str]) -> DiffRange:
        """Compare the files on disk with the last commit."""
        with self._refreshing_a_copy() as index:
            return self._change([self._last_commit()], paths, index=index)

    def staged(self, paths: Sequence[str]) -> DiffRange:
        """Compare what is staged with the last commit."""
        return self._change(["--cached", self._last_commit()], paths)

    def since(self, base: str, head: str, paths: Sequence[str]) -> DiffRange:
        """Compare a commit with its merge base with another.

        Raises:
            NotReviewableError: If one of them is not known, or they have no merge base.
        """
        old, new = self._commit(base), self._commit(head)
        found = self._output("merge-base", old, new, may_fail=True)
        if not found:
            raise NotReviewableError(
                f"{base} and {head} have no commit in common.",
                remedy="In a shallow clone, fetch more of the history first.",
            )
        return self._change([found.decode().split()[0], new], paths)

    def untracked(self, paths: Sequence[str]) -> tuple[str, ...]:
        """List the files that git neither tracks nor ignores."""
        listed = self._output(
            "ls-files", "-z", "--others", "--exclude-standard", "--", *paths
        )
        return tuple(os.fsdecode(path) for path in listed.split(b"\0") if path)

    def blob_at_last_commit(self, path: str) -> str | None:
        """Return the blob id of a file in the last commit; None: it is not in it."""
        commit = self._last_commit()
        found = self._output("ls-tree", "-z", commit, "--", path, may_fail=True)
        words = found.split(b"\t")[0].split()
        return words[2].decode() if len(words) == 3 and words[1] == b"blob" else None

    def sizes(self, blobs: Iterable[str]) -> dict[str, int]:
        """Return the sizes of blobs in bytes; missing blobs are left out."""
        return dict(sizes_of(self._cat_file("--batch-check", blobs)))

    def texts(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Read several blobs at once; missing blobs are left out."""
        return dict(blobs_of(self._cat_file("--batch", blobs)))

    def _cat_file(self, how: str, blobs: Iterable[str]) -> bytes:
        asked = "".join(f"{one}\n" for one in dict.fromkeys(blobs)).encode()
        return self._output("cat-file", how, asked=asked) if asked else b""

    def _change(
        self, states: Sequence[str], paths: Sequence[str], *, index: Path | None = None
    ) -> DiffRange:
        rest = (*states, "--", *paths)
        raw = self._output(*_DIFF, *_RAW, *rest, index=index)
        return DiffRange(
            paths=tuple(changed_paths(raw)),
            patch=self._output(*_DIFF, *_PATCH, *rest, index=index),
        )

    @contextmanager
    def _refreshing_a_copy(self) -> Iterator[Path | None]:
        """Copy the index while files are compared; None: there is no index yet.

        `git diff` writes the times of files that were only touched into the index, also
        with `--no-optional-locks`.
        """
        found = self._output("rev-parse", "--git-path", "index").rstrip(b"\n")
        index = self._index or Path(self._folder, os.fsdecode(found))
        stamp = stamp_of(index)
        if stamp is None:
            yield None
            return
        with tempfile.TemporaryDirectory(prefix="redline-") as folder:
            let_owner_in(folder)
            copy = Path(folder, "index")
            try:
                copy.write_bytes(read_file(index, max_bytes=_MAX_INDEX_BYTES))
                # Git compares the content of files that are as new as the index. This
                # time may be too early, which costs time, but must not be too late.
                os.utime(copy, ns=(stamp[0], stamp[0]))
            except (OSError, UnreadableFileError) as exc:
                raise NotReviewableError(
                    f"The index of git cannot be copied: {exc}",
                    remedy="Free some space for temporary files, or name the files"
                    " to review.",
                ) from exc
            yield copy

    def _last_commit(self) -> str:
        found = self._output(
            "rev-parse", "--verify", "--quiet", "HEAD^{commit}", may_fail=True
        )
        if found:
            return found.decode().strip()
        # Before the first commit, compare with the empty tree.
        return (
            self._output("hash-object", "-t", "tree", "--stdin", asked=b"")
            .decode()
            .strip()
        )

    def _commit(self, name: str) -> str:
        # A leading dash would make an option; an argument cannot hold a NUL.
        found = b""
        if name and not name.startswith("-") and "\0" not in name:
            found = self._output(
                "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", may_fail=True
            )
        if not found:
            raise NotReviewableError(
                f"git knows no commit, branch or tag {name!r}.",
                remedy="Fetch it first, or name another base.",
            )
        return found.decode().strip()

    def _without_local_filters(self) -> tuple[str, ...]:
        """Return options that disable the filters in the repository's configuration.

        Raises:
            NotReviewableError: If a filter cannot be disabled.
        """
        listed = b"\0".join(
            self._output(
                *("config", scope, "--includes", "--null", "--name-only"),
                *("--get-regexp", r"^filter\..*\.(clean|smudge|process|required)$"),
                may_fail=True,
            )
            for scope in ("--local", "--worktree")
        )
        names = (os.fsdecode(name) for name in listed.split(b"\0"))
        found = {match[1] for name in names if (match := _LOCAL_FILTER.match(name))}
        if odd := [name for name in found if "=" in name]:
            # Git would take the part after the `=` as the value.
            raise NotReviewableError(
                f"The repository configures a filter {odd[0]!r}, which git would run.",
                remedy="Remove it from the repository's configuration.",
            )
        return tuple(
            word
            for name in sorted(found)
            for key, value in (("clean", ""), ("process", ""), ("required", "false"))
            for word in ("-c", f"filter.{name}.{key}={value}")
        )

    def _index_of_a_hook(self) -> Path | None:
        """Find the index that a running `git commit` uses; None: the usual index.

        `git commit -a` passes it to hooks in a variable, which is used if it points
        into this repository.
        """
        named = os.environ.get("GIT_INDEX_FILE")
        if not named:
            return None
        found = self._output("rev-parse", "--absolute-git-dir").rstrip(b"\n")
        index = Path(self.top, named).resolve()
        is_ours = index.is_relative_to(Path(os.fsdecode(found)).resolve())
        return index if is_ours and index.is_file() else None

    def _output(
        self,
        *words: str,
        asked: bytes = b"",
        may_fail: bool = False,
        index: Path | None = None,
    ) -> bytes:
        return run_git(
            self._folder,
            words,
            options=self._filters,
            worktree=self._worktree,
            index=index or self._index,
            asked=asked,
            may_fail=may_fail,
        )


def _worktree_of(folder: Path) -> Path | None:
    """Return the nearest folder with a `.git`; None: there is none."""
    outer = (folder, *folder.parents)
    return next((one for one in outer if (one / ".git").exists()), None)
