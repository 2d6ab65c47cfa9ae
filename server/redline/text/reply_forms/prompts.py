"""Takes the prompt of an interactive shell off each line of a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile

from redline.text.reply_forms.surroundings import Surroundings

_SHELL = re.compile(r"(?:[\w.-]+@[\w.-]+[:\w~/ .-]*)?[$%#>] (?=[\w.\"'$~/({\[!:-])")
_SCRIPT = re.compile(r"(?:>|\.{3})(?: |$)")
_PROMPTS = {
    "shellscript": _SHELL,
    "dockerfile": re.compile(r"[$#] (?=[A-Z])"),
    "python": re.compile(r"(?:>>>|\.{3})(?: |$)|(?:In \[\d+\]:|\s{2,}\.{3}:) ?"),
    "ruby": re.compile(r"(?:irb\([^()]*\):\d+(?::\d+)?[>*\"]|>>|\?>) ?"),
    "sql": re.compile(r"(?:sqlite|mysql|[\w-]+[=-][#>]|\s*\.{3}|\s*-)>? (?=\S)|\w+> "),
    **dict.fromkeys(("javascript", "typescript"), _SCRIPT),
    "php": re.compile(r"php [>{(] "),
    "lua": re.compile(r">{1,2} "),
    "kotlin": re.compile(r">>> |\.{3} "),
    "scala": re.compile(r"scala> |\s+\| "),
}
"""The prompts of a language's shell, before a line."""

_MAX_N_CHARS = 1_000
"""Longer lines are data."""

_COMMENT = re.compile(r"# ")


_BANNER = re.compile(
    r"Python [23]\.|\[(?:GCC|Clang|MSC)|Type [\"'](?:help|copyright)|IPython "
    r"|\s*$|\$ python|In \[\d+\]:\s*$"
)
"""What Python prints before the first prompt."""


def _without_banner(lines: Sequence[str]) -> Sequence[str]:
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if not _BANNER.match(lines[first] if lines else ""):
        return lines
    return list(dropwhile(_BANNER.match, lines))


def without_prompts(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Remove the prompts, if each line has one and no line of the file has."""
    prompt = _PROMPTS.get(around.language)
    if prompt is None or around.may_be_in_text:
        return None
    if around.language == "python":
        lines = _without_banner(lines)
    texts = [line for line in lines if line.strip()]
    if max(map(len, texts), default=0) > _MAX_N_CHARS:
        return None
    if not texts or not all(map(prompt.match, texts)):
        return None
    if all(map(_COMMENT.match, texts)) or any(
        map(prompt.match, map(str.strip, around.target))
    ):
        return None
    texts = [prompt.sub("", line, count=1) for line in lines]
    # A last prompt waits for more.
    return texts[:-1] if texts and not texts[-1].strip() else texts
