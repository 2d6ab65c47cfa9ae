"""Reads a whole reply, also if its form is not known.

A reply that `RewriteReader` cannot read, or whose text still has what is no code, is
searched for the range's text in layers: whole lines around it, a margin on all lines,
signs of a diff, an encoding. What is in a layer is read as a reply of its own. Whether
that is the new text, the range says: the text has its lines, or begins or ends as it
does. The text is certain only if all layers give the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from redline.text.bare_hunks import with_hunks_applied, with_words_applied
from redline.text.chatter import PROSE_LANGUAGES
from redline.text.elision import find_elision, lines_are_lost
from redline.text.fence import read_fence
from redline.text.indentation import indent_of
from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.encoded import decoded, has_entities
from redline.text.reply_forms.foreign import (
    has_foreign_end,
    has_mark,
    without_foreign_ends,
)
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.margins import has_margin, without_margin
from redline.text.reply_forms.surroundings import Surroundings
from redline.text.rewrite import RewriteReader
from redline.text.search_replace import is_search_mark

_WORD = re.compile(r"\w+|\S")
_IS_OLD = re.compile(
    r"\b(?:before|old|original|previous|current|replac|instead|was)", re.IGNORECASE
)
"""What is said of the block that is not the answer."""
_HELD = PROSE_LANGUAGES - {"html", "xml"}
"""LSP language ids of text for people, which may be in any layer."""
_LONG_STRINGS = ('"""', "'''")
_MAX_N_CHARS = 50_000
_MAX_DEPTH = 2
"""Layers in layers that are taken off: each may have several."""


def search(reader: RewriteReader, around: Surroundings, *, n_layers: int = 0) -> None:
    """Read the range's text in the layers of a reply, if its own text is doubtful.

    Args:
        reader: It has read the whole reply.
        around: Its range.
        n_layers: The layers that were taken off before.
    """
    if n_layers == _MAX_DEPTH or not _is_doubtful(reader, around):
        return
    is_elided = any(
        find_elision(line, around.language) is not None for line in reader.received
    )
    found: list[RewriteReader] = []
    is_sure = False
    for candidate in _candidates(reader.received, around):
        inner = reader.read_inner(candidate.lines)
        search(inner, around, n_layers=n_layers + 1)
        if around.is_target(inner.lines):
            reader.hold()  # The layer may be what was asked for.
            found.clear()
            break
        is_read = not _has_fault(inner) and _is_for_range(
            inner.lines, around, is_sure=candidate.is_sure
        )
        if is_read and (not is_elided or _is_whole(inner.lines, around)):
            found.append(inner)
            is_sure = candidate.is_sure
            if is_sure:
                break
    texts, own = {_texts(inner.lines) for inner in found}, _texts(reader.lines)
    is_new = len(texts) == 1 and (is_sure or own not in texts)
    if is_new and around.language not in _HELD:
        reader.read_as(found[0])
    elif texts - {own} or has_margin(reader.code, around):
        reader.hold()


def _is_doubtful(reader: RewriteReader, around: Surroundings) -> bool:
    kinds = {problem.kind for problem in reader.problems}
    if reader.declined is not None or kinds & {"reasoning", "truncated"}:
        return False
    return _has_fault(reader) or _may_have_layer(reader.code, reader.received, around)


def _has_fault(reader: RewriteReader) -> bool:
    return any(problem.is_fault for problem in reader.problems)


class _Candidate(Struct, frozen=True):
    """What is in one layer of a reply."""

    lines: list[str]
    is_sure: bool
    """Whether the reply also has what it replaces, word for word."""


def _candidates(lines: Sequence[str], around: Surroundings) -> Iterator[_Candidate]:
    """Yield what is in each layer that a reply has."""
    is_long = sum(map(len, lines)) > _MAX_N_CHARS
    if around.may_be_in_text or is_long or any(map(is_search_mark, lines)):
        return
    for layer in (*_WITH_OLD, *_LAYERS):
        inner = layer(lines, around)
        if inner and inner != list(lines) and any(map(str.strip, inner)):
            yield _Candidate(inner, layer in _WITH_OLD)


def _may_have_layer(
    lines: Sequence[str], received: Sequence[str], around: Surroundings
) -> bool:
    """Whether a text that was read without a fault may have a layer nevertheless.

    Args:
        lines: The text.
        received: The reply that it was read from.
        around: Its range.
    """
    texts = [line for line in lines if line.strip()]
    if not texts or around.may_be_in_text:
        return False
    if has_foreign_end(texts, around) or has_margin(lines, around):
        return True
    if with_words_applied(received, around.target) is not None:
        return True
    if len(received) > 1 or len(around.own_texts) < 2 or _is_for_range(lines, around):
        return False
    inner = decoded(received, around)
    return inner is not None and _is_for_range(inner, around)


def _is_for_range(
    lines: Sequence[str], around: Surroundings, *, is_sure: bool = False
) -> bool:
    """Whether a text certainly takes the place of the range.

    Args:
        lines: The text.
        around: The range.
        is_sure: Whether only what no code has may speak against it.
    """
    texts, own = [line for line in lines if line.strip()], around.own_texts
    if not texts or not own or depth(lines) != depth(around.target):
        return False
    is_cut = any("\n".join(texts).count(sign) % 2 for sign in _LONG_STRINGS)
    is_encoded = has_entities(texts) and not has_entities(around.lines)
    if is_cut or is_encoded or has_mark(texts, around):
        return False
    if has_foreign_end(texts, around):
        return False
    if is_sure:
        return True
    if len(indent_of(texts[-1])) < min(len(indent_of(line)) for line in own):
        return False
    known = {line.strip() for line in texts}
    n_kept = sum(line.strip() in known for line in own)
    is_alike = any(_is_alike(texts[at], own[at]) for at in (0, -1))
    return 2 * n_kept >= len(own) or (is_alike and fits(lines, around))


def _is_whole(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether nothing is elided: a text begins and ends as the range does.

    It loses no lines, and ends with none that is elsewhere in the file.
    """
    texts, own = [line for line in lines if line.strip()], around.own_texts
    last = texts[-1].strip()
    is_other = last in around.texts and last not in map(str.strip, own)
    return (
        not is_other
        and not lines_are_lost(own, texts)
        and all(
            _is_alike(texts[at], own[at]) and indent_of(texts[at]) == indent_of(own[at])
            for at in (0, -1)
        )
    )


def _texts(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in lines if line.strip())


def _is_alike(line: str, own: str) -> bool:
    """Whether lines begin with the same word or sign."""
    word, own_word = _WORD.search(line), _WORD.search(own)
    return word is not None and own_word is not None and word[0] == own_word[0]


def _with_changes(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Apply the changes of a diff without heads."""
    return with_hunks_applied(lines, around.target) or with_words_applied(
        lines, around.target
    )


def _other_block(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return the only fenced block that is not the unchanged range."""
    if around.language in PROSE_LANGUAGES:
        return None
    blocks: list[list[str]] = []
    run, is_labelled = "", False
    for line in lines:
        fence = read_fence(line)
        if fence and not run:
            run = fence.run
            blocks.append([])
        elif fence and fence.run == run and not fence.info:
            run = ""
        elif run:
            blocks[-1].append(line)
        else:
            is_labelled |= _IS_OLD.search(line) is not None
    own = list(map(str.strip, around.own_texts))
    others = [block for block in blocks if list(map(str.strip, _texts(block))) != own]
    is_certain = is_labelled and len(others) == 1 < len(blocks)
    return others[0] if is_certain else None


_Layer = Callable[[Sequence[str], Surroundings], "list[str] | None"]

_WITH_OLD: tuple[_Layer, ...] = (_with_changes, _other_block)
_LAYERS: tuple[_Layer, ...] = (
    without_foreign_ends,
    without_margin,
    decoded,
)
