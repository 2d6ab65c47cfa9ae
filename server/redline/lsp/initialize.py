"""Answers `initialize` at once, without slow imports.

The client's params are read leniently: editors written in Lua, Lisp and Vimscript send
`[]` or `null` for an empty object, and an unused field must not prevent the start.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any  # JSON, here only; `Client` is typed.

import msgspec
from msgspec import Struct, field

from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.process_watch import watch_process
from redline.text.position import Encoding

logger = logging.getLogger(__name__)

LLM_GENERATED = 1
"""`CodeActionTag.LLMGenerated` of LSP 3.18."""

_FREEZE_ON_RESOLVE = frozenset({"helix"})
"""Editors that block until `codeAction/resolve` is answered (Helix 25.07): for them an
action is a command, which can be stopped."""

_HIDE_ERRORS = frozenset({"helix"})
"""Editors that only log the error answer to a command (Helix 25.07)."""


_ALL_FILES = {"scheme": "file", "pattern": {"glob": "**/*"}}
"""Filters files and folders, at any depth, whose renames are reported."""


class Folder(Struct, frozen=True, kw_only=True):
    uri: str
    name: str = ""


class Client(Struct, frozen=True, kw_only=True):
    """The parts of the editor's `initialize` params that we use."""

    name: str = ""
    version: str = ""
    process_id: int | None = None
    folders: tuple[Folder, ...] = ()
    """The workspace folders; for an old client its one root."""
    encoding: Encoding = Encoding.UTF_16
    """The position encoding: the client's first offer that we support."""
    has_document_changes: bool = False
    """Whether `workspace/applyEdit` supports versioned `documentChanges`."""
    has_progress: bool = False
    """Whether we may create work-done progress."""
    has_configuration: bool = False
    """Whether it answers `workspace/configuration`."""
    registers_configuration: bool = False
    """Whether `workspace/didChangeConfiguration` can be registered."""
    takes_actions: bool = False
    """Whether code actions may be more than plain commands."""
    resolves_edits: bool = False
    """Whether the client resolves the edit of a chosen code action."""
    reads_action_tags: bool = False
    """Whether it shows which code actions a model carries out (LSP 3.18)."""
    creates_files: bool = False
    """Whether a workspace edit may create files."""
    renames_files: bool = False
    deletes_files: bool = False
    shows_annotations: bool = False
    """Whether it shows the annotations of a workspace edit for confirmation."""
    undoes_failed_edits: bool = False
    """Whether nothing of a workspace edit is left that it could not apply."""
    reads_edit_metadata: bool = False
    """Whether `workspace/applyEdit` supports metadata (LSP 3.18)."""
    hides_errors: bool = False
    """Whether it does not show the error answer to a command."""
    shows_documents: bool = False
    """Whether `window/showDocument` can show a file."""
    can_ask: bool = False
    """Whether it asks the user for the instruction of a redirect without one."""
    registers_watched_files: bool = False
    """Whether it can watch files for us."""
    has_preview: bool = False
    """Opted in to `redline/edit/...` notifications."""
    has_status: bool = False
    """Opted in to `redline/status` notifications."""
    has_next_edit: bool = False
    """Opted in to `redline/nextEdit`."""
    has_reviews: bool = False
    """Opted in to `redline/review` notifications."""
    has_plans: bool = False
    """Opted in to `redline/plan` notifications."""
    has_tests: bool = False
    """Opted in to `redline/tests` notifications."""
    pulls_diagnostics: bool = False
    """Whether it pulls diagnostics, and supports their refresh."""
    shows_related: bool = False
    """Whether a diagnostic may have related information."""
    refreshes_lenses: bool = False
    """Whether it supports a refresh of code lenses."""
    reads_content: bool = False
    """Whether it requests the content of documents with our scheme."""
    shows_ghost_text: bool = False
    """Whether it requests inline completions (LSP 3.18)."""
    refreshes_ghost_text: bool = False
    """Opted in to `redline/inline/changed`."""
    registers_ghost_text: bool = False
    """Whether `textDocument/inlineCompletion` can be registered later."""
    options: bytes = b"null"
    """`initializationOptions`, as JSON."""


class ServerOffer(Struct, frozen=True, kw_only=True):
    """The part of the answer that depends on the server's features."""

    name: str
    version: str
    commands: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    """The scheme of the documents whose content it serves."""
    capabilities: Mapping[str, object] = field(default_factory=dict)
    """Members of `ServerCapabilities` besides those of `answer`, JSON-able."""


def serve_initialize(
    endpoint: Endpoint, offer: ServerOffer, on_client: Callable[[Client], None]
) -> None:
    """Answer `initialize` on an endpoint, and end when the client's process dies.

    Args:
        endpoint: An endpoint that is not in use yet.
        offer: The server's features.
        on_client: Called with the client's params before the answer.
    """

    def answer_now(params: dict[str, Any]) -> dict[str, object]:
        client = read_client(params)
        logger.info(
            "%s %s connects, encoding %s, %d folders",
            client.name or "an editor",
            client.version,
            client.encoding.value,
            len(client.folders),
        )
        on_client(client)
        if client.process_id is not None:
            watch_process(
                client.process_id,
                lambda: endpoint.editor_gone("the editor's process has died"),
            )
        return answer(client, offer)

    endpoint.on_request_now("initialize", dict[str, Any], answer_now)


def answer(client: Client, offer: ServerOffer) -> dict[str, object]:
    """Return the `InitializeResult`."""
    workspace: dict[str, object] = {
        "workspaceFolders": {"supported": True, "changeNotifications": True},
        "fileOperations": {"didRename": {"filters": [_ALL_FILES]}},
    }
    if client.reads_content:
        workspace["textDocumentContent"] = {"schemes": list(offer.schemes)}
    pulled = {"interFileDependencies": False, "workspaceDiagnostics": False}
    return {
        "capabilities": {
            "positionEncoding": client.encoding.value,
            # 2: incremental (`TextDocumentSyncKind`).
            "textDocumentSync": {
                "openClose": True,
                "change": 2,
                "save": {"includeText": False},
            },
            "executeCommandProvider": {"commands": list(offer.commands)},
            "workspace": workspace,
            **({"diagnosticProvider": pulled} if client.pulls_diagnostics else {}),
            **_completion_capability(client),
            **offer.capabilities,
        },
        "serverInfo": {"name": offer.name, "version": offer.version},
    }


def _completion_capability(client: Client) -> dict[str, object]:
    """Return how completions are requested; clients that can register it do so later,
    and clients without ghost text get items in their popup."""
    if not client.shows_ghost_text:
        return {"completionProvider": {"resolveProvider": False}}
    return {} if client.registers_ghost_text else {"inlineCompletionProvider": True}


def read_client(params: dict[str, Any]) -> Client:
    """Read `InitializeParams`; invalid members count as absent."""

    def has(*path: str) -> bool:
        return _at(params, "capabilities", *path) is True

    def offers(*path: str) -> bool:
        return isinstance(_at(params, "capabilities", *path), dict)

    def lists(word: str, *path: str) -> bool:
        words = _at(params, "capabilities", *path)
        return isinstance(words, list) and word in words

    action = ("textDocument", "codeAction")
    info = _at(params, "clientInfo")
    name = _text(_at(info, "name"))
    return Client(
        name=name,
        version=_text(_at(info, "version")),
        process_id=_number(_at(params, "processId")),
        folders=_folders(params),
        encoding=_encoding(_at(params, "capabilities", "general", "positionEncodings")),
        has_document_changes=has("workspace", "workspaceEdit", "documentChanges"),
        has_progress=has("window", "workDoneProgress"),
        has_configuration=has("workspace", "configuration"),
        registers_configuration=has(
            "workspace", "didChangeConfiguration", "dynamicRegistration"
        ),
        takes_actions=_at(params, "capabilities", *action, "codeActionLiteralSupport")
        is not None,
        # The work is described by the action's data, which the client must send back.
        resolves_edits=name not in _FREEZE_ON_RESOLVE
        and has(*action, "dataSupport")
        and lists("edit", *action, "resolveSupport", "properties"),
        reads_action_tags=_reads_llm_generated(
            _at(params, "capabilities", *action, "tagSupport", "valueSet")
        ),
        creates_files=lists(
            "create", "workspace", "workspaceEdit", "resourceOperations"
        ),
        renames_files=lists(
            "rename", "workspace", "workspaceEdit", "resourceOperations"
        ),
        deletes_files=lists(
            "delete", "workspace", "workspaceEdit", "resourceOperations"
        ),
        shows_annotations=offers(
            "workspace", "workspaceEdit", "changeAnnotationSupport"
        ),
        undoes_failed_edits=_at(
            params, "capabilities", "workspace", "workspaceEdit", "failureHandling"
        )
        in ("transactional", "undo"),
        reads_edit_metadata=has("workspace", "workspaceEdit", "metadataSupport"),
        hides_errors=name in _HIDE_ERRORS,
        shows_documents=has("window", "showDocument", "support"),
        can_ask=has("experimental", "redline", "prompt"),
        registers_watched_files=has(
            "workspace", "didChangeWatchedFiles", "dynamicRegistration"
        ),
        has_preview=has("experimental", "redline", "preview"),
        has_status=has("experimental", "redline", "status"),
        has_next_edit=has("experimental", "redline", "nextEdit"),
        has_reviews=has("experimental", "redline", "reviews"),
        has_plans=has("experimental", "redline", "plan"),
        has_tests=has("experimental", "redline", "tests"),
        # Findings arrive without a document change, so clients must support a refresh.
        pulls_diagnostics=offers("textDocument", "diagnostic")
        and has("workspace", "diagnostics", "refreshSupport"),
        shows_related=has("textDocument", "publishDiagnostics", "relatedInformation"),
        refreshes_lenses=has("workspace", "codeLens", "refreshSupport"),
        reads_content=offers("workspace", "textDocumentContent"),
        shows_ghost_text=offers("textDocument", "inlineCompletion"),
        refreshes_ghost_text=has("experimental", "redline", "inline", "refresh"),
        registers_ghost_text=has(
            "textDocument", "inlineCompletion", "dynamicRegistration"
        ),
        options=msgspec.json.encode(params.get("initializationOptions")),
    )


def _reads_llm_generated(values: object) -> bool:
    return isinstance(values, list) and LLM_GENERATED in values


def _at(value: Any, *path: str) -> Any:
    """Return the value at a path; None if the path does not exist."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number else None


def _encoding(offers: Any) -> Encoding:
    """Return the first supported offer; the client's are in order (LSP 3.18)."""
    known = {encoding.value: encoding for encoding in Encoding}
    if isinstance(offers, list):
        for offer in offers:
            if isinstance(offer, str) and offer in known:
                return known[offer]
    return Encoding.UTF_16


def _folders(params: dict[str, Any]) -> tuple[Folder, ...]:
    folders = params.get("workspaceFolders")
    if isinstance(folders, list) and folders:
        found = [
            Folder(uri=uri, name=_text(_at(folder, "name")))
            for folder in folders
            if (uri := _text(_at(folder, "uri")))
        ]
        return tuple(found)
    root = _text(params.get("rootUri"))
    return (Folder(uri=root),) if root else ()
