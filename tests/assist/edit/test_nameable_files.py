"""The files that an instruction can name are listed, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.assist.edit.attached.nameable_files import MAX_LISTED, nameable_files
from redline.assist.privacy.ignore_rules import IgnoreRules


def listed(root: Path, typed: str = "", *opened: str) -> list[str]:
    uris = {(root / path).as_uri() for path in opened}
    roots = [root.as_uri()]
    found = nameable_files(
        typed,
        roots=roots,
        opened=uris,
        rules=IgnoreRules(),
        is_stopped=lambda: False,
        is_late=lambda: False,
    )
    return list(found)


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n")


def test_excluded_files_are_never_listed(tmp_path: Path) -> None:
    """By any ignore file, by their names, or as what others wrote."""
    write(tmp_path, "notes.md", "a.py", "out/b.py", "private.py", ".env", "id_rsa")
    write(tmp_path, "node_modules/c.js", ".venv/d.py", ".github/e.yml")
    (tmp_path / "notes.link").symlink_to(tmp_path / "private.py")
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    (tmp_path / ".gitignore").write_text("out/\n")
    (tmp_path / ".redlineignore").write_text("private.py\n")
    assert listed(tmp_path) == [".gitignore", ".redlineignore", "a.py", "notes.md"]
    assert listed(tmp_path, "private") == []


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("price", ["prices.py", "shop/prices.py", "shop/old_prices.py"]),
        ("PRICES", ["prices.py", "shop/prices.py", "shop/old_prices.py"]),
        ("old", ["shop/old_prices.py"]),
        ("shop/p", ["shop/prices.py"]),
        ("shop\\p", ["shop/prices.py"]),
        ("sopr", ["shop/old_prices.py"]),
        ("my n", ["my notes.md"]),
        ("zzz", []),
    ],
)
def test_what_matches_best_comes_first(
    tmp_path: Path, typed: str, expected: list[str]
) -> None:
    """The beginning of a name, then its middle, then the path, then the letters."""
    write(tmp_path, "prices.py", "shop/old_prices.py", "shop/prices.py", "my notes.md")
    assert listed(tmp_path, typed)[: len(expected)] == expected
    assert bool(listed(tmp_path, typed)) == bool(expected)


def test_open_files_come_first_among_equals(tmp_path: Path) -> None:
    """They are what one works on."""
    write(tmp_path, "a.py", "deep/er/b.py")
    assert listed(tmp_path, "", "deep/er/b.py") == ["deep/er/b.py", "a.py"]


def test_the_list_is_short_and_has_only_names_that_can_be_typed(tmp_path: Path) -> None:
    """A quote cannot be part of a quoted name."""
    write(tmp_path, *(f"f{number:02}.py" for number in range(30)), 'a"b.py', "a\nb.py")
    assert len(listed(tmp_path)) == MAX_LISTED
    assert listed(tmp_path, "b.py") == []


def test_a_stopped_search_ends_at_once(tmp_path: Path) -> None:
    """It does not walk on through a large workspace."""
    write(tmp_path, *(f"f{number:02}.py" for number in range(30)))
    answers = iter([False, False, True])
    found = nameable_files(
        "",
        roots=[tmp_path.as_uri()],
        opened=(),
        rules=IgnoreRules(),
        is_stopped=answers.__next__,
        is_late=lambda: False,
    )
    assert found == ()
    assert list(answers) == []


def test_a_late_search_lists_what_it_has_found(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b/c.py")
    late = iter([False, False, True])
    found = nameable_files(
        "",
        roots=[tmp_path.as_uri()],
        opened=(),
        rules=IgnoreRules(),
        is_stopped=lambda: False,
        is_late=lambda: next(late),
    )
    assert found == ("a.py",)
