"""Cuts off a first and a last line that enclose the code and belong together.

`frames` knows the pairs that say what is between them, such as `BEGIN SELECTION`. Here
the last line names the first one, in the syntax of some page, template or program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_OPENING = re.compile(
    r"(?P<sign>[^\w\s]{1,4} ?)(?:(?:begin|start|open)[-_ ]?)?(?P<name>[A-Za-z]\w*)\b"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?P<sign>[^\w\s]{1,4} ?/?)(?P<end>(?:end|stop|close)[-_ ]?)?(?P<name>[A-Za-z]\w*)"
    r"[^\w\s]{0,4}(?: [^\w\s]{1,4})?",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?P<name>[A-Za-z][\w.:-]*)(?:\s[^<>]*)?>")
_OF_MODELS = re.compile(
    r"(?:ant|bolt|lov|v0)?[-_:]?(?:artifact|action|file|code|edit|answer|output|result"
    r"|response|solution|replacement|selection|canvas|document|snippet|write|patch"
    r"|content|text|range|update|rewrite|final)"
    r"(?:[-_:]?(?:file|code|content|contents|text|block|answer|range|selection|edit"
    r"|project|editor|snippet|files?))?",
    re.IGNORECASE,
)
"""What models and their tools call an element with code in it."""
_OF_HTML = frozenset(
    {"article", "code", "content", "output", "document", "text", "canvas", "file"}
)
"""Names of these that are elements of HTML, SVG or usual XML, too."""
_CONDITIONS = frozenset(
    {"if", "ifdef", "ifndef", "for", "foreach", "while", "region", "unless", "each"}
    | {"with", "block", "macro", "define", "range", "comment", "page", "fold"}
)
"""What templates and preprocessors enclose lines with."""
_COMMENTS = ("//", "--", ";", "/*", "<!--")
_MARKUP = PROSE_LANGUAGES | frozenset(
    {"astro", "javascript", "javascriptreact", "php", "svelte", "typescriptreact"}
    | {"vue", "erb", "blade", "handlebars"}
)
"""LSP language ids in which a tag is code."""
_BRACES = (
    (re.compile(r"\{{3}(?:#! ?\w+)?"), re.compile(r"\}{3}")),
    (re.compile(r"\$?\\(?:boxed|texttt|code|verb|text)\{"), re.compile(r"\}\$?")),
    (re.compile(r"\(\*{3,}|\[{3,}|\({3,}"), re.compile(r"\*{3,}\)|\]{3,}|\){3,}")),
)
_MIN_N_LINES = 3


def without_pair(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Cut off the pair; "unsure" if it may be code, or what is in it does not fit."""
    places = [at for at, line in enumerate(lines) if line.strip()]
    if len(places) < _MIN_N_LINES:
        return None
    first, last = lines[places[0]].strip(), lines[places[-1]].strip()
    if first in around.texts or last in around.texts:
        return None
    inner = list(lines[places[0] + 1 : places[-1]])
    if [line.rstrip() for line in inner if line.strip()] == around.own_texts:
        return None
    is_pair = _is_pair(first, last, around)
    if is_pair is None or around.may_be_in_text:
        return None
    return inner if is_pair and fits(inner, around) else "unsure"


def _is_pair(first: str, last: str, around: Surroundings) -> bool | None:
    """Whether two lines are a pair; None if they are none, False if one of the code."""
    if (tag := _TAG.fullmatch(first)) is not None:
        return _is_element(tag["name"], last, around)
    is_text = around.language in PROSE_LANGUAGES - {""}
    if first.startswith("--") and last == f"{first}--":
        return True  # The parts of a mail.
    if not is_text and any(
        a.fullmatch(first) and b.fullmatch(last) for a, b in _BRACES
    ):
        return True
    opening, closing = _OPENING.fullmatch(first), _CLOSING.fullmatch(last)
    if opening is None or closing is None or first.startswith(("<", *_COMMENTS)):
        return None
    name, sign = opening["name"].lower(), opening["sign"]
    if name == "patch":
        return None
    names = {closing["name"].lower(), closing["name"].lower().removeprefix("end")}
    is_end = closing["end"] or "/" in closing["sign"] or closing["name"][:3] == "end"
    is_alike = closing["sign"][0] == sign[0] and name in names
    is_same = first[-1] == last[-1] and not sign.isspace() and sign[0] in "{["
    if not is_alike or not (is_end or (is_same and closing["sign"] == sign)):
        return None
    return not (is_text or name in _CONDITIONS)


def _is_element(name: str, last: str, around: Surroundings) -> bool | None:
    if last != f"</{name}>" or around.has(f"<{name}"):
        return None
    is_of_model = _OF_MODELS.fullmatch(name) is not None
    if around.language not in _MARKUP or around.language == "":
        return True
    if not is_of_model:
        return None
    return name.lower() not in _OF_HTML
