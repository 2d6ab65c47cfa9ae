"""What the gateway counts, in the text format of Prometheus (0.0.4).

Labels are names of users and models, kinds and outcomes: never a prompt, a path or an
id.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Literal

from msgspec import Struct

_PREFIX = "redline_gateway_"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper ends of the buckets of times."""

_Labels = tuple[str, ...]


class MetricCounts(Struct, frozen=True):
    """The values of one process, in a form that another can add up."""

    values: dict[str, list[tuple[_Labels, float]]] = {}
    """Of each family, by its name."""
    buckets: dict[str, list[tuple[_Labels, list[int], float]]] = {}
    """Of each histogram, by its name: the buckets and the sum of the seconds."""


class Family:
    """The values of one name, by their labels."""

    def __init__(
        self, name: str, kind: Literal["counter", "gauge"], what: str, labels: _Labels
    ) -> None:
        self.name, self.is_gauge = _PREFIX + name, kind == "gauge"
        self._kind, self._what = kind, what
        self.labels = labels
        self._values: defaultdict[_Labels, float] = defaultdict(float)

    def add(self, n: float, *labels: str) -> None:
        """Add to a value."""
        self._values[labels] += n

    def values(self) -> list[tuple[_Labels, float]]:
        return list(self._values.items())

    def lines(self) -> Iterator[str]:
        """Write all values."""
        yield from _head(self.name, self._kind, self._what)
        for labels, value in self._values.items():
            yield f"{self.name}{_braced(self.labels, labels)} {_number(value)}"


class Histogram:
    """How often something took how long, by its labels."""

    def __init__(self, name: str, what: str, labels: _Labels) -> None:
        self.name, self._what, self.labels = _PREFIX + name, what, labels
        self._counts: defaultdict[_Labels, list[int]] = defaultdict(
            lambda: [0] * (len(_SECONDS) + 1)
        )
        self._sums: defaultdict[_Labels, float] = defaultdict(float)

    def observe(self, seconds: float, *labels: str) -> None:
        self._counts[labels][bisect_left(_SECONDS, seconds)] += 1
        self._sums[labels] += seconds

    def values(self) -> list[tuple[_Labels, list[int], float]]:
        """Return the buckets and the sum of all labels."""
        return [
            (labels, list(counts), self._sums[labels])
            for labels, counts in self._counts.items()
        ]

    def add(self, labels: _Labels, counts: list[int], total_s: float) -> None:
        """Add the buckets and the sum of another process."""
        before = self._counts[labels]
        self._counts[labels] = [a + b for a, b in zip(before, counts, strict=True)]
        self._sums[labels] += total_s

    def lines(self) -> Iterator[str]:
        """Write all buckets, each with those below it."""
        yield from _head(self.name, "histogram", self._what)
        names = (*self.labels, "le")
        for labels, counts in self._counts.items():
            ends = (*(f"{end:g}" for end in _SECONDS), "+Inf")
            for end, n in zip(ends, accumulate(counts), strict=True):
                yield f"{self.name}_bucket{_braced(names, (*labels, end))} {n}"
            braced = _braced(self.labels, labels)
            yield f"{self.name}_sum{braced} {self._sums[labels]:.6f}"
            yield f"{self.name}_count{braced} {sum(counts)}"


class Metrics:
    """All that one gateway counts."""

    def __init__(self) -> None:
        self.sockets = Family("sockets", "gauge", "Open WebSockets.", ("user",))
        self.generations = Family(
            "generations_total",
            "counter",
            "Responses that ended, by outcome.",
            ("user", "model", "kind", "outcome"),
        )
        self.tokens = Family(
            "tokens_total",
            "counter",
            "Tokens; cached ones are part of the input.",
            ("user", "model", "direction"),
        )
        self.refused = Family(
            "refused_total", "counter", "Refused requests.", ("reason",)
        )
        self.queue_seconds = Histogram(
            "queue_seconds", "Waits for a turn.", ("model", "kind")
        )
        self.first_delta_seconds = Histogram(
            "first_delta_seconds",
            "Times from a request to its first delta.",
            ("model", "kind"),
        )
        self.workers = Family("workers", "gauge", "Processes that serve.", ())
        self.worker_restarts = Family(
            "worker_restarts_total", "counter", "Processes that were replaced.", ()
        )
        self.families = (
            self.sockets,
            self.generations,
            self.tokens,
            self.refused,
            self.workers,
            self.worker_restarts,
        )
        self.histograms = (self.queue_seconds, self.first_delta_seconds)

    @contextmanager
    def socket(self, user: str) -> Iterator[None]:
        """Count an open WebSocket."""
        self.sockets.add(1, user)
        try:
            yield
        finally:
            self.sockets.add(-1, user)

    def text(self) -> str:
        """Write everything."""
        both = (*self.families, *self.histograms)
        return "".join(f"{line}\n" for each in both for line in each.lines())

    def counts(self) -> MetricCounts:
        """Return everything, for `add`."""
        return MetricCounts(
            {family.name: family.values() for family in self.families},
            {histogram.name: histogram.values() for histogram in self.histograms},
        )

    def add(self, counts: MetricCounts, *, has_ended: bool = False) -> None:
        """Add the counts of another process.

        Args:
            counts: What it counted.
            has_ended: Whether it has ended: then it holds nothing that is open.
        """
        for family in self.families:
            if not (has_ended and family.is_gauge):
                for labels, value in counts.values.get(family.name, ()):
                    family.add(value, *labels)
        for histogram in self.histograms:
            for labels, buckets, total_s in counts.buckets.get(histogram.name, ()):
                histogram.add(labels, buckets, total_s)


def _head(name: str, kind: str, what: str) -> Iterator[str]:
    yield f"# HELP {name} {what}"
    yield f"# TYPE {name} {kind}"


def _number(value: float) -> str:
    """Write a value with all its digits: `%g` would round those of long counters."""
    return f"{value:.0f}" if value.is_integer() else f"{value!r}"


def _braced(names: Sequence[str], values: Sequence[str]) -> str:
    if not names:
        return ""
    pairs = (
        f'{name}="{_escaped(value)}"' for name, value in zip(names, values, strict=True)
    )
    return "{" + ",".join(pairs) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
