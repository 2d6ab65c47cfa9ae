"""`python -m benchmarks.python_checks`: count the false alarms of the Python rules.

Every file of the standard library and of the installed packages is checked as if all of
it were new. The code works, so every problem is a false alarm, except imports of
optional packages that are not installed (confirmed by asking the interpreter). After
that, edits of one function in files of about 1,000 lines are timed.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import statistics
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.imports import check_imports
from redline.checks.python.parameters import check_parameters
from redline.checks.python.undefined import check_names
from redline.text.lines import split_lines

Rule = Callable[[CheckedEdit, PythonEnvironment | None], Iterable[Problem]]

_RULES: dict[str, Rule] = {
    "phantom-import": check_imports,
    "undefined-name": check_names,
    "phantom-parameter": check_parameters,
}
_NOT_INSTALLED = re.compile(r"no module `(\w+)` is in the workspace")
_FUNCTION = re.compile(r"\s+def \w+\(")
_TESTS = re.compile(r"(?:^|/)(?:tests?|idle_test|lib2to3)(?:/|$)")
"""Files with wrong calls on purpose; some are not even Python."""

_TIMED_LINES = range(800, 1_200)


def main() -> None:
    """Check the files and print the problems."""
    arguments = _arguments()
    root = Path(sysconfig.get_path("stdlib"))
    prefix = Path(sysconfig.get_path("data"))
    folders = [root, Path(sysconfig.get_path("purelib"))]
    files = sorted({path for f in folders for path in _sources(f)})[:: arguments.every]
    environment = PythonEnvironment(folders, configured=prefix)
    found: Counter[str] = Counter()
    accused: Counter[str] = Counter()
    for path in files:
        candidate = _whole(path)
        for name, rule in _RULES.items():
            problems = list(rule(candidate, environment))
            wrong = [one for one in problems if not _is_confirmed(one)]
            found[name] += len(problems) - len(wrong)
            accused[name] += bool(wrong)
            if arguments.show:
                for one in wrong:
                    print(f"{path}:{(one.line or 0) + 1}: {one.message}")
    print(f"{len(files)} files, each judged whole")
    for name in _RULES:
        print(
            f"{name:18} {accused[name]:4} files accused"
            f" ({accused[name] / len(files):.2%}); {found[name]} imports of packages"
            " that are not installed"
        )
    _time_edits(files, environment)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.python_checks")
    parser.add_argument(
        "--every", type=int, default=1, help="take one file of so many (default 1)"
    )
    parser.add_argument("--show", action="store_true", help="print what was said")
    return parser.parse_args()


def _sources(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*.py"):
        if not _TESTS.search(path.relative_to(folder).parent.as_posix()):
            yield path


def _whole(path: Path) -> CheckedEdit:
    text = path.read_text("utf-8", errors="replace")
    lines = split_lines(text)
    return CheckedEdit(
        before=[""],
        after=lines,
        region_before=range(0),
        region_after=range(len(lines)),
        language="python",
        path=str(path),
    )


def _is_confirmed(problem: Problem) -> bool:
    """Whether the interpreter does not find the module either."""
    named = _NOT_INSTALLED.match(problem.message)
    return named is not None and importlib.util.find_spec(named[1]) is None


def _time_edits(files: list[Path], environment: PythonEnvironment) -> None:
    edits = [edit for path in files if (edit := _edit(path))]
    if not edits:
        return
    print(f"\n{len(edits)} edits of one function, files of 800 to 1,200 lines")
    totals = [0.0] * len(edits)
    for name, rule in _RULES.items():
        times = [_seconds(rule, edit, environment) for edit in edits]
        totals = [total + spent for total, spent in zip(totals, times, strict=True)]
        print(f"{name:18} {_shown(times)}")
    print(f"{'all three':18} {_shown(totals)}")


def _edit(path: Path) -> CheckedEdit | None:
    """The edit that writes the function in the middle of a file."""
    whole = _whole(path)
    lines = list(whole.after)
    starts = [n for n, line in enumerate(lines) if _FUNCTION.match(line)]
    if len(lines) not in _TIMED_LINES or len(starts) < 3:
        return None
    first, last = starts[len(starts) // 2 : len(starts) // 2 + 2]
    return CheckedEdit(
        before=lines[:first] + lines[last:],
        after=lines,
        region_before=range(first, first),
        region_after=range(first, last),
        language="python",
        path=str(path),
    )


def _seconds(rule: Rule, edit: CheckedEdit, environment: PythonEnvironment) -> float:
    start = time.perf_counter()
    list(rule(edit, environment))
    return time.perf_counter() - start


def _shown(times: list[float]) -> str:
    ordered = sorted(times)
    high = ordered[int(len(ordered) * 0.99)]
    return f"p50 {statistics.median(ordered) * 1e3:6.1f} ms  p99 {high * 1e3:6.1f} ms"


if __name__ == "__main__":
    main()
