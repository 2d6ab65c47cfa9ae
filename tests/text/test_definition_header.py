"""Header lines of definitions in many languages."""

from __future__ import annotations

import pytest

from redline.text.definition_header import defined_name


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def f(x):", "f"),
        ("    async def g(self) -> int:\n", "g"),
        ("class Row(Base):", "Row"),
        ("export default async function load(url) {", "load"),
        ("function* ids() {", "ids"),
        ("export const add = (a, b) => a + b;", "add"),
        ("const one = async x => x;", "one"),
        ("let f = function () {", None),
        ("func (s *Server) Serve() error {", "Serve"),
        ("func main() {", "main"),
        ("pub fn new() -> Self {", "new"),
        ("  def self.parse(text)", "parse"),
        ("public static final class Cart {", "Cart"),
        ("x = 1", None),
        ("return f(x)", None),
        ("", None),
        ("definitely not", None),
        ("class", None),
        ("const " * 5_000, None),
        ("func (" * 5_000, None),
    ],
)
def test_the_name_of_a_header_is_found(line: str, name: str | None) -> None:
    """Only a line that begins a definition has one."""
    assert defined_name(line) == name
