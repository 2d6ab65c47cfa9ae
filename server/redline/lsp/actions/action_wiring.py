"""Wires code actions: the menu, the resolver of an entry, and the commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from redline.assist.context.gatherer import ContextGatherer
from redline.assist.edit.edits import Edits
from redline.assist.edit.precompute import PrecomputedFixes
from redline.assist.editor import Editor
from redline.assist.explain.explainer import Explainer
from redline.assist.privacy.prompt_log import PromptLog
from redline.assist.tiers.tier_choice import Tiers
from redline.assist.usage.recorder import Ledger
from redline.assist.workspace import Workspace
from redline.assist.write_tests import TestWriter
from redline.lsp.actions.action_commands import ActionCommands
from redline.lsp.actions.chosen_action import ActionResolver
from redline.lsp.actions.code_action import ActionForms, CodeActions, NextEditActions
from redline.lsp.actions.review_menu import ReviewMenu
from redline.lsp.client.documents import DocumentShower
from redline.lsp.client.workspace_edits import edit_forms
from redline.lsp.commands import CommandRow
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.settings.tree import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedActions:
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
    *,
    workspace: Workspace,
    editor: Editor,
    tiers: Tiers,
    edits: Edits,
    unseen_edits: Edits,
    gatherer: ContextGatherer,
    reviews: ReviewMenu,
    next_edits: NextEditActions,
    settings: Callable[[], Settings],
    cache_key: str,
    sent: PromptLog,
    ledger: Ledger,
) -> ServedActions:
    """Serve code actions on an endpoint.

    Args:
        endpoint: The connection.
        client: The editor's capabilities.
        workspace: The open documents.
        editor: The client, as the use cases see it.
        tiers: The models.
        edits: The user's edits.
        unseen_edits: A second instance, for edits computed in advance; closed with the
            endpoint.
        gatherer: Gets the diagnostics that come with requests.
        reviews: Offers the actions of deep reviews.
        next_edits: Offers the next edits of a document.
        settings: Returns the settings in force.
        cache_key: For the providers' prompt caches.
        sent: The prompt log.
        ledger: Records usage.
    """
    # What several parts share.
    precomputed = PrecomputedFixes(
        edits=unseen_edits, settings=lambda: settings().actions
    )
    tests = TestWriter(workspace=workspace, edits=edits, settings=settings)
    shower = DocumentShower(endpoint, shows_documents=client.shows_documents)
    forms = edit_forms(client)
    # The menu.
    CodeActions(
        workspace=workspace,
        edits=edits,
        precomputed=precomputed,
        settings=lambda: settings().actions,
        forms=ActionForms(
            takes_actions=client.takes_actions,
            resolves_edits=client.resolves_edits,
            reads_tags=client.reads_action_tags,
            can_ask=client.can_ask,
        ),
        note_diagnostics=gatherer.note_diagnostics,
        reviews=reviews,
        next_edits=next_edits,
        tiers=tiers,
    ).serve(endpoint)
    endpoint.on_shutdown(shower.aclose)
    endpoint.on_shutdown(precomputed.aclose)
    # Explanations and tests.
    commands = ActionCommands(
        endpoint=endpoint,
        workspace=workspace,
        explainer=Explainer(
            workspace=workspace,
            editor=editor,
            tiers=tiers,
            settings=settings,
            cache_key=cache_key,
            sent=sent,
            ledger=ledger,
        ),
        tests=tests,
        shower=shower,
        edit_forms=forms,
    )
    # The edits of chosen actions.
    resolver = ActionResolver(
        workspace=workspace,
        edits=edits,
        tests=tests,
        precomputed=precomputed,
        edit_forms=forms,
    )
    return ServedActions(
        commands=commands.table(), resolver=resolver, precomputed=precomputed
    )
