"""Reads the instruction of a command: its argument, or standard input."""

from __future__ import annotations

import sys

from redline.errors import InvalidArgumentsError
from redline.routing.tag import split_tag

_MAX_INSTRUCTION_BYTES = 100_000


def read_instruction(argument: str) -> str:
    """Return an instruction; `-` stands for standard input.

    Raises:
        InvalidArgumentsError: If it is empty, too long, or not in UTF-8.
    """
    text = argument
    if argument == "-":
        if sys.stdin.isatty():
            sys.stderr.write("redline: Type the instruction, and end it with Ctrl+D.\n")
        data = sys.stdin.buffer.read(_MAX_INSTRUCTION_BYTES + 1)
        if len(data) > _MAX_INSTRUCTION_BYTES:
            raise InvalidArgumentsError(
                f"The instruction is longer than {_MAX_INSTRUCTION_BYTES // 1000} kB.",
                remedy="Name files by @file instead of pasting them.",
            )
        text = data.decode("utf-8", "replace")
    if any("\ud800" <= one <= "\udfff" for one in text):
        raise InvalidArgumentsError("The instruction is not in UTF-8.")
    if not split_tag(text)[0].strip():
        raise InvalidArgumentsError(
            "The instruction is empty.", remedy="Say in words what to do."
        )
    return text.strip()
