"""How well next edits fit: rules on seeded renames, a model on real commits.

`python -m benchmarks.next_edits` renames variables of the standard library where they
are bound, and called members at two places. What should follow is known from Python's
own compiler (`rename_truth.py`), not from the rules. Then it replays commits of this
repository, change by change, against a model that knows the next change and has the
faults of real models (`next_edit_replay.py`).

Names that a module binds several times, imports, uses in f-strings, or binds in a
comprehension are left out: the rules do not offer them.
"""

from __future__ import annotations

import argparse
import ast
import platform
import random
import sysconfig
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.next_edit_replay import ANSWERS, Replayed, full_name, replay
from benchmarks.rename_truth import Place, variables
from redline.assist.suggestions.next_edits.rule_search import (
    RuleSearch,
    apply_rules,
    apply_rules_to_long,
)
from redline.next_edits.journal import Journal
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.source import TooLongError
from redline.text.anchor import Splice
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding, Position, Range

_MAX_CHARS = 60_000
_KEY_S = 0.15
_BETWEEN_S = 2.0
_MIN_MEMBERS = 3


class _Typist:
    """A document, and the journal of what is typed into it."""

    def __init__(self, text: str) -> None:
        self._document = Document(
            uri="file:///module.py",
            language_id="python",
            version=1,
            text=text,
            encoding=Encoding.UTF_32,
        )
        self._journal = Journal()
        self._now_s = 100.0
        self._cursor = Position(0, 0)
        self._document.on_splice = self._spliced

    def rename(self, at: Place, old: str, new: str) -> None:
        """Delete a name and type another, key by key."""
        start = Position(*at)
        self._replace(Range(start, Position(at[0], at[1] + len(old))), "")
        for number, key in enumerate(new):
            where = Position(at[0], at[1] + number)
            self._replace(Range(where, where), key)
            self._now_s += _KEY_S
        self._now_s += _BETWEEN_S

    def offers(self) -> Sequence[NextEdit]:
        """Return what the rules find."""
        search = RuleSearch(
            lines=self._document.snapshot().lines,
            language="python",
            path="module.py",
            changes=self._journal.changes,
            cursor=self._cursor,
            now_s=self._now_s,
            removes_imports=False,
        )
        try:
            return apply_rules(search).edits
        except TooLongError:
            return apply_rules_to_long(search).edits

    def _replace(self, where: Range, text: str) -> None:
        change = ContentChange(range=where, text=text)
        self._document.change(self._document.version + 1, [change])

    def _spliced(self, splice: Splice, old_lines: Sequence[str]) -> None:
        new = splice.new
        lines = self._document.lines_between(new.start.line, new.end.line + 1)
        self._journal.record(splice.old, old_lines, lines, self._now_s)
        self._cursor = new.end


def _moved(place: Place, typed: Sequence[Place], shift: int) -> Place:
    """Return a place after names before it in its line have changed their length."""
    before = sum(line == place[0] and column < place[1] for line, column in typed)
    return place[0], place[1] + before * shift


def _judge(
    counts: Counter[str],
    offers: Sequence[NextEdit],
    right: set[Place],
    also: set[Place],
) -> list[NextEdit]:
    """Count offers; return the wrong ones.

    Args:
        counts: Is changed.
        offers: The offers.
        right: The places that should be offered.
        also: Places that may be.
    """
    found = {(one.range.start.line, one.range.start.character) for one in offers}
    counts["places"] += len(right)
    counts["offered"] += len(right & found)
    counts["offers"] += len(offers)
    wrong = [
        one
        for one in offers
        if (one.range.start.line, one.range.start.character) not in right | also
    ]
    counts["wrong"] += len(wrong)
    counts["tried"] += 1
    return wrong


def _renames(
    text: str, rng: random.Random, n_names: int
) -> Iterator[tuple[Counter[str], str, list[NextEdit]]]:
    """Rename some variables of a module, each in a fresh document."""
    found = variables(text)
    keywords = _keyword_places(text)
    for one in rng.sample(found, min(n_names, len(found))):
        new = f"{one.name}_{rng.choice('abcdefgh')}{rng.randint(10, 99)}"
        typist = _Typist(text)
        typist.rename(one.definition, one.name, new)
        shift = len(new) - len(one.name)
        right = {_moved(at, [one.definition], shift) for at in one.uses}
        also = {
            _moved(at, [one.definition], shift) for at in keywords.get(one.name, ())
        }
        counts: Counter[str] = Counter()
        wrong = _judge(counts, typist.offers(), right, also)
        yield counts, f"{one.name} in line {one.definition[0] + 1}", wrong


def _repeats(
    text: str, rng: random.Random, n_names: int
) -> Iterator[tuple[Counter[str], str, list[NextEdit]]]:
    """Rename called members at two places; the other calls of the name follow."""
    calls = {
        name: places
        for name, places in _called_members(text).items()
        if len(places) >= _MIN_MEMBERS
    }
    for name in rng.sample(sorted(calls), min(n_names, len(calls))):
        new = f"{name}_{rng.choice('abcdefgh')}"
        typist = _Typist(text)
        places = calls[name]
        made: list[Place] = []
        for at in places[:2]:
            typist.rename(_moved(at, made, len(new) - len(name)), name, new)
            made.append(at)
        right = {_moved(at, made, len(new) - len(name)) for at in places[2:]}
        counts: Counter[str] = Counter()
        wrong = _judge(counts, typist.offers(), right, set())
        yield counts, f"{name}() in line {places[1][0] + 1}", wrong


def _keyword_places(text: str) -> dict[str, list[Place]]:
    """Return where names are passed by keyword: they follow a renamed parameter."""
    lines = text.split("\n")
    found: dict[str, list[Place]] = {}
    for one in ast.walk(ast.parse(text)):
        if isinstance(one, ast.keyword) and one.arg:
            line = lines[one.lineno - 1]
            column = len(line.encode()[: one.col_offset].decode())
            found.setdefault(one.arg, []).append((one.lineno - 1, column))
    return found


def _called_members(text: str) -> dict[str, list[Place]]:
    """Return where members are called, by name, in order."""
    lines = text.split("\n")
    found: dict[str, list[Place]] = {}
    tree = ast.parse(text)
    inside = {
        id(one)
        for each in ast.walk(tree)
        if isinstance(each, ast.JoinedStr)
        for one in ast.walk(each)
    }
    for one in ast.walk(tree):
        if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute):
            continue
        name, end = one.func.attr, one.func.end_col_offset or 0
        number = (one.func.end_lineno or 1) - 1
        column = len(lines[number].encode()[:end].decode()) - len(name)
        if id(one) not in inside and lines[number][column:].startswith(name):
            found.setdefault(name, []).append((number, column))
    return {name: sorted(places) for name, places in found.items()}


def _modules(rng: random.Random, n_modules: int) -> list[Path]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    every = [
        one
        for one in sorted(folder.glob("*.py"))
        if 2_000 < one.stat().st_size < _MAX_CHARS
    ]
    return rng.sample(every, min(n_modules, len(every)))


def _texts(paths: Sequence[Path]) -> Iterator[str]:
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        if "\t" not in text and "\r" not in text and "\f" not in text:
            yield text


def main() -> int:
    """Print the tables."""
    arguments = _arguments()
    rng = random.Random(arguments.seed)
    console = Console(width=120)
    commit = full_name(arguments.commit)
    console.print(
        f"seed {arguments.seed}, {arguments.modules} modules of Python "
        f"{platform.python_version()}, commits up to {commit[:12]}"
    )
    table = Table(box=None, pad_edge=False)
    for column in ("rules", "tried", "places", "offered", "offers", "wrong"):
        table.add_column(column, justify="left" if column == "rules" else "right")
    texts = list(_texts(_modules(rng, arguments.modules)))
    shown: list[str] = []
    for title, try_all in (("renames", _renames), ("repeats", _repeats)):
        total: Counter[str] = Counter()
        for text in texts:
            for counts, name, wrong in try_all(text, rng, arguments.names):
                total += counts
                missed = counts["places"] - counts["offered"]
                if wrong or missed:
                    shown.append(
                        f"{title}: {name}: {missed} missed, {len(wrong)} wrong"
                    )
        table.add_row(title, *_row(total))
    console.print(table)
    for line in shown[: arguments.show]:
        console.print(line, markup=False, highlight=False)
    _print_replay(console, arguments, commit)
    return 0


def _row(total: Counter[str]) -> Iterator[str]:
    yield str(total["tried"])
    yield str(total["places"])
    yield f"{total['offered'] / max(1, total['places']):.1%}"
    yield str(total["offers"])
    yield f"{total['wrong'] / max(1, total['offers']):.2%}"


def _print_replay(console: Console, arguments: argparse.Namespace, commit: str) -> None:
    replayed = replay(arguments.seed, arguments.changes, newest=commit)
    console.print(
        f"\n{replayed.n_changes} changes of {replayed.n_commits} commits; rules first: "
        f"{replayed.by_rules} offers, {replayed.wrong_by_rules} of them not in the "
        "next version"
    )
    table = Table(box=None, pad_edge=False)
    for column in ("the model answers", "should", "asked", "as it should"):
        table.add_column(column)
    for answer in ANSWERS:
        n_asked, n_good = replayed.asked[answer], replayed.good[answer]
        should = "show" if answer == "right" else "be quiet"
        share = f"{n_good / n_asked:.1%}" if n_asked else "-"
        table.add_row(answer, should, str(n_asked), share)
    console.print(table)
    console.print(_summary(replayed))
    for line in replayed.notes[: arguments.show]:
        console.print(line, markup=False, highlight=False)


def _summary(replayed: Replayed) -> str:
    quiet = [one for one in ANSWERS if one != "right"]
    n_asked = sum(replayed.asked[one] for one in quiet)
    n_quiet = sum(replayed.good[one] for one in quiet)
    shown = replayed.good["right"] / max(1, replayed.asked["right"])
    return (
        f"shown when it should: {shown:.1%}; quiet when it should: "
        f"{n_quiet / max(1, n_asked):.1%}; undone: {replayed.n_undone}; "
        f"texts that are not the next version: {replayed.n_other}"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--commit",
        default="HEAD",
        help="the newest commit to replay; the same seed "
        "and commit print the same rows",
    )
    parser.add_argument("--modules", type=int, default=40)
    parser.add_argument("--names", type=int, default=10, help="of a module, of a kind")
    parser.add_argument("--changes", type=int, default=150, help="of real commits")
    parser.add_argument("--show", type=int, default=0, help="print so many misses")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
