"""Local disks: what is looked at without a thread, and what never is."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from redline.assist.privacy.linked_files import FileKey
from redline.assist.privacy.local_disks import LocalFolders, Mounts

TABLE = """\
22 28 0:21 / /proc rw - proc proc rw
28 0 254:0 / / rw,relatime - ext4 /dev/vda rw
30 28 0:30 / /mnt/server rw shared:7 master:2 - nfs4 host:/export rw,hard
31 30 0:31 / /mnt/server/fast rw - tmpfs none rw
32 28 0:32 / /mnt/with\\040space rw - fuse.sshfs host: rw
33 28 0:33 / /twice rw - ext4 /dev/vdb rw
34 33 0:34 / /twice rw - 9p host rw
a line of another form
"""


def mounts_of(folder: Path, table: str) -> Mounts:
    file = folder / "mountinfo"
    file.write_text(table)
    return Mounts(str(file))


@pytest.mark.parametrize(
    ("path", "is_local"),
    [
        ("/", True),
        ("/home/a.py", True),
        ("/mnt/serverless/a.py", True),
        ("/mnt/server/a.py", False),
        ("/mnt/server", False),
        ("/mnt/server/fast/a.py", True),
        ("/mnt/with space/a.py", False),
        ("/twice/a.py", False),
        ("/proc/self/fd/0", False),
        ("a.py", False),
    ],
)
def test_disks_of_the_table(tmp_path: Path, path: str, is_local: bool) -> None:
    assert mounts_of(tmp_path, TABLE).local_disks().hold(path) == is_local


def test_without_a_table_no_disk_is_local(tmp_path: Path) -> None:
    mounts = Mounts(str(tmp_path / "missing"))
    assert not mounts.local_disks().hold("/")
    assert mounts.local_disks() is mounts.local_disks()


class Project:
    """A folder on a local disk, beside one of a server."""

    def __init__(self, top: Path) -> None:
        self.folder, self.server = top / "project", top / "server"
        self.folder.mkdir()
        self.server.mkdir()
        table = f"1 0 0:1 / / rw - ext4 a rw\n2 1 0:2 / {self.server} rw - nfs a rw\n"
        self.local = LocalFolders(mounts_of(top, table))

    def key(self, name: str) -> FileKey:
        return (self.folder / name).as_uri(), (self.folder.as_uri(),)

    def learn(self, name: str, *seen: Path, reason: str | None = None) -> None:
        stamps = dict.fromkeys(map(str, seen))
        look = self.local.learning(self.key(name), lambda: reason, stamps)
        assert look() == reason


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_files_of_a_known_folder_are_local(project: Project) -> None:
    assert not project.local.has(*project.key("a.py"))
    project.learn("a.py", project.folder / ".gitignore")
    assert project.local.has(*project.key("a.py"))
    assert project.local.has(*project.key("new.py"))
    assert not project.local.has(*project.key("below/a.py"))


def test_links_to_a_server_are_not_local(project: Project) -> None:
    (project.folder / "link.py").symlink_to(project.server / "a.py")
    (project.folder / "below").symlink_to(project.server)
    project.learn("a.py")
    project.learn("below/a.py")
    assert not project.local.has(*project.key("link.py"))
    assert not project.local.has(*project.key("below/a.py"))


def test_ignore_files_on_a_server_are_not_local(project: Project) -> None:
    project.learn("a.py", project.folder / ".gitignore", project.server / "excludes")
    assert not project.local.has(*project.key("a.py"))


def test_a_link_to_an_ignore_file_on_a_server_is_not_local(project: Project) -> None:
    ignored = project.folder / ".gitignore"
    ignored.symlink_to(project.server / "ignore")
    project.learn("a.py", ignored)
    assert not project.local.has(*project.key("a.py"))


def test_a_file_that_is_held_back_says_nothing_about_its_folder(
    project: Project,
) -> None:
    """Its name may decide, so the ignore files may not have been looked at."""
    project.learn(".env", reason="it is of a kind that holds keys or credentials")
    assert not project.local.has(*project.key("a.py"))


def test_a_look_in_a_thread_is_enough_for_the_loop(project: Project) -> None:
    look = project.local.learning(project.key("a.py"), lambda: None, {})
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert project.local.has(*project.key("a.py"))
