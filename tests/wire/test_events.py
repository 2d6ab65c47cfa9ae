"""Decoding what peers really send: both error shapes, oddities, garbage."""

from __future__ import annotations

from typing import Any  # Test data is JSON of any shape.

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.errors import RemoteProtocolError
from redline.wire import events
from redline.wire.events import (
    InputMessage,
    ResponseCreate,
    ResponseSteer,
    ServerEvent,
    decode_client_event,
    decode_create,
    decode_server_event,
    encode,
    read_failure,
    read_item,
    read_response,
    read_steer,
)
from redline.wire.failure import retry_after_s

GARBAGE: list[bytes | str] = [
    b"",
    b"\x00",
    b"\xff\xfe",
    b"hello",
    b"[]",
    b"3",
    b"null",
    b'"response.created"',
    b"{}",
    b'{"type":3}',
    b'{"type":null}',
    b'{"type":"error"',
    b'{"type":"x","delta":"\xff"',
    b"[" * 200_000,
    b'{"a":' + b"[" * 200_000,
    '{"type":"\ud800"}',
]


@pytest.mark.parametrize("data", GARBAGE)
def test_garbage_from_either_side_is_a_protocol_error(data: bytes | str) -> None:
    with pytest.raises(RemoteProtocolError):
        decode_server_event(data)
    with pytest.raises(RemoteProtocolError):
        decode_client_event(data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"type":"response.output_text.delta","delta":"\xe9"}',
        b'{"type":"response.output_text.done","text":"\xe9"}',
        b'{"type":"response.output_item.done","item":{"content":[{"text":"\xe9"}]}}',
        b'{"type":"response.completed","response":{"id":"\xe9"}}',
    ],
)
def test_a_text_in_another_encoding_is_a_protocol_error(data: bytes) -> None:
    """Without the event, the answer would be taken for whole."""
    with pytest.raises(RemoteProtocolError):
        decode_server_event(data)


def test_an_error_in_another_encoding_is_read() -> None:
    event = decode_server_event(b'{"type":"error","message":"zu gro\xdf"}')
    assert event.message == "zu gro\ufffd"


@given(st.one_of(st.binary(), st.text()))
def test_random_data_never_raises_anything_else(data: bytes | str) -> None:
    for decode in (decode_server_event, decode_client_event):
        try:
            decode(data)
        except RemoteProtocolError:
            continue


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from([*ServerEvent.__struct_fields__, "unheard_of"]), json_values
    )
)
def test_any_object_with_a_type_is_an_event(fields: dict[str, Any]) -> None:
    """Fields of other types than expected are dropped, the rest is read."""
    data = msgspec.json.encode(fields | {"type": "response.x"})
    event = decode_server_event(data)
    assert event.type == "response.x"
    if isinstance(fields.get("delta"), str):
        assert event.delta == fields["delta"]
    read_response(event), read_item(event), read_steer(event), read_failure(event)


def test_a_delta() -> None:
    event = decode_server_event(
        b'{"type":"response.output_text.delta","sequence_number":4,"stream_id":"e1",'
        b'"item_id":"m","output_index":1,"content_index":0,"delta":"d\\u00e9f ",'
        b'"logprobs":[],"obfuscation":"x1"}'
    )
    assert event == ServerEvent(
        type=events.TEXT_DELTA,
        sequence_number=4,
        stream_id="e1",
        item_id="m",
        output_index=1,
        content_index=0,
        delta="déf ",
    )


def test_one_field_of_a_wrong_type_does_not_cost_the_others() -> None:
    event = decode_server_event(
        b'{"type":"error","status":"429","sequence_number":1.5,"stream_id":"a",'
        b'"error":{"code":"slow_down","message":"Wait."}}'
    )
    assert event.status is None
    assert event.sequence_number is None
    assert event.stream_id == "a"
    assert read_failure(event).code == "slow_down"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            {"error": {"type": "t", "code": "c", "message": "m"}, "status": 400},
            ("m", "c", 400, None),
        ),
        (
            {"error": {"type": "t", "message": "m"}, "status": 429},
            ("m", "t", 429, None),
        ),
        ({"error": {"code": "c", "message": None}}, (None, "c", None, None)),
        ({"code": "c", "message": "m", "param": "p"}, ("m", "c", None, None)),
        ({"error": None, "code": "c", "message": "m"}, ("m", "c", None, None)),
        ({"error": "just text", "message": "m"}, ("m", None, None, None)),
        ({"error": "just text"}, ("just text", None, None, None)),
        ({"error": {"code": 400, "type": "t"}}, (None, "t", 400, None)),
        ({"status_code": 503, "message": "m"}, ("m", None, 503, None)),
        (
            {"error": {"message": "m", "headers": {"Retry-After": "2"}}},
            ("m", None, None, 2.0),
        ),
        (
            {"error": {"message": "m"}, "headers": {"retry-after-ms": 1500}},
            ("m", None, None, 1.5),
        ),
        ({"error": {"message": "m"}, "headers": "none"}, ("m", None, None, None)),
        ({}, (None, None, None, None)),
    ],
)
def test_both_shapes_of_the_error_event(
    data: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    event = decode_server_event(msgspec.json.encode({"type": "error"} | data))
    failure = read_failure(event)
    message, code, status, wait_s = expected
    assert failure.message == (message or "")
    assert (failure.code, failure.status, failure.retry_after_s) == (
        code,
        status,
        wait_s,
    )


def test_why_a_response_failed() -> None:
    event = decode_server_event(
        b'{"type":"response.failed","response":{"id":"r","status":"failed",'
        b'"error":{"code":"server_error","message":"Boom.","param":null}}}'
    )
    assert read_failure(event).code == "server_error"
    assert read_failure(event).message == "Boom."


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"RETRY-AFTER": 3}, 3.0),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": None}, None),
        ({"retry-after": 10**400}, None),
        ({"retry-after": "3", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "3", "retry-after-ms": "soon"}, 3.0),
    ],
)
def test_how_long_to_wait(headers: dict[str, Any], expected: float | None) -> None:
    assert retry_after_s(headers) == expected


def test_the_text_of_a_response_is_that_of_its_messages() -> None:
    event = decode_server_event(
        b'{"type":"response.completed","response":{"id":"r","usage":null,"output":['
        b'{"type":"reasoning","id":"x","summary":[],"content":null},'
        b'{"type":"message","content":[{"type":"output_text","text":"a"},'
        b'{"type":"refusal","refusal":"no"},{"type":"output_text","text":null}]},'
        b'{"type":"message","content":null},'
        b'{"type":"message","content":[{"type":"output_text","text":"b"}]}]}}'
    )
    assert read_response(event).text == "ab"


@pytest.mark.parametrize("response", [b"null", b"[]", b'{"id":5}', b'{"output":3}'])
def test_an_unreadable_response_is_an_empty_one(response: bytes) -> None:
    event = decode_server_event(
        b'{"type":"response.completed","response":' + response + b"}"
    )
    assert read_response(event) == events.ResponseObject()
    assert read_item(event) == events.OutputItem()


def test_reading_a_steer() -> None:
    event = decode_server_event(
        b'{"type":"response.steer.failed","steer":{"previous_response_id":"r",'
        b'"input":"more"},"error":{"code":"response_not_found","message":"Gone."}}'
    )
    steer = read_steer(event)
    assert steer is not None
    assert (steer.previous_response_id, steer.id, steer.input) == ("r", None, "more")
    assert read_failure(event).code == "response_not_found"


def test_a_flat_create_with_all_that_clients_add() -> None:
    create = decode_client_event(
        b'{"type":"response.create","stream":true,"model":"m","store":false,'
        b'"client_metadata":{"a":1},"stream_options":{"include_usage":true},'
        b'"tools":[{"type":"function"}],"tool_choice":"auto","text":{"verbosity":"low"},'
        b'"reasoning":{"effort":"low","summary":null},"include":[],'
        b'"input":[{"type":"message","role":"user","content":[{"type":"input_text",'
        b'"text":"hi "},{"type":"input_image","image_url":"x"},{"type":"input_text",'
        b'"text":"you"}]},{"type":"reasoning","summary":[],"content":null},'
        b'{"type":"function_call_output","call_id":"c","output":"o"}]}'
    )
    assert isinstance(create, ResponseCreate)
    assert isinstance(create.input, list)
    assert [item.text for item in create.input] == ["hi you", "", ""]
    assert create.instructions is None
    assert create.stream_options is not None
    assert create.stream_options.include_obfuscation is None


def test_a_create_nested_under_response() -> None:
    create = decode_client_event(
        b'{"type":"response.create","response":{"model":"m","input":"hi"}}'
    )
    assert create == ResponseCreate(model="m", input="hi")


def test_a_steer_with_messages() -> None:
    steer = decode_client_event(
        b'{"type":"response.steer","previous_response_id":"r","input":'
        b'[{"type":"message","role":"user","content":"more"}]}'
    )
    message = InputMessage(role="user", content="more")
    assert steer == ResponseSteer(previous_response_id="r", input=[message])
    assert message.text == "more"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"type":"response.cancel"}', "Unknown event type: 'response.cancel'"),
        (b'{"model":"m"}', "Unknown event type: ''"),
        (b'{"type":"response.create","model":3}', r"\$.model"),
        (b'{"type":"response.create","response":[]}', "Expected `object`"),
        (b'{"type":"response.steer","input":"x"}', "previous_response_id"),
        (b'{"type":"' + b"x" * 500 + b'"}', "Unknown event type: 'x{64}'$"),
    ],
)
def test_what_a_client_is_told(data: bytes, said: str) -> None:
    with pytest.raises(RemoteProtocolError, match=said):
        decode_client_event(data)


def test_the_body_of_an_http_request() -> None:
    create = decode_create(b'{"model":"m","input":"hi","stream":true}')
    assert create == ResponseCreate(model="m", input="hi", stream=True)
    with pytest.raises(RemoteProtocolError, match="Invalid request"):
        decode_create(b'{"input":5}')


def test_what_is_not_set_is_not_sent() -> None:
    create = ResponseCreate(type="response.create", model="m", input="x", store=False)
    assert encode(create) == (
        b'{"type":"response.create","model":"m","input":"x","store":false}'
    )


@given(
    st.builds(
        ResponseCreate,
        type=st.just("response.create"),
        model=st.text(max_size=5),
        input=st.text(max_size=20)
        | st.lists(
            st.builds(
                InputMessage, role=st.text(max_size=5), content=st.text(max_size=9)
            ),
            max_size=3,
        ),
        stream_id=st.none() | st.text(max_size=5),
        store=st.none() | st.booleans(),
        max_output_tokens=st.none() | st.integers(0, 2**31),
    )
)
def test_a_create_survives_the_wire(create: ResponseCreate) -> None:
    assert decode_client_event(encode(create)) == create
