"""A task as hashed features, for the learned score.

The trainer and the score read a task with this module; a change of what it yields needs
new weights. `layout()` is stored in the file of weights, which a test compares.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath
from zlib import crc32

from msgspec import Struct

from redline.routing.boundary import Reading
from redline.routing.task import Task
from redline.routing.words import MAX_PROSE_CHARS

TIER_BUCKETS = 1 << 16
GUARD_BUCKETS = 1 << 14
_GRAMS = (3, 4, 5)
"""Lengths of the character n-grams, which carry misspelt words and word forms."""
_MAX_WORDS = 80
"""Most words of an instruction that are read."""
_WORD = re.compile(r"[^\W_]+|[^\w\s]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Scripts without spaces: their n-grams are shorter."""


class Features(Struct, frozen=True):
    """Buckets by what they show; each group weighs the same, however long it is."""

    shown: tuple[tuple[str, tuple[int, ...]], ...]
    """What a reason may name, such as a word, with its buckets."""
    scale: float
    """Value of each feature of the group."""


def tier_features(task: Task) -> tuple[Features, ...]:
    """Return the features that decide the tier."""
    text = unicodedata.normalize("NFKC", task.instruction[:MAX_PROSE_CHARS]).lower()
    words = _WORD.findall(text)[:_MAX_WORDS]
    pairs = list(zip(("^", *words), (*words, "$"), strict=True))
    grams: dict[str, tuple[int, ...]] = {}
    for word in dict.fromkeys(words):
        grams[word] = tuple(_tier_bucket(f"g{gram}") for gram in _grams(word))
    return (
        _group((word, (_tier_bucket(f"w{word}"),)) for word in dict.fromkeys(words)),
        _group(
            (" ".join(pair).strip("^$ "), (_tier_bucket(f"p{pair[0]} {pair[1]}"),))
            for pair in dict.fromkeys(pairs)
        ),
        _group(grams.items()),
        Features((("", (_tier_bucket(f"k{task.kind}"),)),), 1.0),
    )


def guard_features(task: Task, reading: Reading) -> tuple[Features, ...]:
    """Return the features that decide the boundaries: what the code does and is for."""
    path = PurePosixPath(task.path)
    return (
        _group(_names("c", reading.code.text)),
        _group(_names("s", reading.surroundings.text)),
        _group(_names("i", reading.instruction.text)),
        _group(
            (word, (_guard_bucket(f"f{word}"),)) for word in sorted(reading.path.known)
        ),
        Features(((path.suffix, (_guard_bucket(f"l{task.language}"),)),), 1.0),
    )


def _grams(word: str) -> list[str]:
    if _WIDE.search(word):
        return [word[i : i + n] for n in (1, 2, 3) for i in range(len(word) - n + 1)]
    padded = f" {word} "
    return [
        padded[i : i + n] for n in _GRAMS for i in range(max(len(padded) - n + 1, 0))
    ]


def _names(place: str, text: str) -> Iterable[tuple[str, tuple[int, ...]]]:
    """Yield the words of identifiers and the pairs of words within one."""
    found: dict[str, None] = {}
    last = "|"
    for word in text.split():
        if word != "|":
            found[word] = None
            if last != "|":
                found[f"{last} {word}"] = None
        last = word
    # A name counts wherever it is, and also where it is.
    for shown in found:
        yield shown, (_guard_bucket(f"{place}{shown}"), _guard_bucket(f"a{shown}"))


def _group(shown: Iterable[tuple[str, tuple[int, ...]]]) -> Features:
    entries = tuple(shown)
    n_features = sum(len(buckets) for _, buckets in entries)
    return Features(entries, n_features**-0.5 if n_features else 0.0)


def _tier_bucket(text: str) -> int:
    return crc32(text.encode("utf-8", "replace")) & (TIER_BUCKETS - 1)


def _guard_bucket(text: str) -> int:
    return crc32(text.encode("utf-8", "replace")) & (GUARD_BUCKETS - 1)


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
