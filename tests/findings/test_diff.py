"""Diffs, as git itself writes them and as it describes them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs import n_runs

from redline.findings.diff import FileChange, old_text, parse_diff, read_hunks
from redline.text.line_diff import diff_lines

GIT = ["git", "-c", "core.quotePath=true", "diff", "--no-index", "--no-color"]


def diff_of(folder: Path, before: str, after: str, *options: str) -> FileChange | None:
    """Have git compare two texts."""
    (folder / "a").mkdir(exist_ok=True)
    (folder / "b").mkdir(exist_ok=True)
    (folder / "a" / "f").write_bytes(before.encode())
    (folder / "b" / "f").write_bytes(after.encode())
    done = subprocess.run(
        [*GIT, *options, "--no-prefix", "a/f", "b/f"],
        cwd=folder,
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
    )
    changes = parse_diff(done.stdout)
    return changes[0] if changes else None


BEFORE = "a\nb\nc\nd\ne\nf\ng\n"


@pytest.mark.parametrize("context", ["-U3", "-U0", "-U99"])
@pytest.mark.parametrize(
    ("after", "spans"),
    [
        ("a\nB\nc\nd\ne\nf\ng\n", ((1, 2),)),
        ("a\nb\nnew\nc\nd\ne\nf\ng\n", ((2, 3),)),
        ("a\nb\nd\ne\nf\ng\n", ((1, 3),)),
        ("b\nc\nd\ne\nf\ng\n", ((0, 1),)),
        ("A\nb\nc\nd\ne\nf\nG\n", ((0, 1), (6, 7))),
        ("a\nb\nc\nd\ne\nf\ng", ((6, 7),)),
        ("a\r\nb\nc\nd\ne\nf\ng\n", ((0, 1),)),
        ("A\nb\nc\nd\ne\nf\ng", ((0, 1), (6, 7))),
    ],
)
def test_the_new_lines_are_in_question(
    tmp_path: Path, context: str, after: str, spans: tuple[tuple[int, int], ...]
) -> None:
    """Around deletions, the neighbouring lines are."""
    change = diff_of(tmp_path, BEFORE, after, context)
    assert change is not None
    assert change.spans == spans


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "@@ -1 +1 @@", "-- x", "++ y"]))


@settings(max_examples=n_runs(20), deadline=None)
@given(before=LINES, after=LINES)
def test_what_git_says_is_what_changed(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str]
) -> None:
    """All lines outside the spans are old lines, in order."""
    folder = tmp_path_factory.mktemp("diff")
    old, new = ("".join(f"{x}\n" for x in t) for t in (before, after))
    change = diff_of(folder, old, new)
    if change is None:
        assert before == after
        return
    asked = {n for first, end in change.spans for n in range(first, end)}
    kept = [line for n, line in enumerate(after) if n not in asked]
    assert all(not hunk.lines for hunk in diff_lines(before, [*_common(before, kept)]))
    assert read_hunks(change.text) == change.hunks
    assert old_text(new, change.hunks) == old


def _common(before: list[str], kept: list[str]) -> list[str]:
    """Check that the kept lines are in the old text in order, and return them."""
    rest = iter(before)
    assert all(line in rest for line in kept)
    return kept


DIFF = """\
diff --git a/old name.py b/new name.py
similarity index 90%
rename from old name.py
rename to new name.py
index 1..2 100644
--- a/old name.py\t
+++ b/new name.py\t
@@ -2 +2,2 @@ def f():
-x
+y
+-- z
diff --git "a/\\303\\244\\t.py" "b/\\303\\244\\t.py"
new file mode 100644
--- /dev/null
+++ "b/\\303\\244\\t.py"
@@ -0,0 +1 @@
+--- a/other
\\ No newline at end of file
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --cc merged.py
@@@ -1,1 -1,1 +1,1 @@@
++x
diff --git a/empty b/empty
new file mode 100644
"""


def test_every_kind_of_change_is_read() -> None:
    """Renames, odd names, deletions, binaries, modes; merges are left out."""
    assert [(one.title, one.is_binary, one.spans) for one in parse_diff(DIFF)] == [
        ("diff --git a/old name.py b/new name.py", False, ((1, 3),)),
        (
            r'diff --git "a/\303\244\t.py" "b/\303\244\t.py"',
            False,
            ((0, 1),),
        ),
        ("diff --git a/gone.py b/gone.py", False, ((0, 1),)),
        ("diff --git a/logo.png b/logo.png", True, ()),
        ("diff --git a/run.sh b/run.sh", False, ()),
        ("diff --git a/empty b/empty", False, ()),
    ]


def test_a_hunk_is_kept_as_git_wrote_it() -> None:
    """With its first line, and without the end of the file's name."""
    change = parse_diff(DIFF)[0]
    assert change.text == "@@ -2 +2,2 @@ def f():\n-x\n+y\n+-- z"
    assert (change.hunks[0].first_line, change.hunks[0].n_lines) == (1, 2)


def test_nothing_is_no_change() -> None:
    """Nor is any other text."""
    assert parse_diff("") == parse_diff("fatal: not a git repository\n") == ()
