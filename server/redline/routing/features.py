"""A task as hashed features, for the learned score.

The trainer and the score read a task with this module; a change of what it yields needs
new weights. `layout()` is stored in the file of weights, which a test compares.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from zlib import crc32

from msgspec import Struct

from redline.routing.boundary import Reading
from redline.routing.task import Task
from redline.routing.words import MAX_PROSE_CHARS

_N_BUCKETS = 1 << 16
"""Most buckets of a head; one with fewer uses the lower bits."""
_GRAMS = (3, 4, 5)
"""Lengths of the character n-grams, which carry misspelt words and word forms."""
_MAX_WORDS = 80
"""Most words of an instruction that are read."""
_WORD = re.compile(r"[^\W_]+|[^\w\s]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Scripts without spaces: their n-grams are shorter."""
_N_WIDE_PER_WORD = 2

_COUNTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "points",
        re.compile(r"[,;、]|\b(?:and|with|plus|und|mit|et|avec|y|con|e|com)\b", re.I),
    ),
    ("sentences", re.compile(r"[.!?。](?:\s|$)")),
    ("numbers", re.compile(r"\d+")),
    ("quotes", re.compile(r"[\"'`“«「]")),
    ("questions", re.compile(r"\?")),
    ("brackets", re.compile(r"\(")),
    ("names", re.compile(r"\w{1,40}+\(\)|\w[._]\w|[a-z][A-Z]")),
    ("arrows", re.compile(r"->|=>|→")),
)
"""What is counted in an instruction, up to `_MOST_COUNTED`."""
_MOST_COUNTED = 4
_WORD_STEPS = (2, 4, 6, 9, 13, 18, 25, 35, 50)
"""An instruction has a feature for each of these numbers of words that it exceeds."""
_SHARE_STEPS = (0.0, 0.1, 0.2, 0.35, 0.5)
"""The same for the share of its names that occur in the code."""
_NAME = re.compile(r"[A-Za-z_]\w+")
_SHAPE_SCALE = 0.12
_CODE_SCALE = 0.08
"""Chosen by validation over authors."""

_BRANCH_WORDS = (
    *("if", "elif", "else", "for", "while", "case", "switch", "catch", "except"),
    *("match", "when", "unless", "rescue"),
)
_BRANCH = re.compile(
    "|".join(rf"{word[0]}(?<!\w{word[0]}){word[1:]}\b" for word in _BRANCH_WORDS)
    + r"|&&|\|\||\?"
)
"""Every alternative begins with a character, not with `\\b`, so that the search can
skip what begins with none of them."""
_CALL = re.compile(r"\((?<=\w\()")
"""Starts with the bracket, which is rare."""
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_BRANCH_STEPS = (0, 1, 2, 4, 7, 12)
_CALL_STEPS = (1, 3, 6, 10, 16, 25)
_INDENT_STEPS = (3, 7, 11, 15, 23)
_MAX_NAMES = 180
"""Most words and pairs of words of the code that are read."""
_CONCURRENT_WORDS = (
    *("async", "await", "lock", "mutex", "thread", "go func", "chan", "atomic"),
    *("synchronized", "promise", "spawn"),
)
_CONCURRENT = re.compile(rf"\b(?:{'|'.join(_CONCURRENT_WORDS)})\b", re.I)
_MAX_CODE_CHARS = 2_000
"""Characters of the range in which branches and calls are counted."""


class Features(Struct, frozen=True):
    """Buckets by what they show; each group weighs the same, however long it is."""

    shown: tuple[tuple[str, tuple[int, ...]], ...]
    """What a reason may name, such as a word, with its buckets."""
    scale: float
    """Value of each feature of the group."""


def tier_features(task: Task) -> tuple[Features, ...]:
    said = unicodedata.normalize("NFKC", task.instruction[:MAX_PROSE_CHARS])
    words = _WORD.findall(said.lower())[:_MAX_WORDS]
    code = task.code[:_MAX_CODE_CHARS]
    pairs = list(zip(("^", *words), (*words, "$"), strict=True))
    grams: dict[str, tuple[int, ...]] = {}
    for word in dict.fromkeys(words):
        grams[word] = _buckets("g", _encoded(_grams(word)))
    return (
        _group((word, (_bucket(f"w{word}"),)) for word in dict.fromkeys(words)),
        _group(
            (" ".join(pair).strip("^$ "), (_bucket(f"p{pair[0]} {pair[1]}"),))
            for pair in dict.fromkeys(pairs)
        ),
        _group(grams.items()),
        _unnamed(_shape(code, said, words), _SHAPE_SCALE),
        _unnamed(_structure(code), _CODE_SCALE),
        _unnamed([f"k{task.kind}"], 1.0),
    )


def _shape(code: str, said: str, words: list[str]) -> list[str]:
    """Return how an instruction is written: its length, what it lists and names."""
    n_words = sum(word.isalnum() for word in words)
    if n_wide := len(_WIDE.findall(said)):
        n_words = max(n_words, n_wide // _N_WIDE_PER_WORD)
    shown = _exceeded("words", n_words, _WORD_STEPS)
    for name, pattern in _COUNTS:
        n_found = min(len(pattern.findall(said)), _MOST_COUNTED)
        shown += [f"{name}>{step}" for step in range(n_found)]
    names = set(_NAME.findall(said))
    known = names.intersection(_NAME.findall(code))
    shown += [f"known>{step}" for step in range(min(len(known), _MOST_COUNTED))]
    share = len(known) / len(names) if names else 0.0
    return shown + _exceeded("share", share, _SHARE_STEPS)


@lru_cache(maxsize=32)
def _structure(code: str) -> Sequence[str]:
    """Return how involved the code is; cached, as in `_named`."""
    lower = code.lower()
    # The pattern is slow, and most code has none of its words.
    is_concurrent = any(word in lower for word in _CONCURRENT_WORDS) and bool(
        _CONCURRENT.search(code)
    )
    indents = [len(each.expandtabs(4)) for each in _INDENT.findall(code)]
    return (
        *_exceeded("branches", len(_BRANCH.findall(code)), _BRANCH_STEPS),
        *_exceeded("calls", len(_CALL.findall(code)), _CALL_STEPS),
        *_exceeded("indent", max(indents, default=0), _INDENT_STEPS),
        *(["concurrent"] if is_concurrent else []),
    )


def _exceeded(name: str, value: float, steps: tuple[float, ...]) -> list[str]:
    return [f"{name}>{step}" for step in steps if value > step]


def _unnamed(shown: Sequence[str], scale: float) -> Features:
    """Group features that no reason names."""
    return Features((("", _buckets("n", _encoded(shown))),), scale)


def guard_features(task: Task, reading: Reading) -> tuple[Features, ...]:
    """Return the features that decide the boundaries: what the code does and is for."""
    path = PurePosixPath(task.path)
    return (
        _named("c", reading.code.text),
        _named("s", reading.surroundings.text),
        _named("i", reading.instruction.text),
        _group((word, (_bucket(f"f{word}"),)) for word in sorted(reading.path.known)),
        Features(((path.suffix, (_bucket(f"l{task.language}"),)),), 1.0),
    )


def _grams(word: str) -> list[str]:
    if _WIDE.search(word):
        return [word[i : i + n] for n in (1, 2, 3) for i in range(len(word) - n + 1)]
    padded = f" {word} "
    return [
        padded[i : i + n] for n in _GRAMS for i in range(max(len(padded) - n + 1, 0))
    ]


@lru_cache(maxsize=32)
def _named(place: str, text: str) -> Features:
    """Group the names of a text; cached, since an edit is announced with its code."""
    return _group(_names(place, text))


def _names(place: str, text: str) -> Sequence[tuple[str, tuple[int, ...]]]:
    """Return the words of identifiers and the pairs of words within one."""
    found: dict[str, None] = {}
    last = "|"
    for word in text.split():
        if word != "|":
            found[word] = None
            if last != "|":
                found[f"{last} {word}"] = None
        last = word
        if len(found) >= _MAX_NAMES:
            break
    # A name counts wherever it is, and also where it is.
    encoded = _encoded(found)
    placed = zip(_buckets(place, encoded), _buckets("a", encoded), strict=True)
    return list(zip(found, placed, strict=True))


def _group(shown: Iterable[tuple[str, tuple[int, ...]]]) -> Features:
    entries = tuple(shown)
    n_features = sum(len(buckets) for _, buckets in entries)
    return Features(entries, n_features**-0.5 if n_features else 0.0)


def _bucket(text: str) -> int:
    return crc32(text.encode("utf-8", "replace")) & (_N_BUCKETS - 1)


def _encoded(texts: Iterable[str]) -> list[bytes]:
    return [text.encode("utf-8", "replace") for text in texts]


def _buckets(prefix: str, texts: Iterable[bytes]) -> tuple[int, ...]:
    """Return the bucket of each text behind a prefix, which is hashed once."""
    start = crc32(prefix.encode())
    return tuple([crc32(text, start) & (_N_BUCKETS - 1) for text in texts])


def layout() -> str:
    """Return a hash of what a task is read as, which the weights must match."""
    task = Task(
        instruction="Rename it, 改名 für Nutzer",
        path="src/login/check_user.py",
        language="python",
        code="def verify_password(user): return hmac.compare_digest(user.key, b'')",
        surroundings="class Login: pass",
    )
    read = (tier_features(task), guard_features(task, Reading.of(task)))
    return f"{crc32(repr(read).encode()):08x}"
