"""The special tokens of chat formats, and what each says about a reply."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.text.fence import read_fence

TOKEN = re.compile(
    r"<[|\uff5c][^\s|\uff5c<>][^|\uff5c<>]{0,40}[|\uff5c]>|</?s>(?=\s*(?:$|\[INST\]))|^<(?:s|bos)>"
    r"|\[\|[a-z_]{1,20}\|\]|^\[gMASK\]|(?<=\[gMASK\])<sop>"
    r"|<(?:start|end)_of_turn>|\[/?INST\]"
    r"|<(?:fim_(?:prefix|suffix|middle|pad)|file_sep|PRE|SUF|MID|EOT)>"
    r"|<(?:eos|bos|pad|unk|eot|eom|sep|jupyter_\w{1,20}|empty_output|reponame)>(?=\s*$)"
    r"|(?<![\w\])])\[(?:end of text|EOS|BOS|PAD|EOT|DONE|UNK|END|STOP)\](?=\s*$)"
    r"|(?<=[;}])\[(?:end of text|EOS|EOT|DONE|END|STOP)\](?=\s*$)"
)
"""Special tokens of model families: `<|name|>` of most, with wide bars of DeepSeek, and
those of ChatGLM, EXAONE, Llama 2, Gemma, StarCoder, Code Llama and Mistral."""

END = re.compile(
    r"end(?!_header)|eo[tsm]|return|^s$|^/s$|/INST|suffix|suf\b|^DONE$|^STOP$", re.I
)
START = re.compile(r"start|^(?:assistant|user|system|tool)$", re.I)
MIDDLE = re.compile(r"middle|^mid$", re.I)
PROMPT = re.compile(r"prefix|^pre$|suffix|^suf$", re.I)

_QUOTES = "\"'`\u201c"


_ROLE = re.compile(r"(?:assistant|user|system|tool)?")


def is_token_line(line: str) -> bool:
    """Whether a line is nothing but special tokens, and the role behind one."""
    rest = without_tokens(line.strip())
    return rest == "" or (rest != line.strip() and bool(_ROLE.fullmatch(rest)))


def without_tokens(line: str) -> str:
    """Return a line without special tokens."""
    return TOKEN.sub("", line)


def has_bare(lines: Iterable[str], sign: str) -> bool:
    """Whether lines have a sign that is not within quotation marks."""
    return any(
        not is_quoted(line, found)
        for line in lines
        if sign in line
        for found in re.finditer(re.escape(sign), line)
    )


def is_quoted(line: str, found: re.Match[str]) -> bool:
    """Whether a place of a line is within a string or a code span."""
    head, tail = line[: found.start()], line[found.end() :]
    if read_fence(head) or _closes_glued(head, tail):
        return False
    head = head.replace("\\\\", "").replace('\\"', "").replace("\\'", "")
    return any(
        head.count(quote) % 2 and (quote in tail or head.endswith(quote))
        for quote in _QUOTES
    )


def _closes_glued(head: str, tail: str) -> bool:
    """Whether only tokens follow a fence that stands behind the last line of code."""
    return head.endswith("```") and not without_tokens(tail).strip()
