"""`phantom-parameter`: callers in the file that no longer fit a changed function.

The edit changes how many arguments a function needs, or makes it asynchronous, and a
call in the same file that did fit is left as it was. The code is read without its
syntax tree, so that this works in every language with calls in brackets. A function of
which there are several in the file is not judged, nor a call of a member that objects
of the standard library have, too, unless its owner is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.function_headers import (
    BRACKET,
    DEF,
    MAX_N_CHARS,
    TYPED_LANGUAGES,
    FunctionHeader,
    only_functions,
)
from redline.checks.go_results import wrong_results
from redline.checks.names.standard_words import standard_words
from redline.checks.problem import Problem
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

_RULE = "phantom-parameter"

_LENIENT = frozenset({"javascript", "javascriptreact", "lua"})
"""Languages in which an argument that is not given is no error by itself."""

_WITH_BLOCKS = frozenset({"groovy", "kotlin", "ruby", "scala", "swift"})
"""Languages in which a block behind a call is its last argument."""
_STATEMENT = re.compile(r"\b(?:if|while|for|guard|switch|until|unless|match)\b")

_WORD = re.compile(r"\w+")
_OWN = re.compile(r"(?:\b(?:self|this|cls|super|Self|static|parent)\b\??|\$this)$")
_HELD = re.compile(r"(?:\b(?:self|this)\??\.#?|\$this->|@)$")
_SPREAD = re.compile(r"\.\.\.|^[ \t]*[*&]", re.MULTILINE)
_SPREAD_IN_C = re.compile(r"\.\.\.")
"""In languages in which `*` and `&` follow a pointer and take an address."""

_AWAITED = re.compile(r"\b(?:await|return|yield|void|async)\b[^;\n]*$|=>\s*$")
_DEFINING = re.compile(
    r"\b(?:def|func?|fn|function|proc|sub|new|class)\s+(?:\([^()\n]*\)\s*)?$"
)
_COMMON = word_set(
    "add append close copy count find get index insert keys open pop push put read"
    " remove replace send set sort split start stop update values write"
)
"""Names of members that objects of other files have, too."""

_MAX_N_CALLS = 200
"""Calls of one function that are looked at."""


def check_callers(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report calls outside of the range that the edit makes wrong."""
    language = candidate.language_id
    if not any("(" in line for line in candidate.new_lines):
        return
    words = set(_WORD.findall("\n".join(candidate.new_lines)))
    if candidate.is_python:
        # New calls are judged by the types, so only functions of the range count.
        headers = chain.from_iterable(map(DEF.finditer, candidate.new_lines))
        words = {one["keyword"] for one in headers}
        if not words:
            return
    before, after = candidate.code_before, candidate.code_after
    old_functions = only_functions(before, language, words)
    new_functions = only_functions(after, language, words)
    yield from _new_misfits(candidate, before, after, old_functions, new_functions)
    for name, new in new_functions.items():
        old = old_functions.get(name)
        line = after.count("\n", 0, new.first) if old else 0
        if old is None or line not in candidate.region_after:
            continue
        if not (old.is_fixed and new.is_fixed) or new.is_decorated:
            continue
        yield from _misfits(candidate, after, old, new, language)


def _new_misfits(
    candidate: CheckedEdit,
    before: str,
    code: str,
    functions: Mapping[str, FunctionHeader],
    new_functions: Mapping[str, FunctionHeader],
) -> Iterator[Problem]:
    """Yield a problem for a call in the range that no longer fits an old function.

    The file must have a call of it that fits, in the range or elsewhere.
    """
    language = candidate.language_id
    if language in _LENIENT or candidate.is_python:
        return
    for name, one in functions.items():
        word = re.compile(rf"(?<![\w$]){re.escape(name)}{BRACKET.pattern}")
        if not one.is_fixed or not any(map(word.search, candidate.new_lines)):
            continue
        if not _is_same(new_functions.get(name), one):
            continue
        old_counts = {n for _, n in _counts(word, before, name, language)}
        for line, n_given in _counts(word, code, name, language):
            if line not in candidate.region_after or one.takes(n_given):
                continue
            if n_given in old_counts or not any(map(one.takes, old_counts)):
                continue
            yield Problem(
                rule=_RULE,
                message=(
                    f"`{name}` takes {one.n_least} arguments, and is called with"
                    f" {n_given}."
                ),
                line=line - candidate.region_after.start,
            )
            return


def _is_same(one: FunctionHeader | None, other: FunctionHeader) -> bool:
    return one is not None and one.given == other.given


def _counts(
    word: re.Pattern[str], code: str, name: str, language: str
) -> Iterator[tuple[int, int]]:
    """Yield the line and the number of arguments of calls."""
    for call in islice(word.finditer(code), _MAX_N_CALLS):
        given = in_brackets(code, call.end() - 1)
        if (
            given is None
            or _is_spread(given, language)
            or not is_of_function(code, call.start(), name, language)
        ):
            continue
        n_given = len(parts(given)) + _has_block(code, call, given, language)
        yield code.count("\n", 0, call.start()), n_given


def _is_spread(given: str, language: str) -> bool:
    """Whether a list is given in place of several arguments."""
    has_pointers = language in ("c", "cpp", "go", "rust")
    return (_SPREAD_IN_C if has_pointers else _SPREAD).search(given) is not None


def _has_block(code: str, call: re.Match[str], given: str, language: str) -> bool:
    """Whether a call has a block behind its brackets, which is one more argument."""
    rest = code[call.end() + len(given) + 1 :][:9].lstrip(" \t")
    head = code[code.rfind("\n", 0, call.start()) + 1 : call.start()]
    is_block = language in _WITH_BLOCKS and rest.startswith(("{", "do"))
    return is_block and _STATEMENT.search(head) is None


def _misfits(
    candidate: CheckedEdit,
    code: str,
    old: FunctionHeader,
    new: FunctionHeader,
    language: str,
) -> Iterator[Problem]:
    is_now_async = new.is_async and not old.is_async
    if language == "go" and old.n_results != new.n_results:
        yield from wrong_results(candidate, code, new.name, new.n_results)
        return
    if (old.n_least, old.n_most) == (new.n_least, new.n_most) and not is_now_async:
        return
    word = re.compile(rf"(?<![\w$]){re.escape(new.name)}{BRACKET.pattern}")
    for call in islice(word.finditer(code), _MAX_N_CALLS):
        line = code.count("\n", 0, call.start())
        if line in candidate.region_after:
            continue
        given = in_brackets(code, call.end() - 1)
        if (
            given is None
            or _is_spread(given, language)
            or not is_of_function(code, call.start(), new.name, language)
        ):
            continue
        n_given = len(parts(given)) + _has_block(code, call, given, language)
        if old.takes(n_given) and not new.takes(n_given):
            if language in _LENIENT and not _needs(new, n_given, code):
                continue
            wants = "an argument" if new.n_least == 1 else f"{new.n_least} arguments"
            if n_given > new.n_most:
                wants = f"at most {new.n_most}"
            yield Problem(
                rule=_RULE,
                message=(
                    f"`{new.name}` now takes {wants}, and is called with {n_given} at"
                    f" line {line + 1} of the file."
                ),
            )
            return
        head = code[code.rfind("\n", 0, call.start()) + 1 : call.start()]
        rest = code[call.end() + len(given) + 1 :][:20]
        is_used = _is_used(head) or (language == "python" and _is_taken(head, rest))
        if is_now_async and is_used and not _AWAITED.search(head):
            yield Problem(
                rule=_RULE,
                message=(
                    f"`{new.name}` is asynchronous now, and is called without waiting"
                    f" at line {line + 1} of the file."
                ),
            )
            return


def _is_used(head: str) -> bool:
    """Whether the value of a call after the head of its line is used at once."""
    return re.search(r"[=+\-*/]\s*(?:[\w$]+\.)*$", head) is not None


def _is_taken(head: str, rest: str) -> bool:
    """Whether the value of a call is passed to what cannot wait for it, or taken of."""
    is_passed = re.search(
        r"(?<![\w.])(?:len|str|int|float|list|tuple|set|dict|sorted|sum|min|max|print"
        r"|enumerate|zip|any|all)\($|\b(?:if|elif|while|not|in) $",
        head,
    )
    return is_passed is not None or rest.startswith((".", "["))


def _needs(new: FunctionHeader, n_given: int, code: str) -> bool:
    """Whether a function uses the first parameter that is not given as if it were."""
    missing = new.given[n_given : new.n_least]
    if not missing:
        return False
    body = code[new.first :][:MAX_N_CHARS]
    name = re.escape(missing[0].strip())
    if re.search(
        rf"[!?]\s*{name}\b|\b(?:if|unless|typeof|while)\b[^\n]*\b{name}\b"
        rf"|\b{name}\s*(?:\?|\|\||&&|=(?!=)|[!=]==?|\bor\b|\band\b)",
        body,
    ):
        return False
    return re.search(rf"\b{name}\s*[.\[(*+/-]|[-+*/]\s*{name}\b", body) is not None


def is_of_function(code: str, start: int, name: str, language: str) -> bool:
    """Whether a call is one of a function of the file, and no definition."""
    head = code[max(0, start - 120) : start].rpartition("\n")[2]
    if _DEFINING.search(head):
        return False
    owner = re.search(r"(?P<owner>[\w$\])]*)\s*(?:\?|!!|!)?(?:\.|->|::)\s*$", head)
    if owner is None:
        is_typed = language in TYPED_LANGUAGES and re.search(r"[\w>\]*&]\s+\**$", head)
        return (
            not is_typed
            or re.search(r"\b(?:return|else|throw|await)\s+$", head) is not None
        )
    if _OWN.search(head[: owner.end("owner")]):
        return True
    if owner["owner"][:1].isupper() or not owner["owner"]:
        return False
    # What an object holds is mostly of another class than its own.
    is_held = _HELD.search(head[: owner.start("owner")]) is not None
    is_common = is_held or name in standard_members(language)
    return not is_common or _has_type_of_file(code, owner["owner"])


def _has_type_of_file(code: str, owner: str) -> bool:
    """Whether a variable is declared with a type that the file defines."""
    name = re.escape(owner)
    found = re.search(
        rf"\b(?P<before>[A-Z]\w*)\s+{name}\b|\b{name}\s*:\s*(?P<after>[A-Z]\w*)"
        rf"|\b{name}\s*:?=\s*(?:new\s+|&)?(?P<made>[A-Z]\w*)\b",
        code,
    )
    if not name or found is None:
        return False
    kind = found["before"] or found["after"] or found["made"]
    return (
        re.search(rf"\b(?:class|struct|record|object|type)\s+{kind}\b", code)
        is not None
    )


def standard_members(language: str) -> frozenset[str]:
    """Return the names of members of the standard library of a language."""
    try:
        known = Language(language)
    except ValueError:
        # Kotlin and Scala have the library of Java; the others have names like it.
        known = Language.JAVA
    words = standard_words(known)
    return words | _COMMON if words else standard_words(Language.JAVA) | _COMMON
