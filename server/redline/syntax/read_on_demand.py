"""A mapping whose values are read when they are looked up first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

Source = TypeVar("Source")
Value = TypeVar("Value")


class ReadOnDemand(Mapping[str, Value], Generic[Source, Value]):
    """The values of some sources, each read at most once."""

    def __init__(
        self, sources: Mapping[str, Source], read: Callable[[Source], Value]
    ) -> None:
        self._sources = sources
        self._read = read
        self._values: dict[str, Value] = {}

    def __getitem__(self, name: str) -> Value:
        if name not in self._values:
            self._values[name] = self._read(self._sources[name])
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._sources

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)
