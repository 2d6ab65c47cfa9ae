"""The versions of languages that brought a form of their grammar.

From the release notes of each language. The number is that of the language, its
compiler or, for JavaScript, of Node; for C the year of its standard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from redline.checks.names.added_names import Version
from redline.syntax.language import Language

Forms = tuple[tuple[Version, str, re.Pattern[str]], ...]

_JAVA: Forms = (
    ((10,), "`var`", re.compile(r"(?:^|[({;])\s*+(?:final\s++)?var\s++\w+\s*+[=:]")),
    (
        (14,),
        "a `switch` with arrows",
        re.compile(
            r"^\s*+(?:case\b[^:\"]*+|default\s*+)->|[=(]\s*+switch\s*+\(|\breturn\s++switch\b"
        ),
    ),
    ((15,), "a text block", re.compile(r'"""')),
    (
        (16,),
        "a pattern in `instanceof`",
        re.compile(
            r"\binstanceof\s++(?:final\s++)?[A-Z][\w.]*+(?:<[^<>]*+>)?+\s++[a-z]\w*+"
        ),
    ),
    (
        (16,),
        "a record",
        re.compile(
            r"^\s*+(?:(?:public|private|protected|static|final)\s++)*+record\s++[A-Z]\w*+\s*+[(<]"
        ),
    ),
    (
        (17,),
        "a sealed type",
        re.compile(r"\bsealed\s++(?:abstract\s++)?(?:class|interface)\b"),
    ),
    (
        (21,),
        "a pattern in `case`",
        re.compile(
            r"\bcase\s++[A-Z][\w.]*+(?:\s++[a-z]\w*+|\([^()]*+\))\s*+(?:->|:|when\b)"
        ),
    ),
)
_GO: Forms = (
    (
        (1, 18),
        "a type parameter",
        re.compile(r"^func\s++\w+\[[A-Z]\w*+[ ,]|^type\s++\w+\[[A-Z]\w*+\s"),
    ),
    (
        (1, 22),
        "`range` over a number",
        re.compile(r"\brange\s++(?:\d++|n|len\([^()]*+\))\s*+\{"),
    ),
)
_RUST: Forms = (
    ((1, 65), "`let … else`", re.compile(r"^\s*+let\s.*[^}\s]\s++else\s*+\{")),
    (
        (1, 88),
        "a chain of `if let`",
        re.compile(
            r"\b(?:if|while)\s++let\s[^{}()&]{0,120}+"
            r"(?:(?:\([^()]{0,120}+\)|&(?!&))[^{}()&]{0,120}+){0,9}+&&"
            r"|\b(?:if|while)\s[^{}]{0,120}&&\s*+let\s"
        ),
    ),
    ((1, 85), "an async closure", re.compile(r"\basync\s++(?:move\s++)?\|")),
    ((1, 77), "a C string", re.compile(r"(?<![\w\"'])c\"")),
)
_CPP: Forms = (
    ((17,), "`if constexpr`", re.compile(r"\bif\s++constexpr\b")),
    (
        (17,),
        "a structured binding",
        re.compile(r"\bauto\s*+&{0,2}\s*+\[\s*+\w++(?:\s*+,\s*+\w++)*+\s*+\]\s*+[=:]"),
    ),
    ((17,), "a nested namespace", re.compile(r"^\s*+namespace\s++\w++::\w")),
    (
        (20,),
        "a concept",
        re.compile(r"^\s*+concept\s++\w|\brequires\s*+[({]|\brequires\s++std::"),
    ),
    ((20,), "a coroutine", re.compile(r"\bco_(?:await|yield|return)\b")),
    ((20,), "`consteval`", re.compile(r"\b(?:consteval|constinit)\b")),
    ((20,), "`<=>`", re.compile(r"<=>")),
    (
        (20,),
        "an abbreviated template",
        re.compile(r"^[\w:&*<> ]*+\w\([^()]*\bauto\s*+&?\s*+\w+[,)].*\{"),
    ),
)
_CSHARP: Forms = (
    ((8,), "a switch expression", re.compile(r"\w\)?\s++switch\s*+(?:$|\{)")),
    (
        (8,),
        "`using` as a declaration",
        re.compile(r"^\s*+(?:await\s++)?using\s++(?:var|[A-Z]\w*+)\s++\w++\s*+="),
    ),
    ((8,), "`??=`", re.compile(r"\?\?=")),
    (
        (9,),
        "a record",
        re.compile(
            r"^\s*+(?:(?:public|internal|private|sealed|protected)\s++)*+record\s++(?:class\s++)?[A-Z]\w*+\s*+[(<{:;]"
        ),
    ),
    (
        (9,),
        "`new` without a type",
        re.compile(r"=\s*+new\s*+\([^()]*+\)|\breturn\s++new\s*+\("),
    ),
    (
        (9,),
        "a pattern with `not`, `and` or `or`",
        re.compile(r"\bis\s++not\b|\bis\s++[<>\w][^&|;]{0,30}\b(?:and|or)\b\s++[<>\w]"),
    ),
    ((10,), "a namespace for the whole file", re.compile(r"^namespace\s++[\w.]++;")),
    ((11,), "a raw string", re.compile(r'"""')),
    ((11,), "a required member", re.compile(r"\bpublic\s++required\s")),
    (
        (12,),
        "a collection expression",
        re.compile(
            r"(?:[=(,]|\breturn|=>)\s*+\[(?![^\[\]]*+\]\s*+(?:[A-Za-z(\[.]|$))[^\[\]]*+\]\s*+[;,)]"
        ),
    ),
    (
        (12,),
        "a constructor in the head of a class",
        re.compile(r"\b(?:class|struct)\s++[A-Z]\w*+(?:<[^<>]*+>)?+\("),
    ),
)
_PHP: Forms = (
    ((7, 4), "an arrow function", re.compile(r"(?<![\w$>:])fn\s*+\(")),
    (
        (7, 4),
        "a typed property",
        re.compile(
            r"^\s*+(?:public|private|protected)\s++(?:static\s++)?\??(?!static\b|function\b|const\b|var\b)[A-Za-z]\w*+\s++\$\w++\s*+[;=]"
        ),
    ),
    ((7, 4), "`??=`", re.compile(r"\?\?=")),
    (
        (8, 0),
        "`match`",
        re.compile(r"(?<![\w$>:\\])match\s*+\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)\s*+\{"),
    ),
    ((8, 0), "`?->`", re.compile(r"\?->")),
    (
        (8, 0),
        "a property in the constructor's head",
        re.compile(
            r"^\s*+(?:public|private|protected)\s++(?:readonly\s++)?\??[A-Za-z]\w*+\s++\$\w++(?:\s*+=[^;]*)?,\s*+$|__construct\([^()]{0,200}\b(?:public|private|protected)\s"
        ),
    ),
    ((8, 0), "a named argument", re.compile(r"[(,]\s*+[a-z]\w*+:(?!:)\s++[^:]")),
    ((8, 1), "an enum", re.compile(r"^\s*+enum\s++[A-Z]")),
    ((8, 1), "`readonly`", re.compile(r"\breadonly\s++[\w?\\|]++\s++\$")),
    ((8, 1), "a first-class callable", re.compile(r"\(\.\.\.\)")),
    ((8, 2), "a readonly class", re.compile(r"\breadonly\s++class\b")),
    ((8, 4), "a property hook", re.compile(r"^\s*+(?:get|set)\s*+(?:\{|=>)")),
)
_RUBY: Forms = (
    (
        (3, 0),
        "a method without `end`",
        re.compile(r"^\s*+def\s++[\w.?!]++(?:\([^()]*+\))?\s++=\s"),
    ),
    ((3, 1), "a hash without values", re.compile(r"\{\s*+\w++:\s*+[,}]")),
)
_C: Forms = (
    (
        (1999,),
        "a declaration in `for`",
        re.compile(r"\bfor\s*+\(\s*+(?:int|size_t|long)\s"),
    ),
    (
        (2011,),
        "`_Generic`",
        re.compile(r"\b_(?:Generic|Static_assert|Atomic|Noreturn)\b"),
    ),
    (
        (2023,),
        "`nullptr`, `constexpr` and `typeof_unqual`",
        re.compile(r"\bnullptr\b|^\s*+(?:static\s++)?constexpr\s|\btypeof_unqual\b"),
    ),
    ((2023,), "`auto` for a type", re.compile(r"^\s*+auto\s++\w++\s*+=")),
    ((2023,), "an attribute", re.compile(r"^\s*+\[\[\w")),
)
_NODE: Forms = (
    ((14,), "`?.` and `??`", re.compile(r"\w\?\.[a-z_$(\[]|\?\?(?!=)")),
    ((15,), "`??=`, `||=` and `&&=`", re.compile(r"(?:\?\?|\|\||&&)=(?!=)")),
    ((16,), "a static block", re.compile(r"^\s*+static\s*+\{")),
    ((12,), "a private member", re.compile(r"^\s*+(?:static\s++)?#\w++\s*+[=;(]")),
    ((24,), "`using`", re.compile(r"^\s*+(?:await\s++)?using\s++\w++\s*+=(?!>)")),
)
_TYPESCRIPT: Forms = (
    ((3, 7), "`?.` and `??`", re.compile(r"\w\?\.[a-z_$(\[]|\?\?(?!=)")),
    ((3, 8), "`import type`", re.compile(r"^\s*+(?:import|export)\s++type\s*+[{*]")),
    ((4, 0), "`??=`, `||=` and `&&=`", re.compile(r"(?:\?\?|\|\||&&)=(?!=)")),
    (
        (4, 3),
        "`override`",
        re.compile(r"^\s*+(?:public\s++|protected\s++)?override\s++[\w#]++\s*+[(<:=]"),
    ),
    ((4, 4), "a static block", re.compile(r"^\s*+static\s*+\{")),
    (
        (4, 5),
        "`type` before an imported name",
        re.compile(r"^\s*+(?:import|export)\b[^{}]*+\{[^{}]*\btype\s++[A-Za-z_$]"),
    ),
    ((4, 9), "`satisfies`", re.compile(r"[\w)\]}\"'`]\s++satisfies\s++[A-Za-z_{(\[]")),
    (
        (4, 9),
        "`accessor`",
        re.compile(r"^\s*+(?:static\s++)?accessor\s++[\w#]++\s*+[:=;]"),
    ),
    ((5, 0), "a `const` type parameter", re.compile(r"[\w\s=(]<const\s++[A-Z]")),
    ((5, 0), "`export type *`", re.compile(r"^\s*+export\s++type\s*+\*")),
    ((5, 2), "`using`", re.compile(r"^\s*+(?:await\s++)?using\s++\w++\s*+=(?!>)")),
    ((5, 4), "`NoInfer`", re.compile(r"\bNoInfer<")),
)
_KOTLIN: Forms = (
    ((1, 4), "`fun interface`", re.compile(r"\bfun\s++interface\b")),
    ((1, 5), "`sealed interface`", re.compile(r"\bsealed\s++interface\b")),
    ((1, 5), "`value class`", re.compile(r"\bvalue\s++class\b")),
    ((1, 9), "`data object`", re.compile(r"\bdata\s++object\b")),
    ((1, 9), "`..<`", re.compile(r"[\w)\]]\s*+\.\.<\s*+[\w(]")),
    (
        (2, 2),
        "a condition in `when`",
        re.compile(r"^\s*+(?:is\s++)?[A-Z][\w.]*+\s++if\b.*->"),
    ),
    ((2, 2), "`$$`", re.compile(r"(?<!\$)\$\$++\"")),
)
_SWIFT: Forms = (
    ((5, 5), "`async`", re.compile(r"\)\s*+async\b|\bawait\s++\w|^\s*+actor\s++[A-Z]")),
    (
        (5, 6),
        "`any` before a protocol",
        re.compile(r"[:<(\[]\s*+any\s++[A-Z]|->\s*+any\s++[A-Z]"),
    ),
    (
        (5, 7),
        "`if let` without a value",
        re.compile(
            r"\b(?:if|guard|while|,)\s++(?:let|var)\s++\w++\s*+(?:[,{]|else\b|$)"
        ),
    ),
    (
        (5, 9),
        "`if` and `switch` as values",
        re.compile(r"(?:[^=!<>]=|\breturn)\s++(?:if\s++\w|switch\s++\w)"),
    ),
    (
        (5, 9),
        "a macro",
        re.compile(r"#(?:Predicate|Preview|expect|require)\b|@Observable\b"),
    ),
    ((6, 0), "a type behind `throws`", re.compile(r"\bthrows\s*+\([A-Z]")),
)
_DART: Forms = (
    (
        (2, 17),
        "`super.` in parameters",
        re.compile(r"[({,]\s*+(?:required\s++)?super\.\w++\s*+[,})]"),
    ),
    (
        (3, 0),
        "a record",
        re.compile(
            r"^\s*+(?:static\s++)?\((?:[A-Z]\w*+|int|num|double|bool)[\w<>? ]*+,"
            r"[^()]*+\)\s++\w++\s*+[(=]"
            r"|[<]\((?:[A-Z]\w*+|int|num|double|bool)[\w<>? ]*+,[^()]*+\)>"
        ),
    ),
    (
        (3, 0),
        "a switch expression",
        re.compile(r"(?:[^=!<>]=|=>|\breturn)\s++switch\s*+\("),
    ),
    (
        (3, 0),
        "a class modifier",
        re.compile(r"^\s*+(?:sealed|base|final|interface|mixin)\s++class\s"),
    ),
    ((3, 0), "a pattern in `if`", re.compile(r"\bif\s*+\([^()]{1,80}\scase\s")),
    ((3, 3), "an extension type", re.compile(r"^\s*+extension\s++type\s")),
)
FORMS: Mapping[Language | str, Forms] = {
    Language.C: _C,
    Language.CPP: _CPP,
    Language.CSHARP: _CSHARP,
    Language.GO: _GO,
    Language.JAVA: _JAVA,
    Language.JAVASCRIPT: _NODE,
    Language.PHP: _PHP,
    Language.RUBY: _RUBY,
    Language.RUST: _RUST,
    Language.TYPESCRIPT: _TYPESCRIPT,
    Language.TSX: _TYPESCRIPT,
    "dart": _DART,
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
}
"""Forms by language; those without a grammar by their LSP id."""
