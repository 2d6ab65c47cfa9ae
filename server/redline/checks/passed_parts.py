"""`phantom-parameter`: callers that pass a part of what a function now takes whole.

`play(buffer)` becomes `play(track)` and reads `track.buffer`, and a call outside of the
range still passes `track.buffer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.problem import Problem

_HEADER = re.compile(
    r"^[ \t]*+(?!(?:if|for|while|switch|catch|return|with|else|await|elif|match)\b)"
    r"(?:[\w<>\[\].]++[ \t]++){0,5}(?P<name>#?\w++)\((?P<given>[^()\n]{1,200})\)"
    r"[^()\n;=]{0,80}(?:\{|:|=>)[ \t]*+$"
)
_TYPED = frozenset({"c", "cpp", "csharp", "dart", "java"})
_NAME = re.compile(r"[\w$]++")
_OWN = re.compile(r"(?:^|[^\w$.>:]|(?:\b(?:this|self|cls)\.|\$this->))$")
_MAX_N_CALLS = 50


def check_passed_parts(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first call that no longer fits."""
    language = candidate.language_id
    old = _headers(candidate.code_before, candidate.region_before, language)
    if not old:
        return
    new = _headers(candidate.code_after, candidate.region_after, language)
    for name in old.keys() & new.keys():
        changed = [
            (at, *pair)
            for at, pair in enumerate(zip(old[name], new[name], strict=False))
            if pair[0] != pair[1]
        ]
        if len(changed) != 1 or len(old[name]) != len(new[name]):
            continue
        at, part, whole = changed[0]
        if not _is_read(candidate, part, whole):
            continue
        line = _call(candidate, name, at, f"{whole}.{part}")
        if line is not None:
            yield Problem(
                rule="phantom-parameter",
                message=f"`{name}` takes `{whole}` now, and line {line + 1} of the file"
                f" still passes `{whole}.{part}`.",
            )
            return


def _headers(code: str, lines: range, language: str) -> dict[str, list[str]]:
    """Return the parameters of the functions that begin in some lines."""
    found: dict[str, list[str]] = {}
    for line in code.split("\n")[lines.start : lines.stop]:
        if header := _HEADER.match(line):
            found[header["name"]] = _names(parts(header["given"]), language)
    return found


def _names(given: Sequence[str], language: str) -> list[str]:
    at = -1 if language in _TYPED else 0
    words = (_NAME.findall(one.partition("=")[0]) or [""] for one in given)
    names = [found[at] for found in words]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _is_read(candidate: CheckedEdit, part: str, whole: str) -> bool:
    """Whether the new lines take the part of the whole, and of nothing less."""
    lines = candidate.code_after.split("\n")
    region = candidate.region_after
    code = "\n".join(lines[region.start : region.stop])
    whole, part = re.escape(whole), re.escape(part)
    found = list(
        re.finditer(rf"(?<![\w$.]){whole}\.{part}\b\s*+(\?\?|\|\||or\b)?", code)
    )
    return bool(found) and not any(one[1] for one in found)


def _call(candidate: CheckedEdit, name: str, at: int, value: str) -> int | None:
    """Return the line of a call outside of the range that passes a value."""
    code = candidate.code_after
    calls = re.compile(rf"(?<![\w$#]){re.escape(name)}\(")
    for call in islice(calls.finditer(code), _MAX_N_CALLS):
        line = code.count("\n", 0, call.start())
        head = code[: call.start()].rpartition("\n")[2]
        given = in_brackets(code, call.end() - 1)
        if line in candidate.region_after or given is None or not _OWN.search(head):
            continue
        values = [one.strip() for one in parts(given)]
        if len(values) > at and f".{values[at]}".endswith(f".{value}"):
            return line
    return None
