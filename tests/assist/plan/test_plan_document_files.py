"""The documents of plans are files only if plans are stored, and no longer."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from redline.assist.editor.workspace import Workspace
from redline.assist.plan.plan_document_files import PlanDocumentFiles
from redline.errors import InvalidArgumentsError
from redline.plans.plan import Plan
from redline.plans.record import PlanRecord, PlanRequest
from redline.settings.tree import Settings, StoreSettings

PLAN = PlanRecord(
    id="a1",
    request=PlanRequest(instruction="Double prices.", roots=("file:///shop",)),
    created_at=1.0,
    plan=Plan(summary="Prices double."),
)


def documents(folder: Path, *, enabled: bool = True) -> PlanDocumentFiles:
    store = StoreSettings(file=str(folder / "kept" / "store.sqlite3"), enabled=enabled)
    settings = Settings(store=store)
    return PlanDocumentFiles(Workspace(), lambda: settings)


def written(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*.md")]


@pytest.mark.parametrize("enabled", [True, False])
async def test_nothing_is_written_while_the_store_is_off(
    tmp_path: Path, *, enabled: bool
) -> None:
    """The plan itself counts then."""
    files = documents(tmp_path, enabled=enabled)
    await files.write(PLAN)
    assert written(tmp_path) == (["double-prices-a1.md"] if enabled else [])
    assert (await files.read(PLAN)).plan == PLAN.plan


async def test_an_open_document_counts_in_any_spelling(tmp_path: Path) -> None:
    """Editors on Windows write another URI of the same file."""
    workspace = Workspace()
    files = PlanDocumentFiles(
        workspace,
        lambda: Settings(store=StoreSettings(file=str(tmp_path / "store.sqlite3"))),
    )
    await files.write(PLAN)
    uri = files.path(PLAN).as_uri().replace("double", "%64ouble")
    workspace.open(uri, "markdown", 1, "")
    with pytest.raises(InvalidArgumentsError):
        await files.read(PLAN)


async def test_documents_are_deleted_by_the_ids_of_plans(tmp_path: Path) -> None:
    """Others stay, and a missing one is no error."""
    files = documents(tmp_path)
    await files.delete(["a1"])
    await files.write(PLAN)
    await files.write(replace(PLAN, id="b2"))
    await files.delete(["a1", "c3"])
    assert written(tmp_path) == ["double-prices-b2.md"]


async def test_a_document_that_cannot_be_deleted_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In the log, and the others are deleted."""
    files = documents(tmp_path)
    path = files.path(PLAN)
    path.mkdir(parents=True)
    await files.write(replace(PLAN, id="b2"))
    await files.delete(["a1", "b2"])
    assert path.exists()
    assert not files.path(replace(PLAN, id="b2")).exists()
    [line] = caplog.messages
    assert "cannot be deleted, and stays" in line
    assert str(path) in line
