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
        self.parts = frozenset(part for form in forms for part in _parts(form))
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


def repeats_key(text: str, *, before: str) -> bool:
    """Whether a text holds a whole key, in any form, that was not there before."""
    return any(key in text and key not in before for key in _known.whole)


class KeyRemover:
    """Removes whole keys from a text that arrives in pieces, cut anywhere.

    The results of `feed` and then `finish` together are the whole text, without the
    keys of `WHOLE_KEY_CHARS` or more that it has in any form. Only what may be the
    beginning of a key is held back.
    """

    def __init__(self, before: Callable[[], str]) -> None:
        """Begin.

        Args:
            before: Returns what was there before: the keys that it has stay. Called
                only if the text has a key.
        """
        self._before = before
        self._whole: frozenset[str] = frozenset()
        self._pattern = re.compile(r"(?!)")
        self._held = ""

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that is certain now."""
        if self._whole is not _known.whole:
            # The key of a model is first read when it is first asked.
            self._whole = _known.whole
            longest_first = sorted(self._whole, key=len, reverse=True)
            choices = "|".join(map(re.escape, longest_first))
            self._pattern = re.compile(choices or r"(?!)")
        text = self._pattern.sub(self._replacement, self._held + piece)
        end = min((self._start(text, form) for form in self._whole), default=len(text))
        self._held = text[end:]
        return text[:end]

    def finish(self) -> str:
        """Return what was held back, unless it is most of a key."""
        held, self._held = self._held, ""
        return held if len(held) < WHOLE_KEY_CHARS else REDACTED

    def _replacement(self, found: re.Match[str]) -> str:
        return found[0] if found[0] in self._before() else REDACTED

    @staticmethod
    def _start(text: str, form: str) -> int:
        """Return where the end of a text begins that may begin a form of a key."""
        at = text.find(form[0], max(0, len(text) - len(form) + 1))
        while at >= 0 and not form.startswith(text[at:]):
            at = text.find(form[0], at + 1)
        return at if at >= 0 else len(text)


def _without(text: str, parts: frozenset[str], before: str) -> str:
    kept: list[str] = []
    done = 0
    for start, end in _spans(text, parts):
        if text[start:end] in before:
            continue
        kept += (text[done:start], REDACTED)
        done = end
    return "".join((*kept, text[done:])) if kept else text


def _spans(text: str, parts: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of key parts, with adjacent ranges merged."""
    start = end = -1
    for at in range(len(text) - PART_CHARS + 1):
        if text[at : at + PART_CHARS] not in parts:
            continue
        if at > end:
            if end > 0:
                yield start, end
            start = at
        end = at + PART_CHARS
    if end > 0:
        yield start, end


def _parts(form: str) -> Iterable[str]:
    last = len(form) - PART_CHARS
    return (form[at : at + PART_CHARS] for at in range(last + 1))


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
