"""Changes of imports that were right when they were offered."""

from __future__ import annotations

import pytest

from redline.checks.import_changes.stale_changes import is_stale
from redline.syntax.language import Language
from redline.text.line_diff import LineHunk


@pytest.mark.parametrize(
    ("language", "text", "change", "expected"),
    [
        # Removed: used again, in a comment too; or only beside it in other imports.
        ("python", "import json\nx = json.y\n", (0, 1, ""), True),
        ("python", "import json\nx = jsonl\n", (0, 1, ""), False),
        ("python", "import json\nfrom json import y\n", (0, 1, ""), False),
        ("go", 'import (\n\t"fmt"\n)\nvar x = fmt.Y\n', (1, 2, ""), True),
        ("go", 'import (\n\t"a/v2"\n)\nvar x = v2.Y\n', (1, 2, ""), False),
        ("typescript", 'import {\n  a,\n  b,\n} from "c";\na();\n', (1, 2, ""), True),
        ("typescript", 'import { a, b } from "c";\na();\n', (0, 1, "b"), True),
        ("typescript", 'import { a, b } from "c";\nb();\n', (0, 1, "b"), False),
        # Added: it is there, in a block of Go too, but not in a function.
        ("python", "import os\nimport re\n", (0, 0, "import re\n"), True),
        ("python", "def f():\n    import re\n", (0, 0, "import re\n"), False),
        ("go", 'import (\n\t"strings"\n)\n', (1, 1, '\t"strings"\n'), True),
        ("go", 'import (\n\t"fmt"\n)\n', (1, 1, '\t"strings"\n'), False),
    ],
)
def test_it_is_looked_at_again(
    language: str, text: str, change: tuple[int, int, str], *, expected: bool
) -> None:
    start, end, new = change
    new = 'import { b } from "c";\n' if new == "b" else new
    hunk = LineHunk(start=start, end=end, lines=tuple(new.splitlines(keepends=True)))
    lines = text.splitlines(keepends=True)
    assert is_stale(hunk, lines, [], Language(language)) is expected


@pytest.mark.parametrize(
    ("language", "old", "new", "use"),
    [
        ("python", "import json\n", "import orjson as json\n", "x = json.y\n"),
        ("go", '\t"math/rand"\n', '\t"crypto/rand"\n', "var x = rand.Y\n"),
        (
            "typescript",
            'import { a } from "b";\n',
            'import { a } from "c";\n',
            "a();\n",
        ),
        ("java", "import java.util.Date;\n", "import java.sql.Date;\n", "Date d;\n"),
    ],
)
def test_an_import_of_another_thing_takes_its_place(
    language: str, old: str, new: str, use: str
) -> None:
    """In one change, or in two."""
    lines = [old, use]
    known = Language(language)
    change = LineHunk(start=0, end=1, lines=(new,))
    assert not is_stale(change, lines, [], known)
    removed = LineHunk(start=0, end=1, lines=())
    added = LineHunk(start=0, end=0, lines=(new,))
    assert not is_stale(removed, lines, [added], known)
    assert not is_stale(added, lines, [removed], known)


def test_changes_that_come_with_it_count() -> None:
    """The line that used the name goes with its import."""
    lines = ["import json\n", "x = json.y\n"]
    change = LineHunk(start=0, end=1, lines=())
    other = LineHunk(start=1, end=2, lines=("x = 1\n",))
    assert is_stale(change, lines, [], Language.PYTHON)
    assert not is_stale(change, lines, [other], Language.PYTHON)
