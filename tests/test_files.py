"""Regular files of the workspace are read, and nothing else is opened."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from redline.errors import (
    IrregularFileError,
    MissingFileError,
    RedlineError,
    UnreadableFileError,
)
from redline.files import entries_of, read_file, read_text, stamp_of

LIMIT = 1_001


def pipe(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    # Bound from its own folder: such a name may have 108 bytes.
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


def device(name: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(f"/dev/{name}")


IRREGULAR: dict[str, Callable[[Path], None]] = {
    "a pipe": pipe,
    "a link to zeros": device("zero"),
    "a link to the kernel's log": device("kmsg"),
    "a link to a full device": device("full"),
    "a link to a terminal": device("ptmx"),
    "a folder": Path.mkdir,
    "a socket": unix_socket,
}


@pytest.mark.parametrize("kind", IRREGULAR)
def test_what_is_no_file_is_not_opened(tmp_path: Path, kind: str) -> None:
    """Nothing waits for a writer, and nothing is read without an end."""
    path = tmp_path / "pyproject.toml"
    IRREGULAR[kind](path)
    with pytest.raises(IrregularFileError):
        read_file(path, max_bytes=LIMIT)


def test_a_link_to_standard_input_is_not_read(tmp_path: Path) -> None:
    """Whatever standard input is: here a pipe that somebody keeps open."""
    reading, writing = os.pipe()
    try:
        path = tmp_path / ".gitignore"
        path.symlink_to(f"/dev/fd/{reading}")
        with pytest.raises(UnreadableFileError):
            read_file(path, max_bytes=LIMIT)
    finally:
        os.close(reading)
        os.close(writing)


def test_a_pipe_with_a_writer_is_left_alone(tmp_path: Path) -> None:
    """A writer that waits for a reader is not woken up."""
    path = tmp_path / ".gitignore"
    os.mkfifo(path)
    with pytest.raises(IrregularFileError):
        read_file(path, max_bytes=LIMIT)
    with pytest.raises(OSError, match="No such device or address"):
        os.open(path, os.O_WRONLY | os.O_NONBLOCK)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """It is not unreadable; a name that no file can have is missing, too."""
    for path in (tmp_path / "no", tmp_path / "no" / "a", tmp_path / "nul\0"):
        with pytest.raises(MissingFileError):
            read_file(path, max_bytes=LIMIT)
        assert stamp_of(path) is None


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    """And one byte more is not."""
    path = tmp_path / "a"
    path.write_bytes(b"x" * LIMIT)
    assert read_file(path, max_bytes=LIMIT) == b"x" * LIMIT
    path.write_bytes(b"x" * (LIMIT + 1))
    with pytest.raises(UnreadableFileError, match="larger than 1,001 bytes"):
        read_file(path, max_bytes=LIMIT)


def test_a_huge_sparse_file_costs_nothing(tmp_path: Path) -> None:
    """Its size is enough to refuse it."""
    path = tmp_path / "a"
    path.touch()
    os.truncate(path, 1 << 40)
    with pytest.raises(UnreadableFileError, match="larger than 2 MB"):
        read_file(path, max_bytes=2_000_000)


def test_the_size_of_a_file_is_not_believed() -> None:
    """Files of the kernel say that they have 0 bytes."""
    with pytest.raises(UnreadableFileError, match="larger than 10 bytes"):
        read_file("/proc/self/maps", max_bytes=10)


def test_a_loop_of_links_is_an_error(tmp_path: Path) -> None:
    """And not a search without an end."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(UnreadableFileError):
        read_file(tmp_path / "a", max_bytes=LIMIT)


def test_links_stay_in_the_workspace(tmp_path: Path) -> None:
    """By the file's own link, or by one of a folder on the way to it."""
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (outside / "key").write_text("secret")
    (root / "key").symlink_to(outside / "key")
    (root / "folder").symlink_to(outside)
    for path in (root / "key", root / "folder" / "key"):
        with pytest.raises(UnreadableFileError):
            read_file(path, max_bytes=LIMIT, roots=[root])
    assert read_file(root / "key", max_bytes=LIMIT) == b"secret"
    assert read_file(outside / "key", max_bytes=LIMIT, roots=[root]) == b"secret"
    assert read_file(root / "key", max_bytes=LIMIT, roots=[root, outside]) == b"secret"


def test_links_inside_the_workspace_are_followed(tmp_path: Path) -> None:
    """Also where the workspace itself is reached by a link."""
    real, root = tmp_path / "real", tmp_path / "root"
    real.mkdir()
    root.symlink_to(real)
    (real / "a").write_text("text")
    (real / "b").symlink_to("a")
    assert read_file(root / "b", max_bytes=LIMIT, roots=[root]) == b"text"


def test_text_is_read_whatever_its_bytes_are(tmp_path: Path) -> None:
    """A byte order mark is no text, and lines end with line feeds."""
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\xff\n")
    assert read_text(path, max_bytes=LIMIT) == "a\nb\nc\ufffd\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_text_in_utf_16_without_a_mark_is_not_read(
    tmp_path: Path, encoding: str
) -> None:
    """Between its zero bytes no secret would be found."""
    path = tmp_path / "a"
    path.write_bytes("password = 'hunter22'\n".encode(encoding))
    with pytest.raises(UnreadableFileError, match="not text in UTF-8"):
        read_text(path, max_bytes=LIMIT)


def test_a_folder_with_too_many_entries_is_not_listed(tmp_path: Path) -> None:
    """A bounded number of names is kept."""
    for number in range(4):
        (tmp_path / str(number)).touch()
    assert len(entries_of(tmp_path, max_entries=4)) == 4
    with pytest.raises(RedlineError, match="more than 3 entries"):
        entries_of(tmp_path, max_entries=3)
    with pytest.raises(UnreadableFileError):
        entries_of(tmp_path / "0", max_entries=3)
    with pytest.raises(MissingFileError):
        entries_of(tmp_path / "no", max_entries=3)
