"""Cuts first and last lines off a reply that belong to what showed it, not to the code.

Terminals, pagers, editors, mails and pages leave them: numbers on lines of their own, a
path, a prompt, a status line. Each is recognized by its form alone, so it is cut off
only if the file has no such line and the rest fits the range.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile

from redline.text.chatter import PROSE_LANGUAGES, is_certain_chatter
from redline.text.reply_forms.comment_lines import may_be_comment
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.place_names import is_path, is_place
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_COMMENT = re.compile(
    r"(?:/{2,}+|#++|--(?!-)|;++|%++|/\*++|<!--)[ \t]*+(?:%%)?[ \t]*+(?P<text>\S.*)"
)
_ABOUT_REPLY = re.compile(
    r"[-=*\s]{0,20}(?:(?:start|begin|beginning|end) of (?:the )?(?:replacement|edit"
    r"|edited|selection|range|changes?|snippet|new code|updated code|file|code)"
    r"|(?:the )?(?:updated|new|rewritten|refactored|modified|revised|corrected|fixed"
    r"|replacement) (?:code|version|text|range|lines|snippet)(?: below)?"
    r"|(?:the )?(?:rest|remainder) of (?:the )?(?:file|code|class|function|module)"
    r"(?: (?:is|remains|stays))?(?: (?:the )?(?:unchanged|same))?"
    r"|In\[\d*\]|%%|end of file)[:.]?[-=*\s]{0,20}",
    re.IGNORECASE,
)
"""What a comment says of the reply itself."""


_USER = r"(?:[\w.-]{1,40}@[\w.-]{1,60}[: ][^$#%>]{0,80}|\[[\w.-]+@[^\]]{1,80}\])"
_COMMAND = re.compile(
    rf"(?:{_USER}[$#%>]|(?:PS )?[A-Z]:\\[^>]{{0,80}}>|[$%\u276f\u279c])"
    r" ?(?:cat|sed|head|tail|less|more|bat|nl|git|vim?|nano|type|awk|Get-Content)\b"
    r"(?!.*<<).*"
)
_EMPTY_PROMPT = re.compile(rf"{_USER}[$#%>]|[$%\u276f\u279c]|PS [A-Z]:\\[^>]{{0,80}}>")
_MAIL_HEADER = re.compile(
    r"(?:Content-[A-Z][\w-]+|MIME-Version|Message-ID|From|To|Cc|Date|Subject|Hash"
    r"|Charset|Last-Modified|ETag|Server): \S.*|HTTP/\d\S* \d{3}.*|On .{6,120} wrote:"
    r"|-----BEGIN [A-Z ]{3,40}-----"
)
_STATUS = re.compile(
    r"\(END\)|--More--.{0,12}|~|-- [A-Z]{3,}(?: [A-Z]{3,})? --"
    r"|\".{1,200}\" (?:\[.{1,20}\] )?\d+L, \d+[BC].*|:(?:q|wq|x)!?|lines \d+-\d+.{0,20}"
    r"|\[(?:DONE|EOF|END|EOT|STOP)\]|<(?:EOT|EOF|END)>"
    r"|\[[A-Z]?[a-z]{1,40} [^\[\],;={}]{1,120}\]"
    r"|(?:\.{3}|\u2026) ?[(\[]?\+?\d+ (?:more )?(?:lines?|rows?|chars?)\b.{0,20}"
    r"|\u2026|\u2588|\[tokens?: [^\]]{1,80}\]"
)
_RULE = r"(?:-{3,80}+|={3,80}+|\*{3,80}+|#{3,80}+|~{3,80}+|\+{3,80}+|<{3,80}+|>{3,80}+)"
_BANNER = re.compile(rf"{_RULE} ?[A-Za-z./][^=;{{}}()]{{0,80}} ?{_RULE}")
_BAR = re.compile(r"={5,80}|\*{5,80}|-{5,80}|~{5,80}")
_LONE_END = re.compile(r"EOF|END|DONE|STOP|EOT|FIN")
_KEY_HELP = re.compile(r"\^[A-Z\\/_] \w.*")
_FOOTNOTE = re.compile(r"\[\^?\d{1,3}\]:? https?://\S.*")
_EDITOR_TITLE = re.compile(r"\s{0,8}GNU nano \d.*|\[ (?:Read|Wrote) \d+ lines? \]")
_RUN_BY_MAGIC = re.compile(r"%%\w+(?: \S.*)?|# ?%%.*|# In\[\d*\]:?")

_WITH_END = frozenset({"sql", "plsql", "ruby", "lua", "elixir", "julia", "shellscript"})
"""LSP language ids in which a word in capitals may end a text."""
_TITLE = re.compile(
    r"\*\*[^*]{2,80}\*\*:?|#{1,6} [A-Z][^=;{}()]{1,80}|[A-Z][\w ]{2,40}:"
)
_ITEM = re.compile(
    r"(?:[-*\u2022]|\d{1,2}[.)]) \S.*|\*\*.{1,200}|\[[^\]]{1,80}\]\([^\s)]{1,200}\).*"
)
_FENCE = ("```", "~~~")
_MAX_N_CHARS = 400
"""Longer lines are none of these."""

_PLAIN_TEXT = PROSE_LANGUAGES - {""}


def without_edges(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Cut off the lines at both ends that are no code.

    Returns:
        None if there are none, or if the rest is the unchanged range: then the user
        asked for them. "unsure" if the rest does not fit.
    """
    places = [at for at, line in enumerate(lines) if line.strip()]
    if not places or _BAR.fullmatch(lines[places[0]].strip()):
        return None
    texts = [lines[at].strip() for at in places]
    head = _n_foreign(texts, around, _is_above)
    if head == len(texts):
        return None
    section = _section(lines, around)
    if section:
        places = [at for at in places if at < section]
        texts = texts[: len(places)]
    tail = _n_foreign(texts[::-1], around, _is_below)
    if (
        tail
        and _LONE_END.fullmatch(texts[-tail])
        and _is_delimiter(texts[-tail], lines)
    ):
        return None
    if not (head or tail or section) or head + tail >= len(texts):
        return None
    rest = list(lines[places[head] : places[len(texts) - tail - 1] + 1])
    if [line.rstrip() for line in rest if line.strip()] == around.own_texts:
        return None
    if around.may_be_in_text:
        return None
    if not fits(rest, around):
        return "unsure" if head or tail else None
    stands = _stands_at_border(rest, around, at_start=head > 0)
    return "unsure" if around.language in _PLAIN_TEXT and not stands else rest


def _stands_at_border(
    rest: Sequence[str], around: Surroundings, *, at_start: bool
) -> bool:
    """Whether the rest begins or ends with the range's own line."""
    texts = [line.strip() for line in rest if line.strip()]
    own = [line.strip() for line in around.own_texts]
    at = 0 if at_start else -1
    return bool(own) and texts[at] == own[at]


def _n_foreign(
    texts: Sequence[str],
    around: Surroundings,
    is_foreign: Callable[[str, Surroundings], bool],
) -> int:
    """Count the lines from one end on that are no code."""
    n_lines = 0
    while n_lines < len(texts):
        n_numbers = _n_numbers(texts[n_lines:], around)
        text = texts[n_lines]
        is_one = (
            len(text) <= _MAX_N_CHARS
            and text not in around.texts
            and is_foreign(text, around)
        )
        if not (n_numbers or is_one):
            break
        n_lines += n_numbers or 1
    return n_lines


def _n_numbers(texts: Sequence[str], around: Surroundings) -> int:
    """Count the first lines that are consecutive numbers, if there are several."""
    found = [int(one) for one in takewhile(str.isdecimal, texts) if len(one) < 7]
    if len(found) < 2 or any(map(str.isdecimal, around.texts)):
        return 0
    steps = {after - before for before, after in pairwise(found)}
    return len(found) if steps <= {1} or steps <= {-1} else 0


def _is_above(text: str, around: Surroundings) -> bool:
    """Whether a line stands above code and is none."""
    if _COMMAND.fullmatch(text):
        return True
    if _RUN_BY_MAGIC.fullmatch(text):
        return not any(map(_RUN_BY_MAGIC.match, around.texts))
    if around.language in _PLAIN_TEXT:
        return _EDITOR_TITLE.fullmatch(text) is not None
    if _says_of_reply(text):
        return True
    if _is_path_comment(text) or (is_place(text) and around.language != "makefile"):
        # A file may begin with its own name.
        return any(map(str.strip, around.before))
    is_data = around.language in ("yaml", "dockercompose", "properties", "ini")
    if _MAIL_HEADER.fullmatch(text) and not is_data:
        return True
    return _is_banner(text, around) or _EDITOR_TITLE.fullmatch(text) is not None


def _is_below(text: str, around: Surroundings) -> bool:
    """Whether a line stands below code and is none."""
    if _FOOTNOTE.fullmatch(text):
        return True
    if any(one.fullmatch(text) for one in (_EMPTY_PROMPT, _STATUS, _KEY_HELP)):
        return not (text.startswith("[") and around.language in ("toml", "ini"))
    if around.language in _PLAIN_TEXT:
        return False
    if _LONE_END.fullmatch(text):
        return around.language not in _WITH_END and not around.has(text)
    if _says_of_reply(text):
        return True
    return _is_banner(text, around)


def _is_banner(text: str, around: Surroundings) -> bool:
    """Whether a line is a title between rules, as neither the language nor file has."""
    if _BANNER.fullmatch(text) is None or may_be_comment(text, around.language):
        return False
    short = (one for one in around.texts if len(one) <= _MAX_N_CHARS)
    return not any(map(_BANNER.fullmatch, short))


def _says_of_reply(text: str) -> bool:
    """Whether a comment speaks of the reply."""
    inner = _in_comment(text)
    is_talk = is_certain_chatter(inner) or _ABOUT_REPLY.fullmatch(inner) is not None
    return inner != "" and is_talk


def _in_comment(text: str) -> str:
    """Return the text of a comment; empty if a line is none."""
    comment = _COMMENT.fullmatch(text)
    if comment is None:
        return ""
    return comment["text"].rstrip().removesuffix("*/").removesuffix("-->").rstrip(" *")


def _is_delimiter(word: str, lines: Sequence[str]) -> bool:
    """Whether a word ends a here-document of the reply."""
    return any("<<" in line and word in line for line in lines)


def _is_path_comment(text: str) -> bool:
    return is_path(_in_comment(text))


def _section(lines: Sequence[str], around: Surroundings) -> int:
    """Return where a section of Markdown begins below the code; 0 if nowhere."""
    if around.language in PROSE_LANGUAGES - {""}:
        return 0
    is_data = around.language in ("yaml", "dockercompose")
    for at in range(1, len(lines) - 1):
        title = lines[at].strip()
        if lines[at - 1].strip() or not title or title in around.texts:
            continue
        if not _TITLE.fullmatch(lines[at]) or (is_data and title[0] not in "*#"):
            continue
        if _is_markdown(lines[at + 1 :]):
            return at
    return 0


def _is_markdown(lines: Sequence[str]) -> bool:
    """Whether lines are items and fenced blocks, and at least one of them."""
    is_in_block, n_parts = False, 0
    for line in lines:
        text = line.strip()
        if text.startswith(_FENCE):
            is_in_block = not is_in_block
            n_parts += 1
        elif not text or is_in_block:
            continue
        elif _ITEM.fullmatch(text):
            n_parts += 1
        elif not (_TITLE.fullmatch(text) or text[-1] in ".:!?"):
            return False
    return n_parts > 0 and not is_in_block
