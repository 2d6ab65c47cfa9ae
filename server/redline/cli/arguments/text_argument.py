"""Arguments that are text, in locales without its letters.

There Python decodes arguments as it decodes names of files: each byte of a letter that
the locale lacks becomes a surrogate.
"""

from __future__ import annotations

import os

from redline.errors import InvalidArgumentsError


def text_argument(argument: str) -> str:
    """Return the text of an argument in UTF-8, for argparse; not for names of files."""
    if not _has_surrogate(argument):
        return argument
    try:
        return os.fsencode(argument).decode()
    except UnicodeError:
        return argument


def check_name_argument(argument: str) -> None:
    """Refuse the name of a file, a folder or a commit that can be neither stored nor
    shown.

    Raises:
        InvalidArgumentsError: If it is not in UTF-8, or the locale lacks its letters.
    """
    if not _has_surrogate(argument):
        return
    text = text_argument(argument)
    if _has_surrogate(text):
        raise InvalidArgumentsError(f"{argument!r} is not in UTF-8.")
    raise InvalidArgumentsError(
        f"{text!r} has letters that the locale lacks.",
        remedy="Set a locale with UTF-8, or PYTHONUTF8=1.",
    )


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= one <= "\udfff" for one in text)
