"""Reading git, on real repositories, hostile ones included."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.assist.review.git_project import GitProject

from redline.assist.review.change import git, git_process
from redline.assist.review.change.gathered_change import gather_change
from redline.assist.review.change.git import Repository
from redline.assist.review.change.git_listing import title_of
from redline.assist.review.change.reading import Reader
from redline.errors import NotReviewableError
from redline.findings.diff import parse_diff
from redline.findings.scope import WorkingTree

_LINES = "a\nb\nc\nd\n"


def test_each_kind_of_change_is_listed(project: GitProject) -> None:
    """Names may hold any character, and a rename keeps the old name."""
    project.write("new\nline.py", "x = 1\n")
    project.write("old name.py", "a\nb\nc\nd\n")
    project.commit(gone="x = 1\n", kept="x = 1\n")
    project.write("new\nline.py", "x = 2\n")
    project.git("mv", "old name.py", "ü.py")
    project.git("rm", "--quiet", "gone.py")
    change = Repository(project.folder).working_tree(())
    assert {(one.status, one.path, one.old_path) for one in change.paths} == {
        ("M", "new\nline.py", None),
        ("D", "gone.py", None),
        ("R", "ü.py", "old name.py"),
    }


def test_each_title_of_the_patch_belongs_to_a_listed_file(
    project: GitProject,
) -> None:
    """The patch names files by quoted titles, whatever the user's `core.quotePath`."""
    names = ["a b.py", "ü.py", 'quo"te', "back\\slash", "tab\t.py", "end\n\x01\x7f"]
    names += [os.fsdecode(b"raw\xff\xa0"), "a b/c b/d", "\a\b\v\f\r", "b/b b/b"]
    for name in names:
        project.write(f"inner/{name}", _LINES)
    project.commit(outer="x = 1\n")
    project.git("config", "core.quotePath", "false")
    for name in names:
        project.write(f"inner/{name}", _LINES + "more\n")
    for name in names[1:4]:
        project.git("mv", f"inner/{name}", f"inner/moved {name}")
    project.git("rm", "--quiet", "--force", f"inner/{names[-1]}")
    change = Repository(project.folder / "inner").working_tree(())
    titles = [one.title for one in parse_diff(change.patch.decode())]
    assert titles == [title_of(one) for one in change.paths]
    assert len(titles) == len(names)


def test_only_what_is_under_the_folder_and_the_paths_is_listed(
    project: GitProject,
) -> None:
    """Paths are literal: git's pathspec magic does not apply."""
    project.write("inner/a.py", "x = 1\n")
    project.write("inner/*.py", "x = 1\n")
    project.commit(outer="x = 1\n")
    for path in ("inner/a.py", "inner/*.py", "outer.py"):
        project.write(path, "x = 2\n")
    repository = Repository(project.folder / "inner")
    assert {one.path for one in repository.working_tree(()).paths} == {"a.py", "*.py"}
    assert {one.path for one in repository.working_tree(("*.py",)).paths} == {"*.py"}


def test_before_the_first_commit_everything_is_new(project: GitProject) -> None:
    """A repository without a commit is compared with nothing."""
    project.write("a.py", "x = 1\n")
    project.git("add", "a.py")
    (one,) = Repository(project.folder).staged(()).paths
    assert (one.status, one.path) == ("A", "a.py")


def test_since_counts_from_where_the_branch_left(project: GitProject) -> None:
    """Later commits of the base are not part of the change."""
    project.commit(a="x = 1\n")
    project.git("checkout", "--quiet", "-b", "topic")
    project.commit(b="x = 1\n")
    project.git("checkout", "--quiet", "main")
    project.commit(c="x = 1\n")
    project.git("checkout", "--quiet", "topic")
    change = Repository(project.folder).since("main", "HEAD", ())
    assert [one.path for one in change.paths] == ["b.py"]
    texts = Repository(project.folder).texts(
        [one.new_blob or "" for one in change.paths]
    )
    assert list(texts.values()) == [b"x = 1\n"]


def test_a_base_that_is_not_known_is_said(project: GitProject) -> None:
    """Including one that git would read as an option and write a file for."""
    project.commit(a="x = 1\n")
    for base in ("nowhere", "", f"--output={project.folder}/written"):
        with pytest.raises(NotReviewableError, match="git knows no commit"):
            Repository(project.folder).since(base, "HEAD", ())
    assert not (project.folder / "written").exists()


def test_branches_without_a_common_commit_are_said(project: GitProject) -> None:
    """As in a shallow clone."""
    project.commit(a="x = 1\n")
    project.git("checkout", "--quiet", "--orphan", "other")
    project.commit(a="x = 2\n")
    with pytest.raises(NotReviewableError, match="no commit in common"):
        Repository(project.folder).since("main", "other", ())


def test_a_folder_without_a_repository_is_said(tmp_path: Path) -> None:
    """The message names the folder and a remedy."""
    with pytest.raises(NotReviewableError, match="no git repository") as caught:
        Repository(tmp_path)
    assert caught.value.remedy


def test_a_repository_of_somebody_else_is_said(
    project: GitProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in most containers; the message has git's remedy."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(NotReviewableError, match="another user") as caught:
        Repository(project.folder)
    assert f"safe.directory {project.folder}" in caught.value.remedy


def test_no_git_is_said(project: GitProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH nothing else fails."""
    monkeypatch.setenv("PATH", str(project.folder))
    with pytest.raises(NotReviewableError, match="git cannot be run"):
        Repository(project.folder)


def test_programs_of_the_repository_are_not_run(project: GitProject) -> None:
    """No filters, external diffs, text conversions, pagers, monitors or hooks run."""
    project.commit(a="x = 1\n")
    trace = project.folder / "was-run"
    evil = f"touch {trace};cat"
    project.write(".gitattributes", "*.py diff=evil filter=evil\n")
    for key in (
        *("filter.evil.clean", "filter.evil.process", "filter.evil.smudge"),
        *("diff.evil.command", "diff.evil.textconv", "diff.external"),
        *("core.fsmonitor", "core.pager", "pager.diff", "core.editor"),
    ):
        project.git("config", key, evil)
    project.git("config", "filter.evil.required", "true")
    hook = project.write(".git/hooks/post-index-change", f"#!/bin/sh\n{evil}\n")
    hook.chmod(0o755)
    project.write("a.py", "x = 2\n")
    repository = Repository(project.folder)
    assert "a.py" in {one.path for one in repository.working_tree(()).paths}
    repository.untracked(())
    repository.staged(())
    assert not trace.exists()


@pytest.mark.parametrize("place", ["included", "worktree"])
def test_filters_are_not_run_wherever_the_repository_names_them(
    project: GitProject, place: str
) -> None:
    """Included configuration files and the worktree's own count, too."""
    project.commit(a="x = 1\n")
    trace = project.folder / "was-run"
    project.write(".gitattributes", "*.py filter=evil\n")
    evil = f"touch {trace};cat"
    if place == "included":
        project.write(".git/more", f'[filter "evil"]\n\tclean = "{evil}"\n')
        project.git("config", "include.path", "more")
    else:
        project.git("config", "extensions.worktreeConfig", "true")
        project.git("config", "--worktree", "filter.evil.clean", evil)
    project.write("a.py", "x = 2\n")
    Repository(project.folder).working_tree(())
    assert not trace.exists()


def test_a_filter_that_cannot_be_switched_off_is_said(project: GitProject) -> None:
    """The option would end at the `=` in its name, and git would run it."""
    project.git("config", "filter.a=b.clean", "touch was-run;cat")
    with pytest.raises(NotReviewableError, match="a=b") as caught:
        Repository(project.folder)
    assert caught.value.remedy


@pytest.mark.parametrize("place", [".", "inner"])
def test_nothing_is_written(project: GitProject, place: str) -> None:
    """Not even the index, which `git diff` would refresh."""
    file = project.write("inner/a.py", "x = 1\n")
    project.commit()
    index = project.folder / ".git" / "index"
    before = index.read_bytes()
    os.utime(file, (1, 1))
    assert not Repository(project.folder / place).working_tree(()).paths
    assert index.read_bytes() == before


def test_a_change_within_the_second_of_the_index_is_found(project: GitProject) -> None:
    """Git compares the content of a file only if it is as new as the index."""
    file = project.write("a.py", "x = 1\n")
    os.utime(file, (1_000, 1_000))
    project.git("config", "core.trustctime", "false")
    project.commit()
    file.write_text("x = 2\n")
    for one in (file, project.folder / ".git" / "index"):
        os.utime(one, (1_000, 1_000))
    (change,) = Repository(project.folder).working_tree(()).paths
    assert change.path == "a.py"


def test_an_index_that_cannot_be_copied_is_said(
    project: GitProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says why, and what to do."""
    project.commit(a="x = 1\n")
    monkeypatch.setattr(git, "_MAX_INDEX_BYTES", 10)
    with pytest.raises(NotReviewableError, match="larger than 10 bytes") as caught:
        Repository(project.folder).working_tree(())
    assert caught.value.remedy


def test_a_change_that_is_too_large_is_said(
    project: GitProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory stays bounded, and the message says what to do."""
    project.commit(a="x = 1\n")
    project.write("a.py", "x = 2\n" * 200)
    monkeypatch.setattr(git_process, "MAX_OUTPUT_BYTES", 500)
    with pytest.raises(NotReviewableError, match="larger than") as caught:
        Repository(project.folder).working_tree(())
    assert "paths" in caught.value.remedy


def use_git(project: GitProject, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put another program named git first on PATH."""
    program = project.write("bin/git", f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")


@pytest.mark.parametrize(
    "script",
    [
        "exec sleep 100",
        # Its child has a session of its own, and keeps the output open.
        f"{sys.executable} -c 'import os, time; os.setsid(); time.sleep(3)' & exit 0",
        "exec >&-; sleep 100",
        "while :; do echo more >&2; done",
    ],
)
def test_git_that_does_not_end_is_given_up(
    project: GitProject, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """A command has a time limit, whatever its program does."""
    use_git(project, monkeypatch, script)
    monkeypatch.setattr(git_process, "LIMIT_S", 0.05)
    with pytest.raises(NotReviewableError, match="git took longer"):
        Repository(project.folder)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("kill -SEGV $$", "git rev-parse failed: it gave no reason"),
        ("exit 128", "git rev-parse failed: it gave no reason"),
        ("printf '\\033[31m\\377bad' >&2; exit 1", "failed: \ufffd[31m\ufffdbad"),
        ("printf '\\377\\376\\n'", "an answer that cannot be read"),
        ("printf '\\0\\0'", "an answer that cannot be read"),
        ("while :; do echo too much; done", "larger than"),
    ],
)
def test_git_that_answers_nonsense_is_reported(
    project: GitProject, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    """In one sentence, without control characters."""
    use_git(project, monkeypatch, script)
    monkeypatch.setattr(git_process, "MAX_OUTPUT_BYTES", 10_000)
    root = project.folder.as_uri()
    reader = Reader(roots=[root], documents={})
    with pytest.raises(NotReviewableError) as caught:
        gather_change(WorkingTree(root=root), project.folder, reader)
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


def test_git_ends_when_the_server_is_killed(
    project: GitProject, tmp_path: Path
) -> None:
    """The system kills it, although nobody waits for it any more."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    stuck = tmp_path / "bin" / "git"
    stuck.parent.mkdir()
    stuck.write_text(f"#!/bin/sh\nexec 3>'{pipe}'\necho up >&3\nexec sleep 60\n")
    stuck.chmod(0o755)
    code = (
        "import sys; from pathlib import Path\n"
        "from redline.assist.review.change.git_process import run_git\n"
        "run_git(Path(sys.argv[1]), ['status'])\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code, str(project.folder)],
        env={**os.environ, "PATH": f"{stuck.parent}:/usr/bin:/bin"},
    )
    with pipe.open() as reader:
        assert reader.readline() == "up\n"
        server.kill()
        assert reader.read() == ""
    assert server.wait() != 0


def test_the_environment_of_a_hook_does_not_matter(
    project: GitProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a hook, git's variables name another repository."""
    other = GitProject(tmp_path / "other")
    other.write("b.py", "x = 1\n")
    project.write("a.py", "x = 1\n")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.folder / ".git" / "index"))
    other.git("add", "--all")
    assert Repository(project.folder).untracked(()) == ("a.py",)


@pytest.mark.parametrize("is_relative", [True, False])
def test_what_a_hook_is_told_to_be_committed_is_staged(
    project: GitProject, monkeypatch: pytest.MonkeyPatch, *, is_relative: bool
) -> None:
    """`git commit -a` uses a temporary index until the commit is made."""
    project.commit(a="x = 1\n")
    index = project.folder / ".git" / "index"
    before = index.read_bytes()
    project.write("a.py", "x = 2\n")
    project.git("add", "--all")
    index.rename(index.with_name("index.lock"))
    index.write_bytes(before)
    repository = Repository(project.folder)
    assert not repository.staged(()).paths
    place = ".git/index.lock" if is_relative else f"{index}.lock"
    monkeypatch.setenv("GIT_INDEX_FILE", place)
    (change,) = Repository(project.folder).staged(()).paths
    assert change.path == "a.py"


@pytest.mark.parametrize(
    "name",
    [
        *(".gitignore", ".gitattributes", "inner/.gitignore", "inner/.gitattributes"),
        *(".git/info/exclude", ".git/info/attributes", ".git/config", ".git/index"),
        *(".git", ".git/HEAD", ".git/commondir", ".git/config.worktree"),
        *(".git/refs/heads/main", ".git/refs/heads/x/y", ".git/packed-refs"),
        *(".git/objects/info/alternates", ".git/objects/pack/x.idx", ".git/shallow"),
        *(".git/objects/ab/cd", ".git/info/grafts", ".git/modules/sub/HEAD"),
    ],
)
def test_git_is_not_run_where_it_would_wait_for_a_pipe(
    project: GitProject, name: str
) -> None:
    """It reads these files without checking their type; in outer folders, too."""
    project.write("inner/deeper/a.py", "x = 1\n")
    project.commit()
    pipe = project.folder / name
    if pipe.is_dir():
        pipe.rename(project.folder / "moved")
    pipe.unlink(missing_ok=True)
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)
    for folder in (project.folder, project.folder / "inner" / "deeper"):
        with pytest.raises(NotReviewableError, match="is a pipe or a device"):
            Repository(folder)


@pytest.mark.parametrize("place", ["own", "common", "pointer"])
@pytest.mark.parametrize("name", ["HEAD", "index", "config", "commondir", "gitdir"])
def test_pipes_of_a_linked_worktree_are_found(
    project: GitProject, tmp_path: Path, name: str, place: str
) -> None:
    """Its folder is elsewhere, and names a common one."""
    project.commit(a="x = 1\n")
    linked = tmp_path / "linked"
    project.git("worktree", "add", "--quiet", str(linked))
    assert Repository(linked).top == linked
    pipe = {
        "own": project.folder / ".git" / "worktrees" / "linked" / name,
        "common": project.folder / ".git" / name,
        "pointer": linked / ".git",
    }[place]
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with pytest.raises(NotReviewableError, match="is a pipe or a device"):
        Repository(linked)


@pytest.mark.parametrize(
    "config",
    [
        "[include]\n\tpath = {pipe}\n",
        "[include]\n\tpath = ../more\n",
        '[includeIf "gitdir:/"]\n\tpath = ../pipe\n',
        "[core]\n\texcludesFile = pipe\n",
        "[core]\n\tattributesFile = {pipe}\n",
    ],
)
def test_pipes_that_the_configuration_names_are_found(
    project: GitProject, config: str
) -> None:
    """An archive can hold both."""
    pipe = project.folder / "pipe"
    os.mkfifo(pipe)
    project.write("more", "[include]\n\tpath = pipe\n")
    with (project.folder / ".git" / "config").open("a") as file:
        file.write(config.format(pipe=pipe))
    with pytest.raises(NotReviewableError, match="is a pipe or a device"):
        Repository(project.folder)


@pytest.mark.parametrize("value", ["/", "../../secret", "{secret}"])
def test_the_configuration_does_not_choose_the_worktree(
    project: GitProject, tmp_path: Path, value: str
) -> None:
    """It is where `.git` is: another folder holds what must not be reviewed."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "notes.py").write_text("x = 1\n")
    project.commit(a="x = 1\n")
    project.write("a.py", "x = 2\n")
    project.write("inner/b.py", "x = 1\n")
    project.git("config", "core.worktree", value.format(secret=secret))
    repository = Repository(project.folder)
    assert repository.top == project.folder
    assert [one.path for one in repository.working_tree(()).paths] == ["a.py"]
    assert repository.untracked(()) == ("inner/b.py",)
    inner = Repository(project.folder / "inner")
    assert inner.top == project.folder
    assert inner.untracked(()) == ("b.py",)


def test_pipes_of_shared_objects_are_found(project: GitProject, tmp_path: Path) -> None:
    """Objects can be in the repository of somebody else."""
    other = GitProject(tmp_path / "other")
    alternates = project.folder / ".git" / "objects" / "info" / "alternates"
    alternates.write_text("../../../other/.git/objects\n")
    Repository(project.folder)
    os.mkfifo(other.folder / ".git" / "objects" / "pack" / "pack-x.idx")
    with pytest.raises(NotReviewableError, match="is a pipe or a device"):
        Repository(project.folder)


def test_a_special_file_that_git_does_not_read_does_not_matter(
    project: GitProject,
) -> None:
    """Git lists no pipe as untracked."""
    os.mkfifo(project.folder / "pipe")
    (project.folder / "zero").symlink_to("/dev/zero")
    assert Repository(project.folder).untracked(()) == ("zero",)


@pytest.mark.parametrize("name", [".gitconfig", ".config/git/config", "named"])
def test_a_pipe_in_place_of_the_users_settings_is_found_without_a_repository(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git reads them before it finds out that there is none."""
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    pipe = tmp_path / name
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)
    if name == "named":
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(pipe))
    with pytest.raises(NotReviewableError, match="is a pipe or a device"):
        Repository(tmp_path)


def test_the_null_device_may_be_the_users_settings(
    project: GitProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    project.commit(a="x = 1\n")
    assert Repository(project.folder).untracked(()) == ()


def test_an_order_file_does_not_matter(project: GitProject) -> None:
    """Git ends if it does not exist, and waits if it is a pipe."""
    project.commit(a="x = 1\n", b="x = 1\n")
    project.write("a.py", "x = 2\n")
    project.write("b.py", "x = 2\n")
    os.mkfifo(project.folder / "pipe")
    for name in ("missing", "pipe"):
        project.git("config", "diff.orderFile", str(project.folder / name))
        change = Repository(project.folder).working_tree(())
        assert [one.path for one in change.paths] == ["a.py", "b.py"]
        assert change.patch.count(b"diff --git") == 2
