"""Envelopes keep ids unchanged; half a character does not break a message."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.lsp.jsonrpc import rpc

STRING = msgspec.json.Decoder(str)
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("body", "request_id"),
    [
        (b'{"id":1}', 1),
        (b'{"id":"1"}', "1"),
        (b'{"id":""}', ""),
        (b'{"id":0}', 0),
        (b'{"id":-5}', -5),
        (b'{"id":18446744073709551616}', 18446744073709551616),
        (b'{"id":null}', None),
        (b"{}", msgspec.UNSET),
    ],
)
def test_an_id_is_kept_exactly(body: bytes, request_id: object) -> None:
    found = rpc.decode_envelope(body).id
    assert found == request_id
    assert type(found) is type(request_id)


def test_members_stay_raw_and_unknown_ones_are_ignored() -> None:
    envelope = rpc.decode_envelope(
        b'{"jsonrpc":"2.0","x":[1],"method":"m","params":{"a": 1 },"id":1}'
    )
    assert envelope.method == "m"
    assert bytes(envelope.params) == b'{"a": 1 }'
    assert bytes(envelope.result) == b""


@given(text=ANY_TEXT)
def test_halves_of_a_character_become_replacement_characters(text: str) -> None:
    escaped = json.dumps(text).encode()
    found = rpc.decode(STRING, escaped)
    pairs = text.encode("utf-16-le", "surrogatepass")
    assert len(found.encode("utf-16-le")) == len(pairs)
    whole = pairs.decode("utf-16-le", "replace")
    assert found.replace("\ufffd", "") == whole.replace("\ufffd", "")


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (rb'"\ud83d"', "\ufffd"),
        (rb'"\ude00x"', "\ufffdx"),
        (rb'"\ud83d\u0041"', "\ufffdA"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\\ud83d\ud83d"', "\\ud83d\ufffd"),
    ],
)
def test_only_lone_halves_are_replaced(escaped: bytes, text: str) -> None:
    assert rpc.decode(STRING, escaped) == text


@pytest.mark.parametrize("raw", [b"", b'"', b'"\xff"', b'"\\x"', b"nonsense"])
def test_what_is_no_json_stays_an_error(raw: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        rpc.decode(STRING, raw)


def test_what_goes_out_is_json_rpc() -> None:
    error = rpc.RpcError(rpc.ErrorCode.REQUEST_FAILED, "No.", {"cause": "x"})
    bodies = [
        rpc.encode_result(1, None),
        rpc.encode_error("1", error),
        rpc.encode_error(None, rpc.RpcError(-32700, "What?")),
        rpc.encode_request("r", "m", {"a": None}),
        rpc.encode_notification("n", None),
    ]
    assert [json.loads(body) for body in bodies] == [
        {"jsonrpc": "2.0", "id": 1, "result": None},
        {
            "jsonrpc": "2.0",
            "id": "1",
            "error": {"code": -32803, "message": "No.", "data": {"cause": "x"}},
        },
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "What?"}},
        {"jsonrpc": "2.0", "id": "r", "method": "m", "params": {"a": None}},
        {"jsonrpc": "2.0", "method": "n"},
    ]
