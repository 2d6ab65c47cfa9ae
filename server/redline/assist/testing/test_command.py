"""The words of `test.command`, with the test that is run in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.assist.testing.runners import CARGO_CRATE

_MARK = re.compile(r"\{(test|file)\}")


def filled_command(command: Sequence[str], *, test: str, file: str) -> list[str]:
    """Return the words of a command; anything else in braces is literal.

    Args:
        command: As configured.
        test: The name that the runner is asked for.
        file: The path of the test's file.
    """
    # Behind `--`, Cargo takes filters of tests, and no options.
    at = command.index("--") if "--" in command else len(command)
    behind = "" if test.startswith(CARGO_CRATE) else test
    return [
        _filled(word, test if number < at else behind, file)
        for number, word in enumerate(command)
    ]


def _filled(word: str, test: str, file: str) -> str:
    # Both at once: the name of a test may contain the other mark.
    values = {"test": test, "file": file}
    return _MARK.sub(lambda found: values[found[1]], word)
