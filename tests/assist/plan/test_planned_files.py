"""Files as a plan sees them, and whether they have changed since."""

from __future__ import annotations

import os
from pathlib import Path

from redline.assist.plan.planned_files import PlanFiles

OLD = "OLD = 1\n"


def _replace(file: Path, text: str) -> None:
    """Put another file in a file's place, of the same age."""
    known = file.stat()
    draft = file.with_name("draft.py")
    draft.write_text(text)
    os.utime(draft, ns=(known.st_atime_ns, known.st_mtime_ns))
    draft.replace(file)


def test_a_file_that_was_only_listed_has_changed(tmp_path: Path) -> None:
    """Also one that was not named to the planner, and whose time is the old one."""
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(OLD)
    files = PlanFiles([tmp_path.as_uri()])
    assert len(files.names(1)) == 1
    (tmp_path / "b.py").write_text("MINE = 1\n")
    _replace(tmp_path / "c.py", "NEW = 1\n")
    read = files.read(["a.py", "b.py", "c.py"], {})
    seen = files.first_seen(read)
    changed = {
        path: files.has_changed(path, file.text or "", seen[path])
        for path, file in read.items()
    }
    assert changed == {"a.py": False, "b.py": True, "c.py": True}


def test_a_file_that_was_never_seen_is_judged_by_its_text(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(OLD)
    files = PlanFiles([tmp_path.as_uri()])
    assert files.first_seen(["a.py"]) == {}
    assert not files.has_changed("a.py", OLD, None)
    assert files.has_changed("a.py", "OTHER = 1\n", None)
