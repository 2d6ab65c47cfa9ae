"""Reads bodies of answers with a reader of a wire format, cut everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from redline.models.formats.wire_format import AnswerItem, AnswerReader
from redline.models.interface import Delta

Json = Mapping[str, Any]


def sse(*events: Json, end: str = "") -> bytes:
    """Write server-sent events as providers do, and perhaps an end mark."""
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return ("".join(lines) + end).encode()


def typed_sse(*events: Json, name: str = "type") -> bytes:
    """Write server-sent events with their types as names."""
    return "".join(
        f"event: {event[name]}\r\ndata: {json.dumps(event)}\r\n\r\n" for event in events
    ).encode()


def json_lines(*events: Json) -> bytes:
    """Write a JSON object on each line."""
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def read_body(new_reader: Callable[[], AnswerReader], body: bytes) -> list[AnswerItem]:
    """Read a whole body; it must give the same at every cut, and byte by byte."""
    whole = _read(new_reader(), [body])
    bytewise = [body[i : i + 1] for i in range(len(body))]
    assert _read(new_reader(), bytewise) == whole
    for cut in range(0, len(body), 7):
        assert _read(new_reader(), [body[:cut], body[cut:]]) == whole
    return whole


def read_cut(new_reader: Callable[[], AnswerReader], body: bytes) -> list[AnswerItem]:
    """Read a body whose connection is lost after it."""
    return _merged(new_reader().feed(body))


def _read(reader: AnswerReader, chunks: Iterable[bytes]) -> list[AnswerItem]:
    items: list[AnswerItem] = []
    for chunk in chunks:
        items += reader.feed(chunk)
    return _merged([*items, *reader.finish()])


def _merged(items: Iterable[AnswerItem]) -> list[AnswerItem]:
    """Join neighbouring deltas of one kind."""
    merged: list[AnswerItem] = []
    for item in items:
        last = merged[-1] if merged else None
        match last, item:
            case Delta(kind=kind), Delta() if item.kind == kind:
                merged[-1] = Delta(last.text + item.text, kind)
            case _:
                merged.append(item)
    return merged
