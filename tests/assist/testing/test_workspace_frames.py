"""The files that a failure names are found in the workspace, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.assist.testing.workspace_frames import PlacedFrame, WorkspaceFrames
from redline.cli.plan.debug_page import text_page
from redline.traces.failure import ProgramFailure, TraceFrame

CODE = """\
def total(rows):
    n = 0
    for row in rows:
        n += row
    return n
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A small project; `util.py` is there twice."""
    folder = tmp_path / "shop"
    for name in ("src/shop/cart.py", "util.py", "src/util.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(CODE)
    return folder


def place(
    workspace: Path, path: str, line: int = 4, text: str | None = None
) -> PlacedFrame:
    frame = TraceFrame(path=path, line=line, text=text)
    (placed,) = WorkspaceFrames(workspace).place([frame])
    return placed


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("src/shop/cart.py", "src/shop/cart.py"),
        ("./src/shop/cart.py", "src/shop/cart.py"),
        ("src\\shop\\cart.py", "src/shop/cart.py"),
        ("{}/src/shop/cart.py", "src/shop/cart.py"),
        ("file://{}/src/shop/cart.py", "src/shop/cart.py"),
        ("shop/cart.py", "src/shop/cart.py"),
        ("cart.py", "src/shop/cart.py"),
        ("/app/src/shop/cart.py", "src/shop/cart.py"),
        ("util.py", "util.py"),
        ("/app/util.py", None),
        ("/usr/lib/python3.12/util.py", None),
        ("/venv/lib/python3.12/site-packages/src/shop/cart.py", None),
        ("node_modules/shop/cart.py", None),
        ("src/../util.py", None),
        ("../shop/util.py", None),
        ("{}/../../etc/passwd", None),
        ("missing.py", None),
        ("other/cart.py", None),
        ("src", None),
        ("<frozen importlib._bootstrap>", None),
        ("a\0b", None),
    ],
)
def test_a_path_is_mapped_into_the_workspace(
    workspace: Path, path: str, found: str | None
) -> None:
    """By its end; not if it is of another project, or of two files."""
    assert place(workspace, path.format(workspace)).path == found


def test_one_of_several_files_is_not_guessed(workspace: Path) -> None:
    """The longer end decides, where there is one."""
    (workspace / "tools").mkdir()
    (workspace / "tools/cart.py").write_text("")
    assert place(workspace, "cart.py").path is None
    assert place(workspace, "shop/cart.py").path == "src/shop/cart.py"


def test_the_code_around_a_frame_is_read(workspace: Path) -> None:
    """Two lines above and below, as the file is now."""
    placed = place(workspace, "src/shop/cart.py", text="n += row")
    assert placed.first_line == 2
    assert placed.code == tuple(CODE.splitlines()[1:5])
    assert not placed.has_changed


@pytest.mark.parametrize(
    ("line", "text"), [(4, "n += 1"), (99, "n += row"), (99, None), (0, None)]
)
def test_a_file_that_has_changed_is_said_to_be(
    workspace: Path, line: int, text: str | None
) -> None:
    """The output shows another line, or one that the file does not have."""
    assert place(workspace, "util.py", line, text).has_changed


def test_code_of_another_project_is_not_shown(workspace: Path) -> None:
    """The end of a path agrees by chance, and the code does not."""
    there = "/app/src/shop/cart.py"
    assert place(workspace, there, 4, "n += row").path == "src/shop/cart.py"
    assert place(workspace, there, 4, "import os").path is None


def test_what_ignore_rules_exclude_is_named_and_not_read(workspace: Path) -> None:
    """Its code stays where it is."""
    (workspace / ".redlineignore").write_text("util.py\n")
    placed = place(workspace, "util.py")
    assert (placed.path, placed.code) == ("util.py", ())
    assert placed.withheld is not None


def test_a_link_out_of_the_workspace_is_not_followed(workspace: Path) -> None:
    """A repository chooses its links."""
    outside = workspace.parent / "private.py"
    outside.write_text("secret = 1\n")
    (workspace / "link.py").symlink_to(outside)
    placed = place(workspace, "link.py", 1)
    assert placed.code == ()
    assert placed.withheld == "it is a link that leads out of the folder"


def test_a_search_that_takes_too_long_places_no_ends_of_paths(workspace: Path) -> None:
    """A file that was not reached could be meant as well; the page says so."""
    paths = ("cart.py", "cart.py", "src/shop/cart.py", str(workspace / "util.py"))
    frames = WorkspaceFrames(workspace, max_search_s=0)
    placed = frames.place([TraceFrame(path=path, line=4) for path in paths])
    assert [one.path for one in placed] == [None, None, "src/shop/cart.py", "util.py"]
    assert frames.is_cut
    failure = ProgramFailure(kind="python", error="E", message="", frames=())
    assert text_page([failure], frames).endswith(
        "The workspace is too large to search in 5 seconds: only files that the output"
        " names by their whole path are shown. Name a smaller folder with"
        " --workspace.\n"
    )
