"""The ordinary day with the capabilities that real editors announce."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from tests.e2e.editor_document import EditorDocument, Json, lines
from tests.e2e.redline_session import ENVIRONMENT, settings_for
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.server_process import COMMAND, clean_environment

from redline import __version__
from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORS = ["visual-studio-code", "neovim", "emacs"]

URI = "file:///project/day.py"
TEXT = "def a():\n    return 1\n\n\nb = '\u00e9\U0001f600'\n"
EDITED = TEXT.replace("return 1", "return 10")


@pytest_asyncio.fixture(loop_scope="session", params=EDITORS)
async def client(
    request: pytest.FixtureRequest, tmp_path: Path, model: ScriptedModel
) -> AsyncIterator[LanguageClient]:
    """A client with an editor's capabilities, connected to a server of its own."""
    config = ClientServerConfig(
        server_command=[*COMMAND, "--log-file", str(tmp_path / "redline.log")],
        server_env={**clean_environment(tmp_path), **ENVIRONMENT},
    )
    client = await config.start()
    assert isinstance(client, LanguageClient)
    registered: list[types.RegistrationParams] = []
    take_requests(client, types.CLIENT_REGISTER_CAPABILITY, registered.append)
    params = types.InitializeParams(
        capabilities=client_capabilities(request.param),
        initialization_options=settings_for(model),
        root_uri=tmp_path.as_uri(),
    )
    result = await client.initialize_session(params)
    assert result.server_info is not None
    assert (result.server_info.name, result.server_info.version) == (
        "redline",
        __version__,
    )
    assert result.capabilities.execute_command_provider is not None
    yield client
    await client.shutdown_session()
    await client.stop()  # type: ignore[no-untyped-call]  # pytest-lsp's has no types.
    assert client.error is None
    assert "Traceback" not in (tmp_path / "redline.log").read_text()


def open_document(client: LanguageClient) -> EditorDocument:
    """Open the document, and take edits of it as the editor does."""
    document = EditorDocument(URI, TEXT, encoding="utf-16")
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            types.TextDocumentItem(URI, types.LanguageKind.Python, 1, TEXT)
        )
    )

    def on_apply_edit(
        params: types.ApplyWorkspaceEditParams,
    ) -> types.ApplyWorkspaceEditResult:
        edits = plain_edits(params.edit, document.version)
        changes = document.apply(edits)
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(document.version, URI),
                [
                    types.TextDocumentContentChangePartial(
                        range=wire_range(change["range"]), text=change["text"]
                    )
                    for change in changes
                ],
            )
        )
        return types.ApplyWorkspaceEditResult(applied=True)

    take_requests(client, types.WORKSPACE_APPLY_EDIT, on_apply_edit)
    return document


def take_requests(
    client: LanguageClient,
    method: str,
    # Any: the result type of the method.
    handler: Callable[[Any], Any],
) -> None:
    """Answer a method of the server's, which pygls takes from annotated functions."""
    client.feature(method)(lambda params: handler(params))


def plain_edits(edit: types.WorkspaceEdit, version: int) -> list[Json]:
    """The edits of the one document, however they are wrapped."""
    if edit.document_changes is None:
        assert edit.changes is not None
        found = list(edit.changes[URI])
    else:
        (part,) = edit.document_changes
        assert isinstance(part, types.TextDocumentEdit)
        assert part.text_document == types.OptionalVersionedTextDocumentIdentifier(
            uri=URI, version=version
        )
        found = [each for each in part.edits if isinstance(each, types.TextEdit)]
    return [
        {"range": plain_range(each.range), "newText": each.new_text} for each in found
    ]


def plain_range(value: types.Range) -> Json:
    """A range as JSON."""
    return {
        "start": {"line": value.start.line, "character": value.start.character},
        "end": {"line": value.end.line, "character": value.end.character},
    }


def wire_range(value: Json) -> types.Range:
    """A range as lsprotocol has it."""
    return types.Range(types.Position(**value["start"]), types.Position(**value["end"]))


async def run(client: LanguageClient, command: str, argument: object) -> Json:
    """Run a command; returns its result."""
    result = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, [argument])
    )
    assert isinstance(result, dict)
    return result


async def test_an_edit_and_the_status(
    client: LanguageClient, model: ScriptedModel
) -> None:
    """Handshake, edit, status: everything fits what the editor said of itself."""
    model.say(Script(otherwise=ScriptReply(text="def a():\n    return 10\n")))
    document = open_document(client)
    arguments = {"uri": URI, "range": lines(0, 2), "instruction": "ten"}
    outcome = await run(client, "redline.edit", arguments)
    assert outcome["outcome"] == "applied"
    assert document.text == EDITED
    status = await run(client, "redline.status", {})
    assert status["connection"] == "ready"
    assert status["sessions"] == []
    said = [each.message for each in client.messages]
    assert said == ["Redline changed 1 line in day.py; undo takes it back."]
    assert client.diagnostics == {}
