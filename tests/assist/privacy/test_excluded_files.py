"""Files that are excluded while a job runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.assist.privacy.excluded_files import send_check
from redline.errors import HeldBackError


async def test_a_file_is_sent_until_it_is_excluded(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    check = send_check(["a.py", "", "gone.py"], [tmp_path.as_uri()])
    await check()
    (tmp_path / ".redlineignore").write_text("a.py\n")
    with pytest.raises(HeldBackError, match=r"^a\.py is not sent to a model any more"):
        await check()


async def test_a_path_counts_for_the_folders_that_have_it(tmp_path: Path) -> None:
    """Of two workspace folders, each has its own ignore rules."""
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        root.mkdir()
        (root / f"{root.name}.py").write_text("x = 1\n")
    (roots[1] / ".redlineignore").write_text("*.py\n")
    uris = [root.as_uri() for root in roots]
    await send_check(["one.py"], uris)()
    with pytest.raises(HeldBackError, match=r"^two\.py"):
        await send_check(["two.py"], uris)()


async def test_a_file_that_is_gone_is_judged_by_its_name(tmp_path: Path) -> None:
    (tmp_path / ".redlineignore").write_text("secrets/\n")
    with pytest.raises(HeldBackError, match=r"^secrets/a\.py"):
        await send_check(["secrets/a.py"], [tmp_path.as_uri()])()


async def test_without_a_folder_of_files_nothing_is_refused() -> None:
    await send_check(["a.py"], ["untitled:folder"])()
