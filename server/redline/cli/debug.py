"""`redline debug`: what failed in an output, and the code where it failed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import BinaryIO

from redline.cli.common_options import add_json
from redline.cli.exit_codes import EXIT_DONE, EXIT_PROBLEMS

_MAX_FILE_BYTES = 64_000_000
_KEPT_BYTES = 4_000_000
"""More than the characters that are read of an output, in any encoding."""

_CHUNK_BYTES = 1 << 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "output",
        metavar="FILE",
        help="the output of a program, a test run or a compiler; - for standard input",
    )
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        help="the folder whose code is shown, and whose ignore files apply (default:"
        " that of the repository, or the current one)",
    )
    add_json(parser, "the failures")


def run(arguments: argparse.Namespace) -> int:
    """Write the failures; return 1 if there are none.

    Raises:
        InvalidArgumentsError: If the workspace is no folder.
        UnreadableFileError: If the file cannot be read.
    """
    import sys

    from redline.assist.debug.workspace_frames import WorkspaceFrames
    from redline.cli.common_options import json_page
    from redline.cli.debug_page import failures_data, text_page
    from redline.cli.review_target import workspace_of
    from redline.files import read_file
    from redline.traces.read import read_failures

    frames = WorkspaceFrames(workspace_of(arguments.workspace))
    if arguments.output == "-":
        data = _end_of(sys.stdin.buffer)
    else:
        data = read_file(arguments.output, max_bytes=_MAX_FILE_BYTES)
    failures = read_failures(data.decode("utf-8", "replace"))
    if arguments.json:
        sys.stdout.write(json_page(failures_data(failures, frames)))
    elif failures:
        sys.stdout.write(text_page(failures, frames))
    else:
        sys.stderr.write(
            "redline: No failure was recognized. Redline reads those of Python, pytest,"
            " Node, Jest, Vitest, Go, Rust, Java, gcc, clang and tsc.\n"
        )
    return EXIT_DONE if failures else EXIT_PROBLEMS


def _end_of(stream: BinaryIO) -> bytes:
    """Read a stream to its end, and return the last of it."""
    kept = bytearray()
    while chunk := stream.read(_CHUNK_BYTES):
        kept += chunk
        if len(kept) > 2 * _KEPT_BYTES:
            del kept[:-_KEPT_BYTES]
    return bytes(kept)
