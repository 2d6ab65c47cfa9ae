r"""Reads the fields of a JSON object that is not quite one.

Models forget to escape quotes and line feeds, escape what needs none (`\d`), put a
comma too many or none, write Python's dicts, or are cut. Fields are found by their
names, and a value reaches to the next field, whatever stands in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

Fields: TypeAlias = dict[str, object]
"""By the names that the reader knows them by: texts, numbers, lists, None."""

_FIELD = re.compile(r"""(?<!\\)(?P<q>["'])(?P<name>[A-Za-z_][\w -]{0,40})(?P=q)\s*:""")
_BEFORE_A_FIELD = re.compile(r"""(?:["'\]]\s{0,99},|,[ \t]{0,99}\n)\s{0,99}\Z""")
"""A field that nobody knows counts where it follows a value; what follows a brace or a
number is rather code in one."""

_MAX_BEFORE_CHARS = 220

_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<letter>.))", re.DOTALL)
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "/": "/",
    "\\": "\\",
    '"': '"',
    "'": "'",
    "\n": "\n",
}
_NEXT_NAME = re.compile(r"""(?<!\\)(?P<end>["'])\s*,\s*["'][\w -]{0,41}["']?\s*\Z""")
"""Where a text ends in the middle of a field's name, after a value."""

_QUOTES = ('"""', "'''", '"', "'", "`")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NULLS = ("null", "None", "undefined", "nil")


def strict_fields(text: str, names: Mapping[str, str]) -> Fields | None:
    """Read an object that is proper JSON; line feeds in strings are forgiven.

    Args:
        text: From the opening brace to the closing one.
        names: The name that a field is known by, for each that it may be written with.

    Returns:
        None if it is no JSON object.
    """
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return _known(value, names) if isinstance(value, dict) else None


def loose_fields(text: str, names: Mapping[str, str]) -> Fields:
    """Read as many fields of an object as are whole.

    Args:
        text: From the opening brace to the closing one, or to where it was cut.
        names: As above.
    """
    fields: Fields = {}
    seen: set[str] = set()
    for name, written in _written(text, names):
        # What comes again belongs to another object, and so does all after it.
        if name in seen:
            break
        seen.add(name)
        is_whole, value = _value(written)
        if is_whole:
            fields[name] = value
    return fields


def is_closed(text: str, names: Mapping[str, str]) -> bool:
    """Whether the last field of an object that ends with a brace is whole."""
    written = list(_written(text, names))
    return bool(written) and _value(written[-1][1])[0]


def text_of(value: object) -> str:
    """Turn a value into a text with LF line ends; a list is one of lines.

    Half a surrogate pair, which JSON can name and nothing can store, is replaced.
    """
    if isinstance(value, list):
        return "\n".join(text_of(one).removesuffix("\n") for one in value)
    if not isinstance(value, str):
        return ""
    text = value.replace("\r\n", "\n")
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _known(value: Mapping[object, object], names: Mapping[str, str]) -> Fields:
    """Rename fields; those of an object inside, such as a location, join the rest."""
    fields: Fields = {}
    for key, one in value.items():
        name = names.get(str(key).lower())
        if name is not None and not isinstance(one, dict):
            fields.setdefault(name, one)
    for one in value.values():
        if isinstance(one, dict):
            fields = _known(one, names) | fields
    return fields


def _written(text: str, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield known fields with what is written as their value."""
    found = [one for one in _FIELD.finditer(text) if _is_field(text, one, names)]
    if not found:
        return
    text = text[:-1] if text.endswith("}") else _NEXT_NAME.sub(r"\g<end>", text)
    ends = [*(one.start() for one in found[1:]), len(text)]
    for field, end in zip(found, ends, strict=True):
        name = names.get(field["name"].lower())
        if name is not None:
            yield name, text[field.end() : end].strip().rstrip(",").rstrip()


def _is_field(text: str, found: re.Match[str], names: Mapping[str, str]) -> bool:
    if found["name"].lower() in names:
        return True
    at = found.start()
    before = text[max(at - _MAX_BEFORE_CHARS, 0) : at]
    return _BEFORE_A_FIELD.search(before) is not None


def _value(written: str) -> tuple[bool, object]:
    """Read a value; also whether it is whole."""
    for quote in _QUOTES:
        if written.startswith(quote):
            return _text(written, quote)
    if written in _NULLS:
        return True, None
    try:
        return True, json.loads(written, strict=False)
    except (ValueError, RecursionError):
        return False, None


def _text(written: str, quote: str) -> tuple[bool, object]:
    content = written[len(quote) :]
    if not content.endswith(quote):
        return False, None
    content = content[: -len(quote)]
    n_escapes = len(content) - len(content.rstrip("\\"))
    return n_escapes % 2 == 0, _ESCAPE.sub(_unescaped, content)


def _unescaped(found: re.Match[str]) -> str:
    if found["code"]:
        return chr(int(found["code"], 16))
    # What JSON has no such escape for is code that should have been escaped itself.
    return _ESCAPES.get(found["letter"], found[0])
