"""Finds the secrets in a text: by format, by the assigned name, by randomness.

Too much is better than too little: a match is restored exactly in the reply, so a false
alarm costs a model the sight of one string, while a miss costs its owner more. Lines
are searched one by one and cached, since prompts repeat them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice

from redline.prompts.secrets import formats, neighbours, signs
from redline.prompts.secrets.containers import has_container, values_in_containers
from redline.prompts.secrets.joined import MIN_PIECE, joined_strings, may_be_joined
from redline.prompts.secrets.key_blocks import encoded_keys, key_blocks, may_be_of_key
from redline.prompts.secrets.key_forms import keys_in_other_forms
from redline.prompts.secrets.kinds import Kind, kind_of
from redline.prompts.secrets.line import (
    MAX_WINDOW,
    Span,
    merge,
    secrets_of_command,
    secrets_of_line,
)
from redline.prompts.secrets.pairs import PairsOfLines, secrets_behind
from redline.prompts.secrets.phrases import (
    ESCAPED_KIND,
    SECRET_KIND,
    json_values,
    json_values_in_strings,
)
from redline.prompts.secrets.statements import (
    MAX_LINES,
    joined_lines,
    may_hold,
    names_secret,
    stands_alone,
    statements,
)
from redline.prompts.secrets.tables import SIGNS as SIGNS_OF_TABLES
from redline.prompts.secrets.tables import (
    is_table,
    values_of_printed_tables,
    values_of_tables,
)
from redline.prompts.secrets.values import UNQUOTED
from redline.prompts.secrets.yaml import (
    MANIFESTS,
    is_yaml,
    scalars_below,
    values_of_escaped_manifests,
    values_of_manifests,
)

_CONTINUED = re.compile(r"^(?:[^\n]*+(?<=\\)\n)++[^\n]*+", re.MULTILINE)

_CLEAN: dict[Kind, set[str]] = {kind: set() for kind in Kind}
"""Lines that were searched and hold no secret, by the kind of their file: most sent
text was searched before, and is then recognized quickly."""

_BEGUN: dict[Kind, set[str]] = {kind: set() for kind in Kind}
"""Those of the clean lines that may be a part of a secret on several lines."""

_PARTS: dict[Kind, set[str]] = {kind: set() for kind in Kind}
"""Those of the clean lines that may name a secret on another line of their statement,
or hold a part of a string."""

_MAX_CLEAN = 16_384

_MIN_ZEROS = 3
"""One in so many characters is zero in text of UTF-16 that was read as UTF-8: nearly
every second one is. Fewer separate fields, as in an environment."""

# One line has each of these, or ends with it, so that it is known per line.
_SPANNING = (
    "PRIVATE",
    formats.BASE64_START,
    "Private-Lines",
    "\\\n",
    SECRET_KIND,
    ESCAPED_KIND,
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
    if text.count("\0") > len(text) / _MIN_ZEROS:
        return _between_zeros(text, path)
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


def _between_zeros(text: str, path: str) -> list[Span]:
    """Find the secrets of text in UTF-16 that was read as UTF-8."""
    places = [at for at, char in enumerate(text) if char != "\0"]
    found = find_secrets(text.replace("\0", ""), path)
    return [(places[start], places[end - 1] + 1) for start, end in found]


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
        spans, has_key_line = _in_lines(lines, signed, kind, PairsOfLines(kind))
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
        if (start - first, end - first) not in secrets_of_line(line, kind):
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
    # Prose may have a printed table, with the name of a secret in its heading.
    may_be_printed = kind_of(path) is Kind.PROSE and (
        signs.has_secret_word(above) or signs.has_secret_word(below)
    )
    if (
        may_be_printed
        or _has_structure(path)
        or _may_span_lines(different, different.difference(clean), kind_of(path))
    ):
        return False
    pairs = PairsOfLines(kind_of(path))
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
    lines: Sequence[str], signed: set[str], kind: Kind, pairs: PairsOfLines
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
            ) <= formats.MAX_KEY_LINE and may_be_of_key(line)
            has_key_line = has_key_line or is_key_line
            found = secrets_of_line(line, kind)
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
        for start, end in secrets_of_line(joined.text, kind):
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
    return any(map(text.__contains__, _SPANNING)) or has_container(text)


def _in_several_lines(text: str, path: str, *, has_key_line: bool) -> Iterator[Span]:
    """Find what no line alone shows to be a secret."""
    yield from key_blocks(text, has_key_line=has_key_line)
    yield from encoded_keys(text)
    yield from _continued(text, kind_of(path))
    yield from json_values(text)
    yield from json_values_in_strings(text)
    yield from values_of_tables(text, path)
    yield from values_in_containers(text, is_bare=kind_of(path) in UNQUOTED)
    if is_yaml(path) or any(map(text.__contains__, MANIFESTS)):
        yield from values_of_manifests(text)
        yield from values_of_escaped_manifests(text)
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
            yield from secrets_behind(f"{key}: ", line, start, Kind.SETTINGS)


def _continued(text: str, kind: Kind) -> Iterator[Span]:
    """Find the secrets of commands over several lines, which end with a backslash."""
    if "\\\n" not in text:
        return
    for command in _CONTINUED.finditer(text):
        line = command[0].replace("\\\n", "  ")[:MAX_WINDOW]
        names_secret = signs.has_secret_word(line)
        for start, end in secrets_of_command(line, kind, names_secret=names_secret):
            yield command.start() + start, command.start() + end
