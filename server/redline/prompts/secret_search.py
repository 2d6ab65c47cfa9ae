"""Finds the secrets in a text: by format, by the assigned name, by randomness.

Too much is better than too little: a match is restored exactly in the reply, so a false
alarm costs a model the sight of one string, while a miss costs its owner more. Lines
are searched one by one and cached, since prompts repeat them.
"""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice

from redline.prompts import secret_formats as formats
from redline.prompts import secret_neighbours as neighbours
from redline.prompts import secret_signs as signs
from redline.prompts.secret_arguments import find_arguments
from redline.prompts.secret_blocks import MAX_LINES as MAX_BLOCK_LINES
from redline.prompts.secret_blocks import ValueBlock, opened_block, read_line
from redline.prompts.secret_commands import find_in_commands
from redline.prompts.secret_escapes import has_escaped_sign, unescaped
from redline.prompts.secret_joined import MIN_PIECE, joined_strings, may_be_joined
from redline.prompts.secret_key_forms import keys_in_other_forms
from redline.prompts.secret_kinds import Kind, kind_of
from redline.prompts.secret_names import NAME, Promise, promise_of
from redline.prompts.secret_phrases import (
    SECRET_KIND,
    json_values,
    recovery_phrases,
)
from redline.prompts.secret_statements import (
    MAX_LINES,
    joined_lines,
    may_hold,
    names_secret,
    stands_alone,
    statements,
)
from redline.prompts.secret_tables import SIGNS as SIGNS_OF_TABLES
from redline.prompts.secret_tables import (
    is_table,
    values_of_printed_tables,
    values_of_tables,
)
from redline.prompts.secret_values import (
    CALL,
    REFERENCE,
    UNQUOTED,
    find_named,
    may_be_secret,
)
from redline.prompts.secret_yaml import (
    MANIFESTS,
    is_yaml,
    scalars_below,
    values_of_manifests,
)

Span = tuple[int, int]

_WINDOW = 2_000
"""Characters of a line that are searched at once: the time of some patterns is
quadratic, and minified code has lines of a megabyte."""

_OVERLAP = 500
"""Characters that adjacent windows share: room for a name and a key."""

_CONTINUED = re.compile(r"^(?:[^\n]*+(?<=\\)\n)++[^\n]*+", re.MULTILINE)

_MIN_BITS = {False: 4.5, True: 3.0}
"""Shannon entropy in bits per character from which a string counts as random, by
whether it is hexadecimal: the limits of most scanners. English words stay below."""

_DIGITS_MALUS = 1.2
"""Divided by the bits of the length and subtracted from the entropy of a string of only
digits, so that numbers do not count as random hexadecimal strings."""

_HEX = frozenset("0123456789abcdefABCDEF")

_CLEAN: dict[Kind, set[str]] = {kind: set() for kind in Kind}
"""Lines that were searched and hold no secret, by the kind of their file: most sent
text was searched before, and is then recognized quickly."""

_BEGUN: dict[Kind, set[str]] = {kind: set() for kind in Kind}
"""Those of the clean lines that may be a part of a secret on several lines."""

_PARTS: dict[Kind, set[str]] = {kind: set() for kind in Kind}
"""Those of the clean lines that may name a secret on another line of their statement,
or hold a part of a string."""

_MAX_CLEAN = 16_384

_TEXT = (Kind.PROSE, Kind.SETTINGS)
"""Where a word on a line of its own is no name of code."""

# One line has each of these, or ends with it, so that it is known per line.
_SPANNING = (
    "PRIVATE",
    formats.BASE64_START,
    "Private-Lines",
    "\\\n",
    SECRET_KIND,
    *MANIFESTS,
    *SIGNS_OF_TABLES,
)
"""What every secret has that is on several lines, unless one of them shows it alone."""


def find_secrets(text: str, path: str = "") -> list[Span]:
    """Return the secrets of a text as spans in order, without overlap.

    Args:
        text: Any text; LF line ends.
        path: The file's path; its name decides about quotes; may be empty.
    """
    kind = kind_of(path)
    lines = text.split("\n")
    spans, parts = _find(text, lines, path)
    for joined in joined_strings(text, lines, parts, is_code=kind not in UNQUOTED):
        found, _ = _find(joined.text, joined.text.split("\n"), path)
        for start, end in found:
            pieces = joined.pieces(start, end)
            if len(pieces) > 1:
                spans += (piece for piece in pieces if piece[1] - piece[0] >= MIN_PIECE)
    return merge(spans)


def _find(
    text: str, lines: Sequence[str], path: str
) -> tuple[list[Span], Sequence[int]]:
    """Find the secrets of a text that are not in several strings.

    Returns:
        Their spans, and the numbers of the lines that may be a part of a statement or
        a string on several lines.
    """
    kind = kind_of(path)
    different = set(lines)
    fresh = different.difference(_CLEAN[kind])
    may_span = _may_span_lines(different, fresh, kind)
    # Most texts have no new line, or only one.
    signed = signs.lines_with_signs(list(fresh)) if fresh else fresh
    parts = _parts(fresh, signed) | (_PARTS[kind] & different)
    spans: list[Span] = []
    has_key_line = False
    if signed:
        spans, has_key_line = _in_lines(lines, signed, kind, _PairsOfLines(kind))
    _remember(fresh - signed, parts, kind)
    numbers = [at for at, line in enumerate(lines) if line in parts] if parts else []
    if numbers:
        spans += _in_statements(lines, numbers, kind)
    if has_key_line or _has_structure(path) or may_span:
        spans += _in_several_lines(text, path, has_key_line=has_key_line)
    if kind is Kind.PROSE and signs.has_secret_word(text):
        spans += values_of_printed_tables(text)
    spans += keys_in_other_forms(text)
    return spans, numbers


def _parts(fresh: set[str], signed: set[str]) -> set[str]:
    """Return the new lines that name a secret, or may have a part of a string."""
    return {*filter(names_secret, signed), *filter(may_be_joined, fresh)}


def secrets_by_place(text: str, path: str) -> Iterator[str]:
    """Find what is secret only because of other lines than its own.

    It must be known wherever a part of the text is sent that lacks those.
    """
    kind = kind_of(path)
    for start, end in find_secrets(text, path):
        first = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", start)
        line = text[first : stop if stop >= 0 else len(text)]
        if (start - first, end - first) not in _find_in_line(line, kind):
            yield text[start:end]


def may_change(above: str, below: str, path: str) -> bool:
    """Whether a line between two texts may be replaced by any one that `is_clean`: then
    the secrets of the whole are those of the two texts.

    Args:
        above: The lines above it, searched before.
        below: The lines below it, searched before.
        path: The path of their file.
    """
    clean = _CLEAN[kind_of(path)]
    lines = above.split("\n")
    different = {*lines, *below.split("\n")}
    # The lines of prose may be those of a printed table.
    is_read_whole = kind_of(path) is Kind.PROSE or _has_structure(path)
    if is_read_whole or _may_span_lines(
        different, different.difference(clean), kind_of(path)
    ):
        return False
    pairs = _PairsOfLines(kind_of(path))
    has_key_line = False
    if signed := set(lines).difference(clean):
        _, has_key_line = _in_lines(lines, signed, kind_of(path), pairs)
    next_line, _, _ = below.partition("\n")
    # Above, a key may go on, or a name expect its value; below, a line may name this
    # one as a value.
    if has_key_line or pairs.is_open or next_line not in clean:
        return False
    return not may_hold(lines[-MAX_LINES:], below.split("\n", MAX_LINES))


def is_clean(line: str, path: str) -> bool:
    """Whether a line was searched, and is in no way a part of a secret: it holds none,
    names no value on other lines, and is no line of a key."""
    kind = kind_of(path)
    is_alone = line in _CLEAN[kind] and line not in _BEGUN[kind]
    return is_alone and not (line in _PARTS[kind] or not stands_alone(line))


def _remember(lines: set[str], parts: set[str], kind: Kind) -> None:
    """Add lines to the clean ones; when there are too many, forget all others."""
    if len(_CLEAN[kind]) + len(lines) > _MAX_CLEAN:
        for known in (_CLEAN, _BEGUN, _PARTS):
            known[kind].clear()
        lines = set(islice(lines, _MAX_CLEAN))
    _CLEAN[kind] |= lines
    _PARTS[kind] |= lines & parts
    if _spans(lines):
        _BEGUN[kind].update(line for line in lines if _spans([line]))


def _in_lines(
    lines: Sequence[str], signed: set[str], kind: Kind, pairs: _PairsOfLines
) -> tuple[list[Span], bool]:
    """Find what a line shows to be a secret, alone or with the ones before it.

    Args:
        lines: All lines.
        signed: Those with signs; the ones that turn out to be clean are removed.
        kind: How values are written in them.
        pairs: What was read so far.

    Returns:
        The spans, and whether one may be the first line of a key without a marker.
    """
    spans: list[Span] = []
    has_key_line = False
    n_chars_before = list(accumulate(map(len, lines), initial=0))
    done = 0
    for first in [at for at, line in enumerate(lines) if line in signed]:
        if first < done or lines[first] not in signed:
            continue
        if first > done and len(lines[first - 1]) <= neighbours.MAX_LINE:
            # It holds and names no secret; this line may name it as one.
            pairs.feed(lines[first - 1], n_chars_before[first - 1] + first - 1)
        for at in range(first, len(lines)):
            line, start = lines[at], n_chars_before[at] + at
            if line not in signed and not pairs.is_open:
                break
            done = at + 1
            is_short = len(line) <= neighbours.MAX_LINE
            is_pair, across = pairs.feed(line, start) if is_short else (False, ())
            spans += across
            if line not in signed:
                continue
            is_key_line = formats.MIN_KEY_LINE <= len(
                line
            ) <= formats.MAX_KEY_LINE and _may_be_of_key(line)
            has_key_line = has_key_line or is_key_line
            found = _find_in_line(line, kind)
            # Nearly every line has none.
            if found:
                spans += [(start + a, start + b) for a, b in found]
            elif not is_key_line and not is_pair:
                signed.discard(line)
    return spans, has_key_line


def _in_statements(
    lines: Sequence[str], numbers: Sequence[int], kind: Kind
) -> Iterator[Span]:
    """Find what is a secret by a name on another line of its statement."""
    found = statements(lines, [at for at in numbers if names_secret(lines[at])])
    if not found:
        return
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for statement in found:
        joined = joined_lines(lines, starts, statement)
        for start, end in _find_in_line(joined.text, kind):
            yield from joined.pieces(start, end)


def _has_structure(path: str) -> bool:
    """Whether the lines of a file name the values of others by their place."""
    return is_yaml(path) or is_table(path)


def _may_span_lines(lines: set[str], fresh: set[str], kind: Kind) -> bool:
    """Whether `_in_several_lines` may find something in lines without structure.

    Args:
        lines: The lines.
        fresh: Those that are not known to be clean.
        kind: The kind of their file.
    """
    return not _BEGUN[kind].isdisjoint(lines) or _spans(fresh)


def _spans(lines: Iterable[str]) -> bool:
    """Whether any of the lines has what secrets on several lines have."""
    text = "\n".join((*lines, ""))
    return any(map(text.__contains__, _SPANNING))


def _in_several_lines(text: str, path: str, *, has_key_line: bool) -> Iterator[Span]:
    """Find what no line alone shows to be a secret."""
    yield from _find_key_blocks(text, has_key_line=has_key_line)
    yield from _find_encoded_keys(text)
    yield from _continued(text, kind_of(path))
    yield from json_values(text)
    yield from values_of_tables(text, path)
    if is_yaml(path) or any(map(text.__contains__, MANIFESTS)):
        yield from values_of_manifests(text)
    if is_yaml(path):
        yield from _scalars_below(text)


def _scalars_below(text: str) -> Iterator[Span]:
    """Find the values of YAML that are on other lines than their names.

    They are judged as if they were on one line. Prose has blanks, also where a single
    line of it has none.
    """
    for key, lines in scalars_below(text):
        if not signs.has_secret_word(key) or any(
            map(str.isspace, "".join(line for _, line in lines))
        ):
            continue
        for start, line in lines:
            yield from _find_behind(f"{key}: ", line, start, Kind.SETTINGS)


def _find_behind(before: str, text: str, start: int, kind: Kind) -> Sequence[Span]:
    """Judge a text that starts there as if it were on one line with its name."""
    shift = start - len(before)
    return [
        (shift + a, shift + b)
        for a, b in _find_in_line(before + text, kind)
        if a >= len(before)
    ]


class _PairsOfLines:
    """Finds values in lines after, or before, the line of their name."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._block: ValueBlock | None = None
        """The string on several lines that has begun after a name."""
        self._n_left_of_block = 0
        self._n_left = 0
        """Lines in which a value may follow."""
        self._before: Span | None = None
        """The value of the line before, if that names itself one."""
        self._is_strong = False
        """Whether the name promises a secret whatever its value is."""
        self._is_member = False
        """Whether the name is a string of a list; others follow it there."""
        self._is_element = False
        """Whether the name is that of an XML element, which holds text."""

    @property
    def is_open(self) -> bool:
        """Whether the next line may hold the value of a name."""
        return self._n_left > 0 or self._block is not None

    def feed(self, line: str, start: int) -> tuple[bool, Sequence[Span]]:
        """Read a line that starts there; returns whether it ends with a name, and the
        values that are certain now.
        """
        of_block = self._in_block(line, start)
        has_name, found = self._next_to_name(line, start)
        if self._block is None and (block := opened_block(line)) is not None:
            self._block, self._n_left_of_block = block, MAX_BLOCK_LINES
        return has_name or self._block is not None, (*of_block, *found)

    def _in_block(self, line: str, start: int) -> Sequence[Span]:
        """Judge a line of a string as if it were on the line of its name."""
        if self._block is None:
            return ()
        before = self._block.before
        value, is_last = read_line(line, self._block)
        self._n_left_of_block -= 1
        if is_last or not self._n_left_of_block:
            self._block = None
        if value is None:
            return ()
        text = f'{line[slice(*value)]}"'
        return _find_behind(before, text, start + value[0], self._kind)

    def _next_to_name(self, line: str, start: int) -> tuple[bool, Sequence[Span]]:
        has_name = _ends_with_name(line)
        if not (has_name or self._n_left or self._before or "alue" in line):
            return False, ()
        found: list[Span] = []
        if has_name and self._before is not None and neighbours.names_value(line):
            found.append(self._before)
        is_text = self._kind in _TEXT or self._is_element
        value = neighbours.lone_value(line, is_named=self._is_strong, is_text=is_text)
        is_between = value is None and neighbours.may_be_between(line)
        self._before = None
        if value is not None:
            value = (start + value[0], start + value[1])
            self._before = value if neighbours.is_value_field(line) else None
            if self._n_left and not (
                self._is_member and not neighbours.is_opaque(line.strip(" \t\"',"))
            ):
                # Strings that are put together are values on several lines.
                found.append(value)
        if has_name:
            names = (found[0] for found in NAME.finditer(line))
            self._is_strong = Promise.STRONG in map(promise_of, names)
            self._is_member = neighbours.is_member(line)
            self._is_element = line.endswith(">")
            self._n_left = neighbours.MAX_BETWEEN
        elif is_between and self._n_left:
            self._n_left -= 1
        elif value is None:
            self._n_left = 0
            self._is_strong = False
        return has_name, found


@lru_cache(maxsize=8_192)
def _ends_with_name(line: str) -> bool:
    return neighbours.has_name(line) and neighbours.expects_value(line)


def merge(spans: list[Span]) -> list[Span]:
    """Sort spans and join those that overlap."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged


@lru_cache(maxsize=8_192)
def _may_be_of_key(line: str) -> bool:
    """Whether a line alone could be the first line of a key without a marker."""
    return (
        formats.KEY_RUN.search(line) is not None
        and formats.KEY_LINES.match(line + "\n") is not None
    )


def _find_key_blocks(text: str, *, has_key_line: bool) -> Iterator[Span]:
    if "PRIVATE" in text:
        for block in formats.PRIVATE_KEY.finditer(text):
            body = block[1].strip(" \t\n\\rn\"',:.;+-")
            start = block.start(1) + block[1].find(body)
            if len(body) >= formats.MIN_KEY_CHARS:
                yield start, start + len(body)
    if not has_key_line:
        return
    for block in formats.KEY_LINES.finditer(text):
        start = block.start("body")
        yield start, start + len(block["body"].rstrip(" \t\n\"'"))


def _find_encoded_keys(text: str) -> Iterator[Span]:
    """Find private keys in Base64 text, and those in PuTTY's format."""
    if formats.BASE64_START in text:
        for block in formats.BASE64_BLOCK.finditer(text):
            if _holds_private_key(block[0]):
                yield block.span()
    if "Private-Lines" in text:
        for block in formats.PUTTY_KEY.finditer(text):
            body = block[1].strip()
            start = block.start(1) + block[1].find(body)
            yield start, start + len(body)


def _holds_private_key(encoded: str) -> bool:
    """Whether Base64 text, which may be cut, decodes to a block of a private key."""
    whole = encoded.rstrip("=")
    decoded = base64.b64decode(whole[: len(whole) // 4 * 4])
    return b"PRIVATE KEY-----" in decoded or b"PRIVATE KEY BLOCK-----" in decoded


def _find_in_line(line: str, kind: Kind) -> Sequence[Span]:
    if len(line) <= _WINDOW:
        return _find_in_piece(line, kind)
    return list(_windows(line, kind))


def _windows(line: str, kind: Kind) -> Iterator[Span]:
    for start in range(0, len(line), _WINDOW - _OVERLAP):
        piece = line[start : start + _WINDOW]
        for a, b in _find_in_piece(piece, kind):
            # A match at the border may continue after it.
            end = _end_of(_KEY_END, line, start + b) if b == len(piece) else start + b
            yield start + a, end


@lru_cache(maxsize=8_192)
def _find_in_piece(line: str, kind: Kind) -> tuple[Span, ...]:
    spans: list[Span] = []
    if signs.RUN.search(line) or signs.SLACK in line:
        spans += (_whole_token(line, x.span()) for x in formats.KEY.finditer(line))
        spans += (x.span(1) for x in formats.HEADER.finditer(line))
        spans += _random_strings(line)
    names_secret = signs.has_secret_word(line)
    if names_secret:
        spans += find_named(line, kind)
    if "://" in line:
        for url in formats.URL_PASSWORD.finditer(line):
            if not REFERENCE.search(url[1]):
                spans.append(url.span(1))
    if neighbours.has_name(line):
        spans += (
            (start, end)
            for start, end in neighbours.find_near_names(line)
            if may_be_secret(line[start:end])
        )
    spans += _find_in_commands(line, kind, names_secret=names_secret)
    if "(" in line or "[" in line:
        spans += (x for x in find_arguments(line) if may_be_secret(line[x[0] : x[1]]))
    spans += recovery_phrases(line)
    if has_escaped_sign(line):
        spans += _find_in_string(line, kind)
    return tuple(merge(spans))


def _find_in_string(line: str, kind: Kind) -> Iterator[Span]:
    """Find the secrets of text inside a string, a URL or an attribute of HTML."""
    text, starts = unescaped(line)
    start = 0
    for inner in text.split("\n"):
        for a, b in _find_in_piece(inner, kind):
            yield starts[start + a], starts[start + b]
        start += len(inner) + 1


def _continued(text: str, kind: Kind) -> Iterator[Span]:
    """Find the secrets of commands over several lines, which end with a backslash."""
    if "\\\n" not in text:
        return
    for command in _CONTINUED.finditer(text):
        line = command[0].replace("\\\n", "  ")[:_WINDOW]
        names_secret = signs.has_secret_word(line)
        for start, end in _find_in_commands(line, kind, names_secret=names_secret):
            yield command.start() + start, command.start() + end


def _find_in_commands(line: str, kind: Kind, *, names_secret: bool) -> Iterator[Span]:
    for start, end in find_in_commands(
        line,
        names_secret=names_secret,
        is_command=kind in UNQUOTED,
    ):
        value = line[start:end].rstrip(",.:\\")
        if may_be_secret(value) and not CALL.search(value):
            yield start, start + len(value)


_TOKEN_END = re.compile(r"[\w-]*")
_KEY_END = re.compile(r"[\w.+/=~-]*")


def _whole_token(line: str, span: Span) -> Span:
    """Extend a key to the end of its token: the pattern may match less."""
    return span[0], _end_of(_TOKEN_END, line, span[1])


def _end_of(pattern: re.Pattern[str], line: str, start: int) -> int:
    found = pattern.match(line, start)
    return found.end() if found else start


def _random_strings(line: str) -> Iterator[Span]:
    """Find quoted strings that are too random to be written by a person."""
    for found in formats.RANDOM_STRING.finditer(line):
        value = found[2]
        is_hex = _HEX.issuperset(value)
        if (
            _entropy(value) > _MIN_BITS[is_hex]
            and not neighbours.holds_alphabet(value)
            and not formats.UUID.search(value)
        ):
            yield found.span(2)


def _entropy(value: str) -> float:
    """Return the Shannon entropy of a string in bits per character."""
    n_chars = len(value)
    shares = [n / n_chars for n in Counter(value).values()]
    bits = -sum(share * math.log2(share) for share in shares)
    return bits - _DIGITS_MALUS / math.log2(n_chars) if value.isdecimal() else bits
