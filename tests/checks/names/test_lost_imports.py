"""Imports that an edit removes although the file uses their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

RULE = "undefined-name"

GO = 'package a\n\nimport (\n\t"{}"\n)\n\nfunc f(x []int) {{\n\tsort.Ints(x)\n}}\n'
RUST = "use std::collections::{};\n\nfn f(x: BTreeMap<u8, u8>) {{}}\n"
TS = 'import {{ {} }} from "./b";\n\nexport const x = one(2);\n'
JAVA = "import java.util.{};\n\nclass C {{ List<String> all; }}\n"


@pytest.mark.parametrize(
    ("path", "form", "old", "new", "line", "name"),
    [
        ("a.go", GO, "sort", "slices", 8, "sort"),
        ("a.rs", RUST, "BTreeMap", "HashMap", 3, "BTreeMap"),
        ("a.ts", TS, "one", "two", 3, "one"),
        ("A.java", JAVA, "List", "Map", 3, "List"),
    ],
)
def test_a_name_that_is_still_used(
    reported: Reported, path: str, form: str, old: str, new: str, line: int, name: str
) -> None:
    """Below the import."""
    found = reported(path, form.format(old), form.format(new), rule=RULE)
    message = f"Line {line} of the file uses `{name}`, which is no longer imported."
    assert message in found


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.go", GO.format("sort"), GO.format("example.org/sort")),
        ("a.rs", RUST.format("BTreeMap"), RUST.format("{BTreeMap, HashMap}")),
        ("a.rs", RUST.format("BTreeMap"), RUST.format("*")),
        ("a.ts", TS.format("one"), TS.format("two as one")),
        ("a.ts", TS.format("one"), "const one = (n: number) => n;\none(2);\n"),
        ("a.ts", TS.format("one"), 'import { two } from "./b";\n\nx.one("one");\n'),
        ("A.java", JAVA.format("List"), JAVA.format("*")),
    ],
)
def test_a_name_that_is_there(
    reported: Reported, path: str, before: str, after: str
) -> None:
    """By another import or definition, or not used any more."""
    found = reported(path, before, after, rule=RULE)
    assert not [message for message in found if "imported" in message]
