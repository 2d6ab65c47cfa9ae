"""A traceback for the log has only messages that are written for users."""

from __future__ import annotations

import re

import pytest

from redline.bare_traceback import bare_traceback
from redline.errors import InvalidArgumentsError


@pytest.mark.parametrize(
    ("error", "last"),
    [
        (KeyError("a name"), "KeyError"),
        (ValueError("invalid literal: a name"), "ValueError"),
        (SyntaxError("a name", ("a.py", 1, 1, "a name = (")), "SyntaxError"),
        (OSError(28, "No space left", "a name"), "OSError: No space left"),
        (OSError("a name"), "OSError"),
        (InvalidArgumentsError("It fails."), "InvalidArgumentsError: It fails."),
    ],
)
def test_messages(error: Exception, last: str) -> None:
    """The type is always there, and where it was raised."""
    with pytest.raises(type(error)) as raised:
        raise error
    first, frame, end = bare_traceback(raised.value).splitlines()
    assert first == "Traceback (most recent call last):"
    assert re.fullmatch(r'  File ".*test_bare_traceback.py", line \d+, in \w+', frame)
    assert end == last


def test_errors_of_a_group() -> None:
    """Each is shown, also if it is the cause of another."""
    inner = KeyError("a name")
    inner.__cause__ = OSError(2, "No such file")
    group = ExceptionGroup("a name", [inner, ValueError("a name")])
    inner.__context__ = group
    text = bare_traceback(group)
    assert "a name" not in text
    assert re.findall(r"(?m)^ *(\w+Error.*|ExceptionGroup)$", text) == [
        "ExceptionGroup",
        "FileNotFoundError: No such file",
        "KeyError",
        "ValueError",
    ]
