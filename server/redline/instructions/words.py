"""The words that the rules engine understands, as tables."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from redline.instructions.request import (
    CaseStyle,
    LineRule,
    PythonRule,
    RenameKind,
)

_Words = frozenset[str]


def _words(text: str) -> _Words:
    return frozenset(text.split())


class Row(Struct, frozen=True, kw_only=True):
    """The words that request a rule."""

    rule: PythonRule | LineRule | Literal["sort-lines"]
    needs: tuple[_Words, ...]
    """One word of each set must occur."""
    allows: _Words = frozenset()
    """Words that do not change the meaning, besides `FILLERS`."""
    takes_names: bool = False
    """Whether the request can be limited to some definitions."""


FILLERS = _words(
    "a an the this that these those it its them their my our your all each every any"
    " to for of in on at into from with within using here there everywhere throughout"
    " code file files function functions method methods class classes module modules"
    " def definition definitions selection selected range block region python where"
    " possible needed necessary missing appropriate please me us whole entire be is are"
    " have has add adds put give write insert generate create make use convert change"
    " turn switch should must i want you need let's proper properly some both"
)

KIND_WORDS: dict[str, RenameKind] = {
    "function": "definition",
    "method": "definition",
    "class": "definition",
    "variable": "variable",
    "local": "variable",
    "parameter": "variable",
    "argument": "variable",
    "param": "variable",
    "arg": "variable",
    "attribute": "attribute",
    "field": "attribute",
    "property": "attribute",
    "member": "attribute",
    "symbol": "any",
    "name": "any",
    "identifier": "any",
    "constant": "variable",
}
"""Words for the kind of thing to rename."""

NAME_LEADS = _words(
    "to for of in on function method class functions methods classes def only the"
)
"""Words after which a bare name limits a rule to it."""

CASE_WORDS: dict[str, CaseStyle] = {
    "uppercase": "upper",
    "lowercase": "lower",
    "titlecase": "title",
    "snakecase": "snake",
    "camelcase": "camel",
    "pascalcase": "pascal",
    "kebabcase": "kebab",
    "constantcase": "constant",
    "capitalize": "title",
}

CASE_VERBS = _words("convert change make turn rename use switch put")
CASE_FILLERS = _words(
    "rename names name identifiers identifier words text letters lines line case in"
)

CONSTANT_VERBS = _words(
    "extract introduce make create turn move pull define replace hoist"
)
CONSTANT_FILLERS = _words(
    "magic number numbers string literal value module-level global named called name"
    " new out from constant constants as into to pull up top"
)

LINT_FIX_WORDS = _words(
    "fix lint ruff problem problems rule rules violation violations line"
)

_REMOVE = _words("remove delete drop strip eliminate clean rid")
_SORT = _words(
    "sort organize organise order reorder arrange alphabetize alphabetise isort tidy"
)

ROWS = (
    Row(
        rule="docstrings",
        needs=(_words("docstring docstrings document documentation"),),
        allows=_words("google google-style style pep 257 short simple public only"),
        takes_names=True,
    ),
    Row(
        rule="type-hints",
        needs=(
            _words(
                "typehint typehints annotate annotation annotations typing types hints"
            ),
        ),
        allows=_words("type parameters arguments returns return values obvious only"),
        takes_names=True,
    ),
    Row(
        rule="f-strings",
        needs=(_words("fstring fstrings"),),
        allows=_words(
            "format .format formatting string strings % %-formatting %-format percent"
            " old style old-style calls call instead replace rewrite modernize"
            " .format() str.format upgrade"
        ),
    ),
    Row(
        rule="unused-imports",
        needs=(_REMOVE, _words("unused"), _words("import imports")),
        allows=_words("up get"),
    ),
    Row(
        rule="sort-imports",
        needs=(_SORT, _words("import imports")),
        allows=_words("alphabetically statements group up"),
    ),
    Row(
        rule="lint",
        needs=(_words("lint lints linter linting ruff flake8 pyflakes pycodestyle"),),
        allows=_words(
            "fix fixes autofix apply run clean up problems problem issues issue errors"
            " error warnings warning violations what can safely safe automatically auto"
            " everything that check --fix rules by"
        ),
    ),
    Row(
        rule="sort-lines",
        needs=(_SORT - _words("organize organise tidy isort"),),
        allows=_words(
            "line lines alphabetically ascending descending reverse reversed order"
            " case-insensitively entries items list up words"
        ),
    ),
    Row(
        rule="unique-lines",
        needs=(_words("deduplicate dedupe dedup uniq unique uniquify"),),
        allows=_words("line lines entries"),
    ),
    Row(
        rule="unique-lines",
        needs=(
            _REMOVE,
            _words("duplicate duplicates duplicated repeated double doubled"),
        ),
        allows=_words("line lines entries get"),
    ),
    Row(
        rule="uncomment",
        needs=(_words("uncomment"),),
        allows=_words("line lines commentout"),
    ),
    Row(
        rule="comment",
        needs=(_words("commentout"),),
        allows=_words("line lines"),
    ),
)
"""Tried in this order; the first row that understands every word wins."""
