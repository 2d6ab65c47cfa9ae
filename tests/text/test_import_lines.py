"""Imports in front of a reply: what is taken off, and what stays."""

from __future__ import annotations

from textwrap import dedent

import pytest

from redline.text.import_lines import ImportLead, imported, statements
from redline.text.lines import split_lines
from redline.text.reply_parser import ReplyParser

BEFORE = ("import os\n", "\n", "\n", "class A:\n")
PYTHON = "import json\nfrom a import (\n    b,  # (\n    c,\n)\n"


def read(
    reply: str,
    *,
    language: str = "python",
    target: str = "    def f(self):\n        return 1\n",
    before: tuple[str, ...] = BEFORE,
    cut: int = 10_000,
) -> tuple[str, str, str]:
    """Return what was streamed, the range's text, and the imports."""
    parser = ReplyParser(
        format="rewrite",
        target_lines=[line for line in split_lines(target) if line],
        before=before,
        language=language,
        lifts_imports=True,
    )
    fed: list[str] = []
    for at in range(0, len(reply), cut):
        fed += parser.feed(reply[at : at + cut])
    whole = parser.finish()
    assert whole.is_understood
    return "".join(fed), "".join(whole.lines or ()), "\n".join(whole.imports)


@pytest.mark.parametrize("cut", [1, 3, 10_000])
def test_imports_are_no_part_of_the_range(cut: int) -> None:
    """They are never shown in it, and the rest gets the range's indentation."""
    code = "def f(self):\n    return json.dumps(1)\n"
    fed, text, imports = read(f"{PYTHON}\n\n{code}", cut=cut)
    assert text == "    def f(self):\n        return json.dumps(1)\n"
    assert fed in (text, "    def f(self):\n")
    assert imports == PYTHON.rstrip("\n")


@pytest.mark.parametrize(
    ("language", "imports"),
    [
        (
            "typescript",
            'import { a,\n  b } from "x";\nimport "side";\nimport c from \'c\'',
        ),
        ("javascriptreact", 'import React from "react"; // why'),
        ("javascript", 'import d from "./d.json" with { type: "json" };'),
        ("go", 'import "strings"'),
        ("go", 'import (\n\t"fmt"\n\n\tj "encoding/json"\n)'),
        ("rust", "use std::{\n    io,\n    fs::File,\n};\nuse a::B;"),
        ("java", "import java.util.List;\nimport static a.B.c;"),
        ("php", "use A\\B;\nuse function A\\c;"),
        ("csharp", "using System.Linq;\nusing A.B;"),
    ],
)
def test_every_language_has_its_imports(language: str, imports: str) -> None:
    """Also those of several lines, at once and letter by letter."""
    code = "f(2);\n"
    for cut in (1, 10_000):
        found = read(
            f"```\n{imports}\n\n{code}```\n",
            language=language,
            target="f(1);\n",
            before=("g();\n",),
            cut=cut,
        )
        assert found == (code, code, imports)


@pytest.mark.parametrize(
    ("reply", "changes"),
    [
        # Only imports came.
        ("import json\n", {}),
        # The range has imports itself, or is the head of the file.
        ("import json\nx = 1\n", {"target": "import os\nx = 0\n"}),
        ("import json\nx = 1\n", {"target": "x = 0\n", "before": ("\n",)}),
        # They are not in front, or local.
        ("x = 1\nimport json\n", {"target": "x = 0\n"}),
        ("    import json\n    x = 1\n", {"target": "    x = 0\n"}),
        # The language has none that are known, and an expression that looks like one.
        ("import json\nx\n", {"language": "ruby", "target": "y\n"}),
        ("import('a')\nx\n", {"language": "javascript", "target": "y\n"}),
        ("imports = 1\n", {"target": "x = 0\n"}),
        # Traits of a class, and a resource.
        ("use B;\nuse \\A\\C;\nint $x;\n", {"language": "php", "target": "int $y;\n"}),
        ("using var x = f();\n", {"language": "csharp", "target": "int y;\n"}),
    ],
)
def test_what_may_belong_to_the_range_stays(
    reply: str, changes: dict[str, object]
) -> None:
    """Nothing is taken off where it is not certain."""
    _, text, imports = read(reply, **{"target": "x = 0\n", **changes})  # type: ignore[arg-type]  # one table for all arguments
    assert (text, imports) == (reply, "")


def test_statements_are_cut_apart() -> None:
    """Each with all of its lines, blank lines left out."""
    lines = dedent(PYTHON + "\nimport x\n").splitlines()
    assert statements(lines, "python") == [lines[:1], lines[1:5], ["import x"]]


@pytest.mark.parametrize(
    ("language", "first"),
    [("javascript", 'import fs = require("fs");'), ("python", "from a import (")],
)
def test_a_statement_without_an_end_is_code(language: str, first: str) -> None:
    """The reply is not held to its end."""
    lead = ImportLead(language, before=["x"], target=["y"])
    lines = [first, *("call(1);" for _ in range(300))]
    fed = [out for line in lines for out in lead.feed(line)]
    assert fed == lines
    assert not lead.lines


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("from a import b, c", "from a import c, b  # both"),
        ("from a import b, c", "from a import (\n    b,\n    c,\n)"),
        ("from a import b, c", "from a import b, \\\n    c"),
        ("from a import b, c", "from a import b\nfrom a import c"),
        ("import a", "import a  # here"),
        ("import {a} from 'b'", "import {a} from 'b';"),
        ("from a import b as c", "from a import  b  as  c"),
    ],
)
def test_two_ways_to_import_the_same_are_equal(one: str, other: str) -> None:
    """As far as lines show it."""
    assert imported(one.split("\n")) == imported(other.split("\n"))


def test_other_imports_are_not_equal() -> None:
    """A name, its module and what it is called count."""
    lines = ["from a import b", "from c import b", "from a import b as d", "import b"]
    assert len({imported([line]) for line in lines}) == len(lines)
    after = imported(["from a import (b,", "  c)", "import os"])
    assert after == {"a b", "a c", "import os"}
