"""Replies that repeat lines around the range, where these lines recur by themselves."""

from __future__ import annotations

import pytest

from redline.text.reply_forms.excerpt import range_part
from redline.text.reply_forms.surroundings import Surroundings

ROW = "    (0.125, 0.250, 0.375),"
OTHER = "    (1.125, 9.250, 4.375),"


def around(target: list[str], n_rows: int = 5) -> Surroundings:
    """Return a range in a table of equal rows."""
    rows = [ROW] * n_rows
    return Surroundings(
        before=["table = [", *rows],
        target=target,
        after=[*rows, "]"],
        language="python",
    )


@pytest.mark.parametrize(
    ("target", "reply"),
    [
        ([ROW] * 3, [*[ROW] * 4, OTHER]),
        ([ROW] * 3, [OTHER, *[ROW] * 4]),
        ([ROW] * 3, [ROW] * 5),
        ([ROW], [ROW, OTHER]),
    ],
)
def test_rows_like_those_around_are_the_range_s_own(
    target: list[str], reply: list[str]
) -> None:
    """A range of such rows may get more of them; none is cut off."""
    assert range_part(reply, around(target)).lines == reply


def test_the_search_is_bounded_in_a_table() -> None:
    """Each row is a place at which a copy may begin; no text of it is dropped."""
    reply = [*[ROW] * 600, OTHER, *[ROW] * 599]
    part = range_part(reply, around(["    (7, 7, 7),"], n_rows=1_500))
    assert part.lines == reply
    assert not part.is_sure


EUROS = [
    "def euros(cents: int) -> float:",
    "    amount = cents / {}",
    "    return round(amount, 2)",
]
POUNDS = ["def pounds(cents: int) -> float:", *EUROS[1:]]


def written(function: list[str], divisor: int) -> list[str]:
    """Return a function with a divisor."""
    return [line.format(divisor) for line in function]


def test_a_function_may_become_like_the_one_above_it() -> None:
    """Its last lines are those above it then, but they are its own."""
    place = Surroundings(
        before=[*written(EUROS, 100), "", ""],
        target=written(POUNDS, 10),
        after=[],
        language="python",
    )
    part = range_part(written(POUNDS, 100), place)
    assert part.is_sure
    assert part.lines == written(POUNDS, 100)


def test_a_changed_copy_of_the_function_above_is_not_certain() -> None:
    """The reply has both functions, and changes the first as well."""
    place = Surroundings(
        before=[*written(EUROS, 10), "", ""],
        target=written(POUNDS, 10),
        after=[],
        language="python",
    )
    above = ["def euros(cents: int, vat: float = 0) -> float:", *written(EUROS, 10)[1:]]
    part = range_part([*above, "", "", *written(POUNDS, 100)], place)
    assert not part.is_sure
