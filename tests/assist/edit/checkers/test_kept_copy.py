"""The copy that checkers read follows the workspace and the open documents."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.assist.testing.nested_folders import nest

from redline.assist.edit.checkers.kept_copy import KeptCopy
from redline.traces.checkers import CheckerError

TOOL = """\
from pathlib import Path
cache = Path("tool.cache")
cache.write_text(str(int(cache.read_text()) + 1) if cache.exists() else "1")
for file in sorted(Path().rglob("*.py")):
    print(f"{file}:1: {file.read_text()}")
print(f"{cache}:1: {cache.read_text()}")
"""


class Reader:
    """Asks a tool that says what is in the copy, and how often it has run there."""

    def __init__(self, root: Path, copy: KeptCopy, script: Path) -> None:
        self.root = root
        self.copy = copy
        self.commands = {"tool": (sys.executable, "-I", str(script))}

    async def files(self, **documents: str) -> dict[str, str]:
        """Bring the copy up to date; return its texts by path."""
        texts = {f"{name}.py": text for name, text in documents.items()}
        answers = await self.copy.check_original(texts, self.commands)
        return said(answers["tool"])


def said(answer: tuple[CheckerError, ...] | str) -> dict[str, str]:
    assert not isinstance(answer, str)
    return {one.path: one.message for one in answer}


@pytest_asyncio.fixture
async def reader(tmp_path: Path) -> AsyncIterator[Reader]:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "a.py").write_text("one")
    script = tmp_path / "tool.py"
    script.write_text(TOOL)
    copy = KeptCopy(root)
    yield Reader(root, copy, script)
    await copy.aclose()


@pytest.mark.asyncio
async def test_it_follows_files_and_documents(reader: Reader) -> None:
    """What the tool has written stays; the same files are not read twice."""
    assert await reader.files() == {"a.py": "one", "tool.cache": "1"}
    assert await reader.files() == {"a.py": "one", "tool.cache": "1"}
    found = await reader.files(a="typed", new="unsaved")
    assert found == {"a.py": "typed", "new.py": "unsaved", "tool.cache": "2"}
    # Closed without saving.
    assert await reader.files() == {"a.py": "one", "tool.cache": "3"}
    (reader.root / "b.py").write_text("two")
    (reader.root / "a.py").unlink()
    assert await reader.files() == {"b.py": "two", "tool.cache": "4"}
    # A file that is changed on disk below an open document.
    found = await reader.files(b="typed")
    (reader.root / "b.py").write_text("changed")
    assert (await reader.files(b="typed"))["b.py"] == "typed"


@pytest.mark.asyncio
async def test_another_text_is_there_only_for_its_run(reader: Reader) -> None:
    """Also if the run is cancelled."""
    await reader.files()
    until = {"tool": asyncio.get_running_loop().time() + 60}
    answers: dict[str, tuple[CheckerError, ...] | str] = {}

    async def check(state: int) -> None:
        await reader.copy.check_changed(
            "a.py",
            "edited",
            reader.commands,
            state=state,
            until=until,
            answers=answers,
        )

    await check(reader.copy.n_updates)
    assert said(answers["tool"])["a.py"] == "edited"
    task = asyncio.ensure_future(check(reader.copy.n_updates))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert (await reader.files(b="typed"))["a.py"] == "one"
    # The workspace is another one than when the original was read.
    await check(reader.copy.n_updates - 1)
    assert answers["tool"] == "the workspace has been changed meanwhile"


async def test_deeply_nested_folders_are_deleted(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checker may write anything into the copy."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    await reader.files()
    (copy,) = place.iterdir()
    nest(copy)
    await reader.copy.aclose()
    assert not list(place.iterdir())
