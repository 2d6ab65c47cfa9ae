"""Writes a plan as one workspace edit, in a form that the client supports."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from redline.assist.plan.application import AppliedFile
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol.messages import (
    ApplyEditResult,
    DocumentId,
    LspRange,
    wire_range,
)
from redline.text.document import Snapshot
from redline.text.markdown import plain_message

_APPLY_LIMIT_S = 600.0
"""A user reads a refactor preview before it is applied."""

_MAX_DESCRIPTION_CHARS = 500


class _AnnotatedEdit(Struct, frozen=True, rename="camel"):
    range: LspRange
    new_text: str
    annotation_id: str | UnsetType = UNSET


class _FileEdits(Struct, frozen=True, rename="camel"):
    text_document: DocumentId
    edits: list[_AnnotatedEdit]


class _Creation(Struct, frozen=True, rename="camel", tag_field="kind", tag="create"):
    uri: str
    annotation_id: str | UnsetType = UNSET


class _Renaming(Struct, frozen=True, rename="camel", tag_field="kind", tag="rename"):
    old_uri: str
    new_uri: str
    annotation_id: str | UnsetType = UNSET


class _Deletion(Struct, frozen=True, rename="camel", tag_field="kind", tag="delete"):
    uri: str
    annotation_id: str | UnsetType = UNSET


class _Annotation(Struct, frozen=True, rename="camel"):
    label: str
    needs_confirmation: bool
    description: str


class PlanEdit(Struct, frozen=True, rename="camel"):
    """A workspace edit with change annotations."""

    document_changes: (
        list[_FileEdits | _Creation | _Renaming | _Deletion] | UnsetType
    ) = UNSET
    changes: dict[str, list[_AnnotatedEdit]] | UnsetType = UNSET
    change_annotations: dict[str, _Annotation] | UnsetType = UNSET


class _Metadata(Struct, frozen=True, rename="camel"):
    is_refactoring: bool


class _ApplyPlanEdit(Struct, frozen=True):
    label: str
    edit: PlanEdit
    metadata: _Metadata | UnsetType = UNSET


def plan_edit(files: Sequence[AppliedFile], client: Client) -> PlanEdit:
    """Write the changes of a plan that the client supports."""
    if not client.has_document_changes:
        return PlanEdit(
            changes={file.uri: _edits(file, client, None) for file in files}
        )
    changes: list[_FileEdits | _Creation | _Renaming | _Deletion] = []
    annotations: dict[str, _Annotation] = {}
    for number, file in enumerate(files):
        name: str | None = None
        if client.shows_annotations:
            name = f"redline-{number}"
            annotations[name] = _Annotation(
                label=plain_message(file.label),
                needs_confirmation=file.needs_look,
                description=plain_message(file.description)[:_MAX_DESCRIPTION_CHARS],
            )
        mark = name or UNSET
        version: int | None = file.snapshot.version if file.is_open else None
        if file.after is None:
            changes.append(_Deletion(uri=file.uri, annotation_id=mark))
            continue
        if file.old_uri:
            changes.append(
                _Renaming(old_uri=file.old_uri, new_uri=file.uri, annotation_id=mark)
            )
            version = None
        elif file.before is None:
            changes.append(_Creation(uri=file.uri, annotation_id=mark))
            version = None
        if file.edits:
            document = DocumentId(file.uri, version)
            edits = _edits(file, client, name)
            changes.append(_FileEdits(text_document=document, edits=edits))
    return PlanEdit(document_changes=changes, change_annotations=annotations or UNSET)


async def apply_plan_edit(
    endpoint: Endpoint, label: str, edit: PlanEdit, client: Client
) -> bool:
    """Ask the client to apply a plan; return whether it did.

    Raises:
        EditorError: If it answers with an error, or does not answer.
        RemoteProtocolError: If its answer cannot be read.
    """
    metadata = _Metadata(is_refactoring=True) if client.reads_edit_metadata else UNSET
    answer = await endpoint.request(
        "workspace/applyEdit",
        _ApplyPlanEdit(plain_message(label), edit, metadata),
        ApplyEditResult,
        timeout_s=_APPLY_LIMIT_S,
    )
    return answer.applied


def operation(file: AppliedFile) -> str:
    """Return what is done with a file as a whole; empty: its text is edited."""
    if file.old_uri:
        return "rename"
    if file.after is None:
        return "delete"
    return "create" if file.before is None else ""


def is_supported(file: AppliedFile, client: Client) -> bool:
    """Whether a client can make the change of a file by an edit."""
    can = {
        "rename": client.renames_files,
        "delete": client.deletes_files,
        "create": client.creates_files,
    }
    return can.get(operation(file), True)


def _edits(file: AppliedFile, client: Client, name: str | None) -> list[_AnnotatedEdit]:
    snapshot = file.snapshot
    # Converted to the units of the client, also for files that it has not open.
    snapshot = Snapshot(
        uri=snapshot.uri,
        version=snapshot.version,
        language_id=snapshot.language_id,
        lines=snapshot.lines,
        encoding=client.encoding,
    )
    return [
        _AnnotatedEdit(
            range=wire_range(snapshot, edit.range),
            new_text=edit.new_text,
            annotation_id=name or UNSET,
        )
        for edit in file.edits
    ]
