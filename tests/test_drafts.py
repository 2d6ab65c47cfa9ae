"""A draft that a killed process has left is removed by the next one."""

from __future__ import annotations

import os
from pathlib import Path

from redline.drafts import open_draft

DAY_S = 86_400


def test_what_is_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    """Not what is written now, what has another name, and what is no file."""
    left = tmp_path / ".redline-0123456789abcdef"
    link = tmp_path / ".redline-0123456789abcde0"
    others = [
        tmp_path / ".redline-notes",
        tmp_path / "a.redline-0123456789abcdef",
        tmp_path / ".redline-0123456789ABCDEF",
        tmp_path / ".redline-0123456789abcdef.txt",
    ]
    for path in (left, *others):
        path.write_text("x")
    link.symlink_to(others[0])
    (tmp_path / ".redline-0123456789abcde1").mkdir()
    descriptor, written = open_draft(tmp_path / "a.py", 0o600)
    os.close(descriptor)
    assert left.exists()
    for path in (left, *others):
        os.utime(path, (path.stat().st_mtime - DAY_S,) * 2)
    descriptor, draft = open_draft(tmp_path / "a.py", 0o600)
    os.close(descriptor)
    assert not left.exists()
    assert set(tmp_path.iterdir()) == {
        *(written, draft, link, *others),
        tmp_path / ".redline-0123456789abcde1",
    }
