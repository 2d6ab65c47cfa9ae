"""Format strings cut into text and fields, as f-strings need them. Pure.

Works on the text between the quotes, escapes as they are written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Formatter

_PERCENT = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[-#0 +]*)(?P<width>\d+)?"
    r"(?:\.(?P<precision>\d+))?(?P<type>.)?",
    re.DOTALL,
)
_FIELD = re.compile(r"(?P<key>\d*|[^\W\d]\w*)(?P<path>(?:\.[^\W\d]\w*|\[\d+\])*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A place where a value is put."""

    key: int | str
    is_counted: bool = True
    """Whether a position comes from counting the fields, not from the format."""
    path: str = ""
    """Attributes and indices that are taken of the value."""
    suffix: str = ""
    """Conversion and format specification, with their marks."""
    is_integer: bool = False
    """Whether the value is cut to an integer, which f-strings do not do."""


Piece = str | Field
"""Text, its braces and percent signs single; or a field."""


def split_percent(text: str, n_before: int) -> list[Piece] | None:
    """Cut a %-format.

    Args:
        text: Between the quotes.
        n_before: How many fields came before it in the same format.

    Returns:
        None if it has a field for which there is no exact f-string.
    """
    pieces: list[Piece] = []
    at = 0
    for found in _PERCENT.finditer(text):
        pieces.append(text[at : found.start()])
        at = found.end()
        if found[0] == "%%":
            pieces.append("%")
            continue
        suffix = _percent_suffix(found)
        if suffix is None:
            return None
        key = n_before if found["key"] is None else found["key"]
        n_before += 1
        pieces.append(
            Field(key=key, suffix=suffix, is_integer=(found["type"] or "") in "diu")
        )
    return [*pieces, text[at:]]


def _percent_suffix(found: re.Match[str]) -> str | None:
    kind, flags = found["type"] or "", set(found["flags"])
    width, precision = found["width"] or "", found["precision"]
    if not kind or kind not in "srafFeEgGdiuxXo" or "#" in flags or {"-", "0"} <= flags:
        return None
    is_text = kind in "sra"
    if (is_text and flags - {"-"}) or (kind in "diuxXo" and precision is not None):
        return None
    align = ""
    if width:
        align = "<" if "-" in flags else ">" if is_text else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if "0" in flags and width else ""
    spec = f"{align}{sign}{zero}{width}" + (f".{precision}" if precision else "")
    if precision == "":
        return None
    if is_text:
        conversion = "" if kind == "s" and not spec else f"!{kind}"
        return conversion + (f":{spec}" if spec else "")
    return f":{spec}{'d' if kind in 'iu' else kind}"


def split_braces(text: str, n_before: int) -> list[Piece] | None:
    """Cut a format of `str.format`; arguments and result as for `split_percent`."""
    pieces: list[Piece] = []
    try:
        parsed = list(Formatter().parse(text))
    except ValueError:
        return None
    for literal, name, spec, conversion in parsed:
        pieces.append(literal)
        if name is None:
            continue
        found = _FIELD.fullmatch(name)
        if found is None or any(bad in (spec or "") for bad in "{}\\\"'\n"):
            return None
        key: int | str = found["key"]
        if not key:
            key, n_before = n_before, n_before + 1
        elif found["key"].isdigit():
            key = int(found["key"])
        is_counted = not found["key"].isdigit()
        suffix = (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        pieces.append(
            Field(key=key, is_counted=is_counted, path=found["path"], suffix=suffix)
        )
    return pieces
