"""A disk that does not answer holds back its files, and nothing else waits for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.e2e.conftest import Serve
from tests.e2e.editor_document import lines
from tests.e2e.redline_session import ENVIRONMENT, settings_for, start_redline

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


async def test_only_what_needs_a_disk_waits_for_it(
    tmp_path: Path, serve: Serve
) -> None:
    """Before, the event loop waited, and with it every key and every request."""
    model = await serve(Script(otherwise=ScriptReply(chunks=(EDITED,))))
    project, home, hook = (tmp_path / name for name in ("project", "home", "hook"))
    for folder in (project, home, hook):
        folder.mkdir()
    (project / "a.py").write_text(TEXT)
    (hook / "sitecustomize.py").write_text(DISK)
    mounts = home / "mountinfo"
    mounts.write_text(
        f"1 0 0:1 / / rw - ext4 a rw\n2 1 0:2 / {project} rw - nfs4 a rw\n"
    )
    answers = home / "answers"
    answers.touch()
    path = os.pathsep.join(filter(None, (str(hook), os.environ.get("PYTHONPATH"))))
    redline = await start_redline(
        home=home,
        environment={
            **ENVIRONMENT,
            "PYTHONPATH": path,
            "SLOW_PROJECT": str(project),
            "SLOW_ANSWERS": str(answers),
            "SLOW_MOUNTS": str(mounts),
        },
    )
    editor = redline.editor
    uri, other = (project / "a.py").as_uri(), (hook / "b.py").as_uri()
    try:
        await editor.initialize(
            rootUri=project.as_uri(), initializationOptions=settings_for(model)
        )
        for each in (uri, other):
            editor.open(each, TEXT)
            await editor.result(editor.edit(each, lines(0, 2), apply="end"))
            assert editor.text(each) == EDITED
        answers.unlink()
        for each in (uri, other):
            editor.replace_all(each, TEXT)
        waiting = editor.edit(uri, lines(0, 2), apply="end")
        await editor.run_now("redline.status", {})
        await editor.run_now("redline.stop", {})
        await editor.result(waiting)
        answers.touch()
        await editor.result(editor.edit(uri, lines(0, 2), apply="end"))
        assert editor.text(uri) == EDITED
    finally:
        answers.touch()
        await redline.end()
