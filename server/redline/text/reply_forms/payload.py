"""Takes the text for the range out of a document that holds it in one field.

Models that were trained on tools answer in XML, YAML, TOML or the call of a function;
what is not the text is a name, a path or an explanation. JSON is read in `wrappers`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from textwrap import dedent

from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

KEYS = (
    r"(?:new|updated|replacement|edited|fixed|final|modified|revised)?_?"
    r"(?:str(?:ing)?|text|code|content|contents|range|lines?|output|answer|result"
    r"|replacement|edit|snippet|source|body|value|patch|selection)"
)
"""Names of fields that hold the text, as a pattern."""

_NAMES = (
    r"final|solution|response|rewrite|assistant|file|artifact"
    r"|(?:rewritten|replaced|new|updated)_?(?:file|range|code|text|lines)"
)
"""Further names of elements that hold it."""

_CDATA = re.compile(r"<!\[CDATA\[(?P<text>(?:(?!<!\[CDATA\[).)*?)\]\]>", re.DOTALL)
_PRE = re.compile(
    r"\s*+<pre\b[^>]*+>(?:\s*+<code\b[^>]*+>)?(?P<text>.*)</pre>\s*+",
    re.DOTALL | re.IGNORECASE,
)
_CODE_END = "</code>"
_PARAMETER = re.compile(
    rf"<(?P<tag>(?:antml:)?(?:parameter|argument|arg|param|field|property|input))"
    rf"(?:=| name=)\"?{KEYS}\"?>(?P<text>(?:(?!<(?P=tag)).)*?)</(?P=tag)>",
    re.DOTALL | re.IGNORECASE,
)
_PAIR = re.compile(
    rf"<arg_key>{KEYS}</arg_key>\s*<arg_value>(?P<text>(?:(?!<arg_value>).)*?)</arg_value>",
    re.DOTALL | re.IGNORECASE,
)
_ELEMENT = re.compile(
    rf"<(?P<name>{KEYS}|{_NAMES})\b[^<>]*+>(?P<text>(?:(?!<(?P=name)\b).)*?)</(?P=name)>",
    re.DOTALL | re.IGNORECASE,
)
_BLOCK = re.compile(
    rf"^(?P<indent>[ ]*)(?:- )?[\"']?{KEYS}[\"']?:[ ]*[|>][-+0-9]*[ ]*\n"
    r"(?P<text>(?:(?P=indent)[ ][ \t]*\S.*(?:\n|\Z)|[ \t]*\n)+)",
    re.MULTILINE | re.IGNORECASE,
)
_YAML_BLOCK = re.compile(rf"^[ ]*(?:- )?{KEYS}: [|>]", re.MULTILINE)
_YAML_LINE = re.compile(r"(?:---|\.{3}|(?:- )?[\"']?[\w-]+[\"']?:(?: .*)?|\s+.*|)$")
_QUOTED = re.compile(
    rf"(?:^|[(,\s]){KEYS}\s*=\s*(?P<quote>\"{{3}}|'{{3}}|`)(?P<text>.*?)(?P=quote)",
    re.DOTALL | re.IGNORECASE,
)
_CALL = re.compile(
    r"\s*(?:print|write|edit|replace|apply|update|insert)\w*(?:\.\w+)?\(\s*"
    r"(?P<quote>\"{3}|'{3}|`)(?P<text>.*?)(?P=quote)\s*+\)\s*+;?\s*+",
    re.DOTALL,
)


def taken_out(lines: Sequence[str], around: Surroundings) -> list[str] | Doubt | None:
    """Return the only text for the range that a document holds.

    Returns:
        None if the reply is no such document, or the file has its signs.
    """
    text = "\n".join(lines)
    own = "\n".join(around.target).strip()
    if not text.strip():
        return None
    found = [
        one
        for one in _texts(text, around)
        if any(map(str.strip, one)) and "\n".join(one).strip() != own
    ]
    fitting = [one for one in found if fits(one, around)]
    if len(fitting) == 1:
        return fitting[0]
    is_code = not found or around.may_be_in_text or _begins_with_name(text)
    return None if is_code else "unsure"


def _texts(text: str, around: Surroundings) -> list[list[str]]:
    """Return the texts in the fields of a document."""
    if "<arg_key>" in text and not around.has("<arg_key>"):
        return [_plain(found["text"]) for found in _PAIR.finditer(text)]
    if text.lstrip().startswith("<"):
        for pattern in (_CDATA, _PARAMETER):
            sign = pattern.search(text)
            if sign and around.language != "xml" and not around.has(sign[0][:9]):
                return [_plain(found["text"]) for found in pattern.finditer(text)]
        return _elements(text, around)
    if around.language not in ("yaml", "dockercompose") and _is_yaml(text):
        blocks = _BLOCK.finditer(text)
        return [_plain(dedent(found["text"])) for found in blocks]
    if (call := _CALL.fullmatch(text)) and not _begins_alike(text, around):
        return [_plain(call["text"])]
    if around.language != "toml" and not _begins_alike(text, around):
        is_call = text.rstrip(" ;\n").endswith((")", '"""', "'''", "`"))
        if is_call and _begins_with_name(text):
            return [_plain(found["text"]) for found in _QUOTED.finditer(text)]
    return []


def _elements(text: str, around: Surroundings) -> list[list[str]]:
    if (pre := _PRE.fullmatch(text)) and not around.has("<pre"):
        inner = pre["text"].rstrip()
        if inner.lower().endswith(_CODE_END):
            inner = inner[: -len(_CODE_END)]
        return [_plain(html.unescape(inner))]
    if around.language in ("html", "xml") or not re.match(r"\s*<[\w?]", text):
        return []
    return [
        _plain(found["text"])
        for found in _ELEMENT.finditer(text)
        if not around.has(f"<{found['name']}")
    ]


def _is_yaml(text: str) -> bool:
    if not _YAML_BLOCK.search(text):
        return False
    return all(map(_YAML_LINE.match, text.strip("\n").split("\n")))


def _begins_with_name(text: str) -> bool:
    """Whether a text begins with a call or an assignment, which may be code."""
    return (
        re.match(r"\s*(?:(?:const|let|var|local|my) )?\w+(?:\.\w+)*\s*[(=\[]", text)
        is not None
    )


def _begins_alike(text: str, around: Surroundings) -> bool:
    """Whether a reply begins with the word that the range begins with."""
    own = "\n".join(around.target).split(maxsplit=1)
    return text.split(maxsplit=1)[:1] == own[:1]


def _plain(text: str) -> list[str]:
    return text.strip("\n").split("\n")
