"""A disk that does not answer holds back its files, and nothing else waits for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.e2e.conftest import Serve
from tests.e2e.editor_document import lines
from tests.e2e.redline_session import ENVIRONMENT, Redline, settings_for, start_redline

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "def a():\n    return 1\n"
EDITED = "def a():\n    return 10\n"

DISK = '''\
"""The project is on a disk of the network: every look waits without `answers`."""
import os
import time

PROJECT, ANSWERS = os.environ["SLOW_PROJECT"], os.environ["SLOW_ANSWERS"]
MOUNTS, TABLE = "/proc/self/mountinfo", os.environ["SLOW_MOUNTS"]


def slow(name):
    real = getattr(os, name)

    def look(path=".", *arguments, **keywords):
        if PROJECT in str(path):
            while not there(ANSWERS):
                time.sleep(0.01)
        path = TABLE if path == MOUNTS else path
        return real(path, *arguments, **keywords)

    setattr(os, name, look)


real_stat = os.stat


def there(path):
    try:
        return bool(real_stat(path))
    except OSError:
        return False


for name in ("stat", "lstat", "access", "open", "scandir", "listdir", "readlink"):
    slow(name)
'''


class SlowProject:
    """A project on a disk that answers while the file `answers` is there."""

    def __init__(self, top: Path) -> None:
        self.folder, self.home, self.hook = (
            top / name for name in ("project", "home", "hook")
        )
        for folder in (self.folder, self.home, self.hook):
            folder.mkdir()
        self.file = self.folder / "a.py"
        self.file.write_text(TEXT)
        (self.hook / "sitecustomize.py").write_text(DISK)
        self.mounts = self.home / "mountinfo"
        self.mounts.write_text(
            f"1 0 0:1 / / rw - ext4 a rw\n2 1 0:2 / {self.folder} rw - nfs4 a rw\n"
        )
        self.answers = self.home / "answers"
        self.answers.touch()

    async def start(self) -> Redline:
        path = (str(self.hook), os.environ.get("PYTHONPATH"))
        return await start_redline(
            home=self.home,
            environment={
                **ENVIRONMENT,
                "PYTHONPATH": os.pathsep.join(filter(None, path)),
                "SLOW_PROJECT": str(self.folder),
                "SLOW_ANSWERS": str(self.answers),
                "SLOW_MOUNTS": str(self.mounts),
            },
        )


async def test_only_what_needs_a_disk_waits_for_it(
    tmp_path: Path, serve: Serve
) -> None:
    """Before, the event loop waited, and with it every key and every request."""
    model = await serve(Script(otherwise=ScriptReply(chunks=(EDITED,))))
    project = SlowProject(tmp_path)
    redline = await project.start()
    editor = redline.editor
    uri, other = project.file.as_uri(), (project.hook / "b.py").as_uri()
    try:
        await editor.initialize(
            rootUri=project.folder.as_uri(),
            initializationOptions=settings_for(model),
        )
        for each in (uri, other):
            editor.open(each, TEXT)
            await editor.result(editor.edit(each, lines(0, 2), apply="end"))
            assert editor.text(each) == EDITED
        project.answers.unlink()
        for each in (uri, other):
            editor.replace_all(each, TEXT)
        waiting = editor.edit(uri, lines(0, 2), apply="end")
        await editor.run_now("redline.status", {})
        await editor.run_now("redline.stop", {})
        await editor.result(waiting)
        project.answers.touch()
        await editor.result(editor.edit(uri, lines(0, 2), apply="end"))
        assert editor.text(uri) == EDITED
    finally:
        project.answers.touch()
        await redline.end()


async def test_settings_of_a_dead_disk_are_not_waited_for(
    tmp_path: Path, serve: Serve
) -> None:
    """Before, nothing that needs settings was answered until the disk was there."""
    model = await serve(Script(otherwise=ScriptReply(chunks=(EDITED,))))
    project = SlowProject(tmp_path)
    project.answers.unlink()
    redline = await project.start()
    redline.says_paths = True
    editor = redline.editor
    uri = project.file.as_uri()
    try:
        await editor.initialize(
            rootUri=project.folder.as_uri(),
            initializationOptions=settings_for(model),
        )
        editor.open(uri, TEXT)
        waiting = editor.edit(uri, lines(0, 2), apply="end")
        shown = await editor.hear_method("window/showMessage")
        assert shown["message"].endswith("its disk does not answer.")
        project.answers.touch()
        await editor.result(waiting)
        assert editor.text(uri) == EDITED
    finally:
        project.answers.touch()
        await redline.end()
