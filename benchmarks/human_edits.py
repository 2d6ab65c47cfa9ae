"""Edits that people made: functions that differ between two versions of a package.

All of them are right, so every problem that the checks report is a false alarm. After
the edit the file is the newer one; before it, one function is of the older version, so
that the imports of both are the same.

`python -m benchmarks.human_edits` checks those that come with Redline, from Python's
standard library, 3.11.7 and 3.13.0. `python -m benchmarks.human_edits OLD NEW` checks
those between two folders, of any language; with `--write FILE` it saves a sample.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from redline.checks.all_checks import check
from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.environment import PythonEnvironment
from redline.syntax.facts import Definition
from redline.syntax.language import language_of
from redline.syntax.tree import parse
from redline.text.line_diff import diff_lines
from redline.text.lines import split_lines

FIXTURE = (
    Path(__file__).parents[1] / "tests" / "data" / "edits" / "stdlib-3.11-3.13.json.xz"
)

_MAX_BYTES = 400_000
"""Longer files are generated."""

_MAX_LINE_CHARS = 1_000
"""Files with longer lines are bundles."""

_MAX_N_OF_FILE = 8
"""Most edits of one file, so that no file decides the rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanEdit:
    """One function of a file, before and after."""

    path: str
    name: str
    after: tuple[str, ...]
    """The lines of the whole file."""
    region: range
    """The function's lines in it."""
    old: tuple[str, ...]
    """The older function."""

    @property
    def candidate(self) -> CheckedEdit:
        """The edit as a candidate without an instruction."""
        start, stop = self.region.start, self.region.stop
        return CheckedEdit(
            before=(*self.after[:start], *self.old, *self.after[stop:]),
            after=self.after,
            region_before=range(start, start + len(self.old)),
            region_after=self.region,
            path=self.path,
        )

    @property
    def narrow_candidate(self) -> CheckedEdit:
        """The same, with only the lines from the first to the last change as region."""
        start, stop = self.region.start, self.region.stop
        hunks = diff_lines(self.old, self.after[start:stop])
        first, last = start + hunks[0].start, start + hunks[-1].end
        grown = len(self.region) - len(self.old)
        return replace(
            self.candidate,
            region_before=range(first, last),
            region_after=range(first, last + grown),
        )


def edits_between(old_root: Path, new_root: Path) -> Iterator[HumanEdit]:
    """Find every function that differs between two versions of a package."""
    for new_path in sorted(new_root.rglob("*")):
        relative = new_path.relative_to(new_root)
        old_path = old_root / relative
        if language_of(relative.as_posix()) is None or not old_path.is_file():
            continue
        texts = [_text(path) for path in (old_path, new_path)]
        if texts[0] is not None and texts[1] is not None and texts[0] != texts[1]:
            yield from _edits_of(relative.as_posix(), texts[0], texts[1])


def read_edits(path: Path = FIXTURE) -> list[HumanEdit]:
    """Read a sample that `write_edits` has saved."""
    files = json.loads(lzma.decompress(path.read_bytes()))
    return [
        HumanEdit(
            path=file["path"],
            name=edit["name"],
            after=tuple(split_lines(file["text"])),
            region=range(edit["first"], edit["first"] + edit["n_lines"]),
            old=tuple(split_lines(edit["old"])[:-1]),
        )
        for file in files
        for edit in file["edits"]
    ]


def write_edits(path: Path, edits: Iterable[HumanEdit], *, n_edits: int) -> None:
    """Save a sample of edits; the same edits always give the same sample.

    Files are taken in the order of a hash of their names, so that nothing about them
    decides which.
    """
    by_file: dict[str, list[HumanEdit]] = {}
    for edit in edits:
        by_file.setdefault(edit.path, []).append(edit)
    files: list[object] = []
    n_left = n_edits
    for name in sorted(by_file, key=_hash):
        kept = by_file[name][: min(_MAX_N_OF_FILE, n_left)]
        n_left -= len(kept)
        if kept:
            files.append(_plain(kept))
    text = json.dumps(files, ensure_ascii=False, indent=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(text.encode()))


def accusations(
    edits: Iterable[HumanEdit],
    environment: PythonEnvironment | None = None,
    *,
    is_narrow: bool = False,
    instruction: str = "",
) -> Iterator[tuple[HumanEdit, tuple[Problem, ...]]]:
    """Check each edit; yield those with problems.

    Args:
        edits: What to judge.
        environment: What can be imported.
        is_narrow: Whether the region is what differs instead of the function.
        instruction: What all of them are taken to be asked for. Some rules only judge
            edits with one.
    """
    for edit in edits:
        candidate = edit.narrow_candidate if is_narrow else edit.candidate
        candidate = replace(candidate, instruction=instruction)
        if problems := check(candidate, environment=environment):
            yield edit, problems


def _edits_of(path: str, old_text: str, new_text: str) -> Iterator[HumanEdit]:
    old_lines, new_lines = split_lines(old_text), split_lines(new_text)
    old_functions = _functions(path, old_text)
    for name, function in _functions(path, new_text).items():
        if (before := old_functions.get(name)) is None:
            continue
        old = old_lines[before.first_line : before.last_line + 1]
        region = range(function.first_line, function.last_line + 1)
        if old != new_lines[region.start : region.stop]:
            yield HumanEdit(
                path=path,
                name=name,
                after=tuple(new_lines),
                region=region,
                old=tuple(old),
            )


def _functions(path: str, text: str) -> dict[str, Definition]:
    """Return a file's functions by name, without those whose name is not unique."""
    language = language_of(path)
    if language is None:
        return {}
    found = [
        definition
        for definition in parse(text, language).definitions
        if definition.kind in ("function", "method")
    ]
    counts = Counter(one.qualified_name for one in found)
    return {one.qualified_name: one for one in found if counts[one.qualified_name] == 1}


def _text(path: Path) -> str | None:
    if not path.is_file() or path.stat().st_size > _MAX_BYTES:
        return None
    try:
        # Not `read_text`, which would change line ends.
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    return text if all(len(li) < _MAX_LINE_CHARS for li in text.split("\n")) else None


def _plain(edits: Sequence[HumanEdit]) -> dict[str, object]:
    return {
        "path": edits[0].path,
        "text": "".join(edits[0].after),
        "edits": [
            {
                "name": edit.name,
                "first": edit.region.start,
                "n_lines": len(edit.region),
                "old": "".join(edit.old),
            }
            for edit in edits
        ],
    }


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def main() -> int:
    """Print the problems that the checks report, and their number."""
    arguments = _arguments()
    if arguments.old is None:
        edits = read_edits()
    else:
        edits = list(edits_between(arguments.old, arguments.new))
    if arguments.write is not None:
        write_edits(arguments.write, edits, n_edits=arguments.n_edits)
        return 0
    n_accused = 0
    judged = accusations(
        edits,
        PythonEnvironment([]),
        is_narrow=arguments.narrow,
        instruction=arguments.instruction,
    )
    for edit, problems in judged:
        n_accused += 1
        print(f"{edit.path}: {edit.name}")
        for problem in problems:
            print(f"    {problem.rule}: {problem.message}")
    share = 100 * n_accused / max(len(edits), 1)
    print(f"{n_accused} of {len(edits)} edits wrongly accused ({share:.1f} %)")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.human_edits")
    parser.add_argument("old", type=Path, nargs="?", help="folder of the older version")
    parser.add_argument("new", type=Path, nargs="?", help="folder of the newer version")
    parser.add_argument(
        "--narrow", action="store_true", help="take only what differs for the region"
    )
    parser.add_argument("--instruction", default="", help="of all edits")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep a sample")
    parser.add_argument("--n-edits", type=int, default=200, help="size of the sample")
    arguments = parser.parse_args()
    if arguments.old is not None and arguments.new is None:
        parser.error("name the folders of both versions")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
