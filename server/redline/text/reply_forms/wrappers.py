"""Takes the range's text out of what a model has put around the whole of it.

That is a name of the language above it, a label, a JSON value, quotation marks of
Markdown, a shell command that writes the file, and the like. Each may also be what the
user asked for. So it is taken off only in languages of code, where it cannot be code
itself, and where the text in it begins as the range does; otherwise it stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.fence import in_code_span, is_code_span
from redline.text.indentation import indent_of
from redline.text.reply_forms.json_text import (
    JSON_START,
    PATCH,
    is_call_with_text,
    texts_in_json,
)
from redline.text.reply_forms.likeness import (
    begins_as_range,
    first_text,
    fits,
    is_of_range,
    shares_lines,
)
from redline.text.reply_forms.patch import lines_in_text
from redline.text.reply_forms.surroundings import Doubt, Surroundings
from redline.text.search_replace import BlockReader, is_search_mark

_NAMES = {
    "python": ("python", "py", "python3"),
    "javascript": ("javascript", "js"),
    "typescript": ("typescript", "ts"),
    "java": ("java",),
    "go": ("go", "golang"),
    "rust": ("rust", "rs"),
    "c": ("c",),
    "cpp": ("cpp", "c++"),
    "csharp": ("csharp", "cs", "c#"),
    "kotlin": ("kotlin", "kt"),
    "swift": ("swift",),
    "php": ("php",),
}
"""Languages of code by their LSP ids, with the names that models write for them on a
line of their own. Other languages have lines that look like a wrapper."""

_OTHER_NAMES = {
    "css": ("css",),
    "less": ("less", "css"),
    "scss": ("scss", "sass", "css"),
    "sql": ("sql",),
    "yaml": ("yaml", "yml"),
    "dockercompose": ("yaml", "yml"),
    "json": ("json",),
    "jsonc": ("json", "jsonc"),
    "ruby": ("ruby", "rb"),
}
"""The same of those of which only such a line is cut off: a text in another wrapper may
be what the file has."""

_FENCE_NAMES = {
    "shellscript": ("bash", "sh", "shell", "zsh"),
    "dockerfile": ("docker",),
    "makefile": ("make",),
    "javascriptreact": ("jsx", "javascript", "js"),
    "typescriptreact": ("tsx", "typescript", "ts"),
    "terraform": ("hcl", "tf"),
    "perl": ("pl",),
    "powershell": ("ps1", "pwsh"),
    "markdown": ("md",),
    "plaintext": ("text", "txt"),
}
"""Further names behind an opening fence, besides the id itself. Some are commands of
the language, so such a line is cut off only if the end of the reply closes a fence."""

_NO_BACKTICKS = frozenset({"python", "java", "rust", "c", "cpp", "csharp"})
"""Languages in which no code is between backticks."""

_LABEL = re.compile(
    r"(?:here is the |the )?(?:new|updated|edited|fixed|corrected|modified|revised"
    r"|final|rewritten) (?:code|text|range|version|lines|snippet|answer):",
    re.IGNORECASE,
)
_BOLD_LABEL = re.compile(r"\*\*[^*\n]+\*\*:?")
_WITH_COMMANDS = PROSE_LANGUAGES | frozenset(
    {"dockercompose", "dockerfile", "makefile", "perl", "ruby", "shellscript", "yaml"}
)
"""LSP language ids in which a command that writes no file is text."""
_COMMANDS = ("cat ", "tee ")
_TO_VARIABLE = re.compile(r"read (?:-\w+ (?:'' )?){1,4}\w+ <<|\w+=\$\(cat <<")
"""A command that sets a variable to a text."""
_HERE_TEXT = re.compile(r"\s*(?:cat|tee)\b[^<]{0,200}<<")

_MARKS = {
    "old": re.compile(r"^[ \t]*+(?:<{5,9}(?: .*)?|-{5,9} SEARCH)\s*$"),
    "base": re.compile(r"\|{7}(?: .*)?$"),
    "new": re.compile(r"^[ \t]*+={5,9}[ \t]*+$"),
    "end": re.compile(r"^[ \t]*+(?:>{5,9}(?: .*)?|\+{5,9} REPLACE)\s*$"),
    "place": re.compile(r":(?:start|end)_line:\s*\d+\s*$|-{7}$"),
}
"""Marks of the parts of a block."""
_SEARCH = re.compile(r"[ \t]*+-{5,9} SEARCH\s*$")
_LEAST_RUN = 5
"""Fewest signs of a mark that begins a block."""
_USUAL = {"old": "<<<<<<< SEARCH", "new": "=======", "end": ">>>>>>> REPLACE"}
_MARK_BEFORE = _MARKS["old"]

_DATA = PROSE_LANGUAGES | frozenset({"dockercompose", "json", "jsonc", "toml", "yaml"})
"""LSP language ids in which a value of JSON is text of the file."""

_Step = Callable[[list[str], Surroundings], "list[str] | Doubt | None"]


def without_fence_name(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Cut off the language's name that stood behind an opening fence that was lost.

    Args:
        lines: A reply whose last line closed a fence that nothing opens.
        around: Its range.

    Returns:
        None if the first line is no such name, or that of the range, too.
    """
    at, own_at = first_text(lines), first_text(around.target)
    language = around.language
    if at is None:
        return None
    text, rest = lines[at].strip(), list(lines[at + 1 :])
    tables = (_NAMES, _OTHER_NAMES, _FENCE_NAMES)
    names = {language, *(name for table in tables for name in table.get(language, ()))}
    if text.lower() not in names or not any(map(str.strip, rest)):
        return None
    if own_at is not None and around.target[own_at].strip() == text:
        return None
    is_text = language in PROSE_LANGUAGES or around.may_be_in_text
    is_known = text in around.texts
    return "unsure" if is_known or is_text else rest


def unwrapped(lines: Sequence[str], around: Surroundings) -> list[str] | Doubt | None:
    """Return the lines without what is around all of them; None if nothing is.

    If the text in it is the unchanged range, the user asked for what is around it.
    """
    is_code = around.language in _NAMES
    if around.may_be_in_text:
        is_odd = _is_odd(lines, around) or (is_code and _holds_json(lines, around))
        is_odd |= _command(list(lines), around) is not None
        return "unsure" if is_odd else None
    found = list(lines)
    for step in _STEPS if is_code else _ELSEWHERE:
        inner = step(found, around)
        if inner == "unsure":
            return inner
        if inner is None or around.is_target(inner):
            continue
        if not any(map(str.strip, inner)):
            return "unsure"
        found = inner
    if found != list(lines):
        return found
    is_odd = not is_code and _is_odd(lines, around)
    holds = is_call_with_text if around.language in _DATA else _holds_json
    return "unsure" if is_odd or holds(lines, around) else None


def blocks(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return a reply that is in search/replace blocks, with their usual marks.

    Returns:
        None if it should be plain text, or the file has such marks, too. The marks may
        be those of another tool, or of a conflict of Git.
    """
    text = "\n".join(lines)
    if "<" * _LEAST_RUN not in text and "-" * _LEAST_RUN not in text:
        return None  # Nearly every reply.
    has_search = any(map(_begins_block, lines))
    if not (has_search or any(map(_MARK_BEFORE.match, lines))):
        return None
    if any(map(_MARK_BEFORE.match, around.lines)):
        return None
    marks = [
        next((name for name, sign in _MARKS.items() if sign.match(line)), "")
        for line in lines
    ]
    if not {"old", "new", "end"} <= set(marks):
        if not has_search:
            return None
        start = next(at for at, line in enumerate(lines) if _begins_block(line))
        return None if start in lines_in_text(lines) else list(lines)
    at = first_text(lines)
    if not has_search and (at is None or marks[at] != "old"):
        return None  # The conflict is text of the code.
    found: list[str] = []
    is_base = False
    for mark, line in zip(marks, lines, strict=True):
        # The common base of a conflict, and the line number of a block, are dropped.
        is_base = mark == "base" or (is_base and mark != "new")
        if mark in ("old", "new", "end"):
            found.append(_USUAL[mark])
        elif not is_base and not (mark == "place" and found[-1:] == [_USUAL["old"]]):
            found.append(line)
    return found


def _begins_block(line: str) -> bool:
    return is_search_mark(line) or _SEARCH.match(line) is not None


def with_blocks_applied(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Apply search/replace blocks to the range; None if they do not fit."""
    reader = BlockReader(around.target)
    new = [one for line in lines for one in reader.feed(line)]
    new += reader.finish()
    return new if reader.has_text else None


def _first_line(lines: list[str], around: Surroundings) -> list[str] | None:
    """Cut off a line that only names the language or the answer."""
    at = first_text(lines)
    language = around.language
    names = _NAMES.get(language) or _OTHER_NAMES.get(language) or (language,)
    if at is None or language in PROSE_LANGUAGES:
        return None
    text = lines[at].strip()
    is_name = text.lower() in names
    if not (is_name or _LABEL.fullmatch(text) or _BOLD_LABEL.fullmatch(text)):
        return None
    rest = lines[at + 1 :]
    if is_name:
        # As a statement, a name that the file does not have is no code.
        word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
        is_wrapper = not any(map(word.search, around.lines)) and any(
            map(str.strip, rest)
        )
    else:
        is_wrapper = begins_as_range(rest, around) and not around.has(text)
    return rest if is_wrapper else None


def _json_value(lines: list[str], around: Surroundings) -> list[str] | None:
    """Read the text that a JSON value has for the range."""
    found = texts_in_json(lines, around)
    if len(found) > 1:
        found = [one for one in found if fits(one, around)]
    if len(found) != 1:
        return None
    # A text alone may be a string that was asked for.
    is_object = not "\n".join(lines).lstrip().startswith(('"', "'", "["))
    if any(map(PATCH.match, found[0])):
        return found[0]
    is_indented = any(line[:1].isspace() for line in found[0])
    is_one = (fits if is_object or is_indented else shares_lines)(found[0], around)
    return found[0] if is_one else None


def _code_spans(lines: list[str], around: Surroundings) -> list[str] | Doubt | None:
    """Take the backticks off lines that are code spans of Markdown."""
    texts = [line.strip() for line in lines if line.strip()]
    own = next((line.strip() for line in around.target if line.strip()), "")
    if around.language in PROSE_LANGUAGES or own.startswith(("`", "'", '"')):
        return None
    if len(texts) == 1 and (inner_line := _in_outer_backticks(lines, around)):
        return inner_line
    if not texts or not all(map(is_code_span, texts)):
        return None
    if any(line.strip().startswith("`") for line in around.lines):
        return None
    inner = [in_code_span(line) for line in lines]
    if around.language not in _NO_BACKTICKS and any("${" in line for line in inner):
        return None  # A template of JavaScript.
    if begins_as_range(inner, around) or fits(inner, around):
        return inner
    indent = indent_of(next(filter(str.strip, around.target), ""))
    if indent != "" and indent_of(next(filter(str.strip, inner), "")) == indent:
        return inner
    return "unsure"


def _in_outer_backticks(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Take a line that has backticks of its own out of those around it."""
    text = "\n".join(lines).strip()
    inner = text[1:-1]
    has_own = inner.count("`") > 0 and inner.count("`") % 2 == 0
    if not (has_own and text[0] == text[-1] == "`") or inner[0] == "`":
        return None
    return [inner] if fits([inner], around) else None


def _php_tag(lines: list[str], around: Surroundings) -> list[str] | None:
    """Cut off the opening tag of PHP in front of a part of a file."""
    at = first_text(lines)
    if at is None or lines[at].strip() not in ("<?php", "<?"):
        return None
    if around.language != "php" or any("<?" in line for line in around.target):
        return None
    above = "\n".join(around.before)
    if above.rfind("<?") <= above.rfind("?>"):
        return None
    rest = lines[at + 1 :]
    texts = [n for n, line in enumerate(rest) if line.strip()]
    if texts and rest[texts[-1]].strip() == "?>":
        rest = rest[: texts[-1]]
    return rest


def _command(lines: list[str], around: Surroundings) -> list[str] | Doubt | None:
    """Take the text out of a shell command that writes it to a file."""
    texts = [n for n, line in enumerate(lines) if line.strip()]
    if len(texts) < 3:
        return None
    first = lines[texts[0]].strip().removeprefix("$").lstrip()
    _, mark, tail = first.rpartition("<<")
    words = tail.removeprefix("-").split()
    is_command = first.startswith(_COMMANDS) or _TO_VARIABLE.match(first)
    if not is_command or not mark or not words:
        return None
    if lines[texts[-1]].strip() != words[0].strip("\"'"):
        return None
    inner = lines[texts[0] + 1 : texts[-1]]
    if around.language in _WITH_COMMANDS and not re.search(r">|^tee", first):
        return _printed(inner, around, is_quoted=words[0][0] in "\"'\\")
    return inner if fits(inner, around) else "unsure"


def _printed(
    lines: list[str], around: Surroundings, *, is_quoted: bool
) -> list[str] | Doubt | None:
    """Return what a command prints that writes no file, if the range has it as code.

    A script may print a text; that text is no changed version of the range.
    """
    own, known = around.own_texts, {line.rstrip() for line in lines}
    is_text = around.language in PROSE_LANGUAGES
    if is_text or len(own) < 2 or any(map(_HERE_TEXT.match, own)):
        return None
    if 2 * sum(line in known for line in own) < len(own):
        return None
    return lines if is_quoted else "unsure"


def _is_odd(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether the first line has no place in the file, but may be asked for.

    It is the language's name, less indented than the range, or a code span that begins
    with the range's first word.
    """
    at, own_at = first_text(lines), first_text(around.target)
    if at is None or own_at is None or around.has(lines[at].strip()):
        return False
    words, own_words = lines[at].split(), around.target[own_at].split()
    if is_code_span(lines[at].strip()) and around.language not in PROSE_LANGUAGES:
        return len(words) > 1 and words[0][1:] == own_words[0]
    is_name = lines[at].rstrip() == around.language
    return is_name and around.target[own_at][:1].isspace()


def _holds_json(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a JSON value has a text that may be the range's, or JSON again."""
    return any(
        not around.is_target(value)
        and (
            len(value) > 1
            or is_of_range(value, around)
            or JSON_START.match(value[0]) is not None
        )
        for value in texts_in_json(lines, around)
    )


_STEPS: tuple[_Step, ...] = (
    _first_line,
    _json_value,
    _code_spans,
    _command,
    _php_tag,
)
"""Each is taken once."""

_ELSEWHERE: tuple[_Step, ...] = (_json_value, _code_spans, _command, _first_line)
"""Those that are safe in any language."""
