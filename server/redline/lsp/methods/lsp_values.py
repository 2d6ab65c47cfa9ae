"""Converts wire structs that features share with the fast path to lsprotocol types."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import msgspec
from cattrs import Converter
from lsprotocol.converters import get_converter

_T = TypeVar("_T")


def as_lsp(value: msgspec.Struct, kind: type[_T]) -> _T:
    """Convert a struct to the lsprotocol type that has the same JSON."""
    return _converter().structure(msgspec.to_builtins(value), kind)


@cache
def _converter() -> Converter:
    return get_converter()
