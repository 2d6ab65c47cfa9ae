"""How well completions fit typing: policies beside each other, key by key.

`python -m benchmarks.completion` types modules of the standard library against an
oracle: a model that knows what comes, is right about each token with a given
probability, and has the faults of real models. Redline's row drives its own
completions; the other rows decide differently when to send, with the same filters.
Time is that of a virtual clock, so a run depends on its seed alone.

"Redline, no wait" is Redline with a model that answers at once: what no policy can
exceed, since a wrong token is known only when another key comes. `--why` counts the
keys that were not covered by their reason and by what stands before the cursor;
`--files` types other sources.

The editor closes pairs and indents lines. It asks for a completion right after each
key, which no real one does: Visual Studio Code waits 50 ms, Neovim 200 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.assist.virtual_time import VirtualTimeLoop

from benchmarks.completion_policies import (
    Display,
    Edit,
    Policy,
    RedlinePolicy,
    SendTiming,
    Shown,
    SimplePolicy,
)
from benchmarks.oracle import MEDIAN_S, WRONG, Oracle, OracleModel, Rates, TrueText

_MODULES = ("textwrap.py", "shlex.py", "bisect.py", "heapq.py", "fnmatch.py")
_KEY_S, _KEY_SPREAD, _LINE_S = 0.15, 0.4, 0.5
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_TYPO = "~"
_READ_S = 0.3
MIN_ACCEPTED = 8

_POLICIES: dict[str, Callable[[OracleModel, Display], Policy]] = {
    "Redline": RedlinePolicy,
    "Redline, no wait": RedlinePolicy,
    "send each, cancel": lambda m, d: SimplePolicy(m, d, SendTiming()),
    "debounce 75 ms, cancel": lambda m, d: SimplePolicy(m, d, SendTiming(wait_s=0.075)),
    "debounce 150 ms, cancel": lambda m, d: SimplePolicy(m, d, SendTiming(wait_s=0.15)),
    "debounce 300 ms, cancel": lambda m, d: SimplePolicy(m, d, SendTiming(wait_s=0.3)),
    "throttle 300 ms, keep": lambda m, d: SimplePolicy(
        m, d, SendTiming(apart_s=0.3, cancels=False)
    ),
}
_NO_WAIT = "Redline, no wait"
_NO_WAIT_S = 0.0001
_USERS = ("types on", "accepts", "reader")


@dataclass(slots=True)
class Replayed:
    """What one user saw of one policy."""

    n_chars: int = 0
    n_keys: int = 0
    n_covered: int = 0
    """Keys that were pressed while a text was shown."""
    n_agreed: int = 0
    """Of these, the keys that were its beginning."""
    n_requests: int = 0
    n_accepted: int = 0
    n_saved: int = 0
    n_displays: int = 0
    n_wrong: int = 0
    n_replaced: int = 0
    waits_s: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """The faulty texts, with the line before the cursor."""
    not_agreed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Why keys did not agree, and what stands before the cursor."""


class User:
    """Types a source, and uses what is shown."""

    def __init__(self, source: str, user: str, typos: float, seed: int) -> None:
        self.seen = Replayed(n_chars=len(source))
        self._source = source
        self._user = user
        self._typos = typos
        self._random = random.Random(seed)
        self._at = 0
        self._right = ""
        """Closers that the editor has inserted behind the cursor."""
        self._typo = ""
        self._shown: Shown | None = None
        self._shown_s = 0.0
        self._blank_s: float | None = None
        """Since when nothing is shown."""

    def truth(self) -> TrueText:
        """Return what the oracle knows."""
        before = self._source[: self._at] + self._typo
        return TrueText(before, self._source[self._at :])

    def display(self, shown: Shown | None) -> None:
        """Show a text, and judge it."""
        now_s = asyncio.get_running_loop().time()
        before, self._shown = self._shown, shown
        if shown is None:
            return
        if before is not None and shown.text.startswith(before.text):
            return
        if before is not None:
            self.seen.n_replaced += 1
        self._shown_s = now_s
        self.seen.n_displays += 1
        if self._blank_s is not None:
            self.seen.waits_s.append(now_s - self._blank_s)
            self._blank_s = None
        self._judge(shown)

    async def type(self, policy: Policy) -> None:
        """Type the whole source."""
        self._blank_s = asyncio.get_running_loop().time()
        while self._at < len(self._source):
            if self._may_accept():
                self._accept(policy)
            else:
                await self._mistype(policy)
                self._press(policy)
            await self._pause()
        assert not self._right, self._right

    def _press(self, policy: Policy) -> None:
        key = self._next_key()
        behind = self._source[self._at + len(key) :]
        closer = _PAIRS[key] if key in _PAIRS and _closes(behind, key) else ""
        self.seen.n_keys += 1
        self.seen.n_covered += self._shown is not None
        if (shown := self._shown) is not None and shown.text.startswith(key):
            self.seen.n_agreed += 1
            rest = shown.text[len(key) :]
            # A closer that the editor types and the text does not contradicts it.
            fits = bool(rest) and (not closer or _closes(rest, key))
            self._shown = Shown(rest, 0, shown.n_right) if fits else None
        else:
            self.seen.not_agreed[self._why(policy), self._last()] += 1
            self._shown = None
        if self._shown is None and self._blank_s is None:
            self._blank_s = asyncio.get_running_loop().time()
        self._at += len(key)
        if self._right and key == self._right[0]:
            self._right = self._right[1:]
            self._report(policy, Edit(""))
        elif key[0] == "\n" and self._right:
            # What a completion doubled is deleted by the user.
            n_right, self._right = len(self._right), ""
            self._report(policy, Edit(key, n_right=n_right))
        else:
            self._right = closer + self._right
            self._report(policy, Edit(key + closer, n_behind=len(closer)))

    def _why(self, policy: Policy) -> str:
        """Return why the next key is not the beginning of what is shown."""
        if self._shown is None:
            return policy.why_nothing()
        right, mark, _ = self._shown.text.partition(WRONG)
        return "a wrong token" if mark and not right.strip() else "another text"

    def _last(self) -> str:
        """Return the kind of what stands before the cursor."""
        before = self._source[max(0, self._at - 1) : self._at]
        if self._source[: self._at].rstrip(" ").endswith("\n"):
            return "line start"
        if before.isspace():
            return "blank"
        return "word" if before.isalnum() or before == "_" else "sign"

    async def _mistype(self, policy: Policy) -> None:
        if self._random.random() >= self._typos:
            return
        self._shown, self._typo = None, _TYPO
        self._report(policy, Edit(_TYPO))
        await self._pause()
        self._shown, self._typo = None, ""
        self._report(policy, Edit("", n_left=1))
        await self._pause()

    def _report(self, policy: Policy, edit: Edit) -> None:
        policy.change(edit, self.truth().before, self._right)

    async def _pause(self) -> None:
        pause_s = _KEY_S * self._random.lognormvariate(0, _KEY_SPREAD)
        ends_line = self._source[self._at - 1 : self._at].isspace()
        ends_line = ends_line and self._source[: self._at].rstrip(" ").endswith("\n")
        await asyncio.sleep(pause_s + (_LINE_S if ends_line else 0.0))

    def _next_key(self) -> str:
        """Return a character, or a line end with the indentation of the next line."""
        end = self._at + 1
        if self._source[self._at] == "\n":
            while self._source[end : end + 1] == " ":
                end += 1
        return self._source[self._at : end]

    def _may_accept(self) -> bool:
        shown = self._shown
        if self._user == "types on" or shown is None or shown.n_left:
            return False
        now_s = asyncio.get_running_loop().time()
        if now_s - self._shown_s < _READ_S:
            return False
        text = self._part(shown)
        is_right = self._source.startswith(text, self._at)
        if self._user == "reader":
            return is_right and len(text) > 1 and not text.isspace()
        return is_right and len(text) >= MIN_ACCEPTED

    def _part(self, shown: Shown) -> str:
        """Return what the user would accept: all, or up to the end of a word."""
        if self._user != "reader":
            return shown.text
        end = len(shown.text) - len(shown.text.lstrip())
        end += 1
        while end < len(shown.text) and shown.text[end - 1 : end + 1].isidentifier():
            end += 1
        return shown.text[:end]

    def _accept(self, policy: Policy) -> None:
        shown = self._shown
        assert shown is not None
        text = self._part(shown)
        self.seen.n_accepted += 1
        self.seen.n_saved += len(text)
        n_right = shown.n_right if text == shown.text else 0
        is_whole = text == shown.text
        self._shown = (
            None if is_whole else Shown(shown.text[len(text) :], 0, shown.n_right)
        )
        if is_whole:
            self._blank_s = asyncio.get_running_loop().time()
        self._at += len(text)
        behind, self._right = self._right, self._right[n_right:]
        self._report(policy, Edit(text, n_right=len(behind) - len(self._right)))

    def _judge(self, shown: Shown) -> None:
        """Count what is wrong with a text."""
        expected = self._source[self._at :]
        right, mark, _ = shown.text.partition(WRONG)
        left = self._source[: self._at].rpartition("\n")[2]
        if not left.strip() and expected.startswith("\n"):
            # How many blank lines come first is not judged: one at most is shown.
            expected = expected.lstrip("\n")
            is_below = right.startswith("\n")
            right = right.lstrip("\n")
            expected = expected if is_below else expected.removeprefix(left)
        if self._typo:
            return
        if mark and not right.strip():
            self.seen.n_wrong += 1
        line = expected.partition("\n")[0]
        doubles = not mark and right == line and self._right[shown.n_right :].strip()
        if shown.n_left or doubles or not expected.startswith(right.rstrip()):
            self.seen.faults.append(f"{left}│{self._right} ← {shown.text!r}")


def _closes(text: str, opener: str) -> bool:
    """Whether the first line of a text closes the bracket before it."""
    depth = 1
    for char in text.partition("\n")[0]:
        depth += (char in _PAIRS) - (char in _PAIRS.values())
        if depth == 0:
            return char == _PAIRS[opener]
    return False


def sources(n_keys: int, files: Sequence[Path] = ()) -> Iterator[str]:
    """Yield real sources, cut at a line end when there are enough keys.

    Args:
        n_keys: The number of characters.
        files: The sources; modules of the standard library if there are none.
    """
    folder = Path(sysconfig.get_paths()["stdlib"])
    for path in files or [folder / name for name in _MODULES]:
        text = path.read_text(encoding="utf-8").expandtabs(4)
        text = "\n".join(line.rstrip() for line in text.split("\n"))
        if len(text) >= n_keys:
            yield text[: text.rindex("\n", 0, n_keys) + 1]
            return
        n_keys -= len(text)
        yield text


def replay(
    source: str, policy: str, user: str, rates: Rates, *, typos: float, seed: int
) -> Replayed:
    """Type one source with one policy."""

    async def work() -> Replayed:
        typist = User(source, user, typos, seed)
        median_s = _NO_WAIT_S if policy == _NO_WAIT else MEDIAN_S
        oracle = Oracle(rates, seed, median_s=median_s)
        model = OracleModel(oracle, typist.truth)
        running = _POLICIES[policy](model, typist.display)
        await typist.type(running)
        await running.aclose()
        typist.seen.n_requests = model.n_sent
        return typist.seen

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work())


def main() -> int:
    """Print the table."""
    arguments = _arguments()
    rates = Rates(
        right=arguments.right, derails=arguments.derails, fault=arguments.fault
    )
    texts = list(sources(arguments.keys, arguments.files))
    console = Console(width=130)
    table = new_table()
    faults: list[str] = []
    not_agreed: Counter[tuple[str, str]] = Counter()
    for policy in _POLICIES:
        for user in _USERS if policy == "Redline" else _USERS[:2]:
            seen = [
                replay(
                    text,
                    policy,
                    user,
                    rates,
                    typos=arguments.typos,
                    seed=arguments.seed,
                )
                for text in texts
            ]
            table.add_row(policy, user, *row(seen))
            if policy == "Redline":
                faults += [fault for one in seen for fault in one.faults]
            if policy == "Redline" and user == _USERS[0]:
                for one in seen:
                    not_agreed += one.not_agreed
    console.print(
        f"seed {arguments.seed}, {sum(map(len, texts)):,} characters, each token right "
        f"with {rates.right}, behind a wrong one wrong with {rates.derails}, each of "
        f"the faults in {rates.fault:.0%} of the replies, "
        f"typos {arguments.typos:.0%}"
    )
    console.print(table)
    if arguments.why:
        console.print(_why_table(not_agreed))
    for fault in faults[: arguments.show]:
        console.print(f"fault: {fault}", markup=False, highlight=False)
    return 0


def _why_table(not_agreed: Counter[tuple[str, str]]) -> Table:
    """Return a table of the reasons, the most frequent first."""
    table = Table("did not agree", box=None, pad_edge=False)
    for name in ("keys", *(f"after a {each}" for each in _LAST)):
        table.add_column(name, justify="right")
    by_reason: Counter[str] = Counter()
    for (reason, _), n_keys in not_agreed.items():
        by_reason[reason] += n_keys
    for reason, n_keys in by_reason.most_common():
        row = [str(not_agreed[reason, last]) for last in _LAST]
        table.add_row(reason, str(n_keys), *row)
    return table


_LAST = ("word", "sign", "blank", "line start")


_COLUMNS = (
    "requests/key",
    "covered",
    "agreed",
    "display p50/p90 ms",
    "saved",
    "requests/accepted",
    "wrong",
    "faults",
    "replaced",
)


def new_table() -> Table:
    """Return a table for `row`."""
    table = Table(box=None, pad_edge=False)
    for name in ("policy", "user"):
        table.add_column(name)
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    return table


def row(seen: Sequence[Replayed]) -> Iterator[str]:
    """Write what a user saw of one policy in all sources."""

    def total(name: str) -> int:
        return sum(int(getattr(one, name)) for one in seen)

    waits = sorted(1000 * wait for one in seen for wait in one.waits_s) or [0.0]
    n_keys, n_displays = total("n_keys"), total("n_displays") or 1
    yield f"{total('n_requests') / n_keys:.3f}"
    yield f"{total('n_covered') / n_keys:.1%}"
    yield f"{total('n_agreed') / n_keys:.1%}"
    yield f"{statistics.median(waits):.0f} / {waits[int(0.9 * (len(waits) - 1))]:.0f}"
    yield f"{total('n_saved') / total('n_chars'):.1%}"
    n_accepted = total("n_accepted")
    yield f"{total('n_requests') / n_accepted:.2f}" if n_accepted else "-"
    yield f"{total('n_wrong') / n_displays:.1%}"
    yield f"{sum(len(one.faults) for one in seen) / n_displays:.2%}"
    yield str(total("n_replaced"))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.completion", description=__doc__
    )
    parser.add_argument("--keys", type=int, default=10_000, help="characters to type")
    parser.add_argument("--right", type=float, default=0.85, help="of each token")
    parser.add_argument(
        "--derails", type=float, default=0.0, help="of each token behind a wrong one"
    )
    parser.add_argument("--fault", type=float, default=0.0, help="of each kind")
    parser.add_argument("--typos", type=float, default=0.0, help="of each key")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="faulty texts to print")
    parser.add_argument(
        "--why", action="store_true", help="count the keys that did not agree"
    )
    parser.add_argument(
        "--files", type=Path, nargs="+", default=(), help="sources to type"
    )
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
