"""Compares a contract to the outline of a file in any language that has a grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.plans.places import named_definition
from redline.plans.plan import Contract
from redline.plans.python_contracts import BODY_SIGNS, Fault
from redline.syntax.facts import Definition
from redline.text.whole_words import has_word

_EXPORT = re.compile(r"export\s++(?:default\s++)?(?:declare\s++)?")
_EXPORTED = re.compile(r"\bexport\s*+(?:default\s++|=\s*+|(?:type\s*+)?\{)([^{};]*+)")
"""An export of what is defined elsewhere in the file, such as `export default App;`."""
_DECORATORS = re.compile(r"\s*+(?:@[\w.]++(?:\((?:[^()]|\([^()]*+\))*+\))?+\s*+)*+")
"""Decorators or annotations; parentheses inside of their arguments once."""
_COMMENT = re.compile(r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_MEMBER_END = re.compile(r"[;,\n]")
_SEPARATORS = str.maketrans(dict.fromkeys(" \t\r\n;,") | {"'": '"'})
"""What type texts of one meaning differ in, besides the first sign of a union."""


def outline_fault(
    contract: Contract, text: str, definitions: Sequence[Definition]
) -> Fault | None:
    """Return how a file differs from a contract; None: it does not.

    The header that the contract has is that of the definition, without blanks,
    decorators and `export`. What the contract says of a type's body is in its body.
    """
    last = contract.name.replace("::", ".").replace("#", ".").split(".")[-1]
    found = named_definition(definitions, contract.name) or next(
        (one for one in definitions if one.name == last), None
    )
    if found is None:
        # A constant, or a language without a grammar.
        is_there = has_word(text, last)
        return None if is_there else (f"`{contract.name}` is not defined.", None)
    wanted, exported = _without_export(contract.signature)
    if exported and not _is_exported(found, text):
        return f"`{contract.name}` is not exported.", found.name_line
    if not _fits(wanted, found, text):
        return (
            f"`{contract.name}` is `{' '.join(found.signature.split())}`; the contract "
            f"is `{' '.join(contract.signature.split())}`.",
            found.name_line,
        )
    return None


def _fits(wanted: str, found: Definition, text: str) -> bool:
    signature, whole = _bare(found.signature), _bare(wanted)
    if whole in signature:
        return True
    if found.kind in ("function", "method"):
        return whole.startswith(signature) and whole[len(signature)] in "{;="
    source = _plain_type(_lines_of(found, text))
    header, brace, body = wanted.partition("{")
    if not brace:
        return source.endswith(_plain_type(wanted))
    members = _MEMBER_END.split(_COMMENT.sub("", body))
    return _bare(header) in signature and all(
        _plain_type(member).strip("{}") in source for member in members
    )


def _plain_type(text: str) -> str:
    """Return the text of a type without blanks, comments and separators."""
    plain = _COMMENT.sub("", text).translate(_SEPARATORS)
    return plain.replace("=|", "=").replace("=&", "=").replace("{|", "{")


def _lines_of(definition: Definition, text: str) -> str:
    lines = text.split("\n")
    return "\n".join(lines[definition.first_line : definition.last_line + 1])


def _without_export(code: str) -> tuple[str, bool]:
    """Split decorators and `export` off a definition: an outline has it without."""
    start = _end_of(_DECORATORS, code, 0)
    end = _end_of(_EXPORT, code, start)
    return code[_end_of(_DECORATORS, code, end) :], end > start


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return start if match is None else match.end()


def _is_exported(definition: Definition, text: str) -> bool:
    if _without_export(_lines_of(definition, text))[1]:
        return True
    name = re.compile(rf"\b{re.escape(definition.name)}\b")
    return any(name.search(found[1]) for found in _EXPORTED.finditer(text))


def _bare(signature: str) -> str:
    return "".join(signature.split()).rstrip(BODY_SIGNS)
