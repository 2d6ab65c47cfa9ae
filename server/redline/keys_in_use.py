"""The API keys that this process has read, and their removal from any text.

A provider may repeat a key in an error, in any form. The keys are known, so nothing is
guessed: every text of an error or a log line passes through `redact`, which removes all
parts of all keys. There is one list for the process, because an error of one model may
quote the key of another. All rooms may import this module; it does no I/O.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

REDACTED = "[redacted]"

PART_CHARS = 8
"""Shortest part of a key that is removed: shorter ones occur in ordinary words."""

MIN_KEY_CHARS = 4
"""Shortest key that is removed: a shorter one is too easily an ordinary word."""

MAX_KEY_CHARS = 8_192
"""Longest text that is accepted as a key: servers limit headers to this size."""

WHOLE_KEY_CHARS = 16
"""Shortest key that a model must not write into a document: keys of local servers are
often words, such as `ollama`."""

_MAX_KEYS = 32
"""How many keys are remembered: a key command may print a new one each hour."""

_SHAPES = re.compile(
    r"""
    (?P<kept>
        (?: authorization | (?:x-)? (?:goog-)? api[_-]?key ) ["']? \s* [:=] \s* ["']?
        (?: (?:bearer|basic) \s+ )?
        | \b (?:bearer|basic) \s+
    )
    [^\s"',;]+
    |
    # The shapes of keys of OpenAI and Anthropic, Groq, xAI, Vercel and Google; with
    # stars where a provider hides the middle.
    \b (?: sk[-_] | gsk_ | xai- | vck_ | AIza ) [\w*-]{6,}
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Matches what looks like a key, known or not."""


class _KnownKeys:
    """All parts of the known keys, for lookup.

    The sets are replaced, never mutated: the log thread reads them concurrently.
    """

    def __init__(self) -> None:
        self.parts: frozenset[str] = frozenset()
        self.whole: frozenset[str] = frozenset()
        """Long keys in all their forms."""
        self.short: re.Pattern[str] | None = None
        self._keys: deque[str] = deque(maxlen=_MAX_KEYS)

    def add(self, key: str) -> None:
        if key in self._keys or len(key) < MIN_KEY_CHARS:
            return
        self._keys.append(key)
        forms = {form for one in self._keys for form in _forms(one)}
        long = [one for one in self._keys if len(one) >= WHOLE_KEY_CHARS]
        self.parts = frozenset(
            part for form in forms for part in _parts(form, PART_CHARS)
        )
        self.whole = frozenset(form for one in long for form in _forms(one))
        short = [re.escape(form) for form in forms if len(form) < PART_CHARS]
        self.short = (
            re.compile(rf"(?<!\w)(?:{'|'.join(short)})(?!\w)") if short else None
        )


_known = _KnownKeys()


def note_key(key: str) -> None:
    """Register a key, so that `redact` removes it from now on."""
    _known.add(key)


def redact(text: str) -> str:
    """Remove the parts of known keys, and what has the shape of a key.

    A part is `PART_CHARS` or more characters of a key or of one of its usual encodings.
    A shorter key is removed where it stands as a word. The time is linear in the length
    of the text and does not depend on the number of keys.
    """
    # Shapes first: what is left of one behind a known part would not be recognised.
    text = _SHAPES.sub(lambda found: (found["kept"] or "") + REDACTED, text)
    return without_known_keys(text)


def without_known_keys(text: str, *, before: str = "") -> str:
    """Remove the parts of known keys, and nothing else: prose is about keys, too.

    Args:
        text: The text.
        before: What was there before. The parts that it holds are left in the text: the
            key of a local server is often a word of the code that a model quotes.
    """
    if parts := _known.parts:
        text = _without(text, parts, before)
    if _known.short is not None:
        text = _known.short.sub(
            lambda found: found[0] if found[0] in before else REDACTED, text
        )
    return text


def repeats_key(text: str, *, before: Callable[[], str]) -> bool:
    """Whether a text holds a whole key, in any form, that was not there before.

    Args:
        text: The text.
        before: Returns what was there before. Called only if the text has a key.
    """
    return any(key in text and key not in before() for key in _known.whole)


class KeyRemover:
    """Removes long parts of keys from a text that arrives in pieces, cut anywhere.

    The results of `feed` and then `finish` together are the whole text, without the
    parts of `WHOLE_KEY_CHARS` or more that it has of a key of that length, in any form,
    wherever it is cut. Less than `WHOLE_KEY_CHARS` characters are held back at a time:
    those that occur in a key.
    """

    def __init__(self, before: Callable[[], str]) -> None:
        """Begin.

        Args:
            before: Returns what was there before: the parts of keys that it has stay.
                Called only if the text has a part of a key.
        """
        self._before = before
        self._text = ""
        """The end of the text."""
        self._n_done = 0
        """How much of it was returned or removed; the rest is held back."""
        self._is_removed = False
        """Whether the last character of that was removed."""

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that is certain now."""
        text = self._text + piece
        # The key of a model is first read when it is first asked.
        if not _known.whole and self._n_done == len(self._text):
            self._text = text[1 - WHOLE_KEY_CHARS :]
            self._n_done = len(self._text)
            return piece
        long = _long_forms(_known.whole)
        certain = len(text) - long.n_held(text)
        return self._decide(text, long, max(certain, self._n_done))

    def finish(self) -> str:
        """Return what was held back, unless it is in a part of a key."""
        return self._decide(self._text, _long_forms(_known.whole), len(self._text))

    def _decide(self, text: str, long: _LongForms, end: int) -> str:
        """Return the text up to there, without the parts of keys."""
        done = self._n_done
        is_long = len(text) >= WHOLE_KEY_CHARS
        removable = self._removable(text, long) if is_long else None
        if not removable:
            # A part that is still to come begins in what is held back: the text before
            # that is needed no more.
            self._text, self._n_done = text[end:], 0
            self._is_removed = self._is_removed and done == end
            return text[done:end]
        kept: list[str] = []
        for first, last in _spans(text, removable, WHOLE_KEY_CHARS):
            start, stop = max(first, done), min(last, end)
            if start >= stop:
                continue
            if start > done:
                kept.append(text[done:start])
                self._is_removed = False
            if not self._is_removed:
                kept.append(REDACTED)
            done, self._is_removed = stop, True
        if done < end:
            kept.append(text[done:end])
            self._is_removed = False
        start = max(0, end - WHOLE_KEY_CHARS + 1)
        self._text, self._n_done = text[start:], end - start
        return "".join(kept)

    def _removable(self, text: str, long: _LongForms) -> frozenset[str]:
        """Return the parts of keys in a text that were not there before."""
        found = long.parts.intersection(_parts(text, WHOLE_KEY_CHARS))
        if not found:
            return found
        before = self._before()
        return frozenset(part for part in found if part not in before)


class _LongForms(NamedTuple):
    """The forms of long keys, for lookup."""

    parts: frozenset[str]
    """All parts of `WHOLE_KEY_CHARS`."""
    joined: str

    def n_held(self, text: str) -> int:
        """Return how many characters at the end of a text more may make a part."""
        most = min(len(text), WHOLE_KEY_CHARS - 1)
        n_chars = 0
        while n_chars < most and text[-n_chars - 1 :] in self.joined:
            n_chars += 1
        return n_chars


@lru_cache(maxsize=1)
def _long_forms(whole: frozenset[str]) -> _LongForms:
    return _LongForms(
        parts=frozenset(
            part for form in whole for part in _parts(form, WHOLE_KEY_CHARS)
        ),
        joined="\0".join(whole),
    )


def _without(text: str, parts: frozenset[str], before: str) -> str:
    kept: list[str] = []
    done = 0
    for start, end in _spans(text, parts, PART_CHARS):
        if text[start:end] in before:
            continue
        kept += (text[done:start], REDACTED)
        done = end
    return "".join((*kept, text[done:])) if kept else text


def _spans(text: str, parts: frozenset[str], n_chars: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of parts of so many characters, with adjacent ones merged."""
    start = end = -1
    for at in range(len(text) - n_chars + 1):
        if text[at : at + n_chars] not in parts:
            continue
        if at > end:
            if end > 0:
                yield start, end
            start = at
        end = at + n_chars
    if end > 0:
        yield start, end


def _parts(form: str, n_chars: int) -> Iterable[str]:
    return (form[at : at + n_chars] for at in range(len(form) - n_chars + 1))


def _forms(key: str) -> set[str]:
    """Return the encodings in which an error may quote a key."""
    # Imported late: every start imports this module, but only keys need these.
    import json
    from html import escape
    from urllib.parse import quote

    as_json = json.dumps(key)[1:-1]
    url = quote(key, safe="")
    forms = {
        *(key, key.lower(), key.upper()),
        *(url, re.sub("%..", lambda found: found[0].lower(), url), quote(key)),
        # Errors are often JSON nested in JSON.
        *(as_json, json.dumps(as_json)[1:-1], as_json.replace("/", "\\/")),
        *(repr(key)[1:-1], escape(key)),
        *(key.encode().hex(), key.encode().hex().upper()),
        *_base64_forms(key),
    }
    return {form for form in forms if len(form) >= MIN_KEY_CHARS}


def _base64_forms(key: str) -> Iterator[str]:
    """Yield the Base64 of a key at each of its three alignments, as in `user:key`."""
    from base64 import b64encode

    for n_before in range(3):
        data = bytes(n_before) + key.encode()
        text = b64encode(data).decode().rstrip("=")
        # The characters at both ends also depend on the neighbouring bytes.
        first = (n_before * 8 + 5) // 6
        last = len(data) * 8 // 6
        yield text[first:last]
        yield text[first:last].replace("+", "-").replace("/", "_")
