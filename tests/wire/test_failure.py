"""Whatever a server says is wrong is read, in any form and however broken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.wire.failure import MAX_WAIT_S, Failure, read_error

DEEP = b'{"a":' * 10_000 + b"1" + b"}" * 10_000

FORMS: dict[str, tuple[object, Failure]] = {
    "openai": (
        {"error": {"message": "m", "type": "t", "param": "p", "code": "c"}},
        Failure(message="m", code="c", param="p"),
    ),
    "llama-server": (
        {"error": {"code": 400, "message": "m", "type": "exceed_context_size_error"}},
        Failure(message="m", code="exceed_context_size_error", status=400),
    ),
    "sglang": (
        {"object": "error", "message": "m", "type": "BadRequestError", "code": 400},
        Failure(message="m", code="BadRequestError", status=400),
    ),
    "anthropic": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "m"}},
        Failure(message="m", code="overloaded_error"),
    ),
    "gemini": (
        [
            {
                "error": {
                    "code": 429,
                    "message": "m",
                    "status": "RESOURCE_EXHAUSTED",
                    "details": [{"@type": "Help"}, {"retryDelay": "34s"}],
                }
            }
        ],
        Failure(message="m", code="RESOURCE_EXHAUSTED", status=429, retry_after_s=34.0),
    ),
    "openrouter": (
        {"error": {"code": 502, "message": "m", "metadata": {"raw": "x"}}},
        Failure(message="m", code="502", status=502),
    ),
    "ollama": ({"error": "m"}, Failure(message="m")),
    "fastapi": ({"detail": "m"}, Failure(message="m")),
    "fastapi, a list": (
        {"detail": [{"loc": ["body", "model", 0], "msg": "Field required"}, {}]},
        Failure(message="body.model.0: Field required"),
    ),
    "minimax": (
        {"base_resp": {"status_code": 1008, "status_msg": "m"}},
        Failure(message="m"),
    ),
    "huge numbers beside it": (
        {"error": {"message": "m", "code": 2**80, "n": 2**80}, "n": 10**400},
        Failure(message="m", code=str(2**80)),
    ),
    "nothing": ({"error": {}}, Failure(message="")),
    "another thing": ({"ok": True}, Failure(message="")),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(form: str) -> None:
    """Words, code, field, status and wait, wherever they stand."""
    said, failure = FORMS[form]
    assert read_error(json.dumps(said).encode()) == failure


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"Internal Server Error\n", "Internal Server Error"),
        (b"<!DOCTYPE html><title>502</title>", ""),
        (b'{"error": {"message": "cut', ""),
        (b"", ""),
        (DEEP, ""),
        (b'{"error": {"message": "m", "deep": ' + DEEP + b"}}", ""),
        (
            "Schl\u00fcssel ung\u00fcltig".encode("latin-1"),
            "Schl\ufffdssel ung\ufffdltig",
        ),
        ('{"error": "ung\u00fcltig"}'.encode("latin-1"), "ung\ufffdltig"),
        (b'{"error": {"message": "m", "code": 1e999}}', "m"),
    ],
)
def test_a_body_that_is_broken_or_no_json(body: bytes, message: str) -> None:
    """What can be read of it is; pages and broken JSON say nothing to people."""
    failure = read_error(body, status=500)
    assert (failure.message, failure.status) == (message, 500)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["error", "message", "code", "type", "detail", "loc", "msg", "headers"]
            ),
            inner,
            max_size=5,
        )
    ),
)


@given(body=st.binary() | _json.map(lambda value: json.dumps(value).encode()))
def test_reading_never_fails(body: bytes) -> None:
    """The value is always one that can be shown."""
    failure = read_error(body)
    assert isinstance(failure.message, str)
    assert failure.code is None or isinstance(failure.code, str)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "1000000000000000000"}, MAX_WAIT_S),
        ({"retry-after-ms": 10**30}, MAX_WAIT_S),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "2"}, 2.0),
    ],
)
def test_a_wait_is_bounded(headers: dict[str, Any], wait_s: float | None) -> None:
    """No timer is set for a thousand years."""
    assert read_error(b"", headers=headers).retry_after_s == wait_s
