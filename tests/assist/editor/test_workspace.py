"""The open documents and those who follow them."""

from __future__ import annotations

import pytest

from redline.assist.editor.workspace import Workspace, display_name
from redline.errors import UnknownDocumentError
from redline.text.document import ContentChange

URI = "file:///project/src/app.py"


class Watcher:
    """Counts its notifications."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def document_changed(self) -> None:
        self.events.append("changed")

    def document_closed(self) -> None:
        self.events.append("closed")


@pytest.fixture
def workspace() -> Workspace:
    """Return a workspace with one open document."""
    workspace = Workspace()
    workspace.open(URI, "python", 1, "a\n")
    return workspace


def test_documents_follow_the_editor(workspace: Workspace) -> None:
    """Changed in order, forgotten when closed; closing twice does nothing."""
    workspace.change(URI, 2, [ContentChange(range=None, text="b\n")])
    snapshot = workspace.document(URI).snapshot()
    assert (snapshot.text, snapshot.version, snapshot.language_id) == (
        "b\n",
        2,
        "python",
    )
    workspace.close(URI)
    workspace.close(URI)
    with pytest.raises(UnknownDocumentError, match=r"'app\.py' is not open"):
        workspace.document(URI)
    with pytest.raises(UnknownDocumentError):
        workspace.change(URI, 3, [])


def test_watchers_are_told(workspace: Workspace) -> None:
    """Of each change after it was made, until they stop watching."""
    one, two = Watcher(), Watcher()
    workspace.watch(URI, one)
    workspace.watch(URI, two)
    workspace.change(URI, 2, [])
    workspace.unwatch(URI, one)
    workspace.unwatch(URI, one)
    workspace.change(URI, 3, [])
    workspace.close(URI)
    assert one.events == ["changed"]
    assert two.events == ["changed", "changed", "closed"]
    workspace.open(URI, "python", 1, "a\n")
    workspace.change(URI, 2, [])
    assert two.events == ["changed", "changed", "closed"]


def test_a_watcher_may_stop_watching_while_it_is_told(workspace: Workspace) -> None:
    """The others are still notified."""

    class Leaving(Watcher):
        def document_changed(self) -> None:
            super().document_changed()
            workspace.unwatch(URI, self)

    watchers = [Leaving(), Leaving(), Watcher()]
    for watcher in watchers:
        workspace.watch(URI, watcher)
    workspace.change(URI, 2, [])
    workspace.change(URI, 3, [])
    assert [len(watcher.events) for watcher in watchers] == [1, 1, 2]


def test_opening_again_closes_first(workspace: Workspace) -> None:
    """The text may be any other."""
    watcher = Watcher()
    workspace.watch(URI, watcher)
    workspace.open(URI, "ruby", 7, "c\n")
    assert watcher.events == ["closed"]
    assert workspace.document(URI).snapshot().text == "c\n"


@pytest.mark.parametrize(
    ("uri", "language", "expected"),
    [
        ("untitled:Untitled-1", "yaml", "Untitled-1.yaml"),
        ("untitled:Untitled-1", "", "Untitled-1"),
        ("untitled:a.ini", "yaml", "a.ini"),
        ("file:///project/Makefile", "makefile", "Makefile"),
    ],
)
def test_a_new_document_is_named_after_its_language(
    uri: str, language: str, expected: str
) -> None:
    """The name says how values are written in it."""
    workspace = Workspace()
    workspace.open(uri, language, 1, "password: x\n")
    assert workspace.relative_path(uri) == expected


@pytest.mark.parametrize(
    ("roots", "uri", "expected"),
    [
        ((), URI, "app.py"),
        (("file:///project",), URI, "src/app.py"),
        (("file:///project/",), URI, "src/app.py"),
        (("file:///other", "file:///project/src"), URI, "app.py"),
        (("file:///pro",), URI, "app.py"),
        (("file:///project",), "file:///project/a%20b.py", "a b.py"),
        (("file:///project",), "file:///project/src/n%E9.py", "src/n?.py"),
        ((), "file:///project/n%E9.py", "n?.py"),
        ((), "untitled:Untitled-1", "Untitled-1"),
        ((), "file:///", "untitled"),
    ],
)
def test_names_for_prompts(roots: tuple[str, ...], uri: str, expected: str) -> None:
    """Relative to the folder it is in, else without any folder: never absolute."""
    workspace = Workspace()
    workspace.roots = roots
    assert workspace.relative_path(uri) == expected
    assert "/" not in display_name(uri)


@pytest.mark.parametrize("name", ["w%00s", "w\ud800s", "a/" * 5_000])
def test_a_folder_that_no_system_opens_is_not_added(name: str) -> None:
    workspace = Workspace()
    workspace.change_roots(added=[f"file:///{name}", "file:///w%ff"], removed=())
    assert workspace.roots == ("file:///w%ff",)
