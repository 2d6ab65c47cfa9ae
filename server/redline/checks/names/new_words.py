"""`undefined-name` for variables of languages whose scopes are not read.

A name that the file did not have is reported if every place that has it reads it, no
other source of the workspace has it, and it can only be a slip: it resembles a name of
the range, or the file can use nothing but the standard library. A name that the range
declared and no longer has is reported if lines outside of it still read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cached_property
from itertools import islice

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import RULE, SUFFIXES
from redline.checks.names.closed_files import is_closed
from redline.checks.names.standard_words import kotlin_words, standard_words
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.word_set import word_set
from redline.text.indentation import indent_of

_SOURCES = {
    "c": SUFFIXES[Language.C],
    "cpp": SUFFIXES[Language.CPP],
    "kotlin": (".kt", ".kts", ".java"),
    "lua": (".lua",),
    "ruby": SUFFIXES[Language.RUBY],
    "swift": (".swift",),
}
_IN_C = frozenset({"c", "cpp"})
_NAME = re.compile(r"\w++")
_WORD = re.compile(r"(?<![\w$@:.?!])(?<!->)[a-z_]\w{2,}+(?![(?!]|::|\s*+\()")
_MACRO = re.compile(r"(?<![\w#])[A-Z][A-Z0-9]*_[A-Z0-9_]++(?![\w(]|\s*+\()")
_READING_WORD = re.compile(
    r"\b(?:return|else|case|goto|sizeof|throw|delete|new|co_return|co_yield|co_await|in"
    r"|await|and|or|not|if|unless|while|until|elsif|then|do|when|is|as|yield|puts|raise"
    r"|try|guard|switch|end|where|print|p|local|repeat|ifdef|ifndef|defined|until)\s*+$"
)
_KEYWORD = re.compile(
    r"\b(?:va[lr]|let|fun|func|function|local|def|class|struct|enum|object|typedef"
    r"|typename|define|catch|case|import|include|using|module|alias|rescue|inout|undef"
    r"|interface|protocol|extension|macro|for|package|attr\w*|namespace|template)\b"
    r"[^;{}=\[]*+$"
)
"""What stands in front of a name that the line declares."""
_DECLARED = re.compile(
    r"\s*+(?:=(?![=~])|:(?!:)|->|=>|in\b|,[^()\n]*+(?:=(?!=)|->|\bin\b))"
)
"""What follows a name that is declared, set or given by its name."""
_SET = re.compile(r"\s*+(?:[+*/%|&^-]|<<|>>|\.\.)=(?!=)")
_TYPE = re.compile(r"[\w>}](?:[ \t]*+[*&]++|[*&]*+[ \t]++)$")
"""A type, with the sign of a pointer at one of its sides; with blanks on both, the sign
is an operator."""
_TYPED_LIST = re.compile(r"^\s*+(?:[\w:<>]++[ \t*&]++)++\w++\s*+[,=\[]")
"""A line that declares several variables."""
_OPEN = re.compile(
    r"##|__attribute__|\basm\b|\bmethod_missing|define_method|instance_eval|\b_G\b|setfenv"
)
_BLOCK = re.compile(r"\|[^|\n]*+$")
"""What stands in front of a parameter of a block."""
_OPENED = re.compile(r"\s*+(?:=>|[{(])|[ \t]++\*{0,2}\w")
_KNOWN = word_set(
    "true false nil null self super this nullptr stdin stdout stderr errno environ"
    " optarg optind field value error newValue oldValue then end begin void int char"
    " long short float double unsigned signed bool const static extern inline"
    " volatile throw throws when until elseif elsif vararg crossinline noinline"
    " reified where await async try catch finally return continue break goto else"
    " default switch case while for foreach unless guard defer repeat loop next redo"
    " retry undef alias rescue yield not and register restrict constexpr noexcept"
    " explicit mutable union sizeof typename template public private protected"
    " internal fileprivate struct namespace class enum interface object protocol"
    " extension import include using function local var val let fun func def module"
    " typedef delete new operator init deinit undefined math string table assert"
)
"""Words that are no variables, or that the language defines."""
_MAX_N_NAMES = 40


def check_new_words(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first name that nothing declares."""
    if candidate.language_id not in _SOURCES or _OPEN.search(candidate.code_after):
        return
    if project is None or not any(project.folders_above):
        return
    edit = _WordedEdit(candidate)
    for name in edit.new_names:
        lines = edit.reading_lines(name)
        is_slip = not name.isupper() and edit.is_slip(name)
        if not lines or not (is_slip or _is_alone(candidate, project)):
            continue
        if not project.is_found(rf"\b{name}\b", _SOURCES[edit.language]):
            yield Problem(
                rule=RULE,
                message=f"Undefined name `{name}`.",
                line=candidate.line_in_region(lines[0]),
            )
            return
    for name in edit.lost_names:
        if (line := edit.left_behind(name)) is not None:
            yield Problem(
                rule=RULE,
                message=f"`{name}` in line {line + 1} of the file is not defined any"
                " more.",
            )
            return


def _is_alone(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether a file can use nothing but the standard library and the workspace."""
    return candidate.grammar is Language.C and is_closed(candidate, project)


class _WordedEdit:
    """The names of an edit, read without their scopes."""

    def __init__(self, candidate: CheckedEdit) -> None:
        self.language = candidate.language_id
        self._candidate = candidate
        self._old = candidate.code_before.split("\n")
        self._new = candidate.code_after.split("\n")
        was, now = candidate.region_before, candidate.region_after
        self._was = set(_WORD.findall("\n".join(self._old[was.start : was.stop])))
        new = "\n".join(self._new[now.start : now.stop])
        self._now = set(_WORD.findall(new))
        if self.language in _IN_C:
            self._now.update(self._own_macros(new))

    def _own_macros(self, code: str) -> Iterator[str]:
        """Yield macros that begin like one that the file defines."""
        defined = re.findall(
            r"#\s*+define\s++([A-Z]\w*?_)", self._candidate.text_before
        )
        for name in _MACRO.findall(code):
            if name.startswith(tuple(set(defined))):
                yield name

    @property
    def new_names(self) -> list[str]:
        text, known = self._candidate.text_before, _library(self.language)
        names = (name for name in sorted(self._now - _KNOWN) if name not in known)
        is_type = self.language in _IN_C
        return [
            name
            for name in names
            if not _has(text, name) and not (is_type and name.endswith("_t"))
        ][:_MAX_N_NAMES]

    @property
    def lost_names(self) -> list[str]:
        return sorted(self._was - self._now - _KNOWN)[:_MAX_N_NAMES]

    @cached_property
    def _declared(self) -> list[str]:
        """The names of the range that some line declares."""
        return [
            name
            for name in self._was | self._now
            if any(
                _may_declare(self._new, *place, self.language)
                for place in islice(_places(self._candidate.code_after, name), 20)
            )
        ]

    def is_slip(self, name: str) -> bool:
        """Whether a name resembles one that is declared."""
        others = [one for one in self._declared if one != name]
        extends = any(len(one) > 2 and name.startswith(one) for one in others)
        return extends or bool(get_close_matches(name, others, 1, 0.75))

    def reading_lines(self, name: str) -> list[int]:
        """Return the lines of the range that read a name; none if one declares it."""
        candidate, language = self._candidate, self.language
        places = list(_places(candidate.code_after, name))
        if any(_may_declare(self._new, *place, language) for place in places):
            return []
        region = candidate.region_after
        return [
            line
            for line, column in places
            if line in region and not candidate.is_text(line - region.start, column)
        ]

    def left_behind(self, name: str) -> int | None:
        """Return the line that reads a variable which only the range declared."""
        candidate, language, old = self._candidate, self.language, self._old
        declared = [
            line
            for line, column in _places(candidate.code_before, name)
            if _may_declare(old, line, column, language)
        ]
        if not declared or not all(map(candidate.region_before.__contains__, declared)):
            return None
        first = old[min(declared)]
        words = first[: first.find(name)].split()
        if not words or not first[:1].isspace() or words[-1] in ("fun", "func", "def"):
            return None
        depth = len(indent_of(first))
        now = list(_places(candidate.code_after, name))
        if any(_may_declare(self._new, *place, language) for place in now):
            return None
        for line, column in now:
            if line in candidate.region_after:
                continue
            if not _WORD.match(self._new[line], column):
                continue
            between = self._new[candidate.region_after.stop : line + 1]
            if all(not one.strip() or len(indent_of(one)) >= depth for one in between):
                return line
        return None


def _has(text: str, name: str) -> bool:
    return name in text and re.search(rf"(?<!\w){name}(?!\w)", text) is not None


def _library(language: str) -> frozenset[str]:
    if language in ("kotlin", "swift"):
        return kotlin_words() if language == "kotlin" else frozenset()
    known = {"c": Language.C, "cpp": Language.CPP, "ruby": Language.RUBY}
    return standard_words(known[language]) if language in known else frozenset()


def _places(code: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield the line and the column of each place of a name."""
    for number, line in enumerate(code.split("\n")):
        if name in line:
            for found in re.finditer(rf"(?<![\w$]){name}(?!\w)", line):
                yield number, found.start()


def _may_declare(lines: list[str], number: int, column: int, language: str) -> bool:
    """Whether a place of a name may do anything but read it."""
    line = lines[number]
    head, found = line[:column], _NAME.match(line, column)
    rest = line[found.end() :] if found else ""
    owner = head.rstrip()[-2:]
    if owner.endswith((".", "->", "::")):
        return False
    if owner.endswith(("@", "#", "\\")) or rest[:1] in ("(", "?", "!"):
        return True
    if _KEYWORD.search(head):
        return True
    if _SET.match(rest):
        return False
    if language in _IN_C:
        is_typed = _TYPE.search(head) and not _READING_WORD.search(head)
        return bool(is_typed or _OPENED.match(rest)) or _is_listed(head)
    is_parameter = language == "ruby" and _BLOCK.search(head) is not None
    return is_parameter or _DECLARED.match(rest) is not None


def _is_listed(head: str) -> bool:
    """Whether a name stands in a list of C++ that binds, captures or declares."""
    if re.search(r"(?:\bauto[ &]*+|[^\w)\]\s]\s?)\[[^\[\]]*+$", head):
        return True
    is_next = head.rstrip(" *&").endswith(",") and "(" not in head
    return is_next and _TYPED_LIST.match(head) is not None
