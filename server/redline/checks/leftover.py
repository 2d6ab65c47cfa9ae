"""`leftover-marker`: marks of the reply format that do not belong in code."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.text.fence import read_fence

_FENCED_LANGUAGES = frozenset(
    {"markdown", "mdx", "quarto", "rmd", "plaintext", "restructuredtext", "latex"}
)
"""LSP language ids whose documents may contain fences."""

_BLOCK = re.compile(r"\s*(?:<{5,9}|>{5,9}|\|{7})(?:\s++\w.*+)?\s*+$")
_DIVIDER = re.compile(r"\s*={7}\s*$")
_TOKEN = re.compile(
    r"<[|\uff5c]\s?[A-Za-z][\w\u2581 -]{2,30}[|\uff5c]>"
    r"|<(?:fim_(?:prefix|suffix|middle|pad)|file_sep|PRE|SUF|MID|EOT)>"
    r"|\[/?(?:INST|PREFIX|SUFFIX|MIDDLE)\]|(?<!\s)\s*+</?think(?:ing)?>\s*+$"
)
"""Special tokens of model families: `<|name|>` of most, with wide bars of DeepSeek,
without bars of StarCoder and Code Llama, in brackets of Mistral."""

_FENCE = "A Markdown fence"

_TITLE = re.compile(
    r"\s*(?:Range to edit|Code (?:before|after) the range|Instruction|Unfinished draft"
    r" of the range.*):\s*$"
)
"""Titles of Redline's own prompt, as `prompts` writes them."""


_PLACEHOLDER = re.compile(
    r"redline[\\\s_-]{1,3}secret[\\\s_-]{0,3}[\d\"']", re.IGNORECASE
)
"""A placeholder of a secret (`prompts/redaction.py`), also if the model has damaged it:
those that are whole and of this file have become secrets again."""


def check_leftovers(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report fences, block and conflict markers, special tokens and prompt titles.

    All of them are allowed in comments and strings: documentation has fences, and
    programs that call models have tokens. A placeholder stands for a secret, which
    would be lost, and is allowed nowhere.
    """
    yield from _placeholders(candidate)
    has_block = any(_BLOCK.match(text) for _, text in candidate.introduced)
    for line, text in candidate.introduced:
        what = _line_form(text, candidate.language, has_block=has_block)
        if what and candidate.continues_text(line):
            continue
        if what == _FENCE and _wants_fence(candidate.instruction):
            continue
        token = _TOKEN.search(text)
        if not what and token and not _is_own(candidate, line, token):
            what = "A special token of the model"
        if what:
            yield Problem(
                rule="leftover-marker",
                message=f"{what} is left in the code: {text.strip()}",
                line=line,
            )


def _is_own(candidate: CheckedEdit, line: int, token: re.Match[str]) -> bool:
    """Whether a token is text of the code, or one that the user knows."""
    known = (candidate.text_before, candidate.instruction)
    return candidate.is_text(line, token.start()) or any(
        token[0] in one for one in known
    )


def _wants_fence(instruction: str) -> bool:
    return re.search(r"\bfence|```", instruction, re.IGNORECASE) is not None


def _placeholders(candidate: CheckedEdit) -> Iterable[Problem]:
    if _PLACEHOLDER.search(candidate.text_before):
        return
    for line, text in candidate.introduced:
        if found := _PLACEHOLDER.search(text):
            yield Problem(
                rule="leftover-marker",
                message=(
                    "A placeholder is left that stands for no secret of this file:"
                    f" {found[0]}. Repeat those of the range exactly; a secret of"
                    " another file is not copied."
                ),
                line=line,
            )


def _line_form(text: str, language: str, *, has_block: bool) -> str:
    """Name the form of a whole line that is not code; empty: it may be code."""
    if _BLOCK.match(text) or (has_block and _DIVIDER.match(text)):
        return "A marker of a search/replace block or of a conflict"
    if language not in _FENCED_LANGUAGES and read_fence(text) is not None:
        return _FENCE
    return "A title of the prompt" if _TITLE.match(text) else ""
