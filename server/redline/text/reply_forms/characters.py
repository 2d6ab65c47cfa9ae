"""Restores characters that were changed on the way: entities, quotes, tabs."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.indentation import indent_of
from redline.text.reply_forms.escapes import STRING
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#\d{2,3}|#x[0-9a-f]{2});", re.IGNORECASE)
_OPERATOR = re.compile(r"&amp;&amp;|=&gt;")
_ESCAPED_OPERATOR = re.compile(r"&amp;&amp;|[=-]&gt;|(?<=\s)&[lg]t;=?(?=\s)")
"""What no code has outside of strings, unless all of it was escaped."""
_TWICE = re.compile(r"&amp;(?:lt|gt|amp|quot|apos|#0?39);")
_MARKUP = frozenset({"html", "xml"})
_TAGGED = frozenset({"javascript", "javascriptreact", "php", "typescriptreact"})
"""LSP language ids of code that may have text within tags."""
_MIXED = _TAGGED | {"svelte", "vue"}
"""Those of markup with code in it, too."""
_DATA = frozenset({"dockercompose", "dotenv", "ini", "properties", "yaml"})
"""Those of texts whose values need no quotation marks."""
_CODE = re.compile(r"\$\w|[;{}][ \t]*$", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][\w-]*")
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
"""Blanks that no language of code takes for one."""

_NO_WIDTH = re.compile("[\u200b\u2060\ufeff]")
"""Without the two joiners, which belong to words and emoji."""

_NEEDS_PLAIN_BLANKS = frozenset(
    {"python", "java", "go", "rust", "c", "cpp", "csharp", "kotlin", "swift"}
    | {"dart", "elixir", "groovy", "lua", "scala", "terraform"}
)
"""Languages without text outside of strings and comments. JavaScript is not one of
them: it has JSX, and takes these blanks for plain ones."""

_NEEDS_PLAIN_QUOTES = (
    _NEEDS_PLAIN_BLANKS
    | _TAGGED
    | {"css", "dart", "groovy", "json", "jsonc", "less", "ruby", "scala", "scss"}
    | {"shellscript", "sql", "typescript"}
)
"""Languages in which a typographic quotation mark outside of strings, comments and tags
is a mistake."""

_ODD_START = re.compile(rf"^(?:[ \t]|{_BLANK.pattern}|{_NO_WIDTH.pattern})+")
_LONG_TEXT = re.compile('"""|\'\'\'|`|/\\*|R"|r#')

_CURLY = {"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2018": "'", "\u2019": "'"}
_CURLY_SIGN = re.compile("[" + "".join(_CURLY) + "]")
_CURLY_STRING = re.compile(
    rf"(?<!\w)[{''.join(_CURLY)}][^\n{''.join(_CURLY)}]*+[{''.join(_CURLY)}](?!\w)"
)
"""A string between such marks; an apostrophe is within a word."""
_SQL_COMMENT = re.compile(r"--[^\n]*+")
_IN_TAGS = frozenset({"html", "xml", "vue", "svelte"})
_QUOTE = "[\"'" + "".join(_CURLY) + "]"
_CURLY_ATTRIBUTE = re.compile(
    rf"(?<=\w)=(?:[{''.join(_CURLY)}][^<>\n\"'{''.join(_CURLY)}]*+{_QUOTE})"
)
_CURLY_VALUE = re.compile(
    rf"[:=\[,-][ \t]?[{''.join(_CURLY)}][^\n{''.join(_CURLY)}]*+"
    rf"[{''.join(_CURLY)}]\]?,?$",
    re.MULTILINE,
)
_DASHES = re.compile(r"--[^\n]*")
"""Comments of SQL and Lua."""

_SPACE_UNITS = (8, 4, 3, 2)
_MIN_N_STYLED = 2


def with_plain_blanks(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Replace blanks that are not the usual ones, and remove those without a width.

    In an indentation they are never meant; elsewhere they may be in strings and
    comments, and in languages with text outside of these, or if the file has them. If
    one without a width is outside of them, none is meant.
    """
    text = "\n".join(lines)
    if around.language in PROSE_LANGUAGES or not _has_odd_blank(text):
        return None
    if any(map(_has_odd_blank, around.lines)) or around.may_be_in_text:
        return None
    new = [
        _ODD_START.sub(lambda found: _plain_blanks(found[0]), line) for line in lines
    ]
    has_no_other = not re.search(r"\S[ ]", text) and around.has(" ")
    if has_no_other and (new != list(lines) or len(_BLANK.findall(text)) > 2):
        new = list(map(_plain_blanks, new))
    elif around.language in _NEEDS_PLAIN_BLANKS:
        is_long = _LONG_TEXT.search(text) or any(line.count('"') % 2 for line in lines)
        new = new if is_long else list(map(_with_plain_code, new))
    if _NO_WIDTH.search(STRING.sub("", text)):
        new = [_NO_WIDTH.sub("", line) for line in new]
    return None if new == list(lines) else new


def _has_odd_blank(text: str) -> bool:
    is_odd = not text.isascii() and (_BLANK.search(text) or _NO_WIDTH.search(text))
    return bool(is_odd)


def _plain_blanks(text: str) -> str:
    return _NO_WIDTH.sub("", _BLANK.sub(" ", text))


def _with_plain_code(line: str) -> str:
    """Replace odd blanks outside of the strings and comments of a line."""
    at, parts = 0, []
    for string in STRING.finditer(line):
        parts += [_plain_blanks(line[at : string.start()]), string[0]]
        at = string.end()
    return "".join((*parts, _plain_blanks(line[at:])))


def has_odd_sign(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether code has a sign outside of strings and comments that no code has.

    It is what is left of a form that is not known. Letters are names in many languages.
    """
    text = "\n".join(lines)
    if around.language not in _NEEDS_PLAIN_BLANKS | {"css", "less", "scss", "sql"}:
        return False
    if text.isascii() and "\x1b" not in text:
        return False
    if _LONG_TEXT.search(text) or around.may_be_in_text:
        return False
    outside = _DASHES.sub("", STRING.sub("", text))
    odd = {sign for sign in outside if _is_odd(sign)}
    return bool(odd) and not any(map(around.has, odd))


def _is_odd(sign: str) -> bool:
    is_white = sign in "\n\t\f\r"
    return (not sign.isascii() or sign < " ") and not (sign.isalnum() or is_white)


def unescaped(lines: Sequence[str], around: Surroundings) -> list[str] | Doubt | None:
    """Replace HTML entities in a reply that was escaped as a whole.

    Where an entity is a usual way to write a character, the reply is left as it is; it
    is doubtful if the tags of the range seem to be escaped, or code is mixed in.

    Code that writes HTML has entities within strings; a text that was escaped has them
    as operators or quotation marks, and none of the characters that they stand for.
    What escapes `&` or quotation marks also escapes the signs of tags.
    """
    lines = _escaped_once(lines)
    text = "\n".join(lines)
    if not _ENTITY.search(text) or any(map(_ENTITY.search, around.lines)):
        return None
    rest = _ENTITY.sub("", text)
    names = {found[0].lower() for found in _ENTITY.finditer(text)}
    signs = {html.unescape(name) for name in names}
    if not signs <= {"<", ">"}:
        signs |= set("<>&")
    if _ESCAPED_OPERATOR.search(STRING.sub("", text)):
        signs -= {'"', "'"}  # Some escape them, and some only those within tags.
    if any(sign in rest for sign in signs):
        return None
    is_page = around.language in _MIXED or around.language == "html"
    if is_page and _is_escaped_markup(lines, around):
        return html.unescape(text).split("\n")
    if around.language in _MIXED and not any(map(_CODE.search, around.target)):
        return "unsure"
    if around.language in _MARKUP | PROSE_LANGUAGES:
        return "unsure" if any(map(_TAG.search, around.target)) else None
    if not _ENTITY.search(STRING.sub("", text)):
        return None
    if around.language in _DATA or around.may_be_in_text:
        return "unsure"
    return html.unescape(text).split("\n")


def _escaped_once(lines: Sequence[str]) -> Sequence[str]:
    text = "\n".join(lines)
    if _TWICE.search(text) and not re.search(r"&(?!amp;)", text):
        return text.replace("&amp;", "&").split("\n")
    return lines


def _is_escaped_markup(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether an escaped text begins as the range does, or all lines with a tag.

    Or it has an operator of code, which no text of a page is. It must have all tags of
    the range.
    """
    own = _TAG.findall("\n".join(around.target))
    new = html.unescape("\n".join(lines))
    found = _TAG.findall(new)
    begins_alike = new.lstrip().startswith("<") and found[:1] == own[:1]
    is_all = all(line.lstrip().startswith("&lt;") for line in lines if line.strip())
    has_operator = around.language in _MIXED and any(map(_OPERATOR.search, lines))
    is_escaped = begins_alike or is_all or has_operator
    return bool(own) and is_escaped and set(own) <= set(found)


def straightened(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Replace typographic quotation marks that delimit strings.

    Only where a language has no text outside of strings and comments: a mark there
    shows that the reply's quotation marks were replaced. In markup, the value of an
    attribute shows it; in data, a value that the range has with plain marks does, and
    else it is doubtful whether a value is meant to have them.
    """
    text = "\n".join(lines)
    if text.isascii() or not _CURLY_SIGN.search(text) or around.may_be_in_text:
        return None
    if around.language in _IN_TAGS:
        if any(map(_CURLY_ATTRIBUTE.search, around.lines)):
            return None
        return _CURLY_ATTRIBUTE.sub(lambda found: _plain_quotes(found[0]), text).split(
            "\n"
        )
    if around.language in _DATA:
        if any(map(_CURLY_SIGN.search, around.lines)):
            return None
        plain = _plain_quotes(text)
        own = set(STRING.findall("\n".join(around.target)))
        if own & set(STRING.findall(plain)):
            return plain.split("\n")  # It repeats values of the range.
        return "unsure" if _CURLY_VALUE.search(text) else None
    if around.language not in _NEEDS_PLAIN_QUOTES or (
        around.language in _TAGGED and _has_text_in_tags(text)
    ):
        return None
    code = STRING.sub("", text)
    if around.language == "sql":
        code = _SQL_COMMENT.sub("", code)
    outside = set(_CURLY_SIGN.findall(code))
    if not outside or any(map(around.has, outside)):
        return None
    return [_plain_dash(line, around) for line in _plain_quotes(text).split("\n")]


def _plain_dash(line: str, around: Surroundings) -> str:
    """Return a line of the range with its two hyphens, which became a dash."""
    plain = re.sub("[\u2013\u2014]", "--", line)
    return plain if plain.strip() in around.own_texts else line


def _has_text_in_tags(text: str) -> bool:
    """Whether a text has tags, but for those in strings with typographic marks."""
    rest = _CURLY_STRING.sub("", text)
    if _TAG.search(rest) is None:
        return _TAG.search(text) is not None and _CURLY_SIGN.search(rest) is not None
    return True


def _plain_quotes(text: str) -> str:
    return _CURLY_SIGN.sub(lambda found: _CURLY[found[0]], text)


_TABBED_TEXT = re.compile(r"<<-[\"']?\w")
"""What begins a here-document of which tabs, and only these, are removed."""


def reindented(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Indent a reply with tabs if its range does, and with spaces if its range does.

    What a range without indentation has, its file shows.
    """
    if any(map(_TABBED_TEXT.search, lines)):
        return None
    indents, own_indents = _blanks_before(lines), _blanks_before(around.target)
    if not indents or (own_indents and indents <= own_indents):
        return None
    known = set(around.lines)
    wants_tabs = own_indents == {"\t"} if len(own_indents) == 1 else _uses_tabs(known)
    new = [line for line in lines if line.strip() and line not in known]
    if wants_tabs is None or not any(
        _contradicts(indent_of(line), wants_tabs=wants_tabs) for line in new
    ):
        return None
    if wants_tabs:
        unit = _unit(lines)
        return [_with_tabs(line, unit) for line in lines]
    unit = _unit(around.lines)
    return [_with_spaces(line, unit) for line in lines]


def _blanks_before(lines: Iterable[str]) -> set[str]:
    """Return the blanks that lines with text begin with."""
    return {line[0] for line in lines if line.strip() and line[0] in " \t"}


def _uses_tabs(lines: Iterable[str]) -> bool | None:
    """Return what all lines of a file are indented with; None: mixed or unknown."""
    n_tabs = sum(1 for line in lines if line.startswith("\t"))
    n_spaces = sum(1 for line in lines if line.startswith("  "))
    if (n_tabs and n_spaces) or max(n_tabs, n_spaces) < _MIN_N_STYLED:
        return None
    return n_tabs > 0


def _contradicts(indent: str, *, wants_tabs: bool) -> bool:
    return indent.startswith("  ") if wants_tabs else "\t" in indent


def _unit(lines: Iterable[str]) -> int:
    """Return the width of one step of indentation with spaces: the usual increase."""
    depths = [len(indent_of(line)) for line in lines if line.strip()]
    steps = Counter(
        after - before
        for before, after in pairwise(depths)
        if after - before in _SPACE_UNITS
    )
    return max(
        steps, key=steps.__getitem__, default=min(filter(None, depths), default=4)
    )


def _with_tabs(line: str, unit: int) -> str:
    indent = indent_of(line).expandtabs(unit)
    return (
        "\t" * (len(indent) // unit) + " " * (len(indent) % unit) + line.lstrip(" \t")
    )


def _with_spaces(line: str, unit: int) -> str:
    indent = indent_of(line)
    return indent.replace("\t", " " * unit) + line[len(indent) :]
