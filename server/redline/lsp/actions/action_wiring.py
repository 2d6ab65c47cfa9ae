"""Wires code actions: the menu, the resolver of an entry, and the commands."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from redline.assist.context.gatherer import ContextGatherer
from redline.assist.edit.edits import Edits
from redline.assist.edit.precompute import PrecomputedFixes
from redline.assist.edit.write_tests import TestWriter
from redline.assist.editor.services import EditorServices
from redline.assist.explain.explainer import Explainer
from redline.assist.usage.recorder import Ledger
from redline.lsp.actions.action_commands import ActionCommands
from redline.lsp.actions.chosen_action import ActionResolver
from redline.lsp.actions.code_action import CodeActions, NextEditActions
from redline.lsp.actions.menu import Menu
from redline.lsp.client.documents import DocumentShower
from redline.lsp.client.workspace_edits import EditForms
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.rooms.command_row import CommandRow


class ServedActions(Struct, frozen=True, kw_only=True):
    """The parts of code actions that other parts of the server use."""

    commands: Mapping[str, CommandRow]
    """The commands of actions, by name."""
    resolver: ActionResolver
    """Computes the edit of a chosen action."""
    precomputed: PrecomputedFixes
    """Fixes that are computed before the user requests them."""


def serve_actions(
    endpoint: Endpoint,
    client: Client,
    services: EditorServices,
    *,
    edits: Edits,
    unseen_edits: Edits,
    gatherer: ContextGatherer,
    reviews: Menu,
    next_edits: NextEditActions,
    ledger: Ledger,
) -> ServedActions:
    """Serve code actions on an endpoint.

    Args:
        endpoint: The connection.
        client: The editor's capabilities.
        services: What the use cases work with.
        edits: The user's edits.
        unseen_edits: A second instance, for edits computed in advance; closed with the
            endpoint.
        gatherer: Gets the diagnostics that come with requests.
        reviews: Offers the actions of deep reviews.
        next_edits: Offers the next edits of a document.
        ledger: Records usage.
    """
    # What several parts share.
    precomputed = PrecomputedFixes(
        edits=unseen_edits, settings=lambda: services.settings().actions
    )
    tests = TestWriter(services, edits)
    shower = DocumentShower(endpoint, shows_documents=client.shows_documents)
    forms = EditForms(client)
    # The menu.
    CodeActions(
        services,
        client,
        edits=edits,
        precomputed=precomputed,
        note_diagnostics=gatherer.note_diagnostics,
        reviews=reviews,
        next_edits=next_edits,
    ).serve(endpoint)
    endpoint.on_shutdown(shower.aclose)
    endpoint.on_shutdown(precomputed.aclose)
    # Explanations and tests.
    commands = ActionCommands(
        endpoint=endpoint,
        workspace=services.workspace,
        explainer=Explainer(services, ledger),
        tests=tests,
        shower=shower,
        edit_forms=forms,
    )
    # The edits of chosen actions.
    resolver = ActionResolver(
        workspace=services.workspace,
        edits=edits,
        tests=tests,
        precomputed=precomputed,
        edit_forms=forms,
    )
    return ServedActions(
        commands=commands.table(), resolver=resolver, precomputed=precomputed
    )
