"""Imports of a name that the file has from elsewhere, beside its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.import_changes.double_imports import check_double_imports

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate


@pytest.mark.parametrize(
    ("language", "first", "second", "is_double"),
    [
        ("python", "from a import b", "from c import b", True),
        ("python", "from a import b", "from a import b", False),
        ("python", "from a import b", "from c import b as d", False),
        ("python", "    from a import b", "from c import b", False),
        ("python", "import a.b", "import a.c", False),
        ("rust", "use std::io::Result;", "use anyhow::Result;", True),
        ("rust", "use std::io::{self, Result};", "use std::io;", False),
        ("rust", "#[cfg(unix)]\nuse a::B;", "#[cfg(windows)]\nuse c::B;", False),
        ("java", "import java.util.Date;", "import java.sql.Date;", True),
        ("go", 'import "html/template"', 'import "text/template"', True),
        ("go", 'import (\n\t"math/rand"\n)', 'import "math/rand/v2"', True),
        ("go", 'import "html/template"', 'import t "text/template"', False),
        ("go", 'import _ "a/template"', 'import "text/template"', False),
        ("php", "use B\\C;", "use X\\C;", True),
        ("php", "use B\\C;", "use function X\\C;", False),
        ("php", "use B\\C;", "use B\\C;", False),
        ("javascript", "import a from 'b';", "import a from 'c';", True),
        ("javascript", "import fs from 'fs';", "import fs from 'node:fs';", False),
        (
            "typescriptreact",
            "import { a } from 'b';",
            "import { c as a } from 'b';",
            True,
        ),
    ],
)
def test_names(
    make_candidate: MakeCandidate,
    language: str,
    first: str,
    second: str,
    *,
    is_double: bool,
) -> None:
    head = {"go": "package a\n", "php": "<?php\n"}.get(language, "")
    if first.startswith(" "):
        head = "def f():\n"
    text = f"{head}{first}\n»\n«\n"
    candidate = make_candidate(text, f"{second}\n", language=language)
    assert bool(list(check_double_imports(candidate))) is is_double


def test_an_import_of_the_old_text(make_candidate: MakeCandidate) -> None:
    """It was there, so it is no problem of the edit."""
    text = "from a import b\n»\nfrom c import b\n«\n"
    candidate = make_candidate(text, "from c import b\nx = b\n")
    assert not list(check_double_imports(candidate))
