"""Reads a whole reply, also if its form is not known.

A reply that `RewriteReader` cannot read, or whose text still has what is no code, is
searched for the range's text in layers: whole lines around it, a margin on all lines,
signs of a diff, an encoding. What is in a layer is read as a reply of its own. Whether
that is the new text, the range says: the text has its lines, or begins or ends as it
does. The text is certain only if all layers give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

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
from redline.text.reply_forms.likeness import fits, is_alike
from redline.text.reply_forms.margins import has_margin, without_margin
from redline.text.reply_forms.parts import (
    beside_old,
    in_context,
    joined_blocks,
    only_block,
)
from redline.text.reply_forms.repeated_lines import texts_of
from redline.text.reply_forms.stray_fences import has_glued_fence
from redline.text.reply_forms.surroundings import Surroundings
from redline.text.rewrite import RewriteReader
from redline.text.search_replace import is_search_mark

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
    kinds = {problem.kind for problem in reader.problems}
    is_unread = reader.declined is not None or kinds & {"reasoning", "truncated"}
    if n_layers == _MAX_DEPTH or is_unread:
        return
    if sum(map(len, reader.received)) > _MAX_N_CHARS:
        # Too long to be searched.
        if has_margin(reader.code, around):
            reader.hold()
        return
    _search_layers(reader, around, n_layers)


def _search_layers(reader: RewriteReader, around: Surroundings, n_layers: int) -> None:
    known = list(_candidates((_with_changes,), reader, around))
    is_left = _has_fault(reader) or any(map(read_fence, reader.lines))
    if not (known or _is_doubtful(reader, around)):
        return
    layers = (*_LAYERS, *_OF_BLOCKS) if is_left else _LAYERS
    is_elided = any(
        find_elision(line, around.language) is not None for line in reader.received
    )
    found: list[RewriteReader] = []
    is_sure = False
    for at, lines in enumerate(chain(known, _candidates(layers, reader, around))):
        inner = reader.read_inner(lines)
        search(inner, around, n_layers=n_layers + 1)
        if around.is_target(inner.lines):
            reader.hold()  # The layer may be what was asked for.
            found.clear()
            break
        # A diff also has what it replaces, word for word.
        is_diff = at < len(known)
        is_read = not _has_fault(inner) and _is_for_range(
            inner.lines, around, is_sure=is_diff
        )
        if is_read and (not is_elided or _is_whole(inner.lines, around)):
            found.append(inner)
            if is_sure := is_diff:
                break
    texts, own = {_texts(inner.lines) for inner in found}, _texts(reader.lines)
    faults = {problem.kind for problem in reader.problems if problem.is_fault}
    is_new = is_sure or own not in texts or faults == {"several-blocks"}
    if is_new and len(texts) == 1 and around.language not in _HELD:
        reader.read_as(found[0])
    elif texts - {own} or has_margin(reader.code, around):
        reader.hold()


def _has_fault(reader: RewriteReader) -> bool:
    return any(problem.is_fault for problem in reader.problems)


def _candidates(
    layers: Sequence[_Layer], reader: RewriteReader, around: Surroundings
) -> Iterator[list[str]]:
    """Yield what is in each of some layers that a reply has."""
    lines = reader.received
    if around.may_be_in_text or any(map(is_search_mark, lines)):
        return
    for layer in layers:
        inner = layer(lines, around)
        if inner and inner != list(lines) and any(map(str.strip, inner)):
            yield inner


def _is_doubtful(reader: RewriteReader, around: Surroundings) -> bool:
    """Whether a reply has a fault, or its text may have a layer nevertheless."""
    lines, texts = reader.code, texts_of(reader.code)
    if _has_fault(reader) or not texts or around.may_be_in_text:
        return _has_fault(reader)
    if has_foreign_end(texts, around) or has_margin(lines, around):
        return True
    own, known = set(map(str.strip, around.own_texts)), set(map(str.strip, texts))
    is_new = 2 * len(own & known) < len(own) or any(map(read_fence, lines))
    is_code = around.language not in PROSE_LANGUAGES and is_new
    if (is_code or len(reader.received) == 1) and not _is_for_range(lines, around):
        return True
    first = texts[0].strip()
    is_other = first in around.texts and first not in own
    return is_other or beside_old(lines, around) is not None


def _is_for_range(
    lines: Sequence[str], around: Surroundings, *, is_sure: bool = False
) -> bool:
    """Whether a text certainly takes the place of the range.

    Args:
        lines: The text.
        around: The range.
        is_sure: Whether only what no code has may speak against it.
    """
    texts, own = texts_of(lines), around.own_texts
    if not texts or not own or depth(lines) != depth(around.target):
        return False
    is_cut = any("\n".join(texts).count(sign) % 2 for sign in _LONG_STRINGS)
    is_encoded = has_entities(texts) and not has_entities(around.lines)
    if is_cut or is_encoded or has_mark(texts, around):
        return False
    if has_foreign_end(texts, around) or has_glued_fence(texts[-1]):
        return False
    if is_sure:
        return True
    if len(indent_of(texts[-1])) < min(len(indent_of(line)) for line in own):
        return False
    known = {line.strip() for line in texts}
    n_kept = sum(line.strip() in known for line in own)
    has_end = any(is_alike(texts[at], own[at]) for at in (0, -1))
    return 2 * n_kept >= len(own) or (has_end and fits(lines, around))


def _is_whole(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether nothing is elided: a text begins and ends as the range does.

    It loses no lines, and ends with none that is elsewhere in the file.
    """
    texts, own = texts_of(lines), around.own_texts
    last = texts[-1].strip()
    is_other = last in around.texts and last not in map(str.strip, own)
    return (
        not is_other
        and not lines_are_lost(own, texts)
        and all(
            is_alike(texts[at], own[at]) and indent_of(texts[at]) == indent_of(own[at])
            for at in (0, -1)
        )
    )


def _texts(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(texts_of(lines))


def _with_changes(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Apply the changes of a diff without heads."""
    return with_hunks_applied(lines, around.target) or with_words_applied(
        lines, around.target
    )


_Layer = Callable[[Sequence[str], Surroundings], "list[str] | None"]

_LAYERS: tuple[_Layer, ...] = (
    without_foreign_ends,
    without_margin,
    decoded,
    beside_old,
    in_context,
)
_OF_BLOCKS: tuple[_Layer, ...] = (only_block, joined_blocks)
"""Layers of a reply that cannot be read as it is."""
