"""Chooses among the versions of the range's text in a reply that has several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import eq

from redline.text.chatter import PROSE_LANGUAGES, is_certain_chatter, reads_as_talk
from redline.text.definition_header import function_name
from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.copies import HEADER, is_telling
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Surroundings

_WORD = re.compile(r"\w+|[^\w\s]")
_MAX_N_LINES = 600
"""Longer replies are not compared: it would take too long."""

_MIN_LIKENESS = 0.4
"""Of two versions of the same code, in words and signs; different functions of a file
share about half as much."""

_MIN_N_LINES, _MIN_N_LETTERS = 3, 30
"""Lines with text, and their letters, that are not given twice by chance."""
_MAX_N_COPIES = 5

_ONCE = re.compile(
    r"(?:(?:export|default|async|pub|public|private|protected|static)\s++)*+"
    r"(?:def|class|fn|func|function|interface|struct|impl|trait|return|throw|raise)\b"
)
"""What no text has twice in a row."""
_STATEMENT = re.compile(
    r"\s*(?:export|const|let|var|val|return|raise|throw|import|from|use|using|pub|type"
    r"|public|private|protected|static|final|@\w)"
)
_VERSION = re.compile(
    r"[#*_ ]{0,6}(?:the )?(?:original|old|before|current|updated|new|after|modified"
    r"|fixed|corrected|revised|final|improved|replacement|find|search|replace"
    r"|replace with|with|replaced|result|becomes)"
    r"(?: (?:this|that|it|code|text|version|range|lines|answer|snippet))?"
    r"[*_ ]{0,3}:[*_]{0,3}",
    re.IGNORECASE,
)
"""A label of a version, on a line of its own."""
_COMMENT = re.compile(r"(?://|#(?!\[)|--|/?\*)")
_IMPORT = re.compile(r"\s*(?:import|from|use|using|require|include|#include)\b")
_OPENER = re.compile(r"[{:]\s*$|\bdo\s*$")
_OLD = re.compile(r"original|old|before|current|find|search", re.IGNORECASE)


def given_once(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return one copy of an answer that a reply gives several times, word for word.

    Returns:
        None if it does not, or if the user may have asked for it: the answer is the
        unchanged range, or the range itself repeats its lines.
    """
    places = [at for at, line in enumerate(lines) if line.strip()]
    texts = [lines[at].rstrip() for at in places]
    n_lines = _n_repeated(texts)
    own = around.own_texts
    if n_lines == len(texts) or _n_repeated(own) < len(own):
        return None
    answer = texts[:n_lines]
    if answer == own or not _is_answer(answer, around):
        return None
    return list(lines[: places[n_lines - 1] + 1])


def _n_repeated(texts: Sequence[str]) -> int:
    """Count the lines of which a text has two or more copies; all if it has one."""
    for n_copies in range(2, _MAX_N_COPIES + 1):
        size, rest = divmod(len(texts), n_copies)
        if size and not rest and list(texts[:size]) * n_copies == list(texts):
            # A copy may have copies in turn.
            return _n_repeated(texts[:size])
    return len(texts)


def _is_answer(texts: Sequence[str], around: Surroundings) -> bool:
    """Whether nobody would want the same lines several times."""
    if depth(texts) != depth(around.target):
        return False
    if any(map(HEADER.match, texts)) or _STATEMENT.match(texts[0]):
        return True
    n_letters = sum(map(str.isalnum, "".join(texts)))
    has_rows = len(set(texts)) >= _MIN_N_LINES and n_letters >= _MIN_N_LETTERS // 2
    is_long = has_rows or (len(texts) >= _MIN_N_LINES and n_letters >= _MIN_N_LETTERS)
    has_words = any(is_telling([line]) for line in texts)
    if len(texts) == 1:
        n_own = sum(1 for line in around.target if line.strip())
        return has_words and n_own == 1 and n_letters >= _MIN_N_LETTERS // 3
    return is_long or has_words or n_letters >= 2 * _MIN_N_LETTERS


def is_stuck(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether lines come several times in a row as nobody writes them.

    That is a header or an exit twice, or any line many times; the range has no such
    lines.
    """
    own_runs = {line for line, _ in _runs(around.target)}
    return any(
        line not in own_runs
        and (
            _ONCE.match(line)
            or (n_times > _MAX_N_COPIES and any(map(str.isalpha, line)))
        )
        for line, n_times in _runs(lines)
    )


def _runs(lines: Sequence[str]) -> list[tuple[str, int]]:
    """Return the lines that come several times in a row, and how often."""
    texts = _texts(lines)
    if not any(map(eq, texts, texts[1:])):
        return []
    runs = ((line, len(list(run))) for line, run in groupby(texts))
    return [(line, n_times) for line, n_times in runs if n_times > 1]


def below_label(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return what follows the last label of a version, such as `After:`."""
    labels = [at for at, line in enumerate(lines) if _VERSION.fullmatch(line.strip())]
    if not labels or any(around.has(lines[at].strip()) for at in labels):
        return None
    last = labels[-1]
    rest = list(lines[last + 1 :])
    above = any(map(str.strip, lines[:last]))
    is_new = _OLD.search(lines[last]) is None
    return rest if above and is_new and fits(rest, around) else None


def without_copies(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Cut off definitions of the file, word for word, before or after the answer.

    Those next to the range are cut off by `excerpt`.
    """
    parts = _paragraphs(lines)
    kept = list(parts)
    while len(kept) > 1 and _is_definition(kept[0], around):
        kept.pop(0)
    while len(kept) > 1 and _is_definition(kept[-1], around):
        kept.pop()
    if len(kept) == len(parts):
        return None
    start = sum(map(len, parts[: parts.index(kept[0])]))
    stop = start + sum(map(len, kept))
    new = list(lines[start:stop])
    while new and not new[-1].strip():
        new.pop()
    return new


def _paragraphs(lines: Sequence[str]) -> list[list[str]]:
    """Cut a text before each line that follows a blank one."""
    found: list[list[str]] = []
    for at, line in enumerate(lines):
        if not found or (at and line.strip() and not lines[at - 1].strip()):
            found.append([])
        found[-1].append(line)
    return found


def _is_definition(part: Sequence[str], around: Surroundings) -> bool:
    """Whether a paragraph is a definition that the file has outside of the range."""
    texts = [line.rstrip() for line in part if line.strip()]
    if len(texts) < _MIN_N_LINES or not HEADER.match(texts[0]) or depth(texts):
        return False
    text = "\n".join(texts)
    return text not in "\n".join(around.target) and any(
        f"{text}\n" in "\n".join(map(str.rstrip, part))
        for part in (around.before, around.after)
    )


def below_talk(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return the last of several versions without fences, between which is talk.

    Returns:
        None if there is no talk, or if a part is no version of the whole range.
    """
    if around.language in PROSE_LANGUAGES or around.may_be_in_text:
        return None
    parts: list[list[str]] = [[]]
    for above, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        is_apart = not above.strip() and not below.strip()
        if is_apart and line not in around.texts and _is_talk(line):
            parts.append([])
        else:
            parts[-1].append(line)
    parts = [part for part in parts if any(map(str.strip, part))]
    if len(parts) < 2:
        return None
    wanted = depth(around.target)
    if any(depth(part) != wanted for part in parts):
        return None
    last = last_version(parts, around.target)
    return list(last) if last is not None else None


def _is_talk(line: str) -> bool:
    return line[:1].isalpha() and (reads_as_talk(line) or is_certain_chatter(line))


def last_version(
    blocks: Sequence[Sequence[str]], target: Sequence[str]
) -> Sequence[str] | None:
    """Return the last block if all are versions of the range, the old text included.

    Returns:
        None if one of them is something else, such as a usage example.
    """
    if sum(map(len, blocks)) > _MAX_N_LINES:
        return None
    filled = [block for block in blocks if any(map(str.strip, block))]
    if len(filled) < 2:
        return None
    last = filled[-1]
    if _texts(last) == _texts(target) != _texts(filled[0]):
        return None  # The old text, for comparison.
    is_of_range = _first(last) in (_first(target), _first(filled[0])) or _is_version(
        last, target
    )
    name = _called(target)
    if name and _called(filled[0]) == name != _called(last):
        return None  # Another function, such as one that calls the range's.
    is_same = all(_is_version(last, other) for other in filled[:-1])
    return last if is_of_range and is_same else None


def are_examples(
    blocks: Sequence[Sequence[str]], code: Sequence[str], target: Sequence[str]
) -> bool:
    """Whether further blocks only call the function that the range defines.

    Args:
        blocks: What came behind the code.
        code: A text for the range.
        target: The range.
    """
    name = _called(target)
    if not name or _called(code) != name or depth(code) != depth(target):
        return False
    if _texts(code) == _texts(target):
        return False  # What follows the old text may be the new one.
    call = re.compile(rf"(?<!\w){re.escape(name)}\s*\(")
    lines = [line for block in blocks for line in block if line.strip()]
    return (
        bool(lines)
        and all(any(map(call.search, block)) for block in blocks)
        and not any(HEADER.match(line) or _IMPORT.match(line) for line in lines)
        and not any(call.search(line) and _OPENER.search(line) for line in lines)
    )


def _called(lines: Sequence[str]) -> str:
    """Return the name of the function that a text begins with; empty if of none."""
    header = next((one for one in _texts(lines) if not _COMMENT.match(one)), "")
    return function_name(header)


def _texts(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.strip()]


def _first(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")


def _is_version(one: Sequence[str], other: Sequence[str]) -> bool:
    first, second = _words(one), _words(other)
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.ratio() >= _MIN_LIKENESS


def _words(lines: Sequence[str]) -> list[str]:
    return [word for line in lines for word in _WORD.findall(line)]
