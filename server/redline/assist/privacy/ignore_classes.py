"""Character classes in the patterns of ignore files, such as `[!a-f[:digit:]]`.

They are read as git's `wildmatch.c` does, which differs from other programs in what
counts as a range.
"""

from __future__ import annotations

import re
import string

_NAMED: dict[str, str] = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, range(32))) + "\x7f",
    "digit": string.digits,
    "graph": string.ascii_letters + string.digits + string.punctuation,
    "lower": string.ascii_lowercase,
    "print": string.ascii_letters + string.digits + string.punctuation + " ",
    "punct": string.punctuation,
    # As git defines it (`git-compat-util.h`).
    "space": " \t\n\r",
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_NO_END = "one of its classes has no end"


def read_class(glob: str, at: int, *, ignores_case: bool) -> tuple[str, int]:
    """Translate a character class into a regular expression.

    Args:
        glob: The pattern.
        at: The index of its opening bracket.
        ignores_case: Whether the expression is for any case. Git compares the text in
            lower case then, so a single capital letter in a class matches nothing.

    Returns:
        The expression, which matches no slash, and the index after the class.

    Raises:
        ValueError: If it matches nothing; the message says why.
    """
    at += 1
    is_negated = glob[at : at + 1] in ("!", "^")
    at += is_negated
    chars: set[str] = set()
    before = ""
    first = at
    while at == first or glob[at : at + 1] != "]":
        found, before, at = _member(glob, at, before)
        if ignores_case:
            is_single = found == before
            is_capital = found in string.ascii_uppercase
            found = "" if is_single and is_capital else found.translate(_LOWER)
        chars.update(found)
    inside = "".join(map(re.escape, sorted(chars - {"/"})))
    if not inside and not is_negated:
        raise ValueError("one of its classes is empty")
    return f"[^/{inside}]" if is_negated else f"[{inside}]", at + 1


def _member(glob: str, at: int, before: str) -> tuple[str, str, int]:
    """Read one member of a class.

    Args:
        glob: The pattern.
        at: The index of the member.
        before: The character before it, if a range may begin with it.

    Returns:
        The characters that it adds, the character that a range may begin with next, and
        the index of the next member.
    """
    if glob.startswith("[:", at):
        end = glob.find("]", at + 2)
        if end < 0:
            raise ValueError(_NO_END)
        if end > at + 2 and glob[end - 1] == ":":
            return _named(glob[at + 2 : end - 1]), "", end + 1
    is_range = glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]")
    if not before or not is_range:
        char, at = _character(glob, at)
        return char, char, at
    last, at = _character(glob, at + 1)
    return "".join(map(chr, range(ord(before), ord(last) + 1))), "", at


def _character(glob: str, at: int) -> tuple[str, int]:
    if glob[at : at + 1] == "\\":
        at += 1
    if at >= len(glob):
        raise ValueError(_NO_END)
    return glob[at], at + 1


def _named(name: str) -> str:
    if name not in _NAMED:
        raise ValueError(f"it names a class {name!r} that does not exist")
    return _NAMED[name]
