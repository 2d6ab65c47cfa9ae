"""The three measures, by tier and day, for people and for programs."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from redline.cli.main import main
from redline.cli.reports.stats_page import text_page
from redline.cli.reports.usage_report import UsageReport, report_usage
from redline.cli.terminal.exit_codes import EXIT_USAGE
from redline.printable import json_page
from redline.settings.tree import TierName
from redline.store.automatic_usage import (
    AutomaticCounts,
    AutomaticTotals,
    AutomaticUsage,
)
from redline.store.task import (
    DraftResult,
    LateTaskFacts,
    TaskDraft,
    TaskRoute,
    TaskTimes,
    TaskUsage,
)
from redline.store.totals import DraftTotals, StoredTask, Totals
from redline.store.usage_store import UsageStore

CLI_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"

TODAY = date(2026, 3, 10)
NOON = datetime.combine(TODAY, time(12))

Fill = Callable[..., None]


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings and no usage of the user who runs the tests."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "usage.sqlite3"


def task(
    seconds: float = 0.5,
    *,
    days_ago: int = 0,
    tier: TierName = "fast",
    cost: float | None = 0.25,
    noon: datetime = NOON,
) -> TaskUsage:
    return TaskUsage(
        id=f"{tier}-{seconds}-{days_ago}",
        kind="edit",
        tier=tier,
        model="spark",
        route=TaskRoute(tier=tier),
        times=TaskTimes(
            queued_at=(noon - timedelta(days=days_ago)).timestamp(), applied_s=seconds
        ),
        outcome="applied",
        cost=cost,
    )


def fill(path: Path, *tasks: TaskUsage, undone: TaskUsage | None = None) -> None:
    """Record tasks in a file, one of them undone after ten seconds."""

    async def record() -> None:
        store = UsageStore.open(path)
        for one in tasks:
            store.record(one)
        if undone is not None:
            store.update(
                undone.id, LateTaskFacts(undone_at=undone.times.queued_at + 10)
            )
        await store.aclose()

    asyncio.run(record())


def report(path: Path, *, days: int = 7) -> UsageReport:
    return report_usage(path, days=days, today=TODAY, must_exist=False)


def lines(page: str) -> list[list[str]]:
    """Split a page into its lines' words."""
    return [line.split() for line in page.splitlines()]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this file")
def test_a_file_of_the_kernel_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "--file", "/proc/version"]) == EXIT_USAGE
    assert (
        "/proc/version is not read: it is not a regular file" in capsys.readouterr().err
    )


def test_the_table(path: Path) -> None:
    first = task(0.5)
    slow = task(8.0, days_ago=1, tier="deep", cost=1.0)
    fill(path, first, task(1.5), slow, undone=first)

    page = text_page(report(path))

    words = lines(page)
    assert words[3][:8] == ["fast", "2", "2", "0.50", "s", "1.50", "s", "50.0%"]
    assert words[3][8:] == ["$0.25000", "$0.50000"]
    assert words[4] == [
        *("deep", "1", "1", "8.00", "s", "8.00", "s"),
        *("0.0%", "$1.00000", "$1.00000"),
    ]
    assert words[5][:3] == ["all", "3", "3"]
    # By day, the newest first.
    assert words[8][:3] == ["2026-03-10", "fast", "2"]
    assert words[9][:3] == ["2026-03-09", "deep", "1"]
    assert "price is not known" not in page


def test_the_columns_are_aligned(path: Path) -> None:
    fill(path, *(task(0.5 + n) for n in range(12)), task(100.0, tier="standard"))

    page = text_page(report(path)).splitlines()

    table = page[2:6]
    assert table[0].startswith("tier ")
    assert len({len(line) for line in table}) == 1
    ends = {line.index(" s ", line.index("s ")) for line in table[1:]}
    assert len(ends) == 1


def test_what_cannot_be_said_is_a_dash(path: Path) -> None:
    fill(path, task(cost=None))

    page = text_page(report(path))

    assert lines(page)[3][-2:] == ["-", "-"]
    assert "1 of 1 tasks" in page


def test_the_drafts(path: Path) -> None:
    results: tuple[DraftResult, ...] = ("unchanged", "repaired", "unfinished")
    drafted = [
        replace(task(n + 0.5), draft=TaskDraft(model="cheap", result=result))
        for n, result in enumerate(results)
    ]
    fill(path, *drafted, task(9.5))

    found = report(path)

    head, row = lines(text_page(found).partition("\ndraft model")[2])[:2]
    assert head[:4] == ["drafts", "unchanged", "repaired", "escalated"]
    assert row == ["cheap", "3", "50.0%", "50.0%", "0.0%", "1", "$0.75000"]
    (totals,) = json.loads(json_page(found))["drafts"]
    assert (totals["model"], totals["unchanged_share"]) == ("cheap", 0.5)


def test_without_drafts_there_is_no_table_of_them(path: Path) -> None:
    fill(path, task())

    assert "draft model" not in text_page(report(path))


def unasked(
    counts: AutomaticCounts, *, days_ago: int = 0, model: str | None = "spark"
) -> AutomaticUsage:
    return AutomaticUsage(
        at=(NOON - timedelta(days=days_ago)).timestamp(),
        kind="completion",
        tier=None if model is None else "fast",
        model=model,
        counts=counts,
    )


def fill_unasked(path: Path, *counted: AutomaticUsage) -> None:
    """Add counts to a file, as one server does."""

    async def add() -> None:
        store = UsageStore.open(path)
        for one in counted:
            store.add_counts(one)
        await store.aclose()

    asyncio.run(add())


def test_completions_are_added_up_by_model(path: Path) -> None:
    """Those of several servers and days, of the days of the report only."""
    asked = AutomaticCounts(requests=2, shown=5, at_once=4, accepted=1)
    replied = AutomaticCounts(
        input_tokens=900, cached_tokens=600, output_tokens=40, cost=0.25
    )
    fill_unasked(path, unasked(asked), unasked(replied), unasked(asked, days_ago=7))
    fill_unasked(path, unasked(asked, days_ago=1), unasked(replied))
    fill_unasked(path, unasked(AutomaticCounts(shown=1, at_once=1), model=None))

    found = report(path)

    head, spark, built_in = lines(text_page(found))[2:5]
    assert head == [
        *("tier", "model", "requests", "shown", "at", "once", "accepted"),
        *("input", "cached", "output", "cost"),
    ]
    assert spark == [
        *("completions", "fast", "spark", "4", "10", "8", "2"),
        *("1800", "1200", "80", "$0.50000"),
    ]
    assert built_in[:5] == ["completions", "-", "-", "0", "1"]
    (first, _) = json.loads(json_page(found))["unasked"]
    assert (first["kind"], first["at_once"], first["cost"]) == ("completion", 8, 0.5)


def test_completions_of_an_unknown_price(path: Path) -> None:
    """The table of tasks stands before them."""
    fill(path, task())
    fill_unasked(
        path, unasked(AutomaticCounts(requests=1, output_tokens=9, unpriced=1))
    )

    page = text_page(report(path))

    (row,) = [words for words in lines(page) if words[:1] == ["completions"]]
    assert row[-2:] == ["9", "-"]
    assert lines(page)[3][0] == "fast"
    assert page.endswith("not in the cost: 1 replies of models without a known price\n")


@pytest.mark.parametrize("column", ["kind", "tier", "model", "requests", "cost"])
def test_counts_of_another_type_are_not_counted(path: Path, column: str) -> None:
    """SQLite stores any value in any column."""
    fill_unasked(path, unasked(AutomaticCounts(requests=3)))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE unasked SET {column} = x'00ff'")

    assert sum(one.requests for one in report(path).unasked) in (0, 3)


def test_as_json(path: Path) -> None:
    fill(path, task(0.5), task(1.5), task(2.0, days_ago=1))

    page = json.loads(json_page(report(path)))

    assert page["schema"] == 1
    assert (page["file"], page["since"], page["days"]) == (str(path), "2026-03-04", 7)
    assert page["overall"]["tasks"] == 3
    (fast,) = page["tiers"]
    assert (fast["tier"], fast["day"]) == ("fast", None)
    assert (fast["task_p50_s"], fast["task_p90_s"]) == (1.5, 2.0)
    assert (fast["rework_share"], fast["cost_per_accepted"]) == (0.0, 0.25)
    assert [m["day"] for m in page["tiers_by_day"]] == ["2026-03-10", "2026-03-09"]


@pytest.mark.parametrize(("days", "n_tasks"), [(1, 1), (2, 2), (3, 2), (4, 3)])
def test_today_is_one_of_the_days(days: int, n_tasks: int, path: Path) -> None:
    fill(path, task(), task(days_ago=1), task(days_ago=3))

    overall = report(path, days=days).overall
    assert overall is not None
    assert overall.tasks == n_tasks


@pytest.mark.parametrize("is_there", [True, False])
def test_nothing_yet(is_there: bool, path: Path) -> None:
    if is_there:
        fill(path)
    before = path.exists()

    page = text_page(report(path))

    assert page.startswith(f"No usage since 2026-03-04 in {path}.\n")
    assert "run an edit" in page
    assert json.loads(json_page(report(path)))["overall"] is None
    assert path.exists() == before


def test_a_file_that_was_left_alone_is_named(path: Path) -> None:
    path.write_bytes(b"x" * 5_000)
    fill(path, task())

    found = report(path)

    assert found.file == str(path.with_name("usage-2.sqlite3"))
    assert found.overall is not None
    note = f"{path} is damaged. It was left alone."
    assert found.notes == (note,)
    assert text_page(found).startswith(note)


@pytest.mark.parametrize("column", StoredTask._fields)
def test_a_row_of_another_type_is_not_counted(path: Path, column: str) -> None:
    """SQLite stores any value in any column."""
    fill(path, task(), task(1.5))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE tasks SET {column} = x'00ff' WHERE seq = 1")

    found = report(path)

    assert found.overall is not None
    assert found.overall.tasks == 1
    note = f"Rows of {path} that cannot be read are not counted: 1."
    assert json.loads(json_page(found))["notes"] == [note]
    assert text_page(found).startswith(note)


# The command.


def test_the_file_of_the_settings(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(path, task(noon=datetime.combine(date.today(), time(12))))
    config = tmp_path / "mine.toml"
    config.write_text(f'[store]\nfile = "{path.as_posix()}"\n')

    assert main(["stats", "--config", str(config)]) == 0
    assert "\nfast " in capsys.readouterr().out
    assert main(["stats", "--json", "--file", str(path), "--days", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["overall"]["tasks"] == 1


def test_without_settings_the_users_own_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats"]) == 0

    assert "redline.sqlite3" in capsys.readouterr().out
    assert not (tmp_path / "data").exists()


def test_a_file_that_was_asked_for_must_be_there(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", "--file", str(path)]) == 1

    assert capsys.readouterr().err == f"redline: {path} is not there.\n"


@pytest.mark.parametrize("days", ["0", "-1", "ten", "1.5", "999999999", "²"])
def test_days_that_make_no_sense(days: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["stats", f"--days={days}"])

    assert caught.value.code == 2
    assert f"{days!r} is no number from 1 to" in capsys.readouterr().err


def test_every_field_is_on_the_reference_page() -> None:
    section = CLI_PAGE.read_text(encoding="utf-8").partition("## `redline stats`")[2]
    section = section.partition("\n## ")[0]

    structs = (UsageReport, Totals, DraftTotals, AutomaticTotals)
    for name in (name for one in structs for name in one.__struct_fields__):
        assert f"`{name}`" in section, f"describe {name} in docs/reference/cli.md"


def test_plans_and_debugs_are_counted_by_tier(path: Path) -> None:
    """Also in the totals of all tasks."""
    tasks = [
        replace(task(0.1, tier="deep", cost=0.5), kind="plan"),
        replace(task(0.2, tier="fast", cost=0.25), kind="plan"),
        replace(task(0.3, tier="fast", cost=0.25), kind="plan"),
        replace(task(0.4, tier="deep", cost=1.0), kind="debug"),
        task(0.5),
    ]
    fill(path, *tasks)
    report = report_usage(path, days=1, today=TODAY, must_exist=True)
    found = [(one.kind, one.tier, one.tasks, one.cost) for one in report.plans]
    assert found == [
        ("debug", "deep", 1, 1.0),
        ("plan", "fast", 2, 0.5),
        ("plan", "deep", 1, 0.5),
    ]
    assert report.overall is not None
    assert report.overall.cost == 2.25
    page = text_page(report).splitlines()
    (row,) = [line for line in page if line.startswith("plan") and "deep" in line]
    assert row.split() == ["plan", "deep", "1", "0", "0", "0", "0", "$0.50000"]
