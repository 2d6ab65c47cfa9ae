"""Recognizes lines around the code of a reply that are not code.

These are tags, rulers, labels, marks of a chat and the like. A line that the file also
has always counts as code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES, is_beside_code, reads_as_talk
from redline.text.elision import find_elision
from redline.text.fence import read_fence
from redline.text.indentation import indent_of
from redline.text.reply_forms.comment_lines import may_be_comment
from redline.text.reply_forms.place_names import is_path, is_place
from redline.text.reply_forms.surroundings import Surroundings

_TAGS = re.compile(r"(?:</?[A-Za-z!][^<>]{0,200}+>(?:[^<>]{0,80}+(?=<))?)++")
_RULER = re.compile(r"([-=*_~+<>\u2500\u2550\u2501])\1{2,}+(?:[^=;()]{1,60}\1{2})?")
_MARK = re.compile(
    r"(?:User|USER|ROOT|[Aa]ssistant|ASSISTANT|Human|HUMAN|System|SYSTEM) ?:.*"
    r"|\[/[A-Za-z]+\]|\[(?:code|source)\b.{0,80}\]|\[INST\].*"
    r"|\{(?:code|noformat)\b.{0,80}\}|\\[a-z]{3,20}(?:\[.{0,80}\])?\{.*"
    r"|#\+(?:begin|end).*"
    r"|\.\. [a-z-]+::.*|:[a-z-]{4,20}:"
    r"|\{\{[<%].{0,100}[%>]\}\}|\{{3}(?:#!\w+)?|\}{3}|--\w{1,40}(?:--)?",
)
"""What other markup than Markdown, a chat or a shell has around code."""
_SIGNS = frozenset("$%.")
"""What a shell or an editor has on a line alone."""
_LABEL = re.compile(r"(?:[A-Z][\w-]*+|\*\*\S++)(?: \S++){0,12}+(?<=[:*])")
_ANNOUNCED = re.compile(r"(?:[A-Z][a-z]++ \S++ |<\d{1,2}+> )\S")
"""How a line begins that is words, or the note of a callout."""

_SYMBOL = re.compile("[\u2012-\u2015\u00a9\u2600-\u27bf\U0001f300-\U0001faff]")
"""What begins lines of text for people only."""

_OF_MODELS = re.compile(
    r"</?(?:ant|bolt|lov|v0)?[-_:]?(?:artifact|action|answer|edit|result|response"
    r"|solution|replacement|selection|snippet|write|patch|range|update|rewrite|final)"
    r"(?:[-_:]?(?:file|code|content|contents|text|block|answer|range|selection|edit"
    r"|project|editor|snippet|files?))?\b[^<>]{0,200}>",
    re.IGNORECASE,
)
"""A tag of what models and their tools call an element with code in it."""
_TAGGED = PROSE_LANGUAGES | frozenset(
    {"javascriptreact", "php", "svelte", "typescriptreact", "vue"}
)
"""LSP language ids in which a tag is code."""
OF_WORDS = frozenset(
    {
        "dockercompose",
        "dockerfile",
        "dotenv",
        "elm",
        "fsharp",
        "haskell",
        "ini",
        "ocaml",
    }
    | {"makefile", "properties", "shellscript", "sql", "toml", "yaml"}
)
"""Those in which a line of code may be words, a label or a ruler."""


def without_foreign_ends(
    lines: Sequence[str], around: Surroundings
) -> list[str] | None:
    """Cut off the lines at both ends that are no code; None if there are none.

    Lines of the file may be among them, if others stand between them and the code.
    """
    head = _n_foreign(lines, around)
    tail = _n_foreign(lines[head:][::-1], around)
    return list(lines[head : len(lines) - tail]) if head or tail else None


def has_foreign_end(texts: Sequence[str], around: Surroundings) -> bool:
    """Whether the first or the last of lines with text is no code."""
    margin = indent_of(next(iter(around.own_texts), ""))
    ends = (line.removeprefix(margin) for line in (texts[0], texts[-1]))
    return any(is_foreign(line, around) for line in ends)


def has_mark(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a line has a mark that stands around code, wherever it is."""
    return any(_is_mark(line.strip(), around) for line in lines)


def _n_foreign(lines: Sequence[str], around: Surroundings) -> int:
    """Count the lines from one end on, up to the last that is no code."""
    count = 0
    own = {line.strip() for line in around.own_texts}
    others = around.texts - own
    for at, line in enumerate(lines):
        if is_foreign(line, around):
            count = at + 1
        elif line.strip() and line.strip() not in others:
            break
    return count


def _is_mark(text: str, around: Surroundings) -> bool:
    if not text or text in around.texts:
        return False
    if _TAGS.fullmatch(text):
        return around.language not in _TAGGED or bool(_OF_MODELS.fullmatch(text))
    if around.language in PROSE_LANGUAGES:
        return False
    is_code = around.language in OF_WORDS or may_be_comment(text, around.language)
    fence = read_fence(text)
    return (fence is not None and "\t" not in fence.info) or (
        not is_code and any(form.fullmatch(text) for form in (_RULER, _MARK))
    )


def is_foreign(line: str, around: Surroundings) -> bool:
    """Whether a line is no code."""
    text = line.strip()
    if _is_mark(text, around):
        return True
    if not text or text in around.texts or around.language in PROSE_LANGUAGES:
        return False
    if find_elision(line, around.language) is not None or text in _SIGNS:
        return True
    if text == around.language or around.language in OF_WORDS:
        return text == around.language
    if is_place(text) or is_path(text.lstrip("/#-; ")) or _LABEL.fullmatch(text):
        return True
    if _SYMBOL.match(text):
        return True
    is_talk = _ANNOUNCED.match(text) is not None or reads_as_talk(line)
    return is_talk and is_beside_code(line)
