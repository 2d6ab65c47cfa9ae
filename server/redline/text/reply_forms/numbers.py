"""Removes line numbers, as tools print them before lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.indentation import indent_of
from redline.text.reply_forms.likeness import first_text, fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_NUMBERED = re.compile(
    r"\s*(?:L|line |\[|\| {0,4}(?=\d+ *\|)|[\w./-]++(?<=\w):(?=\d+:))?(?P<number>\d+)"
    r"(?P<mark>\]? {0,6}[:|\u2502\u2192]|[.)\]]|\s|$)"
)
_BLAME = re.compile(r"\^?[0-9a-f]{7,40} (?:\S{1,200} +)?\([^()]{0,120} (?=\d+\) )")
"""What Git prints in front of a line's number to say who wrote it."""
_ALONE = re.compile(r"\s*(\d{1,6})\s*")
_BARS = frozenset({"|", "\u2502", "\u2192"})
_MIN_N_LETTERS = 3


def looks_numbered(line: str) -> bool:
    """Whether a line may begin with its number."""
    return _NUMBERED.match(line) is not None


def without_numbers(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Remove consecutive numbers from a reply.

    Returns:
        None if the lines are not numbered, or may be an ordered list.
        Unsure if the numbers may be keys.
    """
    first = next(filter(str.strip, lines), "")
    if _BLAME.match(first) and not any(map(_BLAME.match, around.target)):
        return without_numbers(
            [_BLAME.sub("", line, count=1) for line in lines], around
        )
    if not looks_numbered(first):
        return None
    # The number of a blank line stands alone, too.
    below = _below_numbers(lines, around) if _ALONE.fullmatch(first) else None
    return _beside_numbers(lines, around) if below is None else below


def _beside_numbers(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    found = [_NUMBERED.match(line) for line in lines]
    numbered = [one for one in found if one is not None]
    n_bare = sum(
        one is None and bool(line.strip())
        for one, line in zip(found, lines, strict=True)
    )
    if n_bare or _is_own_form(around.target, numbered):
        return None
    is_list = all(one["mark"].strip() in {".", ")"} for one in numbered)
    if is_list and around.language in PROSE_LANGUAGES:
        return None
    numbers = [int(one["number"]) for one in numbered]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    texts = [
        line[one.end() :] if one else "" for line, one in zip(lines, found, strict=True)
    ]
    texts = _out_of_column(texts, found, around)
    if not texts:
        return "unsure"
    filled = [text.strip() for text in texts if text.strip()]
    has_known = any(
        text in around.texts and sum(map(str.isalnum, text)) >= _MIN_N_LETTERS
        for text in filled
    )
    is_at_range = numbers[0] == len(around.before) + 1
    has_marks = all(one["mark"].strip() or one["mark"] == "\t" for one in numbered)
    # Rows of numbers and keys of a table begin with numbers, too.
    if len(filled) < 2 or 2 * len(filled) <= len(numbered):
        if is_list or not (is_at_range and has_marks):
            return None
        return texts if _is_place_of_range(numbered[0], around) else "unsure"
    if has_known or (is_at_range and has_marks):
        return texts
    if around.language in PROSE_LANGUAGES:
        # No list has numbers in front of blank lines, too.
        return texts if has_marks and len(filled) < len(numbered) else None
    # Keys of a dictionary may be numbers.
    is_sure = fits(texts, around) and not filled[0].endswith(",")
    return (texts if is_sure else "unsure") if has_marks else None


def _below_numbers(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Return each other line, if numbers stand on lines of their own above them."""
    start = first_text(lines) or 0
    if (len(lines) - start) % 2 and not lines[-1].strip():
        lines = lines[:-1]
    found = [_ALONE.fullmatch(line) for line in lines[start::2]]
    numbers = [int(one[1]) for one in found if one is not None]
    if len(numbers) < 2 or len(numbers) < len(found) or around.may_be_in_text:
        return None
    is_counted = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    if not is_counted or around.language in PROSE_LANGUAGES:
        return None
    texts = list(lines[start + 1 :: 2])
    return texts if fits(texts, around) else "unsure"


def _is_place_of_range(one: re.Match[str], around: Surroundings) -> bool:
    """Whether a single line, whose number is that of the range, is numbered.

    A colon may follow the key of a dictionary, unless the range's depth follows it.
    """
    if around.language in PROSE_LANGUAGES:
        return False
    mark, depth = one["mark"], least_depth(around.target)
    if mark.strip() == ":":
        text = one.string[one.end() :]
        return 0 < depth <= len(indent_of(text)) <= depth + 1
    return mark.strip() in _BARS or mark == "\t"


def _out_of_column(
    texts: Sequence[str], found: Sequence[re.Match[str] | None], around: Surroundings
) -> list[str]:
    """Remove the blanks between numbers and lines.

    Behind the shorter numbers they may fill a column, or be a part of the indentation.
    Whichever leaves more lines as deep as those of the file is right.

    Returns:
        No lines if that does not decide.
    """
    usual = _without_gap(texts, around)
    widths = [len(one["number"]) if one else 0 for one in found]
    shifted = []
    for text, width in zip(texts, widths, strict=True):
        n_blanks = max(widths) - width if text.strip() else 0
        if indent_of(text)[:n_blanks] != " " * n_blanks:
            return usual
        shifted.append(text[n_blanks:])
    in_column = _without_gap(shifted, around)
    depths = {indent_of(line) for line in around.lines if line.strip()}
    fit, fit_in_column = (
        (sum(one in depths for one in each), sum(len(one) % 2 == 0 for one in each))
        for each in (list(map(indent_of, usual)), list(map(indent_of, in_column)))
    )
    if fit == fit_in_column:
        return usual if usual == in_column else []
    return max((fit, usual), (fit_in_column, in_column))[1]


def _without_gap(texts: Sequence[str], around: Surroundings) -> list[str]:
    """Remove the blanks between numbers and lines, as the range's depth shows."""
    least, own = least_depth(texts), least_depth(around.target)
    # One blank is no indentation.
    n_blanks = least - own if least > own else int(least == 1)
    return [text[n_blanks:] if text.strip() else "" for text in texts]


def least_depth(lines: Sequence[str]) -> int:
    """Return the least indentation of lines with text."""
    return min((len(indent_of(line)) for line in lines if line.strip()), default=0)


def _is_own_form(target: Sequence[str], numbered: Sequence[re.Match[str]]) -> bool:
    """Whether the range's own lines begin with numbers, with such a mark behind."""
    texts = [_NUMBERED.match(line) for line in target if line.strip()]
    own = {one and one["mark"].strip() for one in texts}
    return None not in own and bool(own & {one["mark"].strip() for one in numbered})
