"""Members and keyword arguments that the types of Python values do not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.checks.all_checks import check
from redline.checks.candidate import CheckedEdit
from redline.checks.python.environment import PythonEnvironment
from redline.text.lines import split_lines

HEAD = """\
from __future__ import annotations
import argparse
import csv
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Dict, List

from app.base import Base, Plan


class Own(Base):
    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.amount = Decimal(0)
        self.plans: list[Plan] = []

    async def later(self) -> None:
        pass

    def place(self, name: str) -> Path:
        return self.folder / name

    def __iter__(self) -> Iterator[Plan]:
        yield Plan(1)


def f(
    own: Own,
    plan: Plan,
    now: datetime | None,
    began: datetime,
    plans: list[Plan],
    by_day: dict[datetime, list[Plan]],
    some: Iterable[Plan] | None,
    old: Dict[str, List[Plan]],
    mixed: list[Plan | Own],
    pairs: list[tuple[str, Plan]],
) -> None:
    now = now or datetime.now()
    parser = argparse.ArgumentParser()
"""
BASE = """\
from dataclasses import dataclass


@dataclass
class Plan:
    hours: int

    def total(self) -> int:
        return self.hours


class Base:
    def say(self, text, *, loud=False):
        pass


class Loud(Base):
    def say(self, text, *, loud=False, volume=1):
        pass
"""
PROJECT = '[project]\nrequires-python = ">=3.10"\n'

WRONG = [
    ("own.place('a').read_lines()", "`Path` has no `read_lines`."),
    ("(own.folder / 'a').read_json()", "`Path` has no `read_json`."),
    ("own.amount.round_to(2)", "`Decimal` has no `round_to`."),
    ("(now - began).total_days()", "`timedelta` has no `total_days`."),
    ("plan.minutes", "`Plan` has no `minutes`."),
    ("re.compile('a').replace('b', 'c')", "`Pattern` has no `replace`."),
    ("re.replace('a', 'b', 'c')", "`re` defines no `replace`."),
    ("json.dumps({}, pretty=True)", "`dumps` takes no keyword argument `pretty`."),
    ("csv.DictReader([], skip=1)", "`DictReader` takes no keyword argument `skip`."),
    ("subprocess.run([], capture=1)", "`run` takes no keyword argument `capture`."),
    (
        "parser.add_argument('a', allowed=[1])",
        "`add_argument` takes no keyword argument `allowed`.",
    ),
    ("own.say('a', mention='b')", "`say` takes no"),
    (
        "import csv as c\n    c.DictReader([]).skip_all()",
        "`DictReader` has no `skip_all`.",
    ),
    (
        "for a in own.folder.walk(): pass",
        "`Path.walk` is new in Python 3.12, and the project allows 3.10.",
    ),
    *(
        (line, "`Plan` has no `minutes`.")
        for line in (
            "for one in plans: one.minutes",
            "[one.minutes for one in plans]",
            "sum(one.minutes for one in some)",
            "for number, one in enumerate(plans): one.minutes",
            "for day, ones in by_day.items():\n        for one in ones: one.minutes",
            "for ones in by_day.values(): ones[0].minutes",
            "by_day[now][-1].minutes",
            "plans[1:][0].minutes",
            "plans.pop().minutes",
            "max(plans, key=lambda one: one.hours).minutes",
            "for one in sorted(plans, key=repr): one.minutes",
            "[one.minutes for ones in by_day.values() for one in ones]",
            "for one in own: one.minutes",
            "for ones in old.values(): ones[0].minutes",
            "for one in own.plans[1:]: one.minutes",
        )
    ),
    ("for line in ''.splitlines(): line.remove_prefix('a')", "`str` has no"),
    ("for one in own.folder.iterdir(): one.read_json()", "`Path` has no `read_json`."),
    ("for day in by_day: day.to_iso()", "`datetime` has no `to_iso`."),
    ("by_day.get(now).sort_by(1)", "`list` has no `sort_by`."),
    ("for one in plans: one.total(day=1)", "`total` takes no keyword argument `day`."),
    ("plans.add(plan)", "`list` has no `add`."),
    (
        "parser.add_subparsers().add_parser('a').add_argument('b', flag=1)",
        "`add_argument` takes no keyword argument `flag`.",
    ),
    (
        "def h(name):\n        name = Path(name)\n        name.read_json()",
        "`Path` has no `read_json`.",
    ),
    (
        "import asyncio\n    asyncio.sleep(1)",
        "`asyncio.sleep` is a coroutine, and nothing awaits it",
    ),
    ("async def h(): pass\n    own.later()", "`own.later` is a coroutine"),
]
RIGHT = [
    "parser.add_subparsers(parser_class=Own).add_parser('a').add_argument('b', c=1)",
    "def h(name):\n        if own: name = Path(name)\n        name.read_json()",
    "def h(name):\n        name.read_json()\n        name = Path(name)",
    "def h(a):\n        a = Path(a)\n        a = g()\n        a.read_json()",
    "import asyncio\n    asyncio.run(own.later())",
    "async def h(): await own.later()",
    "task = own.later()",
    "for one in mixed: one.folder",
    "for one, other in pairs: other.minutes",
    "for one in zip(plans, plans): one.minutes",
    "some.append",
    "max(plans, default=own).folder",
    "for plan in plans: plan.hours",
    "plans = g()\n    for one in plans: one.minutes",
    "for one in plans:\n        if isinstance(one, Own): one.folder",
    "for one in plans:\n        one = g(one)\n        one.minutes",
    "[[one.minutes for one in one.ones] for one in g()]",
    "sorted = g()\n    for one in sorted(plans): one.minutes",
    "own.place('a').read_text(encoding='utf-8')",
    "json.dumps({}, cls=Own, pretty=True)",
    "parser.add_argument('a', action=Own, allowed=[1])",
    "own.say('a', volume=2)",
    "(now - began).total_seconds()",
    "began = g()\n    began.anything()",
    "[began.anything for began in g()]",
    "plan.hours\n    Plan.total(plan)",
    "plan.minutes  # type: ignore[attr-defined]",
    "for own in g():\n        own.anything()",
    "if isinstance(plan, Own):\n        plan.folder.name\n    plan.place('a')",
]
DEEP = ["g" + ".b" * 600, "g()" + ".g()" * 600, f"({' + '.join(['g'] * 700)}).b"]


def messages(tmp_path: Path, line: str) -> list[str]:
    """Return what is reported of a line in a function."""
    files = {"app/__init__.py": "", "app/base.py": BASE, "pyproject.toml": PROJECT}
    for name, text in {**files, "app/own.py": f"{HEAD}    pass\n"}.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    before, after = split_lines(f"{HEAD}    pass\n"), split_lines(f"{HEAD}    {line}\n")
    candidate = CheckedEdit(
        before=before,
        after=after,
        region_before=range(len(before) - 2, len(before)),
        region_after=range(len(before) - 2, len(after)),
        path="app/own.py",
    )
    rules = ["phantom-member", "phantom-parameter"]
    found = check(candidate, environment=PythonEnvironment([tmp_path]), rules=rules)
    return [problem.message for problem in found]


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_what_a_type_lacks_is_reported(tmp_path: Path, line: str, message: str) -> None:
    assert any(message in one for one in messages(tmp_path, line))


def test_one_place_is_reported_once(tmp_path: Path) -> None:
    assert len(messages(tmp_path, "re.replace('a', 'b', 'c')")) == 1


@pytest.mark.parametrize("line", RIGHT)
def test_what_a_type_has_or_may_have_is_not(tmp_path: Path, line: str) -> None:
    assert messages(tmp_path, line) == []


@pytest.mark.parametrize("line", DEEP, ids=["members", "calls", "sum"])
def test_an_expression_that_nests_deep_is_left_alone(tmp_path: Path, line: str) -> None:
    assert messages(tmp_path, line) == []
