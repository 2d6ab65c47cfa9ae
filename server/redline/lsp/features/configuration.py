"""`workspace/didChangeConfiguration`, and saved settings files."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from redline.lsp.client.configuration import Configuration


def register(server: LanguageServer, configuration: Configuration) -> None:
    """Reload the settings when the editor's settings or a settings file changes."""

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def on_did_change_configuration(
        params: types.DidChangeConfigurationParams,
    ) -> None:
        configuration.editor_settings_changed(params.settings)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def on_did_save(params: types.DidSaveTextDocumentParams) -> None:
        configuration.file_saved(params.text_document.uri)
