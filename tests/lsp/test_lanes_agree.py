"""A message means the same on our fast lane and in lsprotocol's types."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.protocol import default_converter

from redline.lsp.initialize import ServerOffer, answer, read_client
from redline.lsp.protocol import messages

Json = dict[str, Any]  # Any: JSON.

CONVERTER = default_converter()  # type: ignore[no-untyped-call] # pygls' own.

NUMBERS = st.integers(0, 2**31 - 1)
POSITIONS = st.fixed_dictionaries({"line": NUMBERS, "character": NUMBERS})
RANGES = st.fixed_dictionaries({"start": POSITIONS, "end": POSITIONS})
CHANGES = st.fixed_dictionaries(
    {"text": st.text()}, optional={"range": RANGES, "rangeLength": NUMBERS}
)
CHANGED = st.fixed_dictionaries(
    {
        "textDocument": st.fixed_dictionaries({"uri": st.text(), "version": NUMBERS}),
        "contentChanges": st.lists(CHANGES, max_size=3),
    }
)


def read_and_written(plain: object, kind: type[object]) -> object:
    """Return the message as lsprotocol reads it: unknown members are lost."""
    return CONVERTER.unstructure(CONVERTER.structure(plain, kind), unstructure_as=kind)


def numbers(place: messages.LspRange | types.Range | None) -> list[tuple[int, int]]:
    """Return a range of either lane in the same form."""
    if place is None:
        return []
    return [(p.line, p.character) for p in (place.start, place.end)]


@given(params=CHANGED)
def test_a_change_is_read_alike(params: Json) -> None:
    ours = msgspec.json.decode(msgspec.json.encode(params), type=messages.DidChange)
    theirs = CONVERTER.structure(params, types.DidChangeTextDocumentParams)
    assert ours.text_document.uri == theirs.text_document.uri
    assert ours.text_document.version == theirs.text_document.version
    assert len(ours.content_changes) == len(theirs.content_changes)
    for a, b in zip(ours.content_changes, theirs.content_changes, strict=True):
        assert a.text == b.text
        assert numbers(a.range) == numbers(getattr(b, "range", None))


@given(
    uri=st.text(), text=st.text(), language=st.sampled_from(["python", "x"]), v=NUMBERS
)
def test_an_opened_document_is_read_alike(
    uri: str, text: str, language: str, v: int
) -> None:
    item = {"uri": uri, "text": text, "languageId": language, "version": v}
    params = {"textDocument": item}
    ours = msgspec.json.decode(msgspec.json.encode(params), type=messages.DidOpen)
    theirs = CONVERTER.structure(params, types.DidOpenTextDocumentParams).text_document
    assert ours.text_document == messages.TextDocumentItem(
        uri=theirs.uri,
        text=theirs.text,
        language_id=str(theirs.language_id),
        version=theirs.version,
    )


@pytest.mark.parametrize("token", [{}, {"workDoneToken": 7}, {"workDoneToken": "t"}])
@pytest.mark.parametrize("arguments", [{}, {"arguments": [{"uri": "x"}, 1, None]}])
def test_a_command_is_read_alike(token: Json, arguments: Json) -> None:
    params = {"command": "redline.edit", **token, **arguments}
    ours = msgspec.json.decode(
        msgspec.json.encode(params), type=messages.ExecuteCommand
    )
    theirs = CONVERTER.structure(params, types.ExecuteCommandParams)
    assert ours.command == theirs.command
    assert ours.work_done_token == theirs.work_done_token
    assert [msgspec.json.decode(a) for a in ours.arguments] == [
        *(theirs.arguments or ())
    ]


@pytest.mark.parametrize("version", [None, 3])
def test_an_edit_that_we_send_is_what_lsprotocol_reads(version: int | None) -> None:
    place = messages.LspRange(messages.LspPosition(1, 2), messages.LspPosition(3, 4))
    document = messages.DocumentId(uri="file:///a", version=version)
    edit = messages.TextDocumentEdit(
        text_document=document, edits=[messages.LspTextEdit(range=place, new_text="x")]
    )
    whole = messages.ApplyEdit(
        label="Redline", edit=messages.WorkspaceEdit(document_changes=[edit])
    )
    plain = msgspec.json.decode(msgspec.json.encode(whole))
    assert read_and_written(plain, types.ApplyWorkspaceEditParams) == plain


@pytest.mark.parametrize("kind", ["begin", "report", "end"])
def test_progress_that_we_send_is_what_lsprotocol_reads(kind: str) -> None:
    title = "Edit" if kind == "begin" else None
    value = messages.WorkDone(kind=kind, title=title, message="half-way")
    plain = msgspec.json.decode(msgspec.json.encode(value))
    theirs = {
        "begin": types.WorkDoneProgressBegin,
        "report": types.WorkDoneProgressReport,
        "end": types.WorkDoneProgressEnd,
    }
    assert read_and_written(plain, theirs[kind]) == plain


ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32", "utf-7", ""])


@given(offers=st.none() | st.lists(ENCODINGS, max_size=4))
def test_both_choose_the_same_position_encoding(offers: list[str] | None) -> None:
    general = {} if offers is None else {"positionEncodings": offers}
    params = {"processId": None, "rootUri": None, "capabilities": {"general": general}}
    theirs = CONVERTER.structure(params, types.InitializeParams)
    chosen = ServerCapabilitiesBuilder.choose_position_encoding(theirs.capabilities)
    ours = read_client(params).encoding
    assert ours.value == types.PositionEncodingKind(chosen).value


def test_the_answer_to_initialize_is_what_lsprotocol_reads() -> None:
    offer = ServerOffer(name="redline", version="1.2", commands=("redline.edit",))
    result = answer(read_client({}), offer)
    assert read_and_written(result, types.InitializeResult) == result
