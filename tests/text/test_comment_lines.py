"""Titles between signs are comments of the file, where the language has such."""

from __future__ import annotations

import pytest
from tests.text.reply_reading import read_reply

OLD = "a = 1\nb = 2\n"
NEW = "a = 1\nb = 3\n"


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("python", "### Install ###"),
        ("python", "##########\n# Install\n##########"),
        ("shellscript", "### Install ###"),
        ("zsh", "#### Install ####"),
        ("toml", "### Install ###"),
        ("sql", "--- Install ---"),
        ("lua", "--- Install ---"),
    ],
)
@pytest.mark.parametrize("old", [OLD, f"### Setup ###\n{OLD}", f"{OLD}\n-- Setup --\n"])
def test_a_title_is_kept(language: str, title: str, old: str) -> None:
    for new in (f"{title}\n{NEW}", f"{NEW}\n{title}\n"):
        found = read_reply(new, old, before="c = 0\n", language=language)
        assert ("".join(found.lines or ()), found.problems) == (new, ())


def test_a_title_like_another_one_of_the_file_is_kept() -> None:
    old, new = f"=== Setup ===\n{OLD}", f"=== Install ===\n{NEW}"
    found = read_reply(new, old, language="java")
    assert "".join(found.lines or ()) == new


@pytest.mark.parametrize("title", ["### a.java ###", "--- a.java ---", "==== a ===="])
def test_a_title_that_is_no_code_is_cut_off(title: str) -> None:
    found = read_reply(f"{title}\n{NEW}", OLD, before="c = 0;\n", language="java")
    assert "".join(found.lines or ()) == NEW
