"""What no policy of requests can exceed when one reply is used at a time.

`python -m benchmarks.completion_bound` plays the oracle of `benchmarks.completion`
without a clock: each reply is there at once, its rest is shown down to the first wrong
token, and the next request is made when that token's first key is typed. No gate and
no filter takes anything away. It prints, on the average of some seeds and with the
smallest and the largest:

- the fewest requests a key;
- the characters saved by a user who accepts the rest of a line as soon as it is right
  and has eight characters, after no key, or after the two keys that are typed in the
  300 ms for which a text must be visible.

A policy that uses replies again behind their wrong tokens needs fewer requests: no
fewer than one for eight lines, which is printed as well.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
from collections.abc import Sequence
from pathlib import Path

from benchmarks.completion import MIN_ACCEPTED, sources
from benchmarks.oracle import N_LINES, TOKEN

_READ_KEYS = (0, 2)
_INDENT = re.compile(r"\n *")


def requests_typing_on(text: str, right: float, seed: int) -> int:
    """Count the requests of a user who types a whole text."""
    draws = random.Random(seed)
    at = n_requests = 0
    while at < len(text):
        n_requests += 1
        at = _first_wrong(text, at, right, draws, n_lines=N_LINES) + 1
    return n_requests


def saved(text: str, right: float, seed: int, *, read_keys: int) -> int:
    """Count the characters that are accepted, line by line."""
    draws = random.Random(seed)
    n_saved = 0
    for line in text.split("\n"):
        start = at = len(line) - len(line.lstrip())
        while at < len(line):
            wrong = _first_wrong(line, at, right, draws, n_lines=1)
            # The pause behind a line end is long enough to read.
            n_rest = len(line) - at - (read_keys if at > start else 0)
            if wrong == len(line):
                n_saved += n_rest if n_rest >= MIN_ACCEPTED else 0
                break
            at = wrong + 1
    return n_saved


def _first_wrong(
    text: str, at: int, right: float, draws: random.Random, *, n_lines: int
) -> int:
    """Return where the first wrong token of a reply begins, or where it ends."""
    rest = "\n".join(text[at:].split("\n", n_lines)[:n_lines])
    for found in TOKEN.finditer(rest):
        if not found[0].isspace() and draws.random() >= right:
            return at + found.start()
    return at + len(rest)


def _spread(shares: Sequence[float], digits: str) -> str:
    low, mean, high = min(shares), statistics.mean(shares), max(shares)
    return f"{mean:{digits}} ({low:{digits}} to {high:{digits}})"


def main() -> int:
    """Print the bounds."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.completion_bound", description=__doc__
    )
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--right", type=float, default=0.85)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--files", type=Path, nargs="+", default=())
    arguments = parser.parse_args()
    texts = list(sources(arguments.keys, arguments.files))
    n_chars = sum(map(len, texts))
    n_keys = sum(len(_INDENT.sub("\n", text)) for text in texts)
    seeds = range(arguments.seeds)
    requests = [
        sum(requests_typing_on(text, arguments.right, seed) for text in texts) / n_keys
        for seed in seeds
    ]
    print(f"{n_chars:,} characters, {n_keys:,} keys, {arguments.seeds} seeds")
    print(f"fewest requests a key, one reply at a time: {_spread(requests, '.3f')}")
    n_lines = sum(text.count("\n") for text in texts)
    print(f"one request for {N_LINES} lines: {n_lines / N_LINES / n_keys:.3f}")
    for read_keys in _READ_KEYS:
        shares = [
            sum(
                saved(text, arguments.right, seed, read_keys=read_keys)
                for text in texts
            )
            / n_chars
            for seed in seeds
        ]
        print(f"saved, accepting after {read_keys} keys: {_spread(shares, '.1%')}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
