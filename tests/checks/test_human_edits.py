"""Edits that people made are left alone."""

from __future__ import annotations

from pathlib import Path

from benchmarks.human_edits import (
    accusations,
    edits_between,
    read_edits,
    write_edits,
)
from tests.runs import stride

from redline.checks.python.environment import PythonEnvironment

OLD = "import os\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n"
NEW = OLD.replace("return 1", "return os.getcwd()").replace(
    "import os", "import os as o"
)


def test_at_most_two_in_a_hundred_are_accused() -> None:
    """Of functions of the standard library that differ between two versions."""
    edits = read_edits()[:: stride(4)]
    accused = list(accusations(edits, PythonEnvironment([])))
    assert len(edits) >= 50
    assert len(accused) <= 0.02 * len(edits), accused


def test_edits_are_functions_that_differ(tmp_path: Path) -> None:
    """In files that both versions have; the rest of the file is the newer one's."""
    for name, text in (("old", OLD), ("new", NEW)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.py").write_text(text)
        (tmp_path / name / "data.txt").write_text(text)
    (tmp_path / "new" / "n.py").write_text(NEW)
    [edit] = edits_between(tmp_path / "old", tmp_path / "new")
    assert (edit.path, edit.name, edit.region) == ("m.py", "a", range(3, 5))
    assert edit.candidate.text_after == NEW
    narrow = edit.narrow_candidate
    assert (narrow.region_before, narrow.region_after) == (range(4, 5), range(4, 5))
    assert edit.candidate.text_before == OLD.replace("import os", "import os as o")
    write_edits(tmp_path / "kept.json.xz", [edit], n_edits=5)
    assert read_edits(tmp_path / "kept.json.xz") == [edit]
