"""Runs git: bounded, read-only, and without programs that a repository configures.

A repository can name programs in its own configuration: hooks, file monitors, pagers,
external diffs, text conversions, ways to fetch missing objects of a partial clone. This
module disables them for every command; options of a single command are the caller's.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, Thread

from redline.assist.review.change.running_git import (
    git_command,
    kill,
    owned_processes,
)
from redline.child_environment import child_environment
from redline.errors import NotReviewableError
from redline.printable import printable_line
from redline.programs import absolute_folders

LIMIT_S = 30.0
"""Time limit of one command."""

MAX_OUTPUT_BYTES = 64 * 1024 * 1024

MAX_DIFFED_BYTES = 8_000_000
"""Size above which git reports only that a file differs. It exceeds the limit of a
reviewed file, so that a file that was larger before still has a diff."""

_CHUNK_BYTES = 1 << 20

_MAX_COMPLAINT_CHARS = 300

_SAFE = (
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "diff.suppressBlankEmpty=false",
    # One that does not exist, or is a pipe, would end or block every diff.
    "-c",
    f"diff.orderFile={os.devnull}",
    # `git_listing.title_of` quotes names so.
    "-c",
    "core.quotePath=true",
    # Larger files are not reviewed, and their lines would fill the diff.
    "-c",
    f"core.bigFileThreshold={MAX_DIFFED_BYTES}",
)
_FOREIGN_VARIABLES = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_TRACE",
)
"""Variables of our parent process, perhaps a git hook, that would change the result."""

_VARIABLES = {
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    # A partial clone would fetch missing objects with programs it configures.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}


def run_git(
    folder: Path,
    words: Sequence[str],
    *,
    options: Sequence[str] = (),
    worktree: Path | None = None,
    index: Path | None = None,
    asked: bytes = b"",
    may_fail: bool = False,
) -> bytes:
    """Run one command and return its standard output.

    Args:
        folder: The working directory.
        words: The command and its arguments.
        options: Options of git itself, before the command.
        worktree: The folder with the repository's files; None: as git finds it, or as
            the repository's configuration sets it, which may be any folder.
        index: The index file to use; None: the repository's.
        asked: The standard input.
        may_fail: Whether a failure returns empty output instead of raising.

    Raises:
        NotReviewableError: If git cannot be run, fails, takes too long or writes too
            much.
    """
    arguments = ["-C", str(folder), *_SAFE, *options, *words]
    own = {"GIT_WORK_TREE": worktree, "GIT_INDEX_FILE": index}
    variables = {name: str(path) for name, path in own.items() if path is not None}
    code, output, complaint = _run(arguments, asked, variables)
    # A killed command is no answer.
    if code < 0 or (code and not may_fail):
        raise NotReviewableError(f"git {words[0]} failed: {_first_line(complaint)}")
    return b"" if code else output


def _run(
    arguments: Sequence[str], asked: bytes, variables: Mapping[str, str]
) -> tuple[int, bytes, bytes]:
    """Run git; return its exit code, output and the start of its error output.

    Raises:
        NotReviewableError: If it cannot be run, takes too long or writes too much.
    """
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as complaint:
        given.write(asked)
        given.seek(0)

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                git_command(arguments),
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=complaint,
                env=_environment(variables),
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )

        try:
            with owned_processes().running(start) as process:
                output = _read(process)
        except OSError as exc:
            raise NotReviewableError(
                "git cannot be run.", remedy="Install git and check that it is on PATH."
            ) from exc
        complaint.seek(0)
        return process.returncode, output, complaint.read(1_000)


def _read(process: subprocess.Popen[bytes]) -> bytes:
    deadline = time.monotonic() + LIMIT_S
    try:
        reader = _OutputReader(process)
        output = reader.wait(LIMIT_S)
        if len(output) <= MAX_OUTPUT_BYTES:
            process.wait(max(0.0, deadline - time.monotonic()))
            return output
    except (TimeoutError, subprocess.TimeoutExpired) as exc:
        raise NotReviewableError(f"git took longer than {LIMIT_S:g} s.") from exc
    finally:
        kill(process)
    raise NotReviewableError(
        f"The change is larger than {MAX_OUTPUT_BYTES // 1_048_576} MB.",
        remedy="Review a part of it by naming paths.",
    )


class _OutputReader:
    """Reads the output of a process in a thread, which can be left behind.

    A program that git starts may leave git's group and keep its output open.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self._output = bytearray()
        self._has_ended = Event()
        # The thread's own, so that closing the process's is safe at any time.
        descriptor = os.dup(process.stdout.fileno())
        Thread(target=self._read, args=(descriptor,), name="git", daemon=True).start()

    def wait(self, limit_s: float) -> bytes:
        """Return the output, or its beginning if it is too long.

        Raises:
            TimeoutError: If it does not end in time.
        """
        if not self._has_ended.wait(limit_s):
            raise TimeoutError
        return bytes(self._output)

    def _read(self, descriptor: int) -> None:
        try:
            while len(self._output) <= MAX_OUTPUT_BYTES:
                chunk = os.read(descriptor, _CHUNK_BYTES)
                if not chunk:
                    break
                self._output += chunk
        finally:
            os.close(descriptor)
            self._has_ended.set()


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    inherited = {
        k: v
        for k, v in child_environment(os.environ).items()
        if k not in _FOREIGN_VARIABLES
    }
    # What git itself starts must not be a program of the repository either.
    search_path = {"PATH": absolute_folders(os.environ.get("PATH", os.defpath))}
    return {**inherited, **search_path, **_VARIABLES, **own}


def _first_line(complaint: bytes) -> str:
    lines = complaint.decode(errors="replace").strip().splitlines()
    line = printable_line(lines[0]) if lines else "it gave no reason"
    return line[:_MAX_COMPLAINT_CHARS]
