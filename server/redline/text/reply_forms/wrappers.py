"""Takes the range's text out of what a model has put around the whole of it.

That is a name of the language or of the file above it, a JSON value, quotation marks of
Markdown, a tag for the answer, a shell command that writes the file, and the like. A
wrapper is only one if neither the range nor its file has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.fence import is_code_span
from redline.text.reply_forms.surroundings import Doubt, Surroundings
from redline.text.search_replace import BlockReader, is_search_mark

_LANGUAGES = frozenset(
    {
        *("python", "py", "python3", "javascript", "js", "jsx", "typescript", "ts"),
        *("tsx", "go", "golang", "rust", "rs", "java", "csharp", "cs", "c#", "cpp"),
        *("c++", "ruby", "rb", "php", "sql", "json", "jsonc", "yaml", "yml", "toml"),
        *("html", "css", "scss", "xml", "kotlin", "swift", "dockerfile", "hcl"),
    }
)
"""Names of languages as models write them on a line of their own."""

_PEOPLE = PROSE_LANGUAGES - {""}
_SHELLS = frozenset({"shellscript", "makefile", "dockerfile", "bat", "powershell"})
_LABEL = re.compile(
    r"[*_#\s]*(?:output|answer|result|solution|response|code|replacement|final answer"
    r"|(?:new|updated|edited|fixed|corrected|modified|revised|final|rewritten) "
    r"(?:code|text|range|version|lines|snippet))\s*:?[*_\s]*$",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r"\s*(?:(?:#|//|--|;|/\*+|<!--)\s*)?(?:[*_`]*file(?:name)?\s*:?[*_`]*\s*|path:\s*)?"
    r"[`*]*(?:[\w.@-]+[/\\])*[\w.@-]+\.[A-Za-z]{1,5}[`*]*:?\s*(?:\*+/|-->)?\s*$",
    re.IGNORECASE,
)
_KEYS = re.compile(
    r"(?:new|updated|replacement|edited|fixed|final|modified|revised)?_?"
    r"(?:text|code|content|range|lines?|output|answer|result|replacement|edit|snippet)",
    re.IGNORECASE,
)
"""Keys of a JSON object under which the text is."""

_ANSWER = re.compile(
    r"(?:new|updated|final|edited|replaced?|fixed)?[-_]?"
    r"(?:answer|result|response|replacement|solution|edit|snippet|range|replace|updated)",
    re.IGNORECASE,
)
"""Names of tags around an answer, which no document of HTML has."""

_TAG = re.compile(r"\s*<([A-Za-z][\w-]*)(?:\s[^<>]*)?>\s*$")
_HEREDOC = re.compile(
    r"\s*\$?\s*(?:cat|tee)\b.*<<-?\s*([\"']?)(\w+)\1.*$",
)
_CDATA = ("<![CDATA[", "]]>")

_Step = Callable[[list[str], Surroundings], "list[str] | None"]


def unwrapped(lines: Sequence[str], around: Surroundings) -> list[str] | Doubt | None:
    """Return the lines without what is around all of them; None if nothing is."""
    found = list(lines)
    is_changed = False
    while True:
        inner = next(
            (new for step in _STEPS if (new := step(found, around)) is not None), None
        )
        if inner is None:
            return found if is_changed else None
        if not any(map(str.strip, inner)):
            return "unsure"
        found, is_changed = inner, True


def has_blocks(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a reply that should be plain text is in search/replace blocks."""
    return any(map(is_search_mark, lines)) and not any(
        map(is_search_mark, around.lines())
    )


def with_blocks_applied(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Apply search/replace blocks to the range; None if they do not fit."""
    reader = BlockReader(around.target)
    new = [one for line in lines for one in reader.feed(line)]
    new += reader.finish()
    return new if reader.has_text else None


def _first_line(lines: list[str], around: Surroundings) -> list[str] | None:
    """Cut off a line that only names the language, the file or the answer."""
    at = _first(lines)
    if at is None or around.language in _PEOPLE:
        return None
    line = lines[at]
    text = line.strip()
    is_name = text.lower() in _LANGUAGES and around.language not in _SHELLS
    is_label = _LABEL.match(text) and (":" in text or "*" in text or "#" in text)
    if not (is_name or is_label or _is_file_name(line, around)):
        return None
    if any(text == one.strip() for one in around.lines()):
        return None
    rest = lines[at + 1 :]
    return rest if any(map(str.strip, rest)) else None


def _is_file_name(line: str, around: Surroundings) -> bool:
    """Whether a line has the name of a file, and is not the start of one itself."""
    if len(line) > _MAX_NAME or not _FILE_NAME.match(line):
        return False
    is_comment = re.match(r"\s*(?:#|//|--|;|/\*|<!--)", line) is not None
    return is_comment or "/" in line or around.language not in _SHELLS


_MAX_NAME = 200


def _json_value(lines: list[str], around: Surroundings) -> list[str] | None:
    """Read the string that a JSON value has for the text."""
    text = "\n".join(lines).strip()
    if text[:1] not in ('"', "{", "[") or around.language in ("json", "jsonc"):
        return None
    own = "\n".join(around.target).strip()
    if own[:1] == text[:1]:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match value:
        case str():
            return value.split("\n")
        case list() if len(value) > 1 and all(isinstance(one, str) for one in value):
            return [str(one) for one in value]
        case dict():
            return _value_of(value)
    return None


def _value_of(members: dict[str, object]) -> list[str] | None:
    named = {key: value for key, value in members.items() if _KEYS.fullmatch(str(key))}
    if len(named) != 1:
        return None
    (value,) = named.values()
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [str(one) for one in value]
    return value.split("\n") if isinstance(value, str) else None


def _code_spans(lines: list[str], around: Surroundings) -> list[str] | None:
    """Take the backticks off lines that are code spans of Markdown."""
    texts = [line.strip() for line in lines if line.strip()]
    if around.language in _PEOPLE or around.has("`"):
        return None
    if not texts or not all(map(is_code_span, texts)):
        return None
    return [line.replace("`", "") for line in lines]


def _element(lines: list[str], around: Surroundings) -> list[str] | None:
    """Take off a tag for the answer, in languages that have tags themselves."""
    texts = [at for at, line in enumerate(lines) if line.strip()]
    if len(texts) < 3:
        return None
    first, last = lines[texts[0]].strip(), lines[texts[-1]].strip()
    found = _TAG.match(first)
    if found is None or not _ANSWER.fullmatch(found[1]) or around.has(first):
        return None
    if last != f"</{found[1]}>":
        return None
    return lines[texts[0] + 1 : texts[-1]]


def _php_tag(lines: list[str], around: Surroundings) -> list[str] | None:
    """Cut off the opening tag of PHP in front of a part of a file."""
    at = _first(lines)
    if at is None or lines[at].strip() not in ("<?php", "<?"):
        return None
    if around.language != "php" or any("<?" in line for line in around.target):
        return None
    if not any("<?" in line for line in around.before):
        return None
    rest = lines[at + 1 :]
    texts = [n for n, line in enumerate(rest) if line.strip()]
    if texts and rest[texts[-1]].strip() == "?>":
        rest = rest[: texts[-1]]
    return rest


def _command(lines: list[str], around: Surroundings) -> list[str] | None:
    """Take the text out of a shell command that writes it to a file."""
    at = _first(lines)
    if at is None or around.language in _SHELLS:
        return None
    found = _HEREDOC.match(lines[at])
    texts = [n for n, line in enumerate(lines) if line.strip()]
    if found is None or lines[texts[-1]].strip() != found[2]:
        return None
    return lines[at + 1 : texts[-1]]


def _character_data(lines: list[str], around: Surroundings) -> list[str] | None:
    texts = [at for at, line in enumerate(lines) if line.strip()]
    if not texts or around.has(_CDATA[0]):
        return None
    first, last = lines[texts[0]].strip(), lines[texts[-1]].strip()
    if not first.startswith(_CDATA[0]) or not last.endswith(_CDATA[1]):
        return None
    inner = "\n".join(lines).strip()[len(_CDATA[0]) : -len(_CDATA[1])]
    return inner.strip("\n").split("\n")


def _quoted(lines: list[str], around: Surroundings) -> list[str] | None:
    """Take off the sign of a quotation that begins each line."""
    texts = [line for line in lines if line.strip()]
    if around.language in PROSE_LANGUAGES | {"haskell", "shellscript", ""}:
        return None
    if len(texts) < 2 or not all(re.match(r">(?: |$)", line) for line in texts):
        return None
    if any(line.lstrip().startswith(">") for line in around.target):
        return None
    return [re.sub(r"^> ?", "", line) for line in lines]


def _first(lines: Sequence[str]) -> int | None:
    return next((at for at, line in enumerate(lines) if line.strip()), None)


_STEPS: tuple[_Step, ...] = (
    _quoted,
    _json_value,
    _code_spans,
    _element,
    _command,
    _character_data,
    _first_line,
    _php_tag,
)
