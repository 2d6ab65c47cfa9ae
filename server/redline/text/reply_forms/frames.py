"""Takes off the lines or signs that a model or a page has put around a whole reply.

Each form is one of three: a pair of lines above and below the code (`BEGIN SELECTION`
and `END SELECTION`, tags with attributes, delimiters), a label in front of it
(`Answer:`, `Copy code`), or a sign before each line. A form is taken off only if the
file has none of it and what is left fits the range.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms import turns
from redline.text.reply_forms.comment_lines import may_be_comment
from redline.text.reply_forms.likeness import (
    first_text,
    fits,
)
from redline.text.reply_forms.numbers import least_depth
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_TAGGED = PROSE_LANGUAGES | frozenset(
    {"javascript", "javascriptreact", "php", "svelte", "typescriptreact", "vue"}
)
"""LSP language ids in which a tag is code."""

_TEX = frozenset({"latex", "tex"})
_OF_DOCUMENTS = frozenset({"dockercompose", "yaml"})
"""LSP language ids of files with several documents, which marks begin and end."""

_PAGES = frozenset({"html", "xml"})
"""LSP language ids of text for people that is in tags."""

_DELIMITER = re.compile(
    r"(?P<run>'{3}|\"{3}|`{3,}|~{3,}|-{3,}|={3,}|\*{3,}|\+{3,}|_{3,}|\${2}|%{2,}|<{3,}"
    r"|>{3,}|\|{3,}|\u2500{3,}|\u2550{3,}|\u2501{3,})(?: ?(?P<name>[A-Za-z][\w+#-]*))?"
)
_MIRRORED = {"<": ">", ">": "<"}
_BEGIN = re.compile(r"\b(?:begin|start|open|opening)(?![a-z])|^[<>]{3,}", re.IGNORECASE)
_END = re.compile(r"\b(?:end|stop|close|closing)(?![a-z])|^[<>]{3,}", re.IGNORECASE)
_NOUN = re.compile(
    r"(?:selection|selected|range|region|code|snippet|edit|answer|output|replacement"
    r"|change|modification|update|fix|response|text|file|block|lstlisting|verbatim|minted|src|source|example)s?",
    re.IGNORECASE,
)
"""What markers name that stand around a text."""

_RANDOM_NAME = re.compile(r"\b(?=[a-z]{0,20}\d)(?=\d{0,20}[a-z])[a-z\d]{8,40}\b")
"""What nobody calls a part of the code."""
_BEGIN_OR_END = re.compile(r"\W{0,6}(?:BEGIN|END)\b")
_BARE_COMMENT = re.compile(r"(?://+|#+|--+|;+|%+|/\*+|<!--)[\s:]*(?:\*/|-->)?")

_TAG = re.compile(r"(?P<open>[<\[{])(?P<name>[A-Za-z][\w-]*)(?P<rest>[^<>]*)[>\]}]")
_ENVIRONMENT = re.compile(r"\\begin\{(?P<name>\w+\*?)\}.*")
"""What begins code in LaTeX."""
_TEXT_TAG = re.compile(r"(?:code|pre|source|syntaxhighlight|samp|listing|noformat)")

_RUN = re.compile(r"([^\s\"'`.])\1{2,}[A-Za-z]{0,10}")
_LONE_TAG = re.compile(
    r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?>|\\(?:begin|end)\{.*|</.*|.*</[\w-]+>"
)

_LABEL = re.compile(
    r"(?:copy(?: ?code)?|edit|copy ?edit|run|wrap|unwrap|explain|download|always show"
    r"|expand|collapse|code|output|answer|assistant|ai|bot|model|response|result"
    r"|solution|selection|replacement|updated|new|final answer|\d+ lines?)"
    r"(?: (?:code|text|code block|selection|range|version|answer))?",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z][\w+#.-]{0,14}")
_BUTTON = re.compile(r"copy(?: code)?|copied!?|edit|run|download|wrap", re.IGNORECASE)
_PLACE = re.compile(
    r"(?:file(?:name)?|path): ?\S{1,200}|%%writefile \S{1,200}"
    r"|(?:lines?|range) \d+(?: ?(?:-|\u2013|to) ?\d+)?:?"
    r"|(?:[\w.@-]++/)++[\w@-]++\.\w++:?",
    re.IGNORECASE,
)
"""A line that says where the text belongs."""
_DIRECTIVE = re.compile(
    r"\.\. (?:code|code-block|sourcecode|highlight)::.*|\[source.*\]|bc\.{1,2}"
    r"|\[code.*\]|:::\s*\w*|#\+.*|@@\s*$",
    re.IGNORECASE,
)
"""What begins code in a language of markup."""

_PATHS = frozenset({"makefile", "shellscript", "yaml", "dockercompose", "dockerfile"})
"""LSP language ids in which a line may be a path."""
_WITH_ITEMS = PROSE_LANGUAGES | {"csv", "diff", "tsv", "yaml"}
_MAX_N_FRAMES = 6
_MAX_N_CHARS = 1_000
"""Longer lines are data."""


def without_frames(
    lines: Sequence[str], around: Surroundings
) -> tuple[list[str], bool] | None:
    """Return the lines without what is around them, and whether that is certain.

    Returns:
        None if nothing is, or if the user asked for it: the text in it is the unchanged
        range.
    """
    if any(len(line) > _MAX_N_CHARS for line in lines):
        return None
    if around.may_be_in_text:
        return (list(lines), False) if _has_random_marker(lines, around) else None
    found, is_sure = list(lines), True
    for _ in range(_MAX_N_FRAMES):
        for step in _STEPS:
            inner = step(found, around)
            if inner == "unsure":
                is_sure = False
            elif inner is not None:
                break
        else:
            break
        if [line.rstrip() for line in inner if line.strip()] == around.own_texts:
            break
        found = inner
    is_sure &= not (_has_rest(found, around) or _has_random_marker(found, around))
    return None if found == list(lines) and is_sure else (found, is_sure)


def _has_random_marker(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text begins or ends with a marker that only a program writes."""
    texts = [line.strip() for line in lines if line.strip()]
    return any(
        _BEGIN_OR_END.match(text) and _RANDOM_NAME.search(text) and not around.has(text)
        for text in (*texts[:1], *texts[-1:])
    )


def _has_rest(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text begins or ends with one half of a pair, which no code has."""
    texts = [line.strip() for line in lines if line.strip()]
    if around.language in PROSE_LANGUAGES or not texts:
        return False
    odd = [
        pattern
        for text in {texts[0], texts[-1]}
        if not may_be_comment(text, around.language)
        for pattern in (
            _RUN,
            _DIRECTIVE,
            *[_LONE_TAG] * (around.language not in _TAGGED | _TEX),
        )
        # A comment of the code may end with a tag, as documentation does.
        if pattern.fullmatch(text) and not text.startswith(("//", "/*", "* "))
    ]
    return bool(odd) and not any(
        pattern.fullmatch(line.strip())
        for line in around.lines
        if len(line) <= _MAX_N_CHARS
        for pattern in odd
    )


def _paired(lines: list[str], around: Surroundings) -> list[str] | Doubt | None:
    """Cut off a first and a last line that belong together."""
    texts = [at for at, line in enumerate(lines) if line.strip()]
    if len(texts) < 3:
        return None
    first, last = lines[texts[0]].strip(), lines[texts[-1]].strip()
    if not _is_pair(first, last, around.language) or {first, last} & around.texts:
        return None
    inner = lines[texts[0] + 1 : texts[-1]]
    if last.startswith("</") and any(line.strip() == last for line in inner):
        return None  # One of several elements.
    is_unchanged = [line.rstrip() for line in inner if line.strip()] == around.own_texts
    is_sure = is_unchanged or not _is_comment_alone(first)
    return inner if is_sure and fits(inner, around) else "unsure"


def _is_pair(first: str, last: str, language: str) -> bool:
    opening, closing = _DELIMITER.fullmatch(first), _DELIMITER.fullmatch(last)
    if opening and closing and language not in PROSE_LANGUAGES - _PAGES:
        run, end = opening["run"], closing["run"]
        is_mirrored = _MIRRORED.get(run[0], run[0]) == end[0]
        return (run == end or is_mirrored) and closing["name"] is None
    if language in _OF_DOCUMENTS:
        return (first, last) == ("---", "...")
    begin = _ENVIRONMENT.fullmatch(first)
    if begin is not None:
        return language not in _TEX and last == f"\\end{{{begin['name']}}}"
    tag = _TAG.fullmatch(first)
    if tag is not None:
        is_text = _TEXT_TAG.fullmatch(tag["name"]) is not None
        if language in _TAGGED and tag["open"] == "<" and not is_text:
            return False
        ends = {f"</{tag['name']}>", f"[/{tag['name']}]"}
        if is_text or tag["rest"]:
            ends.add(f"{{{tag['name']}}}")
        return last in ends
    return _is_marker_pair(first, last)


def _is_comment_alone(marker: str) -> bool:
    """Whether a marker is a comment without any name, as people write it, too."""
    begin = _BEGIN.search(marker)
    rest = _BEGIN.sub("", marker, count=1)
    is_comment = begin is not None and begin.start() > 0
    return is_comment and _BARE_COMMENT.fullmatch(rest) is not None


def _is_marker_pair(first: str, last: str) -> bool:
    """Whether two lines say that something begins and ends, and are no code."""
    begin, end = _BEGIN.search(first), _END.search(last)
    if begin is None or end is None:
        return False
    rest, other = _BEGIN.sub("", first, count=1), _END.sub("", last, count=1)
    if rest == other and (_is_comment_alone(first) or _RANDOM_NAME.search(rest)):
        return True
    names = [_NOUN.findall(text.lower()) for text in (first, last)]
    bare = (text.strip("-=*#<>/_+~|! \u2500\u2550") for text in (first, last))
    is_bare = not any(re.search(r"[=();]", text) for text in bare)
    return is_bare and bool(names[1]) and names[1][0] in names[0]


def _without_label(lines: list[str], around: Surroundings) -> list[str] | Doubt | None:
    """Cut off a line that names the answer, a button of a page, or a directive."""
    at = first_text(lines)
    if at is None or around.language in PROSE_LANGUAGES:
        return None
    if _NAME.fullmatch(lines[at].strip()) and _is_button(lines[at + 1 : at + 2]):
        at += 1  # The name of the language stands before the buttons of a page.
    text = lines[at].strip()
    rest = lines[at + 1 :]
    label = text.strip("*_#: ")
    if text == f"{label}:" and label.islower() and " " not in label:
        return None  # It may be a label of C or a key.
    is_path = around.language in _PATHS and not text.startswith("%%")
    is_place = _PLACE.fullmatch(text) is not None and not is_path
    if not (is_place or _LABEL.fullmatch(label) or _DIRECTIVE.fullmatch(text)):
        return None
    if text in around.texts:
        return None
    if not any(map(str.strip, rest)):
        return None
    is_plain = " " in label or label[0].isupper() or text != label
    if text.startswith(".. "):
        rest = _without_margin(rest, around)
    return rest if fits(rest, around) else ("unsure" if is_plain else None)


def _is_button(lines: Sequence[str]) -> bool:
    return any(_BUTTON.fullmatch(line.strip()) for line in lines)


def _without_margin(lines: Sequence[str], around: Surroundings) -> list[str]:
    """Return lines as deep as the range, as in a block of reStructuredText."""
    n_extra = least_depth(lines) - least_depth(around.target)
    return [line[n_extra:] if line.strip() else "" for line in lines]


def _without_plus(lines: list[str], around: Surroundings) -> list[str] | Doubt | None:
    """Cut off the sign of added lines before each line."""
    texts = [line for line in lines if line.strip()]
    own = [line for line in around.target if line.strip()]
    if around.language in _WITH_ITEMS or not own or not texts:
        return None
    if not all(line[0] == "+" and line[1:2] != "+" for line in texts):
        return None
    if any(line.lstrip().startswith("+") for line in own):
        return None
    has_gap = all(line[1:2] in ("", " ") for line in texts)
    least = min(len(line[1:]) - len(line[1:].lstrip()) for line in texts)
    own_least = min(len(line) - len(line.lstrip()) for line in own)
    width = 2 if has_gap and least == own_least + 1 else 1
    inner = [line[width:] for line in lines]
    is_term = any(line.lstrip().startswith("-") for line in own)
    # Lines that got nothing but a sign may be what the user asked for.
    is_asked = [line.strip() for line in inner if line.strip()] == [
        line.strip() for line in own
    ]
    is_sure = fits(inner, around) and not is_term and not is_asked
    return inner if is_sure else "unsure"


_STEPS = (
    turns.answer,
    _paired,
    _without_label,
    _without_plus,
)
