"""`phantom-member` for names that `std` of C++ does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.standard_words import standard_words
from redline.checks.problem import Problem
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

_STD = re.compile(r"(?<![\w:])std::(?P<name>[a-z]\w*)(?!\w|::)")
_NEWER = word_set(
    "print println expected unexpected mdspan generator flat_map flat_set"
    " inplace_vector stacktrace move_only_function copyable_function"
    " start_lifetime_as byteswap forward_like to_underlying unreachable"
    " vprint_unicode basic_format_string format format_to format_to_n formatted_size"
    " vformat vformat_to make_format_args formatter jthread stop_token stop_source"
    " osyncstream latch barrier"
)
"""Names of C++20 and later that the words, which are of GCC 12, may lack."""


def check_std_names(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first name behind `std::` that the edit introduces and nothing has."""
    tree = candidate.tree_after
    if tree is None or tree.language is not Language.CPP:
        return
    known = standard_words(Language.CPP) | _NEWER
    lines = candidate.code_after.split("\n")
    for number, _ in candidate.introduced:
        for found in _STD.finditer(lines[candidate.region_after.start + number]):
            name = found["name"]
            if name not in known and f"std::{name}" not in candidate.text_before:
                message = f"`std` has no `{name}`."
                yield Problem(rule="phantom-member", message=message, line=number)
                return
