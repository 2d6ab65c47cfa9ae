"""Reads a server's error in any of the forms that servers use.

`read_error` accepts any bytes: any program between us and the model may write an
error's body. What cannot be read is left out; reading never fails. The forms, in the
order in
which fields are tried:

- `{"error": {"message", "type", "code", "param"}}`: OpenAI, Anthropic; with a number as
  `code`, vLLM, llama-server, Gemini (which puts it into a list) and OpenRouter;
- `{"error": "..."}`: Ollama; `{"detail": "..."}` and `{"detail": [{"loc", "msg"}]}`:
  FastAPI; `{"base_resp": {"status_code", "status_msg"}}`: MiniMax;
- `{"message", "type", "code"}`: SGLang, Mistral, events of HTTP streams;
- plain text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct

UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""Exceptions of msgspec for data that is not JSON: also for bytes that are not UTF-8,
and for nesting deeper than the interpreter's stack."""

_T = TypeVar("_T")

MAX_WAIT_S = 86_400.0
"""Longest wait that is accepted from a server: a longer one is "not today"."""

_ERROR_STATUSES = range(400, 600)

Fields = dict[str, Raw]


class Failure(Struct, frozen=True, kw_only=True):
    """Why the server refused or failed, in whichever form it reported it."""

    message: str
    """The server's own words; may be empty."""
    code: str | None = None
    """The server's name for it: its `code`, or its `type` if the code is a number."""
    param: str | None = None
    """The field of the request that caused it, if the server names one."""
    status: int | None = None
    retry_after_s: float | None = None
    """At most `MAX_WAIT_S`."""
    may_retry: bool | None = None
    """Whether the server says that sending the request again helps; None: it does not
    say. It knows more than its status says."""


def try_decode(decoder: msgspec.json.Decoder[_T], data: bytes | Raw) -> _T | None:
    """Decode JSON; None if it is not JSON, or not of the decoder's type."""
    try:
        return decoder.decode(data)
    except UNREADABLE:
        return None


def read_error(
    data: bytes | Raw,
    *,
    status: int | None = None,
    headers: Mapping[str, Any] | None = None,
) -> Failure:
    """Read an error's body.

    Args:
        data: Any bytes.
        status: The status of the HTTP answer or event that it came with.
        headers: The headers of the same; their values may be numbers.
    """
    # Invalid UTF-8 must not lose the message.
    text = bytes(data).decode("utf-8", "replace")
    outer = _fields(_first(text))
    if not outer:
        return Failure(
            message=_plain(text),
            status=status,
            retry_after_s=retry_after_s(headers),
            may_retry=_may_retry(headers),
        )
    return _failure(outer, status=status, headers=headers)


def _failure(
    outer: Fields, *, status: int | None, headers: Mapping[str, Any] | None
) -> Failure:
    inner = _fields(outer.get("error")) or outer
    number = _number(inner.get("code"))
    if status is None and number in _ERROR_STATUSES:
        status = number
    name = _text(inner.get("type")) or _text(inner.get("status"))
    code = _text(inner.get("code")) if number is None else name
    headers = {**(headers or {}), **_values(inner.get("headers"))}
    wait_s = retry_after_s(headers)
    return Failure(
        message=_message(outer, inner),
        code=code or name or (None if number is None else str(number)),
        param=_text(inner.get("param")),
        status=status,
        retry_after_s=_delay_s(inner) if wait_s is None else wait_s,
        may_retry=_may_retry(headers),
    )


def retry_after_s(headers: Mapping[str, Any] | None) -> float | None:
    """Read the wait from headers (`retry-after-ms`, `retry-after` in seconds).

    The HTTP-date form of `retry-after` needs a clock and is not read here.
    """
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(lower[name]) * unit_s
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        if math.isfinite(seconds):
            return bounded_wait(seconds)
    return None


def _may_retry(headers: Mapping[str, Any] | None) -> bool | None:
    """Read `x-should-retry`, which OpenAI and Anthropic send."""
    values = {name.lower(): value for name, value in (headers or {}).items()}
    return {"true": True, "false": False}.get(str(values.get("x-should-retry")))


def bounded_wait(seconds: float) -> float:
    """Limit a wait that a server asks for to `MAX_WAIT_S`."""
    return min(max(0.0, seconds), MAX_WAIT_S)


def _message(outer: Fields, inner: Fields) -> str:
    base = _fields(outer.get("base_resp"))
    return (
        _text(inner.get("message"))
        or _text(outer.get("error"))
        or _text(outer.get("detail"))
        or _details(outer.get("detail"))
        or _text(base.get("status_msg"))
        or ""
    )


def _details(raw: Raw | None) -> str:
    """Join the problems that FastAPI lists, each with its place in the request."""
    problems = []
    for fields in map(_fields, _items(raw)):
        place = ".".join(filter(None, map(_text, _items(fields.get("loc")))))
        problems.append(": ".join(filter(None, (place, _text(fields.get("msg"))))))
    return "; ".join(filter(None, problems))


def _delay_s(inner: Fields) -> float | None:
    """Read Gemini's `retryDelay` from the body, such as `34s`."""
    for fields in map(_fields, _items(inner.get("details"))):
        delay = _text(fields.get("retryDelay")) or ""
        wait_s = retry_after_s({"retry-after": delay.removesuffix("s")})
        if wait_s is not None:
            return wait_s
    return None


def _plain(text: str) -> str:
    """Return a body of plain text; HTML and broken JSON do not help people."""
    text = text.strip()
    return "" if text.startswith(("<", "{", "[")) else text


# Each field is decoded separately, so that an unreadable one does not affect others.


def _decoded(raw: Raw | str | None, kind: Any) -> Any:  # Any: msgspec's own types.
    if raw is None:
        return None
    try:
        return msgspec.json.decode(raw, type=kind)
    except UNREADABLE:
        return None


def _fields(raw: Raw | str | None) -> Fields:
    return _decoded(raw, Fields) or {}


def _items(raw: Raw | None) -> list[Raw]:
    return _decoded(raw, list[Raw]) or []


def _values(raw: Raw | None) -> dict[str, Any]:
    return _decoded(raw, dict[str, Any]) or {}


def _text(raw: Raw | None) -> str | None:
    value = _decoded(raw, str | int)
    return None if value is None else str(value)


def _number(raw: Raw | None) -> int | None:
    value: int | None = _decoded(raw, int)
    return value


def _first(text: str) -> Raw | str:
    """Return the first item of a list, or the text."""
    items: list[Raw] = _decoded(text, list[Raw]) or []
    return items[0] if items else text
