"""What the benchmark of next edits takes for right."""

from __future__ import annotations

from benchmarks.rename_truth import variables

TEXT = """\
from os import sep


def cost(rows, rate):
    total = len(rows)
    shown = [one for one in rows]
    return lambda: total * f"{shown}"


def main(rate):
    rate = rate + 1
    print(cost([], rate), sep)
"""


def test_the_places_of_names_with_one_binding() -> None:
    """Not of imports, names that are bound twice, and names in f-strings."""
    found = {one.name: (one.definition, one.uses) for one in variables(TEXT)}
    assert found == {
        "cost": ((3, 4), ((11, 10),)),
        "rows": ((3, 9), ((4, 16), (5, 28))),
        "total": ((4, 4), ((6, 19),)),
    }
