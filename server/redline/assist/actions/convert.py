"""Conversions to another idiom, offered where the code shows the old one.

A row holds a language, a pattern of the old idiom, and the instruction. A pattern that
matches too much costs only a line in a menu.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from redline.assist.actions import kinds
from redline.assist.actions.action import Action, EditWork
from redline.assist.actions.definition import IndentedDefinition
from redline.assist.actions.scope import ActionScope
from redline.text.position import Range

_MAX_LINES = 200
_MAX_LINE_CHARS = 200
"""How much code is searched: the start of a long function is enough."""

_MAX_N = 4
"""Most conversions in one menu."""


class _Idiom(Struct, frozen=True):
    title: str
    old: re.Pattern[str]
    """Must match the code."""
    instruction: str
    needs: Literal["function", "class", "code"] = "code"
    """What the target must be."""
    unless: re.Pattern[str] | None = None
    """Must not match the code."""


def conversions(scope: ActionScope) -> Iterator[Action]:
    n_offered = 0
    for idiom in _BY_LANGUAGE.get(scope.spot.language, ()):
        where = _definition(scope, idiom)
        if idiom.needs == "code":
            target = scope.target
        else:
            target = scope.range_of(where) if where else None
        if target is None or n_offered == _MAX_N:
            continue
        code = _searched(scope, target)
        if not idiom.old.search(code) or (idiom.unless and idiom.unless.search(code)):
            continue
        n_offered += 1
        yield Action(
            title=f"{idiom.title} with Redline",
            lsp_kind=kinds.REWRITE,
            work=EditWork(
                range=target,
                instruction=f"{idiom.instruction} Keep its behaviour, and its name.",
                kind="convert",
            ),
        )


def _searched(scope: ActionScope, target: Range) -> str:
    end = min(target.end.line + 1, target.start.line + _MAX_LINES)
    lines = scope.spot.lines[target.start.line : end]
    return "\n".join(line.rstrip()[:_MAX_LINE_CHARS] for line in lines)


def _definition(scope: ActionScope, idiom: _Idiom) -> IndentedDefinition | None:
    if idiom.needs == "function":
        return scope.function
    return next((one for one in scope.definitions if one.kind == "class"), None)


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


_PYTHON = (
    _Idiom(
        "Convert to async",
        _p(
            r"\brequests\.|\bhttpx\.\w+\(|\btime\.sleep\(|\burlopen\("
            r"|\bsubprocess\.(?:run|call|check_)|\bsocket\.|\.execute\("
        ),
        "Make this function a coroutine: `async def`, with the asynchronous "
        "counterpart of every call that waits, awaited.",
        "function",
        _p(r"^[ \t]*async\s+def\s"),
    ),
    _Idiom(
        "Convert to a dataclass",
        _p(r"^[ \t]+self\.\w+(?:: [^=\n]+)? = \w+$"),
        "Turn this class into a dataclass with typed fields, in place of the "
        "`__init__` that only assigns. Keep its methods, and what it takes.",
        "class",
        _p(r"^[ \t]*@(?:dataclasses\.)?dataclass|^[ \t]*@(?:attr|define|frozen)"),
    ),
    _Idiom(
        "Convert to a comprehension",
        _p(r"^[ \t]*for .+:\n(?:\s+if .+:\n)?\s+\w+\.(?:append|add)\(.*\)$"),
        "Turn loops that only fill a list, set or dict into comprehensions.",
    ),
    _Idiom(
        "Convert to f-strings",
        _p(r"[\"']\s*%\s*[\w(]|[\"']\.format\("),
        "Turn `%` formatting and `.format` calls into f-strings. Leave the arguments "
        "of logging calls as they are.",
    ),
    _Idiom(
        "Convert to pathlib",
        _p(r"\bos\.path\.\w+|\bglob\.glob\("),
        "Use `pathlib.Path` in place of `os.path`. What callers pass and get stays.",
    ),
    _Idiom(
        "Convert to match",
        _p(r"^[ \t]*elif [\w.]+ == "),
        "Turn the chain of comparisons into a `match` statement.",
    ),
)
_JAVASCRIPT = (
    _Idiom(
        "Convert to async/await",
        _p(r"\.then\(|\bfs\.\w+Sync\(|new Promise\("),
        "Use `async` and `await` in place of chains of `.then` and of blocking calls, "
        "with `try` and `catch` where there was `.catch`.",
        "function",
    ),
    _Idiom(
        "Convert to const and let",
        _p(r"^[ \t]*var\s"),
        "Use `const` for what is never assigned again and `let` for the rest, in "
        "place of `var`.",
    ),
    _Idiom(
        "Convert to ES modules",
        _p(r"\brequire\(|^module\.exports\b"),
        "Use `import` and `export` in place of `require` and `module.exports`.",
    ),
    _Idiom(
        "Convert to array methods",
        _p(r"^[ \t]*for \(.*\n(?:.*\n)?\s+\w+\.push\("),
        "Turn loops that only fill an array into `map`, `filter` or `flatMap`.",
    ),
    _Idiom(
        "Convert to template literals",
        _p(r"[\"'] \+ \w|\w \+ [\"']"),
        "Turn strings that are put together by `+` into template literals.",
    ),
)
_GO = (
    _Idiom(
        "Convert to a table-driven test",
        _p(r"^func Test\w+\("),
        "Turn the cases of this test into a table, with one subtest each.",
        "function",
        _p(r"range (?:tests|cases|tt)\b"),
    ),
    _Idiom(
        "Wrap the errors",
        _p(r"^[ \t]+return (?:.*, )?err$"),
        'Return errors with what was tried, by `fmt.Errorf("…: %w", err)`.',
        "function",
    ),
)
_RUST = (
    _Idiom(
        "Convert to the ? operator",
        _p(r"\.unwrap\(\)|\.expect\("),
        "Hand errors on by `?`, with a `Result` as the return type, in place of "
        "`unwrap` and `expect`.",
        "function",
    ),
    _Idiom(
        "Convert to iterators",
        _p(r"^[ \t]*for .+\{\n(?:.*\n)?\s+\w+\.push\("),
        "Turn loops that only fill a vector into iterator chains.",
    ),
)
_JAVA = (
    _Idiom(
        "Convert to a stream",
        _p(r"^[ \t]*for \(.*\n(?:.*\n)?\s+\w+\.add\("),
        "Turn loops that only fill a collection into streams.",
    ),
    _Idiom(
        "Convert to a record",
        _p(r"^[ \t]+(?:this\.\w+ = \w+;\s*)+$"),
        "Turn this class into a record, if it only holds values.",
        "class",
    ),
    _Idiom(
        "Convert to a switch expression",
        _p(r"^[ \t]*case .+:\s*$"),
        "Turn the `switch` statement into a `switch` expression with arrows.",
    ),
)
_C_SHARP = (
    _Idiom(
        "Convert to async",
        _p(r"\.Result\b|\.Wait\(\)|Thread\.Sleep\("),
        "Make this method `async`, and await what it waits for.",
        "function",
    ),
    _Idiom(
        "Convert to string interpolation",
        _p(r"string\.Format\(|\" \+ \w"),
        "Turn `string.Format` and strings put together by `+` into interpolation.",
    ),
)
_CPP = (
    _Idiom(
        "Convert to smart pointers",
        _p(r"\bnew \w|\bdelete\b"),
        "Let smart pointers or containers own what `new` makes and `delete` frees.",
    ),
    _Idiom(
        "Convert to a range-based for",
        _p(r"for \((?:int|size_t|auto|std::size_t) \w+ = "),
        "Use range-based `for` loops where the index is only used to get at elements.",
    ),
)
_RUBY = (
    _Idiom(
        "Convert to map and select",
        _p(r"\.each do \|[^|\n]+\|\n(?:.*\n)?\s+\w+ << "),
        "Turn loops that only fill an array into `map`, `select` or `filter_map`.",
    ),
)
_PHP = (
    _Idiom(
        "Convert to short arrays",
        _p(r"\barray\("),
        "Write arrays with brackets.",
    ),
)
_SHELL = (
    _Idiom(
        "Convert to $(…)",
        _p(r"`[^`\n]+`"),
        "Use `$(…)` in place of backticks, and quote what is expanded.",
    ),
)

_BY_LANGUAGE: dict[str, tuple[_Idiom, ...]] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "javascriptreact": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "typescriptreact": _JAVASCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "csharp": _C_SHARP,
    "cpp": _CPP,
    "ruby": _RUBY,
    "php": _PHP,
    "shellscript": _SHELL,
}
