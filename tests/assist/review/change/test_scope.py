"""Gathering on real files: texts, reviewed lines, and files that are left out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.assist.review.git_project import GitProject

from redline.assist.review.change import git_process
from redline.assist.review.change.scope import gather
from redline.errors import HeldBackError, NotReviewableError
from redline.findings.scope import (
    ReviewedFile,
    ReviewScope,
    Selection,
    Since,
    SinceReview,
    Staged,
    Target,
    WholeFiles,
    WorkingTree,
)
from redline.text.document import Document, Snapshot
from redline.text.position import Encoding

_TEN = "".join(f"line_{n}\n" for n in range(10))


def _open(file: Path, text: str, language: str = "python") -> dict[str, Snapshot]:
    return _opened(file.as_uri(), text, language)


def _opened(uri: str, text: str, language: str) -> dict[str, Snapshot]:
    document = Document(
        uri=uri, language_id=language, version=1, text=text, encoding=Encoding.UTF_16
    )
    return {uri: document.snapshot()}


def _gather(
    project: GitProject, target: Target, documents: Mapping[str, Snapshot] | None = None
) -> ReviewScope:
    return gather(target, roots=[project.uri], documents=documents or {})


def _only(scope: ReviewScope) -> ReviewedFile:
    (file,) = scope.files
    return file


def _in_question(file: ReviewedFile) -> list[str]:
    lines = file.text.split("\n")
    return [lines[n] for span in file.spans for n in range(*span)]


def test_a_selection_is_some_lines_of_a_file(project: GitProject) -> None:
    """The file has its whole text, and only the lines are reviewed."""
    file = project.write("src/a.py", _TEN)
    target = Selection(uri=file.as_uri(), first_line=2, end_line=4)
    scope = _gather(project, target)
    assert (scope.title, _only(scope).path) == ("lines 3 to 4 of src/a.py", "src/a.py")
    assert _only(scope).text == _TEN
    assert _only(scope).language == "python"
    assert _in_question(_only(scope)) == ["line_2", "line_3"]


@pytest.mark.parametrize(
    ("first", "end", "title", "spans"),
    [
        (0, 99, "all of a.py", ((0, 10),)),
        (99, 99, "line 10 of a.py", ((9, 10),)),
        (3, 3, "line 4 of a.py", ((3, 4),)),
    ],
)
def test_a_selection_is_clamped(
    project: GitProject,
    first: int,
    end: int,
    title: str,
    spans: tuple[tuple[int, int], ...],
) -> None:
    """At least one line of the file is reviewed."""
    file = project.write("a.py", _TEN)
    target = Selection(uri=file.as_uri(), first_line=first, end_line=end)
    scope = _gather(project, target)
    assert (scope.title, _only(scope).spans) == (title, spans)


def test_an_open_document_wins_over_the_disk(project: GitProject) -> None:
    """With its own URI and language, and LF line ends."""
    file = project.write("a.py", "saved\n")
    documents = _open(file, "typed\r\nmore\rlast", "restructuredtext")
    scope = _gather(project, WholeFiles(uris=(file.as_uri(),)), documents)
    assert _only(scope).text == "typed\nmore\nlast"
    assert _only(scope).language == "restructuredtext"
    assert _only(scope).spans == ((0, 3),)


@pytest.mark.parametrize("ends", [("\n", "\r\n"), ("\r\n", "\n")])
def test_lines_with_other_ends_are_not_in_question(
    project: GitProject, ends: tuple[str, str]
) -> None:
    """With or without another change, wherever it is."""
    old, new = (_TEN.replace("\n", end) for end in ends)
    project.commit(a=old, b=old)
    project.write("a.py", new)
    project.write("b.py", new.replace("line_7", "line_seven"))
    project.git("add", "--all")
    for target in (WorkingTree(root=project.uri), Staged(root=project.uri)):
        scope = _gather(project, target)
        assert _only(scope).path == "b.py"
        assert _in_question(_only(scope)) == ["line_seven"]
        assert [(one.path, one.reason) for one in scope.left_out] == [
            ("a.py", "none of its lines is changed")
        ]


def test_a_document_that_was_never_saved_can_be_reviewed(project: GitProject) -> None:
    """It has only a URI."""
    documents = _opened("untitled:Untitled-1", "x = 1\n", "python")
    target = Selection(uri="untitled:Untitled-1", first_line=0, end_line=1)
    scope = _gather(project, target, documents)
    assert (_only(scope).path, _only(scope).uri) == ("Untitled-1", target.uri)


def test_another_version_of_an_ignored_file_is_not_read(project: GitProject) -> None:
    """A document with its path and another scheme, such as its last commit."""
    project.write(".redlineignore", "a.py\n")
    uri = f"git:{project.folder.as_posix()}/a.py?HEAD"
    target = Selection(uri=uri, first_line=0, end_line=1)
    with pytest.raises(NotReviewableError, match="redlineignore leaves it out"):
        _gather(project, target, _opened(uri, "x = 1\n", "python"))


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.bin", b"x\0y", "it is binary"),
        ("a.txt", "tée\n".encode("latin-1"), "it is not text in UTF-8"),
        ("a.txt", b"", "it is empty"),
        ("a.txt", b"x" * 2_000_001, "it is larger than 2 MB"),
    ],
)
def test_one_file_that_cannot_be_reviewed_is_an_error(
    project: GitProject, name: str, content: bytes, why: str
) -> None:
    """There is nothing else to review, so the error is raised at once."""
    file = project.write(name, content)
    with pytest.raises(NotReviewableError, match=why):
        _gather(project, WholeFiles(uris=(file.as_uri(),)))


def test_a_pipe_and_a_folder_are_not_opened(project: GitProject) -> None:
    """Opening a pipe would block forever."""
    os.mkfifo(project.folder / "pipe.py")
    uris = ((project.folder / "pipe.py").as_uri(), project.uri)
    scope = _gather(project, WholeFiles(uris=uris))
    assert {one.reason for one in scope.left_out} == {
        "it is not a regular file",
        "it is a folder",
    }


def test_of_several_files_those_that_cannot_be_reviewed_are_listed(
    project: GitProject,
) -> None:
    """Keys, ignored files, missing files, and links to denied files."""
    project.write(".gitignore", "build/\n")
    (project.folder / "link.py").symlink_to(project.write(".env", "KEY=1\n"))
    names = ("a.py", ".env", "build/b.py", "missing.py", "link.py")
    project.write("a.py", "x = 1\n")
    project.write("build/b.py", "x = 1\n")
    uris = tuple((project.folder / name).as_uri() for name in names)
    scope = _gather(project, WholeFiles(uris=uris))
    assert [file.path for file in scope.files] == ["a.py"]
    assert scope.title == "1 file"
    assert {one.path: one.reason for one in scope.left_out} == {
        ".env": "it is of a kind that holds keys or credentials",
        "build/b.py": ".gitignore leaves it out",
        "link.py": "it is of a kind that holds keys or credentials",
        "missing.py": "it does not exist",
    }


def test_one_file_that_is_held_back_is_refused(project: GitProject) -> None:
    """As for an edit."""
    file = project.write(".env", "KEY=1\n")
    with pytest.raises(HeldBackError, match="is not sent to a model"):
        _gather(project, Selection(uri=file.as_uri(), first_line=0, end_line=1))


def test_the_working_tree_is_what_differs_from_the_last_commit(
    project: GitProject,
) -> None:
    """Staged, unstaged, untracked and renamed files; deleted files are listed."""
    project.write(".gitignore", "ignored.py\n")
    project.commit(a=_TEN, b="x = 1\n", c="x = 1\n", d=_TEN)
    project.write("a.py", _TEN.replace("line_4\n", "line_four\nmore\n"))
    project.write("b.py", "x = 2\n")
    project.git("add", "b.py")
    project.git("rm", "--quiet", "c.py")
    project.git("mv", "d.py", "e.py")
    project.write("new.py", "x = 1\ny = 2\n")
    project.write("ignored.py", "x = 1\n")
    scope = _gather(project, WorkingTree(root=project.uri))
    found = {file.path: file for file in scope.files}
    assert sorted(found) == ["a.py", "b.py", "new.py"]
    assert _in_question(found["a.py"]) == ["line_four", "more"]
    assert "+line_four\n" in found["a.py"].diff
    assert found["new.py"].is_new
    assert _in_question(found["new.py"]) == ["x = 1", "y = 2"]
    assert scope.deleted == ("c.py",)
    assert {one.path: one.reason for one in scope.left_out} == {
        "e.py": "none of its lines is changed"
    }
    assert scope.title == "the changes in the working tree"


def test_what_was_renamed_and_changed_keeps_its_old_name(project: GitProject) -> None:
    """Only its new lines are reviewed."""
    project.commit(a=_TEN)
    project.git("mv", "a.py", "b.py")
    project.write("b.py", _TEN.replace("line_4", "line_four"))
    file = _only(_gather(project, WorkingTree(root=project.uri)))
    assert (file.path, file.old_path) == ("b.py", "a.py")
    assert _in_question(file) == ["line_four"]


@pytest.mark.parametrize("ignored", ["private.py", ""])
def test_of_a_renamed_file_that_was_held_back_nothing_old_is_shown(
    project: GitProject, ignored: str
) -> None:
    """Its old name is ignored, so its old lines must not be sent."""
    old = "private.py" if ignored else ".env"
    project.write(".redlineignore", f"{ignored}\n")
    project.write(old, _TEN)
    project.git("add", "--force", "--all")
    project.git("commit", "--quiet", "--message", "A step.")
    project.git("mv", old, "b.py")
    project.write("b.py", _TEN.replace("line_4", "line_four"))
    project.git("add", "--all")
    for target in (WorkingTree(root=project.uri), Staged(root=project.uri)):
        file = _only(_gather(project, target))
        assert (file.path, file.diff, file.is_new) == ("b.py", "", True)
        assert file.spans == ((0, 10),)


def test_the_lines_around_a_deletion_are_in_question(project: GitProject) -> None:
    """A deletion has no new line of its own."""
    project.commit(a=_TEN)
    project.write("a.py", _TEN.replace("line_4\n", ""))
    file = _only(_gather(project, WorkingTree(root=project.uri)))
    assert _in_question(file) == ["line_3", "line_5"]


def test_what_is_typed_and_not_saved_counts(project: GitProject) -> None:
    """In a changed file, an unchanged one, and a new one."""
    project.commit(a=_TEN, b=_TEN, c=_TEN)
    project.write("a.py", _TEN.replace("line_4", "line_four"))
    project.write("new.py", "x = 1\n")
    documents = {
        **_open(project.folder / "a.py", _TEN.replace("line_7", "line_seven")),
        **_open(project.folder / "b.py", _TEN + "typed\n"),
        **_open(project.folder / "c.py", _TEN.replace("\n", "\r\n")),
        **_open(project.folder / "new.py", "x = 2\n"),
    }
    scope = _gather(project, WorkingTree(root=project.uri), documents)
    found = {file.path: file for file in scope.files}
    assert {path: _in_question(file) for path, file in found.items()} == {
        "a.py": ["line_seven"],
        "b.py": ["typed"],
        "new.py": ["x = 2"],
    }


def test_typing_back_what_was_committed_leaves_nothing(project: GitProject) -> None:
    """The editor's text counts, not the disk's."""
    project.commit(a=_TEN)
    project.write("a.py", "something else\n")
    documents = _open(project.folder / "a.py", _TEN)
    scope = _gather(project, WorkingTree(root=project.uri), documents)
    assert scope.files == ()
    assert scope.left_out[0].reason == "none of its lines is changed"


def test_paths_limit_the_open_documents_too(project: GitProject) -> None:
    """Unsaved text elsewhere is not part of the change."""
    project.commit(a=_TEN, b=_TEN)
    documents = {
        **_open(project.folder / "a.py", "typed\n"),
        **_open(project.folder / "b.py", "typed\n"),
    }
    target = WorkingTree(root=project.uri, paths=("a.py",))
    assert _only(_gather(project, target, documents)).path == "a.py"


def test_staged_is_what_is_staged(project: GitProject) -> None:
    """Neither the disk nor the editor counts."""
    project.commit(a=_TEN)
    file = project.write("a.py", _TEN.replace("line_4", "staged"))
    project.git("add", "a.py")
    project.write("a.py", _TEN.replace("line_4", "on disk"))
    documents = _open(file, _TEN.replace("line_4", "typed"))
    scope = _gather(project, Staged(root=project.uri), documents)
    assert _in_question(_only(scope)) == ["staged"]


def test_since_is_what_the_commits_changed(project: GitProject) -> None:
    """The text is that of the last commit."""
    project.commit(a=_TEN)
    project.git("checkout", "--quiet", "-b", "topic")
    project.commit(a=_TEN.replace("line_4", "committed"))
    project.write("a.py", "on disk\n")
    scope = _gather(project, Since(root=project.uri, base="main"))
    assert _in_question(_only(scope)) == ["committed"]
    assert scope.title == "the changes since main"


def test_a_name_that_is_not_utf_8_is_left_out(project: GitProject) -> None:
    """Editors and reports cannot name it; the other files are reviewed."""
    odd = os.fsdecode(b"odd\xff.py")
    project.write(odd, _TEN)
    project.git("add", "--all")
    project.commit(a="x = 1\n")
    project.git("mv", odd, "named.py")
    project.write("named.py", _TEN + "more\n")
    project.write(os.fsdecode(b"new\xff.py"), "x = 1\n")
    project.git("add", "--all")
    for target in (WorkingTree(root=project.uri), Staged(root=project.uri)):
        scope = _gather(project, target)
        assert _only(scope).old_path == "odd\ufffd.py"
        assert [(one.path, one.reason) for one in scope.left_out] == [
            ("new\ufffd.py", "its name is not in UTF-8")
        ]
    uri = (project.folder / os.fsdecode(b"new\xff.py")).as_uri()
    with pytest.raises(NotReviewableError, match="its name is not in UTF-8"):
        _gather(project, WholeFiles(uris=(uri,)))


def test_files_of_one_name_are_told_apart(project: GitProject, tmp_path: Path) -> None:
    """Files outside the workspace get their folders' names where names clash."""
    files = [project.write("a.py", "x = 1\n"), tmp_path / "a.py"]
    (tmp_path / "b").mkdir()
    files.append(tmp_path / "b" / "a.py")
    for file in files[1:]:
        file.write_text("y = 2\n")
    target = WholeFiles(uris=tuple(file.as_uri() for file in files))
    scope = _gather(project, target)
    assert {one.path: one.uri for one in scope.files} == {
        "a.py": files[0].as_uri(),
        f"{tmp_path.name}/a.py": files[1].as_uri(),
        "b/a.py": files[2].as_uri(),
    }


def test_a_change_leaves_out_what_cannot_be_reviewed(project: GitProject) -> None:
    """Each with its reason; the rest is reviewed."""
    project.commit(a="x = 1\n")
    project.write("a.py", "x = 2\n")
    project.write("key.pem", "secret\n")
    project.write("data.bin", b"\0\1")
    (project.folder / "outside.py").symlink_to("/etc/hostname")
    GitProject(project.folder / "inner").commit(b="x = 1\n")
    for target in (WorkingTree(root=project.uri), Staged(root=project.uri)):
        scope = _gather(project, target)
        assert [file.path for file in scope.files] == ["a.py"]
        assert {one.path: one.reason for one in scope.left_out} == {
            "data.bin": "it is binary",
            "inner": "it is a submodule",
            "key.pem": "it is of a kind that holds keys or credentials",
            "outside.py": "it is a symbolic link",
        }
        project.git("-c", "advice.addEmbeddedRepo=false", "add", "--all")


@pytest.mark.parametrize("is_committed_as_link", [True, False])
def test_an_open_link_is_no_change(
    project: GitProject, tmp_path: Path, *, is_committed_as_link: bool
) -> None:
    """Its document has the text of another file, which may be outside."""
    (tmp_path / "outside").mkdir()
    outside = tmp_path / "outside" / "private.py"
    outside.write_text("private = 1\n")
    project.write("inside.py", "inside = 1\n")
    links = [project.folder / "out.py", project.folder / "in.py"]
    places = [outside, Path("inside.py")]
    for link, to in zip(links, places, strict=True):
        if is_committed_as_link:
            link.symlink_to(to)
        else:
            link.write_text("x = 1\n")
    project.git("add", "--all")
    project.git("commit", "--message", "links")
    if not is_committed_as_link:
        # Git does not look at these files.
        project.git("update-index", "--assume-unchanged", "out.py", "in.py")
        for link, to in zip(links, places, strict=True):
            link.unlink()
            link.symlink_to(to)
    documents = _open(links[0], "private = 1\n") | _open(links[1], "inside = 1\n")
    for target in (WorkingTree(root=project.uri), SinceReview(root=project.uri)):
        assert _gather(project, target, documents).files == ()


def test_an_attribute_does_not_hide_a_change(project: GitProject) -> None:
    """A text file is reviewed, whatever its git attributes are."""
    project.commit(a=_TEN)
    project.write(".gitattributes", "*.py -diff\n")
    project.write("a.py", _TEN.replace("line_4", "line_four"))
    project.git("add", "--all")
    for target in (WorkingTree(root=project.uri), Staged(root=project.uri)):
        found = {file.path: file for file in _gather(project, target).files}
        assert _in_question(found["a.py"]) == ["line_four"]


def test_a_large_file_does_not_keep_the_rest_of_a_change_from_review(
    project: GitProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is left out, whether added or deleted, and its text is not read."""
    monkeypatch.setattr(git_process, "MAX_OUTPUT_BYTES", 10_000_000)
    project.commit(a="x = 1\n")
    project.write("data.csv", b"1,2,3\n" * 2_000_000)
    project.commit(a="x = 2\n")
    scope = _gather(project, Since(root=project.uri, base="HEAD~1"))
    assert [file.path for file in scope.files] == ["a.py"]
    assert {one.path: one.reason for one in scope.left_out} == {
        "data.csv": "it is larger than 2 MB"
    }
    (project.folder / "data.csv").unlink()
    scope = _gather(project, WorkingTree(root=project.uri))
    assert scope.deleted == ("data.csv",)


def test_what_was_binary_is_new_as_a_whole(project: GitProject) -> None:
    """There are no old lines to compare it with."""
    project.write("a.py", b"\0\1")
    project.commit()
    project.write("a.py", "x = 1\ny = 2\n")
    file = _only(_gather(project, WorkingTree(root=project.uri)))
    assert (_in_question(file), file.diff) == (["x = 1", "y = 2"], "")


def test_open_documents_that_git_does_not_know_are_no_change(
    project: GitProject,
) -> None:
    """Neither files that git ignores nor files under ignore rules."""
    project.write("key.pem", "secret\n")
    project.commit(a="x = 1\n")
    project.write(".gitignore", "ignored.py\n")
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Ignore.")
    documents = {
        **_open(project.write("ignored.py", "x = 1\n"), "typed\n"),
        **_open(project.folder / "key.pem", "typed\n"),
        **_open(project.folder / "a.py", "\0"),
    }
    scope = _gather(project, WorkingTree(root=project.uri), documents)
    assert scope.files[0].path == "a.py"
    assert {one.path: one.reason for one in scope.left_out} == {
        "key.pem": "it is of a kind that holds keys or credentials"
    }


def test_lines_that_end_in_a_carriage_return_alone_count(project: GitProject) -> None:
    """Git does not see them; the editor does."""
    project.commit(a="one\rtwo\rthree\n")
    project.write("a.py", "one\rtwo!\rthree\n")
    file = _only(_gather(project, WorkingTree(root=project.uri)))
    assert (file.text, _in_question(file)) == ("one\ntwo!\nthree\n", ["two!"])


def test_a_conflict_that_is_not_resolved_is_in_question(project: GitProject) -> None:
    """The marks are new lines."""
    project.commit(a=_TEN)
    project.git("checkout", "--quiet", "-b", "topic")
    project.commit(a=_TEN.replace("line_4", "topic"))
    project.git("checkout", "--quiet", "main")
    project.commit(a=_TEN.replace("line_4", "main"))
    with pytest.raises(Exception, match="merge"):
        project.git("merge", "topic")
    file = _only(_gather(project, WorkingTree(root=project.uri)))
    assert "<<<<<<< HEAD" in _in_question(file)
    scope = _gather(project, Staged(root=project.uri))
    assert [(one.path, one.reason) for one in scope.left_out] == [
        ("a.py", "its merge conflict is not resolved")
    ]


def test_paths_are_named_from_the_workspace(project: GitProject) -> None:
    """Also if the change is limited to a folder in it."""
    project.commit(a="x = 1\n")
    project.write("inner/b.py", "x = 1\n")
    target = WorkingTree(root=(project.folder / "inner").as_uri())
    assert _only(_gather(project, target)).path == "inner/b.py"
    elsewhere = gather(target, roots=["file:///nowhere"], documents={})
    assert _only(elsewhere).path == "b.py"


def test_a_change_needs_a_folder(project: GitProject) -> None:
    """The error says that the path is not a folder."""
    for uri in ("untitled:a", project.uri + "/missing"):
        with pytest.raises(NotReviewableError, match="is no folder"):
            _gather(project, WorkingTree(root=uri))


def test_the_fingerprint_is_of_lines_and_texts(project: GitProject) -> None:
    """Equal for equal lines and texts, whatever the target, and different otherwise."""
    file = project.write("a.py", _TEN)
    whole = WholeFiles(uris=(file.as_uri(),))
    every = Selection(uri=file.as_uri(), first_line=0, end_line=10)
    some = Selection(uri=file.as_uri(), first_line=0, end_line=9)
    first = _gather(project, whole).fingerprint
    assert first == _gather(project, every).fingerprint
    assert first != _gather(project, some).fingerprint
    assert first != _gather(project, whole, _open(file, "typed\n")).fingerprint
