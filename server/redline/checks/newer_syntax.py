"""`syntax`: grammar that is newer than the version that the project declares.

The grammars are of today, and read what an older compiler refuses. Each form has the
version that brought it, from the release notes of its language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.names.added_names import Version
from redline.checks.names.project_versions import csharp_version, project_version
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language

_Forms = tuple[tuple[Version, str, re.Pattern[str]], ...]

_JAVA: _Forms = (
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
_GO: _Forms = (
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
_RUST: _Forms = (
    ((1, 65), "`let … else`", re.compile(r"^\s*+let\s.*[^}\s]\s++else\s*+\{")),
    (
        (1, 88),
        "a chain of `if let`",
        re.compile(r"\bif\s++let\s.{0,120}&&|\bif\s.{0,120}&&\s*+let\s"),
    ),
    ((1, 85), "an async closure", re.compile(r"\basync\s++(?:move\s++)?\|")),
    ((1, 77), "a C string", re.compile(r"(?<![\w\"'])c\"")),
)
_CPP: _Forms = (
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
_CSHARP: _Forms = (
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
_PHP: _Forms = (
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
_RUBY: _Forms = (
    (
        (3, 0),
        "a method without `end`",
        re.compile(r"^\s*+def\s++[\w.?!]++(?:\([^()]*+\))?\s++=\s"),
    ),
    ((3, 1), "a hash without values", re.compile(r"\{\s*+\w++:\s*+[,}]")),
)
_FORMS: Mapping[Language, _Forms] = {
    Language.CPP: _CPP,
    Language.CSHARP: _CSHARP,
    Language.GO: _GO,
    Language.JAVA: _JAVA,
    Language.PHP: _PHP,
    Language.RUBY: _RUBY,
    Language.RUST: _RUST,
}
_MAX_N_CHARS = 1_000
"""Longer lines are data."""


def check_newer_syntax(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first form that the project's version does not have."""
    language = candidate.grammar
    forms = _FORMS.get(language) if language else None
    if forms is None or language is None or project is None or project.file is None:
        return
    code = without_text(candidate.text_after, candidate.language_id).split("\n")
    new = [
        (number, code[at])
        for number, text in candidate.introduced
        if (at := candidate.region_after.start + number) < len(code)
        and len(text) < _MAX_N_CHARS
    ]
    used = [
        (version, what, form, number)
        for version, what, form in forms
        for number, text in new
        if form.search(text)
    ]
    if not used:
        return
    is_csharp = language is Language.CSHARP
    allowed = (
        csharp_version(project) if is_csharp else project_version(language, project)
    )
    old = without_text(candidate.text_before, candidate.language_id)
    for version, what, form, number in used:
        if allowed is None or version <= allowed:
            continue
        # A file that has newer forms is not for the declared version.
        if not any(map(form.search, old.split("\n"))):
            name = ".".join(map(str, version))
            yield Problem(
                rule="syntax",
                message=f"This is newer than the project's version: {what} came with"
                f" version {name} of the language.",
                line=number,
            )
            return
