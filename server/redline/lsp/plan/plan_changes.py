"""Changes files as a plan says: by an edit of the editor, and the rest here."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from redline.assist.editor.workspace import Workspace
from redline.assist.plan.application import AppliedFile
from redline.assist.plan.file_operations import change_files
from redline.errors import EditNotLandedError, InvalidArgumentsError
from redline.lsp.client.window import ask_user
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.plan.plan_edit import (
    apply_plan_edit,
    is_supported,
    operation,
    plan_edit,
)
from redline.lsp.plan.plan_landing import PlanLanding

_DO_IT, _LEAVE = "Do it", "Change nothing"


class PlanChanges:
    """Applies the changes of plans for one editor."""

    def __init__(
        self, endpoint: Endpoint, client: Client, workspace: Workspace
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._workspace = workspace

    async def apply(
        self, label: str, files: Sequence[AppliedFile], root: str
    ) -> Mapping[str, str]:
        """Apply changes, and wait until the open documents show them.

        What the client cannot do by an edit is done here; see `ask_for`.

        Returns:
            Why a file still has the text from before, by path; mostly not known.

        Raises:
            EditNotLandedError: If nothing was applied.
        """
        by_editor = [one for one in files if is_supported(one, self._client)]
        rest = [one for one in files if one not in by_editor]
        missing: dict[str, str] = {}
        if by_editor:
            missing = dict.fromkeys(await self._apply_edit(label, by_editor), "")
        if by_editor and len(missing) == len(by_editor):
            missing |= dict.fromkeys((one.path for one in rest), "")
        else:
            missing |= await asyncio.to_thread(change_files, rest, root)
        if len(missing) == len(files):
            reasons = f" {named_files(missing)}." if any(missing.values()) else ""
            raise EditNotLandedError(
                f"The editor did not apply the plan: no file shows it.{reasons}",
                remedy="The plan is as it was; apply it again.",
            )
        return missing

    async def ask_for(self, changed: Sequence[AppliedFile]) -> None:
        """Ask the user whether to do what the client cannot do by an edit, if anything.

        Raises:
            InvalidArgumentsError: If the user does not want it.
        """
        files = [one for one in changed if not is_supported(one, self._client)]
        if not files:
            return
        named = [
            f"{operation(one)} {one.old_path} as {one.path}"
            if one.old_path
            else f"{operation(one)} {one.path}"
            for one in files
        ]
        question = (
            "Redline: this editor cannot do all of the plan by an edit. Shall Redline "
            f"itself {', '.join(named)}? The editor's undo does not take that back; "
            "`redline.takeBack` does."
        )
        if await ask_user(self._endpoint, question, (_DO_IT, _LEAVE)) != _DO_IT:
            raise InvalidArgumentsError(
                f"This editor cannot {named[0]} by an edit, and Redline was not "
                "allowed to.",
                remedy="Nothing was changed, and the plan waits: apply it again, or "
                "only the other files by `files`.",
            )

    async def _apply_edit(
        self, label: str, files: Sequence[AppliedFile]
    ) -> Sequence[str]:
        """Apply changes by an edit; return the paths of the files that it left."""
        edit = plan_edit(files, self._client)
        landing = PlanLanding(self._workspace, files)
        try:
            if await apply_plan_edit(self._endpoint, label, edit, self._client):
                client = self._client
                is_previewed = client.shows_annotations and client.reads_edit_metadata
                return await landing.missing(is_previewed=is_previewed)
            if self._client.undoes_failed_edits:
                return tuple(file.path for file in files)
            # Such an editor stops at the first change that it cannot make.
            return await landing.not_shown()
        finally:
            landing.close()


def named_files(missing: Mapping[str, str]) -> str:
    """Return the paths of files, with what is known about why they were left."""
    return ", ".join(
        f"{path} ({reason})" if reason else path for path, reason in missing.items()
    )
