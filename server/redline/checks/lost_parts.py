"""`lost-definition`: parts of the range are gone although the edit should only add.

In code, parts are statements with an effect: a call, an assignment to a field, a
condition, a label of a case, an entry of a table. In data and text for people, they are
entries: keys, columns, items of a list, rows. A part is still there if the new text has
a part of the same kind that shares its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.problem import Problem
from redline.checks.requested_changes import (
    wants_addition,
    wants_loss,
    wants_stub,
)
from redline.syntax.word_set import word_set
from redline.text.chatter import MARKDOWN_LANGUAGES
from redline.text.elision import BRACE_LANGUAGES
from redline.text.lines import with_line_feeds

_RULE = "lost-definition"

_CODE = BRACE_LANGUAGES | {"lua", "python", "ruby", "shellscript"}
"""LSP language ids of code with statements."""

_KEYWORDS = (
    r"(?!(?:if|for|while|switch|match|return|def|class|fn|func|fun|function|elif|else|with"
    r"|catch|except|import|from|assert|let|const|var|val|new|case|when|raise|throw|foreach"
    r"|unless|until|guard|lock|using|super)\b)"
)
_CALL = re.compile(
    rf"(?:await\s+|defer\s+|go\s+|yield\s+|_\s*=\s*)?{_KEYWORDS}"
    r"(?P<key>[@$&]?\w[\w.:>?!$\-]*+(?:\[[^\]]*\])?[\w.:>?!$\-]*)\s*(?:<[^()]*>)?"
    r"\(.*[\w);}]"
)
_FIELD = re.compile(
    r"(?P<key>(?:(?:self|this|\$this|\w+)(?:\.|->|::)|@{1,2})[\w.\[\]>\-]+)"
    r"\s*(?:[-+*/|&?]{0,2}=(?![=>])|<<).*"
)
_CONDITION = re.compile(
    r"(?:\}\s*)?(?:if|unless|elif|elsif|else if|guard|let(?=.*\belse\s*\{))\b"
    r"(?P<key>.*)"
)
_LABEL = re.compile(r"(?:case|when)\b(?P<key>[^:>]*)(?::|=>|->|then|$).*")
_ARM = re.compile(r"(?!(?:if|when|case)\b)(?P<key>[\w\"'.(][^={}]*?)\s(?:=>|->)\s\S.*")
_WITH_ARMS = frozenset({"csharp", "java", "kotlin", "php", "rust", "scala"})
_SHELL_LABEL = re.compile(r"(?P<key>[\w*.|\"'-]+\))(?:\s.*)?")
_COMMAND = re.compile(r"(?P<key>[\w./$-]+(?:\s.*)?)")
_NO_COMMAND = re.compile(
    r"(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|return|exit|function"
    r"|local|export|set|\w+=|(?:echo|printf)\b[^>]*$)(?!\w)"
)
_MEMBER = re.compile(r"\|\s*(?P<key>\S.*)")
"""A member of a union."""
_CONSTANT = re.compile(r"(?P<key>[A-Z][A-Z0-9_]+)\s*(?:\([^()]*\))?[,;]")
"""A constant of an enum."""
_ENTRY_OF_CODE = re.compile(
    r"(?P<key>[\"'][^\"']*[\"']|[\"'`]?[A-Za-z_]\w*[\"'`]?)\s*(?::(?!:)|=>)"
    r"\s*(?:(?! = ).)*,"
)

_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?P<key>\S.*)")
_ROW = re.compile(r"\s*\|\s*(?P<key>[^|]*\w[^|]*)\|.*")
_HEADING = re.compile(r"\s*#{1,6}\s+(?P<key>\S.*)")
_KEY = re.compile(
    r"\s*(?:-\s+)?[\"'`\[]?(?P<key>[\w.$@/\-]*\w[\w.$@/\-]*)[\"'`\]]?"
    r"(?=\s*(?::|=|\{)|\s+\S|,)"
)
_STEP = re.compile(r"\s*-\s+(?P<key>(?:run|uses|name|id|image|key|path|- ).*)")
"""An entry of a list whose key all of them have."""
_CLAUSES = frozenset({"from", "group", "having", "join", "left", "order", "where"})
_COLUMN = re.compile(r"\s*[\"`\[]?(?P<key>\w+)[\"`\]]?\s+\w+.*")
_ALIASED = re.compile(r".*\bAS\s+[\"`\[]?(?P<key>\w+)[\"`\]]?\s*,?\s*$", re.IGNORECASE)
_ELEMENT = re.compile(
    r".*?<\w[^>]*\s(?:name|id|href|src|action|for|key|type)=[\"'](?P<key>[\w./#:-]+)[\"']"
)
_PARTS_OF_TEXT = (_ITEM, _ROW, _HEADING)
_PARTS_OF = {
    **dict.fromkeys(MARKDOWN_LANGUAGES, _PARTS_OF_TEXT),
    "sql": (_ALIASED, _COLUMN),
    **dict.fromkeys(("html", "vue", "svelte"), (_ELEMENT,)),
    "dockerfile": (re.compile(r"(?P<key>[A-Z]+\s.*)"),),
    **dict.fromkeys(
        ("css", "scss", "less"), (re.compile(r"\s*(?P<key>[\w-]+)\s*:.*"),)
    ),
    **dict.fromkeys(("yaml", "dockercompose"), (_STEP, _KEY)),
    **dict.fromkeys(
        word_set(
            "json jsonc toml ini properties terraform proto dotenv graphql makefile"
        ),
        (_KEY,),
    ),
}
"""How the entries of a language are found; other languages are not judged."""

_COMMENT = re.compile(r"\s*(?:#|//|--|/\*|<!--|;)")
_ELISION = re.compile(r"\s*(?:[-*+]\s+)?(?:\.{3}|\u2026)")
_WORD = re.compile(r"\w+")
_MAX_N_CHARS = 1_000
"""Longer lines are data."""

_MIN_SHARED = 0.5
"""Part of the words of a part that another form of it has."""


class _Part(Struct, frozen=True, kw_only=True):
    kind: str
    key: str
    text: str

    @property
    def words(self) -> set[str]:
        return set(_WORD.findall(self.key if self.kind == "label" else self.text))


def check_lost_parts(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report parts that an edit drops which should only add or rename something."""
    language = candidate.language_id
    adds = wants_addition(candidate.instruction)
    if language in _CODE:
        if not adds or wants_stub(candidate.instruction):
            return
        lost = _lost_statements(candidate, language)
    elif language in _PARTS_OF and candidate.instruction:
        if not adds and wants_loss(candidate.instruction):
            return
        lost = _lost_entries(candidate, language, adds=adds)
    else:
        return
    if lost:
        text = lost[0].text.strip()
        more = f", and {len(lost) - 1} more" if len(lost) > 1 else ""
        yield Problem(
            rule=_RULE,
            message=f"This is gone, which was not asked for: {text}{more}",
        )


def _lost_statements(candidate: CheckedEdit, language: str) -> list[_Part]:
    old = list(_statements(candidate.before, candidate.region_before, language))
    new = list(_statements(candidate.after, candidate.region_after, language))
    text = "".join(candidate.new_lines)
    words, squeezed = set(_WORD.findall(text)), _squeezed(text)
    skipped = {"other"}
    if _n_conditions(new) >= _n_conditions(old):
        skipped.add("condition")
    known_old = {one.text for one in old}
    known_new = {one.text for one in new}
    gone = [
        one
        for one in old
        if one.kind not in skipped
        and one.text not in known_new
        # A part whose words are all there may have become a part of another line.
        and (one.words - words or _squeezed(one.key) not in squeezed)
    ]
    return _unreplaced(gone, [one for one in new if one.text not in known_old])


def _n_conditions(parts: Sequence[_Part]) -> int:
    return sum(one.kind == "condition" for one in parts)


def _squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def _unreplaced(gone: Sequence[_Part], added: Sequence[_Part]) -> list[_Part]:
    """Return the parts that no added one replaces; each replaces one part."""
    left = list(added)
    lost = []
    for one in gone:
        other = next((each for each in left if _replaces(each, one)), None)
        if other is None:
            lost.append(one)
        else:
            left.remove(other)
    return lost


def _replaces(new: _Part, old: _Part) -> bool:
    if new.kind not in _REPLACING.get(old.kind, (old.kind,)):
        return False
    words = old.words
    if new.key == old.key:
        return True
    n_least = _MIN_SHARED * len(words) + (old.kind == "label") / 2
    return len(words & new.words) >= n_least


def _n_open(code: str) -> int:
    """Count the brackets that the text of an arm up to its arrow leaves open."""
    head = re.split(r"\s(?:=>|->)\s", code)[0]
    return head.count("(") - head.count(")")


def _statements(lines: Sequence[str], region: range, language: str) -> Iterator[_Part]:
    whole = without_text(with_line_feeds(lines), language).split("\n")
    for number in region:
        code = whole[number].strip() if number < len(whole) else ""
        text = lines[number].strip()
        if len(text) > _MAX_N_CHARS:
            continue
        for kind, form in _SHELL_KINDS if language == "shellscript" else _KINDS:
            if kind == "command" and _NO_COMMAND.match(code):
                continue
            if form is _ARM and (language not in _WITH_ARMS or _n_open(code)):
                continue
            if found := form.fullmatch(code):
                key = text[found.start("key") : found.end("key")].strip()
                yield _Part(kind=kind, key=key, text=text)
                break


_SHELL_KINDS = (
    ("label", _SHELL_LABEL),
    ("command", _COMMAND),
    ("other", re.compile(r"(?P<key>\w.*)")),
)
_KINDS = (
    ("condition", _CONDITION),
    ("label", _LABEL),
    ("label", _ARM),
    ("constant", _CONSTANT),
    ("call", _CALL),
    ("field", _FIELD),
    ("entry", _ENTRY_OF_CODE),
    ("member", _MEMBER),
    ("other", re.compile(r"(?P<key>\w.*)")),
)
"""The first that fits is the kind of a line; others are parts only of new text."""

_REPLACING = {"call": ("call", "field", "other"), "field": ("field", "call", "other")}
"""The kinds of statements that may have the place of another, besides the same."""


def _lost_entries(candidate: CheckedEdit, language: str, *, adds: bool) -> list[_Part]:
    if language in MARKDOWN_LANGUAGES and not adds:
        return []
    old = list(_entries(candidate.old_lines, language))
    new = list(_entries(candidate.new_lines, language))
    if language == "makefile" and not adds:
        # Other commands of a recipe may do the same.
        old = [one for one in old if not one.text.startswith("\t")]
    text = with_line_feeds(candidate.new_lines)
    instruction = candidate.instruction.lower()
    lost = [
        one
        for one in old
        if not re.search(rf"(?<![\w-]){re.escape(one.key)}(?![\w-])", text)
        and one.key.lower() not in instruction
    ]
    keys = {one.key for one in old}
    added = [one for one in new if one.key not in keys]
    gone = _unreplaced(lost, added)
    clauses = [one for one in gone if one.key.lower() in _CLAUSES]
    if language == "sql" and clauses:
        return clauses
    return gone if adds or len(lost) > len(added) else []


def _entries(lines: Sequence[str], language: str) -> Iterator[_Part]:
    if language == "dockerfile":
        lines = re.sub(r"\\\r?\n\s*", "", "".join(lines)).splitlines()
    for line in lines:
        text = line.rstrip("\r\n")
        if len(text) > _MAX_N_CHARS:
            continue
        if _ELISION.match(text) or (
            language not in MARKDOWN_LANGUAGES and _COMMENT.match(text)
        ):
            continue
        for form in _PARTS_OF[language]:
            if found := form.match(text):
                yield _Part(kind="entry", key=found["key"].strip(), text=text)
                break
