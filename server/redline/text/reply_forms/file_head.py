"""Cuts lines of the file's head off a reply that goes on with something else.

A model that is asked for a part of a file may begin with the file's package clause, its
imports or the line that names the interpreter, and skip what is between these and the
part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.reply_forms.surroundings import Surroundings

_HEAD = re.compile(
    r"(?:package|import|using|use|from|#include|#pragma|#!|namespace|module|require"
    r"(?:_relative)?|library|part of|declare\(|@file:|<\?php|[\"']use (?:strict|client)"
    r"[\"']|# frozen_string_literal|# -\*-|<!DOCTYPE|---$)(?!\w)"
)


def without_file_head(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Cut off the first lines, if all of them are lines of the file's head.

    Returns:
        None if there are none, or if the reply goes on as the file does: then it
        repeats more than its head.
    """
    known = {line.strip(): at for at, line in enumerate(around.before)}
    heads = {text for text in known if _HEAD.match(text)}
    texts = [at for at, line in enumerate(lines) if line.strip()]
    n_heads = 0
    while n_heads < len(texts) and lines[texts[n_heads]].strip() in heads:
        n_heads += 1
    if not n_heads or n_heads == len(texts):
        return None
    last = lines[texts[n_heads - 1]].strip()
    rest = around.before[known[last] + 1 :]
    following = next((line.strip() for line in rest if line.strip()), None)
    if lines[texts[n_heads]].strip() == following:
        return None
    own = next((line.strip() for line in around.target if line.strip()), "")
    return None if _HEAD.match(own) else list(lines[texts[n_heads] :])
