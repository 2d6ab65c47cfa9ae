"""Cuts lines of the file's head off a reply that goes on with something else.

A model that is asked for a part of a file may begin with the file's package clause, its
imports or the line that names the interpreter, and skip what is between these and the
part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.indentation import indent_of
from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.copies import is_telling
from redline.text.reply_forms.surroundings import Surroundings

_HEAD = re.compile(
    r"(?:package|import|using|use|from|#include|#pragma|#!|namespace|module|require"
    r"(?:_relative)?|library|part of|declare\(|@file:|<\?php(?=\s*$|\s+declare)"
    r"|[\"']use (?:strict|client)[\"']"
    r"|# frozen_string_literal|# -\*-|<!DOCTYPE|---$)(?!\w)"
)


def without_file_head(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Cut off the first lines, if all of them are lines of the file's head.

    Returns:
        None if there are none, or if the reply goes on as the file does: then it
        repeats more than its head.
    """
    texts = [at for at, line in enumerate(lines) if line.strip()]
    reply = [lines[at].strip() for at in texts]
    own = next((line.strip() for line in around.target if line.strip()), "")
    if not reply or not _HEAD.match(reply[0]) or _HEAD.match(own):
        return None
    file = [line.strip() for line in around.before if line.strip()]
    n_loose, n_copied = _n_loose(reply, file), _n_copied(reply, file)
    n_heads = max(n_loose, n_copied)
    if not n_heads or n_heads == len(reply):
        return None
    last = len(file) - file[::-1].index(reply[n_heads - 1])
    if reply[n_heads] == next(iter(file[last:]), None):
        return None
    if _closes_head(lines, texts, n_heads):
        return None
    if n_copied > n_loose and is_telling(file[-1:]) and file[-1] in reply[n_heads:]:
        return None
    return list(lines[texts[n_heads] :])


def _closes_head(lines: Sequence[str], texts: Sequence[int], n_heads: int) -> bool:
    """Whether a block that the head opens, as a module of Ruby, came as a whole."""
    heads = {indent_of(lines[at]) for at in texts[:n_heads]}
    last = lines[texts[-1]]
    return last.strip() == "end" and indent_of(last) in heads


def _n_loose(reply: Sequence[str], file: Sequence[str]) -> int:
    """Count the first lines of a reply that are lines of a head, in any order.

    A list of imports in brackets may be shorter than that of the file.
    """
    heads, known = {line for line in file if _HEAD.match(line)}, set(file)
    count = level = 0
    for n, line in enumerate(reply):
        if line not in (known if level else heads):
            break
        level += depth([line])
        count = count if level else n + 1
    return count


def _n_copied(reply: Sequence[str], file: Sequence[str]) -> int:
    """Count the first lines of a reply with which the file begins, too.

    An import may have several lines.
    """
    pairs = enumerate(zip(reply, file, strict=False))
    n_pairs = min(len(reply), len(file))
    count = next((n for n, (one, other) in pairs if one != other), n_pairs)
    return 0 if depth(reply[:count]) else count
