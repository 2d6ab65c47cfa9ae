"""Patterns match what git says they match, however odd they are."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.runs import n_runs

from redline.assist.privacy.ignore_patterns import IgnorePatterns
from redline.assist.privacy.ignore_rules import IgnoreRules

SEED = 11

NAMES = (
    *("a", "b", "ab", "foo", "bar", "foo.py", "-", "]", "[", "a b", "x ", "\\", "!a"),
    *(
        "#a",
        "é",
        "bin",
        "foobar",
        "z",
        "B",
        "FOO",
        "5",
        "a-b",
        "^",
        " ",
        "\t",
        "a]",
        "foo\r",
    ),
)
PIECES = (
    *("a", "b", "foo", "Bar", "É", "*", "**", "/", "?", "**/", "/**", "/", "*.py", "!"),
    *("[ab]", "[!a]", "[^b]", "[z-a]", "[a-z]", "[[:alpha:]]", "[[:foo:]]", "[]a]"),
    *("[a-]", "[\\]]", "[a", "\\", "\\ ", " ", "#", "[[:space:]]", "[--z]", "[a-c-e]"),
    *("[[:digit:]", "\\*", "\t", "]", "-", "[[:punct:]]", "[!]a]", "[", "\r", ":]"),
    *("[a-\\z]", "[:", "[[:]", "[[::]]", "[", "]", "-", "!", "^", ":", "***", "\\/"),
)

WRONG = ("bin\\", "!", "/", "!/", "a[", "[[:none:]]", "[a-", "[[:alpha:]")


@pytest.fixture(autouse=True)
def home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A user without configuration, for git and for us."""
    home = tmp_path_factory.mktemp("home")
    for name in [one for one in os.environ if one.startswith(("GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "A Developer")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "developer@example.com")
    return home


def git(folder: Path, *words: str, asked: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", "-C", str(folder), *words],
        input=asked,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def ignored_by_git(root: Path, paths: Iterable[str]) -> set[str]:
    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    answer = git(root, "check-ignore", "-z", "--no-index", "--stdin", asked=asked)
    return {os.fsdecode(path) for path in answer.split(b"\0") if path}


def ignored_by_us(root: Path, paths: Iterable[str]) -> set[str]:
    ignore_rules, roots = IgnoreRules(), (root.as_uri(),)
    return {x for x in paths if ignore_rules.reason((root / x).as_uri(), roots)}


def ignored_as(
    folder: Path, paths: Iterable[str], scheme: str, *roots: Path
) -> set[str]:
    ignore_rules, uris = IgnoreRules(), [root.as_uri() for root in roots]
    named = {x: (folder / x).as_uri().replace("file://", scheme) for x in paths}
    return {x for x in paths if ignore_rules.reason(named[x], uris)}


def random_lines(rng: random.Random) -> bytes:
    lines = [
        "".join(rng.choices(PIECES, k=rng.randint(1, 5)))
        for _ in range(rng.randint(1, 3))
    ]
    return rng.choice(("\n", "\n", "\r\n")).join(lines).encode()


@pytest.mark.parametrize("ignores_case", ["false", "true"])
def test_the_same_files_are_ignored_as_by_git(
    tmp_path: Path, ignores_case: str
) -> None:
    """Random patterns in many folders, and random paths in each."""
    rng = random.Random(SEED)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.ignoreCase", ignores_case)
    paths: set[str] = set()
    for number in range(n_runs(50)):
        folder = tmp_path / f"f{number}"
        inner = folder / rng.choice(("a", "foo"))
        inner.mkdir(parents=True)
        (folder / ".gitignore").write_bytes(random_lines(rng))
        if rng.random() < 0.3:
            (inner / ".gitignore").write_bytes(random_lines(rng))
        paths |= {
            "/".join((folder.name, *rng.choices(NAMES, k=rng.randint(1, 4))))
            for _ in range(60)
        }
    # Git sees that these are folders.
    paths = {x for x in paths if not (tmp_path / x).is_dir()}
    expected = ignored_by_git(tmp_path, paths)
    assert len(expected) > 150
    assert ignored_by_us(tmp_path, paths) == expected


def random_bytes(rng: random.Random, usual: bytes, *, longest: int) -> bytes:
    """Bytes of any values but a slash and a line feed, most of them usual ones."""
    others = bytes(set(range(1, 256)) - set(b"/\n"))
    n_bytes = rng.randint(1, longest)
    return bytes(
        rng.choice(usual if rng.random() < 0.7 else others) for _ in range(n_bytes)
    )


def test_the_same_bytes_are_ignored_as_by_git(tmp_path: Path) -> None:
    """Neither patterns nor names need to be text; git ends a pattern at a NUL."""
    rng = random.Random(SEED)
    git(tmp_path, "init", "-q")
    paths: set[str] = set()
    for number in range(n_runs(100)):
        folder = tmp_path / f"f{number}"
        folder.mkdir()
        lines = [random_bytes(rng, b"ab*?[]\\!/# -^\r\t\xff\xa9\0", longest=6)]
        lines += [random_bytes(rng, b"a*\xff\0\r", longest=3)]
        (folder / ".gitignore").write_bytes(rng.choice((b"\n", b"\r\n")).join(lines))
        for _ in range(20):
            name = random_bytes(rng, b"ab*?[\\ -\r\t!#^\xff\xa9", longest=3)
            if name not in (b".", b".."):
                paths.add(f"{folder.name}/{os.fsdecode(name)}")
    expected = ignored_by_git(tmp_path, paths)
    assert len(expected) > 150
    assert ignored_by_us(tmp_path, paths) == expected


def test_the_whole_repository_counts_whatever_is_open(tmp_path: Path) -> None:
    """Its top, each folder down to the opened one, and what this clone excludes."""
    rng = random.Random(SEED)
    n_expected = 0
    for number in range(n_runs(12)):
        top = tmp_path / f"r{number}"
        opened = top / "a" / "foo"
        opened.mkdir(parents=True)
        git(top, "init", "-q")
        (top / ".git" / "info").mkdir(exist_ok=True)
        for folder in (top, top / "a", opened):
            (folder / ".gitignore").write_bytes(random_lines(rng))
        (top / ".git" / "info" / "exclude").write_bytes(random_lines(rng))
        paths = {"/".join(rng.choices(NAMES, k=rng.randint(1, 3))) for _ in range(60)}
        expected = ignored_by_git(opened, paths)
        n_expected += len(expected)
        assert ignored_as(opened, paths, "file://", opened) == expected
        assert ignored_as(opened, paths, "file://") == expected
        assert ignored_as(opened, paths, "git:", opened) == expected
        assert ignored_as(opened, paths, "untitled:") == expected
        assert ignored_as(opened, paths, "file://", tmp_path) == expected
    assert n_expected > 300


def test_wrong_lines_match_nothing_and_are_named() -> None:
    """The lines around them are used."""
    lines = ("*.log", *WRONG, "build/")
    patterns = IgnorePatterns("\n".join(lines).encode())
    assert [one.number for one in patterns.unusable] == [*range(2, len(WRONG) + 2)]
    assert patterns.decision("a.log", is_folder=False)
    assert patterns.decision("build", is_folder=True)
    assert patterns.decision("bin", is_folder=True) is None


@pytest.mark.parametrize("line", WRONG)
def test_git_does_not_use_them_either(tmp_path: Path, line: str) -> None:
    """No file is ignored by such a line."""
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text(f"{line}\n")
    paths = ["bin", "bin/x", "a", "z", "a[", "b", "!", "-", "x/y"]
    assert ignored_by_git(tmp_path, paths) == set()
    assert ignored_by_us(tmp_path, paths) == set()


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 40 + "b", "**/" + "*a" * 20 + "/**/" + "*a" * 20 + "b", "**/*a" * 20 + "b"],
)
def test_no_pattern_tries_a_path_in_every_way(pattern: str) -> None:
    """Backtracking would take longer than the universe has existed."""
    code = (
        "import sys; from redline.assist.privacy.ignore_patterns import IgnorePatterns;"
        "one = IgnorePatterns(sys.argv[1].encode());"
        "print(one.decision('/'.join(['a' * 255] * 15), is_folder=False))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, pattern],
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == b"None\n"


CONFIGS = (
    "",
    "[core]\n\texcludesFile = {root}/excludes\n",
    "[CORE] ExcludesFile=~/excludes ; a comment\n",
    '[core]\n\texcludesfile = "{root}/excl\\\nudes" # a comment\n',
    '[core]\nexcludesFile = {root}/excludes\n[other "x"]\nexcludesFile = /nowhere\n',
    "[core]\nexcludesFile = /nowhere\n[include]\n\tpath = included\n",
    "[include]\n\tpath = ~/included\n[core]\n\texcludesFile = ~/excludes\n",
    "[core]\n\texcludesFile =\n",
    "[core]\n\texcludesFile = excludes\n",
    "\ufeff[core]\r\n\texcludesFile = {root}/excludes\r\n",
)


def test_the_same_files_are_excluded_by_configuration(
    tmp_path: Path, home: Path
) -> None:
    """However the configuration names the file: random patterns in every place."""
    rng = random.Random(SEED)
    places = (".gitignore", ".git/info/exclude", "excludes")
    for number, config in enumerate(CONFIGS * 4):
        root = tmp_path / str(number)
        root.mkdir()
        git(root, "init", "-q")
        (root / "inner").mkdir()
        (home / ".gitconfig").write_text(config.format(root=root))
        (home / "included").write_text(f'[core]\n\texcludesFile = "{root}/excludes"\n')
        for place in places:
            (root / place).write_bytes(random_lines(rng))
        (home / ".config" / "git").mkdir(parents=True, exist_ok=True)
        (home / ".config" / "git" / "ignore").write_bytes(random_lines(rng))
        (home / "excludes").write_bytes(random_lines(rng))
        paths = {
            "/".join(rng.choices(NAMES, k=rng.randint(1, 3))) for _ in range(60)
        } | {f"inner/{name}" for name in NAMES}
        assert ignored_by_us(root, paths) == ignored_by_git(root, paths), config


def test_a_file_that_a_condition_includes_counts(tmp_path: Path, home: Path) -> None:
    """Whether it holds now or not: more is held back, never less."""
    git(tmp_path, "init", "-q")
    (home / ".gitconfig").write_text(
        '[includeIf "gitdir:/elsewhere/"]\n\tpath = work\n'
        "[core]\n\texcludesFile = ~/always\n"
    )
    (home / "work").write_text("[core]\n\texcludesFile = ~/at-work\n")
    (home / "at-work").write_text("a\n")
    (home / "always").write_text("b\n")
    assert ignored_by_us(tmp_path, ["a", "b", "c"]) == {"a", "b"}


def test_worktrees_and_submodules_have_excludes_elsewhere(tmp_path: Path) -> None:
    """As git finds them: the common folder's, or that of the module."""
    (tmp_path / "module").mkdir()
    git(tmp_path / "module", "init", "-q")
    git(tmp_path / "module", "commit", "-q", "--allow-empty", "-m", "x")
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    local = ("-c", "protocol.file.allow=always")
    git(main, *local, "submodule", "--quiet", "add", str(tmp_path / "module"), "sub")
    git(main, "commit", "-q", "-m", "x")
    git(main, "worktree", "add", "-q", str(tmp_path / "linked"))
    (main / ".git" / "info" / "exclude").write_text("a\n")
    (main / ".git" / "modules" / "sub" / "info" / "exclude").write_text("b\n")
    own = main / ".git" / "worktrees" / "linked" / "info"
    own.mkdir(exist_ok=True)
    (own / "exclude").write_text("foo\n")
    for folder, excluded in (
        (main, {"a"}),
        (main / "sub", {"b"}),
        (tmp_path / "linked", {"a"}),
    ):
        found = ignored_by_us(folder, NAMES)
        assert found == ignored_by_git(folder, NAMES) == excluded


@pytest.mark.parametrize(
    "environment",
    [
        {
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "core.excludesFile",
            "GIT_CONFIG_VALUE_0": "/nowhere",
            "GIT_CONFIG_KEY_1": "Core.ExcludesFile",
            "GIT_CONFIG_VALUE_1": "~/excludes",
        },
        {"GIT_CONFIG_PARAMETERS": "'core.excludesFile'='~/excludes'"},
        {"GIT_CONFIG_PARAMETERS": "'core.excludesfile=~/excludes'"},
        {"GIT_CONFIG_PARAMETERS": "'include.path'='~/included'"},
    ],
)
def test_configuration_in_the_environment_counts(
    tmp_path: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
) -> None:
    """It overrides what the files say."""
    git(tmp_path, "init", "-q")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = /elsewhere\n")
    (home / "included").write_text("[core]\n\texcludesFile = ~/excludes\n")
    (home / "excludes").write_text("a\n")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = ignored_by_us(tmp_path, ["a", "b"])
    assert found == ignored_by_git(tmp_path, ["a", "b"]) == {"a"}


@pytest.mark.parametrize("form", ["named", "configured", "current", "pointer", "link"])
def test_a_repository_that_the_environment_names_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """As that of dotfiles, whose folder is not in the worktree."""
    top, own = tmp_path / "home", tmp_path / "dotfiles"
    folder = top / "app"
    folder.mkdir(parents=True)
    (tmp_path / "link").symlink_to(top)
    git(tmp_path, "init", "-q", "--bare", str(own))
    (tmp_path / "pointer").write_text("gitdir: dotfiles\n")
    (own / "info" / "exclude").write_text("a\n")
    (top / ".gitignore").write_text("b\n")
    paths = ["a", "b", "foo"]
    assert ignored_by_us(folder, paths) == set()
    monkeypatch.setenv(
        "GIT_DIR", str(tmp_path / "pointer" if form == "pointer" else own)
    )
    worktree = str(tmp_path / "link" if form == "link" else top)
    if form == "configured":
        git(tmp_path, "config", "core.bare", "false")
        git(tmp_path, "config", "core.worktree", worktree)
    elif form == "current":
        git(tmp_path, "config", "core.bare", "false")
        monkeypatch.chdir(top)
    else:
        monkeypatch.setenv("GIT_WORK_TREE", worktree)
    found = ignored_by_us(folder, paths)
    if form != "current":
        # Git would take the folder where it is run for the worktree.
        assert found == ignored_by_git(folder, paths)
    assert found == {"a", "b"}
    assert ignored_by_us(tmp_path / "elsewhere", paths) == set()


@pytest.mark.parametrize("form", ["configured", "worktree's own", "named"])
def test_a_repository_with_its_worktree_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Rules count from the top of the worktree, not from the folder of `.git`."""
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / ".git" / "info" / "exclude").write_text("/app/a\n")
    (tmp_path / ".gitignore").write_text("/app/b\n")
    paths = ["a", "b", "foo"]
    assert ignored_by_us(folder, paths) == ignored_by_git(folder, paths) == set()
    if form == "named":
        monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    elif form == "configured":
        git(folder, "config", "core.worktree", "../..")
    else:
        git(folder, "config", "extensions.worktreeConfig", "true")
        git(folder, "config", "--worktree", "core.worktree", "../..")
    found = ignored_by_us(folder, paths)
    assert found == ignored_by_git(folder, paths) == {"a", "b"}


def test_a_file_outside_the_worktree_of_its_repository(tmp_path: Path) -> None:
    """What is below a `.git` is held back by its rules, wherever its worktree is."""
    git(tmp_path, "init", "-q")
    (tmp_path / "other").mkdir()
    git(tmp_path, "config", "core.worktree", str(tmp_path / "other"))
    (tmp_path / ".git" / "info" / "exclude").write_text("a\n")
    assert ignored_by_us(tmp_path, ["a", "b"]) == {"a"}


def test_a_repository_beside_the_one_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules of both count."""
    git(tmp_path, "init", "-q", "--bare", "dotfiles")
    (tmp_path / "dotfiles" / "info" / "exclude").write_text("a\n")
    git(tmp_path, "init", "-q", "project")
    (tmp_path / "project" / ".git" / "info" / "exclude").write_text("b\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "dotfiles"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert ignored_by_us(tmp_path / "project", ["a", "b", "foo"]) == {"a", "b"}


def sparse_repository(folder: Path, *options: str) -> None:
    """A repository whose folder `d` is left out, and has a file again."""
    git(folder, "init", "-q", *options)
    (folder / "kept").mkdir()
    (folder / "kept" / "file").write_text("")
    (folder / ("d" * 200)).mkdir()
    (folder / ("d" * 200) / ".gitignore").write_text("")
    (folder / "d" / "e").mkdir(parents=True)
    (folder / "d" / ".gitignore").write_text("a\n")
    (folder / "d" / "file").write_text("")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "x")


@pytest.mark.parametrize("version", ["3", "4"])
@pytest.mark.parametrize("format", ["sha1", "sha256"])
def test_an_ignore_file_that_is_left_out_of_the_worktree(
    tmp_path: Path, version: str, format: str
) -> None:
    """Git reads it from the index; what it may ignore is held back."""
    sparse_repository(tmp_path, f"--object-format={format}")
    git(tmp_path, "update-index", "--index-version", version)
    paths = ["d/a", "d/e/a", "kept/a", "a"]
    expected = {"d/a", "d/e/a"}
    assert ignored_by_us(tmp_path, paths) == ignored_by_git(tmp_path, paths) == expected
    git(tmp_path, "sparse-checkout", "set", "--no-cone", "/*", "!/d/")
    assert not (tmp_path / "d" / ".gitignore").exists()
    assert ignored_by_us(tmp_path, [*paths, "d/b"]) == {*expected, "d/b"}
    # It is checked out again.
    (tmp_path / "d").mkdir(exist_ok=True)
    (tmp_path / "d" / ".gitignore").write_text("b\n")
    assert ignored_by_us(tmp_path, [*paths, "d/b"]) == {"d/b"}


def test_a_folder_that_is_left_out_of_the_index(tmp_path: Path) -> None:
    """A sparse index names the folder, and not its ignore files."""
    sparse_repository(tmp_path)
    git(tmp_path, "sparse-checkout", "set", "--cone", "--sparse-index", "kept")
    assert ignored_by_us(tmp_path, ["d/a", "d/b", "kept/a", "a"]) == {"d/a", "d/b"}


@pytest.mark.parametrize("content", [b"", b"DIRC", b"DIRC\0\0\0\3\0\0\0\7" * 9])
def test_an_index_that_cannot_be_read_leaves_nothing_out(
    tmp_path: Path, content: bytes
) -> None:
    """Git would refuse to run."""
    git(tmp_path, "init", "-q")
    (tmp_path / ".git" / "index").write_bytes(content)
    assert ignored_by_us(tmp_path, ["a"]) == set()


def test_a_repository_that_comes_later_counts(tmp_path: Path, home: Path) -> None:
    """And one that goes, and configuration that changes; for a running server."""
    ignore_rules = IgnoreRules()
    folder = tmp_path / "project" / "src"
    folder.mkdir(parents=True)
    (tmp_path / "project" / ".gitignore").write_text("a\n")

    def ignored(name: str) -> bool:
        return ignore_rules.reason((folder / name).as_uri(), ()) is not None

    assert not ignored("a")
    git(tmp_path / "project", "init", "-q")
    assert ignored("a")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/excludes\n")
    (home / "excludes").write_text("b\n")
    assert ignored("b")
    (home / ".gitconfig").write_text("")
    assert not ignored("b")
    (tmp_path / "project" / ".git").rename(tmp_path / "gone")
    assert not ignored("a")
    pointer = tmp_path / "project" / ".git"
    pointer.write_text(f"gitdir: {tmp_path / 'gone'}\n")
    assert ignored("a")


@pytest.mark.parametrize("name", ["HOME/.gitconfig", ".git/config", ".git"])
def test_configuration_that_is_no_file_is_none(
    tmp_path: Path, home: Path, name: str
) -> None:
    """A pipe would be waited for."""
    project = tmp_path / "project"
    project.mkdir()
    if name != ".git":
        git(project, "init", "-q")
    place = home / ".gitconfig" if name.startswith("HOME") else project / name
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    (project / ".gitignore").write_text("a\n")
    assert ignored_by_us(project, ["a", "b"]) == {"a"}
