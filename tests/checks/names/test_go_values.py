"""Members of values that functions of Go's packages return."""

from __future__ import annotations

import pytest
from tests.checks.names.conftest import Reported

FILES = {
    "go.mod": "module example.org/a\n\ngo 1.21\n",
    "gate/gate.go": """\
package gate

type Gate struct {
\tName string
}

type Other = Gate

func New(name string) *Gate { return &Gate{Name: name} }

func Load(name string) (*Gate, error) {
\treturn New(name), nil
}

func Any() Other { return Other{} }

func (g *Gate) Feed(line string) {}
""",
}
HEAD = """\
package main

import "example.org/a/gate"

func main() {
"""


def messages(reported: Reported, *lines: str) -> list[str]:
    """Return what is reported of the lines of a function."""
    before = f"{HEAD}}}\n"
    after = HEAD + "".join(f"\t{line}\n" for line in lines) + "}\n"
    return reported("main.go", before, after, rule="phantom-member", files=FILES)


@pytest.mark.parametrize(
    "lines",
    [
        ("g := gate.New(`a`)", "g.Flush()"),
        ("g, err := gate.Load(`a`)", "_ = err", "g.Flush()"),
        ("gate.New(`a`).Flush()",),
    ],
)
def test_what_a_type_lacks_is_reported(
    reported: Reported, lines: tuple[str, ...]
) -> None:
    assert messages(reported, *lines) == ["`Gate` has no `Flush`."]


@pytest.mark.parametrize(
    "lines",
    [
        ("g := gate.New(`a`)", "g.Feed(g.Name)"),
        ("for _, g := range all {", "\tg.Flush()", "}"),
        ("g := gate.Any()", "g.Flush()"),
        ("g := gate.Missing()", "g.Flush()"),
    ],
)
def test_what_is_not_certain_is_not(reported: Reported, lines: tuple[str, ...]) -> None:
    assert not [one for one in messages(reported, *lines) if "Flush" in one]
