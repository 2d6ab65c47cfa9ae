"""Names that the text alone shows to be undefined, in languages of one rule each.

In PHP a variable without its dollar sign, in C++ a name that `std` does not have, in a
makefile a variable that nothing sets, and in some languages without a grammar a
parameter that the edit has renamed and its function still uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts, without_text
from redline.checks.names.calls import RULE
from redline.checks.names.standard_words import standard_words
from redline.checks.problem import Problem
from redline.syntax.language import Language
from redline.syntax.word_set import word_set
from redline.text.indentation import indent_of

_PHP_WORD = re.compile(
    r"(?<![\w$>:\\?|&])(?P<name>[a-z]\w*)(?!\s*[\w(:$\\&|]|\s*=>|\s*\.\.\.)"
)
_PHP_WORDS = word_set(
    "abstract and array as bool break callable case catch class clone const"
    " continue declare default die do echo else elseif empty enum exit extends false"
    " final finally float fn for foreach from function global goto if implements"
    " include instanceof int interface isset iterable list match mixed namespace"
    " never new null object or parent print private protected public readonly"
    " require return self static string switch this throw trait true try unset use"
    " var void while xor yield php"
)

_STD = re.compile(r"(?<![\w:])std::(?P<name>[a-z]\w*)(?!\w|::)")
_NEWER_STD = word_set(
    "print println expected unexpected mdspan generator flat_map flat_set"
    " inplace_vector stacktrace move_only_function copyable_function"
    " start_lifetime_as byteswap forward_like to_underlying unreachable"
    " vprint_unicode basic_format_string format format_to format_to_n formatted_size"
    " vformat vformat_to make_format_args formatter jthread stop_token stop_source"
    " osyncstream latch barrier"
)
"""Names of C++20 and later that the words, which are of GCC 12, may lack."""

_MAKE_USE = re.compile(r"\$[({](?P<name>[A-Z][A-Z0-9_]+)[)}]/")
"""A variable as a folder; others may be given on the command line."""
_MAKE_GIVEN = word_set(
    "AR ARFLAGS AS ASFLAGS CC CFLAGS CPP CPPFLAGS CURDIR CXX CXXFLAGS DESTDIR FC"
    " HOME INSTALL INSTALL_DATA INSTALL_PROGRAM LD LDFLAGS LDLIBS LEX LFLAGS MAKE"
    " MAKECMDGOALS MAKEFILE_LIST MAKEFLAGS MAKELEVEL OS PATH PREFIX PWD RM SHELL"
    " TMPDIR USER VERSION YACC YFLAGS CI GOPATH GOBIN JAVA_HOME XDG_CONFIG_HOME"
    " VERBOSE DEBUG EDITOR BROWSER"
)

_WITH_TYPES_AFTER = frozenset({"kotlin", "scala", "swift"})
"""LSP language ids in which a parameter's type follows its name and a colon."""
_FUNCTION = re.compile(
    r"\b(?:def|fun|func)\s+(?P<name>\w+)\s*(?:<(?:[^()<>]++|<[^()<>]*+>)*+>"
    r"|\[[^()\[\]]*+\])?\("
)
_PARAMETER = re.compile(r"(?:\w+\s+)*?(?P<name>\w+)\s*:")


def check_plain_names(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first name that the edit introduces, or leaves, undefined."""
    rule = _RULES.get(candidate.language_id)
    if rule is None:
        return
    old, new = (
        without_text(text, candidate.language_id)
        for text in (candidate.text_before, candidate.text_after)
    )
    yield from rule(candidate, old, new)


def _php(candidate: CheckedEdit, old: str, new: str) -> Iterator[Problem]:
    """Find a variable without its dollar sign, which is a constant that nothing has."""
    lines = new.split("\n")
    for number, _ in candidate.introduced:
        code = lines[candidate.region_after.start + number]
        for found in _PHP_WORD.finditer(code):
            name = found["name"]
            is_variable = re.search(rf"\${name}\b", new) is not None
            if name in _PHP_WORDS or not is_variable or "?>" in new:
                continue
            if not re.search(rf"(?<![\w$>:]){name}\b(?!\s*[(:])", old):
                yield Problem(
                    rule=RULE,
                    message=f"`{name}` is a variable without its dollar sign.",
                    line=number,
                )
                return


def _cpp(candidate: CheckedEdit, old: str, new: str) -> Iterator[Problem]:
    words = standard_words(Language.CPP) | _NEWER_STD
    lines = new.split("\n")
    for number, _ in candidate.introduced:
        for found in _STD.finditer(lines[candidate.region_after.start + number]):
            name = found["name"]
            is_known = name in words or f"std::{name}" in old
            if len(words) > len(_NEWER_STD) and not is_known:
                yield Problem(
                    rule="phantom-member",
                    message=f"`std` has no `{name}`.",
                    line=number,
                )
                return


def _make(candidate: CheckedEdit, old: str, new: str) -> Iterator[Problem]:
    if re.search(r"^[ \t]*-?s?include\b|\$\(eval\b", new, re.MULTILINE):
        return
    for number, text in candidate.introduced:
        for found in _MAKE_USE.finditer(text):
            name = found["name"]
            is_set = re.search(rf"\b{name}\s*(?:[:?+!]{{0,3}}=|\n)", new)
            if name in _MAKE_GIVEN or is_set or f"({name})" in old:
                continue
            yield Problem(rule=RULE, message=f"Nothing sets `$({name})`.", line=number)
            return


def _parameters(candidate: CheckedEdit, old: str, new: str) -> Iterator[Problem]:
    """Find a parameter that a function no longer has and still uses."""
    given = {
        name: names
        for name, names, line in _functions(old)
        if line in candidate.region_before
    }
    for name, names, line in _functions(new):
        if line not in candidate.region_after:
            continue
        body = _body(new, line)
        depth = len(indent_of(new.split("\n")[line]))
        for lost in given.get(name, set()) - names:
            word = rf"(?<![\w.$]){lost}\b"
            is_defined = re.search(
                rf"\b(?:val|var|let|def|fun|func|for|case|object)\s+\(?{lost}\b"
                rf"|{word}\s*(?::(?!:)|=(?![=>])|->|=>|<-|\bin\b)"
                rf"|[,(|]\s*{lost}\s*(?:,|->|=>)",
                body,
            ) or re.search(
                rf"^[ \t]{{0,{depth}}}(?:\w+\s+)*(?:val|var|let|object)\s+{lost}\b",
                new,
                re.MULTILINE,
            )
            if re.search(word, body) and not is_defined:
                yield Problem(
                    rule=RULE,
                    message=f"`{name}` uses `{lost}`, which it no longer takes.",
                    line=line - candidate.region_after.start,
                )
                return


def _functions(code: str) -> Iterator[tuple[str, set[str], int]]:
    """Yield the name, the parameters and the line of each function."""
    for found in _FUNCTION.finditer(code):
        given = in_brackets(code, found.end() - 1)
        if given is None:
            continue
        names = {
            one["name"] for part in parts(given) if (one := _PARAMETER.match(part))
        }
        yield found["name"], names, code.count("\n", 0, found.start())


def _body(code: str, line: int) -> str:
    """Return the code of a function without its parameters, by its indentation."""
    lines = code.split("\n")
    depth = len(indent_of(lines[line]))
    stop = line + 1
    while stop < len(lines) and (
        not lines[stop].strip() or len(indent_of(lines[stop])) > depth
    ):
        stop += 1
    text = "\n".join(lines[line:stop])
    found = _FUNCTION.search(text)
    given = in_brackets(text, found.end() - 1) if found else None
    return text[found.end() + len(given) :] if found and given is not None else ""


_RULES: Mapping[str, Callable[[CheckedEdit, str, str], Iterator[Problem]]] = {
    "php": _php,
    "cpp": _cpp,
    "makefile": _make,
    **dict.fromkeys(_WITH_TYPES_AFTER, _parameters),
}
