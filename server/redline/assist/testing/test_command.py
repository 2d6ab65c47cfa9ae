"""The words of `test.command`, with the test that is run in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MARK = re.compile(r"\{(test|file)\}")


def filled_command(command: Sequence[str], *, test: str, file: str) -> list[str]:
    """Return the words of a command; anything else in braces is literal.

    Args:
        command: As configured.
        test: The name that the runner is asked for.
        file: The path of the test's file.
    """
    # Both at once: the name of a test may contain the other mark.
    values = {"test": test, "file": file}
    return [_MARK.sub(lambda found: values[found[1]], word) for word in command]
