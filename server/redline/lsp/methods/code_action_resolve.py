"""`codeAction/resolve`: compute the edit of the action that was chosen."""

from __future__ import annotations

import asyncio

import attrs
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from redline.lsp.actions.chosen_action import ActionResolver
from redline.lsp.methods.lsp_values import as_lsp


def register(server: LanguageServer, resolver: ActionResolver) -> None:
    """Serve the edits of code actions."""

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def on_code_action_resolve(action: types.CodeAction) -> types.CodeAction:
        chosen = resolver.choose(action.data)
        if chosen is None:
            return action
        try:
            edit = await chosen.edit()
        except asyncio.CancelledError:
            chosen.cancel()
            raise
        return attrs.evolve(action, edit=as_lsp(edit, types.WorkspaceEdit))
