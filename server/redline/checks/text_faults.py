"""Faults of languages without a grammar, as their separators and words show them.

Each function returns what is wrong with a whole file, or None. A file is only judged if
the same reading finds it right before the edit.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from itertools import pairwise

from redline.checks.code_text import in_brackets, without_text

_MAX_N_CHARS = 1_000
"""Longer lines are data."""

_COMMA_AT_END = re.compile(r",\s*+\)")
_COLUMN = re.compile(
    r"[ \t]+[\"`\[]?[a-z_]\w*[\"`\]]?\s+(?:INT|TEXT|VARCHAR|CHAR|NUMERIC|DECIMAL|BOOL"
    r"|DATE|TIME|SERIAL|BIGINT|SMALLINT|REAL|FLOAT|DOUBLE|BLOB|UUID|JSON|BYTEA)\w*\b[^;]*$",
    re.IGNORECASE,
)
_DECLARATION = re.compile(
    r"\s*(?!\$|--|@|//|&|\w+:(?:hover|\w+)\s*\{)[\w-]+\s*:\s*[^;{},]+$"
)
_NEXT_DECLARATION = re.compile(r"\s*[\w-]+\s*:\s*[^;{}]+;?\s*$")
_FIELD = re.compile(r"[\w.<>, ]+\s\w+\s*=\s*(?P<number>\d+)\s*[;\[]")
_STATEMENT = re.compile(
    r"\s*(?!(?:if|for|while|switch|else|do|try|class|enum|extension|mixin|case|default|@"
    r"|//|import|export|part|library)\b)[\w.$]+.*[\w)\]'\"]$"
)
_NEXT_STATEMENT = re.compile(
    r"\s*(?:return|final|var|const|if|for|while|print|throw|await|late|\}|[\w.]+\s*=[^=]"
    r"|[\w.]+\(|int|String|bool|double)\b|\s*\}\s*$"
)
_OPENERS = {
    "lua": (r"\b(?:function|then|do|repeat)\b", r"\b(?:end|until)\b", r"\belseif\b"),
    "elixir": (r"\bdo\b(?!:)|\bfn\b", r"\bend\b", r"(?!)"),
}
_BRACES = re.compile(r"\b(?:if|for|while|function)\b[^\n]*\{$")

_GUARD = re.compile(r"^[ \t]*+guard[ \t]++(?=[\w!(])", re.MULTILINE)
_FALLS_THROUGH = re.compile(
    r"\s*+(?:(?:(?:print|debugPrint|dump|NSLog|os_log)\([^\n;]*+"
    r"|(?:self\.)?\w++\s*+[-+*/]?=[^=\n;({][^\n;({]*+"
    r"|(?:self\.)?(?:os_)?log(?:ger)?\.(?!fatal)\w++\([^\n;]*+)"
    r"(?:\n\s*+)?+)*+"
)
"""A block of statements on lines of their own, all of which return."""
_NEXT_OF_SWIFT = re.compile(r"[ \t]*+\n\s*+(?:\}|(?!else\b|as\b|is\b|catch\b)[\w@])")

_NOT_LUA = re.compile(
    r"(?<![\w.:])(?<!goto )continue\s*(?:;|end\b|$)"
    r"|[\w\])]\s*(?:[-+*/%]|\.\.)=(?!=)|!=|\+\+|&&|\|\|"
    r"|(?<![\w.:])(?:null|undefined)\s|^\s*(?:let|const|var)\s+\w+\s*="
    r"|^\s*(?:elif|switch|try)\s+(?![=,.\[:])"
)
"""Words of other languages may be names in Lua, and `continue` a label."""
_SPACED_COMMAND = re.compile(
    r" {2,16}(?:[@-]\s*+\S|(?!(?:ifn?eq|ifn?def|else|endif|-?include|export|define"
    r"|endef|override|unexport|vpath|undefine)\b)[\w./$(){}-]++ [^=:#]*+$)"
)
_STATEMENT_OF_CODE = re.compile(
    r"\s*\}?\s*(?:if|else|elif|elsif|for|while|switch|return|foreach)\b"
    r"\s*(?:\(.*|\{|[^=\s{\"].*\{)\s*$"
)


def toml_fault(text: str) -> str | None:
    """Return the message of Python's own reader."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    except RecursionError:
        return None
    return None


def sql_fault(text: str) -> str | None:
    """Find a comma too many before a bracket, or one too few between columns."""
    code = without_text(text, "sql")
    if found := _COMMA_AT_END.search(code):
        number = code.count("\n", 0, found.start()) + 1
        return f"a comma too many in line {number}"
    lines = _lines(code)
    for line, below in pairwise(lines):
        is_column = _COLUMN.match(line) and _COLUMN.match(below)
        if is_column and not line.rstrip().endswith((",", "(")):
            return f"a comma is missing after `{line.strip()}`"
    return None


def css_fault(text: str) -> str | None:
    """Find a declaration without a semicolon before another one."""
    for line, below in pairwise(_lines(without_text(text, "css"))):
        if _DECLARATION.match(line) and _NEXT_DECLARATION.match(below):
            return f"a semicolon is missing after `{line.strip()}`"
    return None


def dart_fault(text: str) -> str | None:
    """Find a statement without a semicolon before another one, as deep."""
    for line, below in pairwise(_lines(without_text(text, "dart"))):
        depths = [len(one) - len(one.lstrip()) for one in (line, below)]
        is_end = below.strip() == "}" and depths[1] < depths[0]
        if depths[0] != depths[1] and not is_end:
            continue
        if _STATEMENT.match(line) and _NEXT_STATEMENT.match(below):
            return f"a semicolon is missing after `{line.strip()}`"
    return None


def proto_fault(text: str) -> str | None:
    """Find two fields of one message with the same number."""
    seen: set[str] = set()
    for line in _lines(without_text(text, "proto")):
        if "{" in line or "}" in line:
            seen.clear()
        elif found := _FIELD.match(line.strip()):
            if found["number"] in seen:
                return f"the number {found['number']} is used twice"
            seen.add(found["number"])
    return None


def lua_fault(text: str) -> str | None:
    """Find blocks that are not ended, and such with braces."""
    code = without_text(text, "lua")
    for line in _lines(code):
        if _BRACES.search(line):
            return f"a block has braces: `{line.strip()}`"
        if _NOT_LUA.search(line):
            return f"this is no Lua: `{line.strip()}`"
    return _unended(code, "lua")


def swift_fault(text: str) -> str | None:
    """Find a `guard` whose block has no `else` in front of it."""
    code = without_text(text, "swift")
    for found in _GUARD.finditer(code):
        condition, brace, _ = code[found.end() :][:_MAX_N_CHARS].partition("{")
        start = found.end() + len(condition)
        block = in_brackets(code[: start + _MAX_N_CHARS], start) if brace else None
        if block is None:
            continue
        if re.search(r"\belse\s*+$", condition):
            if _FALLS_THROUGH.fullmatch(block):
                return "the `else` of a `guard` does not leave"
            continue
        if re.search(r"\belse\b", condition):
            continue
        # A closure of the condition has an operator, a comma or `else` behind it.
        if _NEXT_OF_SWIFT.match(code, start + len(block) + 2):
            return "a `guard` has no `else`"
    return None


def terraform_fault(text: str) -> str | None:
    """Find statements of other languages: HCL has none."""
    for line in _lines(without_text(text, "terraform")):
        if _STATEMENT_OF_CODE.match(line):
            return f"this is no statement of HCL: `{line.strip()}`"
    return None


def makefile_fault(text: str) -> str | None:
    """Find a command that begins with blanks, where those above it have a tab."""
    if ".RECIPEPREFIX" in text:
        return None
    for line, below in pairwise(text.split("\n")):
        is_recipe = line.startswith("\t") and not line.endswith("\\")
        if is_recipe and _SPACED_COMMAND.match(below):
            return f"a command begins with blanks: `{below.strip()[:60]}`"
    return None


def elixir_fault(text: str) -> str | None:
    """Find blocks that are not ended."""
    return _unended(without_text(text, "elixir"), "elixir")


def _unended(code: str, language: str) -> str | None:
    opening, ending, further = _OPENERS[language]
    n_open = len(re.findall(opening, code)) - len(re.findall(further, code))
    n_ends = len(re.findall(ending, code))
    if n_open > n_ends:
        return "a block is not ended by `end`"
    return "an `end` has no block" if n_ends > n_open else None


def _lines(code: str) -> list[str]:
    return [
        line.rstrip() if len(line) < _MAX_N_CHARS else ""
        for line in code.split("\n")
        if line.strip()
    ]


FAULTS: Mapping[str, Callable[[str], str | None]] = {
    "toml": toml_fault,
    "sql": sql_fault,
    **dict.fromkeys(("css", "scss", "less"), css_fault),
    "dart": dart_fault,
    "proto": proto_fault,
    "lua": lua_fault,
    "makefile": makefile_fault,
    "swift": swift_fault,
    **dict.fromkeys(("terraform", "tf"), terraform_fault),
    **dict.fromkeys(("ex", "exs", "elixir"), elixir_fault),
}
"""By LSP language id or suffix; in addition to brackets."""
