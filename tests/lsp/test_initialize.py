"""The client's params are read leniently; our answer is plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.lsp.initialize import (
    Client,
    Folder,
    ServerOffer,
    answer,
    read_client,
    serve_initialize,
)
from redline.text.position import Encoding

if TYPE_CHECKING:
    from .conftest import Editor

Json = dict[str, Any]  # Any: JSON.


def test_a_whole_client_is_read() -> None:
    params: Json = {
        "processId": 7,
        "clientInfo": {"name": "Editor", "version": "1.0"},
        "rootUri": "file:///old",
        "workspaceFolders": [{"uri": "file:///a", "name": "a"}, {"uri": "file:///b"}],
        "initializationOptions": {"tiers": {"fast": "x"}},
        "capabilities": {
            "general": {"positionEncodings": ["utf-99", "utf-32", "utf-8"]},
            "workspace": {
                "applyEdit": True,
                "configuration": True,
                "workspaceEdit": {"documentChanges": True},
                "didChangeConfiguration": {"dynamicRegistration": True},
                "didChangeWatchedFiles": {"dynamicRegistration": True},
            },
            "window": {"workDoneProgress": True},
            "experimental": {"redline": {"preview": True, "status": True}},
        },
    }
    assert read_client(params) == Client(
        name="Editor",
        version="1.0",
        process_id=7,
        folders=(Folder(uri="file:///a", name="a"), Folder(uri="file:///b")),
        encoding=Encoding.UTF_32,
        has_document_changes=True,
        has_progress=True,
        has_configuration=True,
        registers_configuration=True,
        registers_watched_files=True,
        has_preview=True,
        has_status=True,
        options=b'{"tiers":{"fast":"x"}}',
    )


def test_an_old_clients_root_is_its_one_folder() -> None:
    client = read_client({"rootUri": "file:///old", "workspaceFolders": None})
    assert client.folders == (Folder(uri="file:///old"),)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"capabilities": None, "clientInfo": None, "workspaceFolders": None},
        {"capabilities": [], "workspaceFolders": [], "clientInfo": []},
        {"capabilities": {"general": [], "workspace": False, "window": 1}},
        {"capabilities": {"general": {"positionEncodings": {}}}, "rootUri": None},
        {"workspaceFolders": [None, 3, {}, {"uri": None}], "processId": True},
        {"capabilities": {"experimental": {"redline": {"preview": "yes"}}}},
    ],
)
def test_what_does_not_fit_counts_as_not_said(params: Json) -> None:
    assert read_client(params) == Client()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["capabilities", "general", "uri", "positionEncodings"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(
    params=st.dictionaries(
        st.sampled_from(
            ["capabilities", "clientInfo", "workspaceFolders", "processId"]
        ),
        JSON,
    )
)
def test_no_params_are_too_strange(params: Json) -> None:
    read_client(params)


@pytest.mark.parametrize(
    ("inline", "expected"),
    [
        (None, {"completionProvider"}),
        ({}, {"inlineCompletionProvider"}),
        ({"dynamicRegistration": False}, {"inlineCompletionProvider"}),
        ({"dynamicRegistration": True}, set()),
    ],
)
def test_how_completions_are_requested(inline: Json | None, expected: set[str]) -> None:
    """Ghost text if the client has it, registered in one way; a popup otherwise."""
    document = {} if inline is None else {"inlineCompletion": inline}
    client = read_client({"capabilities": {"textDocument": document}})
    result: Any = answer(client, ServerOffer(name="n", version="v"))
    offered = result["capabilities"].keys()
    assert offered & {"completionProvider", "inlineCompletionProvider"} == expected
    assert client.registers_ghost_text == (not expected)


@pytest.mark.parametrize(
    ("handling", "undoes"),
    [
        (None, False),
        ("abort", False),
        ("textOnlyTransactional", False),
        ("transactional", True),
        ("undo", True),
    ],
)
def test_which_editors_undo_an_edit_that_fails(
    handling: str | None, *, undoes: bool
) -> None:
    """Only where files are restored, too: a plan may create and delete them."""
    edit = {} if handling is None else {"failureHandling": handling}
    client = read_client({"capabilities": {"workspace": {"workspaceEdit": edit}}})
    assert client.undoes_failed_edits is undoes


def test_the_wiring_adds_capabilities() -> None:
    offer = ServerOffer(name="n", version="v", capabilities={"hoverProvider": True})
    result: Any = answer(Client(encoding=Encoding.UTF_8), offer)
    assert result["capabilities"]["hoverProvider"] is True
    assert result["capabilities"]["positionEncoding"] == "utf-8"


async def test_the_client_is_known_before_it_is_answered(editor: Editor) -> None:
    known: list[Client] = []

    def learn(client: Client) -> None:
        assert editor.heard == []
        known.append(client)

    serve_initialize(editor.endpoint, ServerOffer(name="n", version="v"), learn)
    # The process id of nobody: an editor in another container.
    editor.say("initialize", {"processId": 2**22 + 1, "capabilities": {}}, id=1)
    assert editor.heard[0]["result"]["serverInfo"] == {"name": "n", "version": "v"}
    assert [client.process_id for client in known] == [2**22 + 1]
