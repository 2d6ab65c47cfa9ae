"""URIs of documents, and what some editors have in their place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.errors import InvalidArgumentsError
from redline.text.uri import (
    FileRename,
    check_path_length,
    is_file,
    path_in,
    renamed_uri,
    uri_parts,
    uri_path,
)


@pytest.mark.parametrize(
    ("uri", "scheme", "host", "path"),
    [
        ("file:///a%20b/c.py?x#y", "file", "", "/a%20b/c.py"),
        ("file://host/c.py", "file", "host", "/c.py"),
        ("untitled:Untitled-1", "untitled", "", "Untitled-1"),
        ("", "", "", ""),
        ("diff://[a/b.py", "", "", "diff://[a/b.py"),
        ("x://a\u2100b/c.py", "", "", "x://a\u2100b/c.py"),
    ],
)
def test_a_uri_is_split_whatever_it_is(
    uri: str, scheme: str, host: str, path: str
) -> None:
    assert uri_parts(uri) == (scheme, host, path)


@pytest.mark.parametrize(
    ("uri", "windows"),
    [
        # VS Code encodes the colon of a drive, other editors do not.
        ("file:///c%3A/a%20b/c.py", "c:\\a b\\c.py"),
        ("file:///C:/a/c.py", "C:\\a\\c.py"),
        ("file:///c:", "c:"),
        ("file://host/share/c.py", "\\\\host\\share\\c.py"),
        ("file:///etc/hosts", "\\etc\\hosts"),
        ("file:///a:b/c.py", "\\a:b\\c.py"),
    ],
)
def test_windows_has_drives_and_hosts(uri: str, windows: str) -> None:
    path = uri_path(uri, is_windows=True)
    assert path == PureWindowsPath(windows)
    assert str(path) == windows


@pytest.mark.parametrize(
    ("uri", "posix"),
    [
        ("file:///c%3A/a.py", "/c:/a.py"),
        ("file://host/c.py", "/c.py"),
        ("file:///a%23b%3Fc.py", "/a#b?c.py"),
        ("file:///a%FFb", "/a\udcffb"),
        ("untitled:Untitled-1", "Untitled-1"),
    ],
)
def test_other_systems_have_one_root(uri: str, posix: str) -> None:
    assert uri_path(uri, is_windows=False) == PurePosixPath(posix)


@pytest.mark.parametrize(
    ("uri", "root", "is_windows", "expected"),
    [
        ("file:///p/a%20b/c.py", "file:///p/a b", False, "c.py"),
        ("file:///p/q/c.py", "file:///p/", False, "q/c.py"),
        ("file:///pq/c.py", "file:///p", False, None),
        ("untitled:/p/c.py", "file:///p", False, None),
        ("file:///c%3A/P/c.py", "file:///C:/p", True, "c.py"),
        ("file:///d:/p/c.py", "file:///c:/p", True, None),
        ("file://Host/share/p/c.py", "file://host/share", True, "p/c.py"),
    ],
)
def test_a_document_is_found_in_its_folder(
    uri: str, root: str, is_windows: bool, expected: str | None
) -> None:
    assert path_in(uri, root, is_windows=is_windows) == expected


@pytest.mark.parametrize("uri", ["file:///a%00b", "file:///a\0b", "git:/a", "a.py"])
def test_what_names_no_file(uri: str) -> None:
    assert not is_file(uri)


@given(st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1))
def test_a_path_comes_back_as_it_was(name: str) -> None:
    """For every name that a file may have, through `as_uri`."""
    path = PurePosixPath("/folder", name.replace("/", "_"))
    assert is_file(path.as_uri())
    assert uri_path(path.as_uri(), is_windows=False) == path


@given(st.text(), st.booleans())
def test_no_text_raises(text: str, is_windows: bool) -> None:
    uri_path(text, is_windows=is_windows)
    path_in(text, "file:///p", is_windows=is_windows)


@pytest.mark.parametrize(
    ("uri", "is_usable"),
    [
        ("file:///" + "a" * 4_095, True),
        ("file:///" + "a" * 4_096, False),
        ("file:///" + "%41" * 4_095, True),
        ("file:///" + "%41" * 4_096, False),
        ("file:///" + "a/" * 50_000, False),
        ("untitled:" + "a" * 4_097, False),
        ("a" * 4_097, False),
        ("git:/a.py?" + "q" * 100_000, True),
        ("file:///" + "\u00e9" * 2_048, False),
    ],
    ids=range(9),
)
def test_a_path_that_no_system_opens(uri: str, *, is_usable: bool) -> None:
    """Its decoded bytes count, as for the system."""
    if is_usable:
        check_path_length(uri)
    else:
        with pytest.raises(InvalidArgumentsError, match=r"more than 4,096 bytes\.$"):
            check_path_length(uri)


def test_a_path_can_be_opened_in_a_locale_without_its_letters() -> None:
    """As a file of any name that a folder lists: Python keeps its bytes."""
    code = """import os; from redline.text.uri import uri_path
print(os.fsencode(uri_path("file:///%C3%A9%FF/a.py")))"""
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | ascii_only,
        stdout=subprocess.PIPE,
        check=True,
    )
    assert done.stdout.decode().strip() == r"b'/\xc3\xa9\xff/a.py'"


SWAP = [FileRename("file:///p/a.py", "file:///p/b"), FileRename("file:///p/b", "x:/c")]


@pytest.mark.parametrize(
    ("uri", "renames", "new"),
    [
        ("file:///p/a.py", SWAP, "file:///p/b"),
        ("file:///p/b", SWAP, "x:/c"),
        ("file:///p/b/c%20d/e.py", SWAP, "x:/c/c%20d/e.py"),
        ("file:///p/ab/c.py", SWAP, None),
        ("file:///p/a.pyi", SWAP, None),
        ("untitled:p/b", SWAP, None),
        ("file:///p%2Fb/d.py", SWAP, "x:/c/d.py"),
        ("file:///p/b/", [], None),
    ],
)
def test_a_renamed_document(
    uri: str, renames: list[FileRename], new: str | None
) -> None:
    """Each file is renamed once, also if two files swap their names."""
    assert renamed_uri(uri, renames) == new
