"""`redline.explain` and `redline.writeTests`: the commands of actions that do not edit
their range.
"""

from __future__ import annotations

from collections.abc import Mapping

from redline.assist.edit.write_tests import TestWriter
from redline.assist.editor.workspace import Workspace
from redline.assist.explain.explainer import ExplainedRange, Explainer
from redline.errors import EditNotLandedError
from redline.lsp.client.documents import DocumentShower
from redline.lsp.client.workspace_edits import EditForms, apply_edit
from redline.lsp.edit import edit_messages
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import DeferredAnswer
from redline.lsp.protocol import messages, names
from redline.lsp.protocol.messages import ExecuteCommand, ProgressParams, our_range
from redline.lsp.rooms.command_row import CommandRow, command
from redline.text.document import Snapshot
from redline.text.position import Range


class ActionCommands:
    def __init__(
        self,
        *,
        endpoint: Endpoint,
        workspace: Workspace,
        explainer: Explainer,
        tests: TestWriter,
        shower: DocumentShower,
        edit_forms: EditForms,
    ) -> None:
        self._endpoint = endpoint
        self._workspace = workspace
        self._explainer = explainer
        self._tests = tests
        self._shower = shower
        self._edit_forms = edit_forms

    def table(self) -> Mapping[str, CommandRow]:
        return {
            names.EXPLAIN: command(edit_messages.ExplainArguments, self._explain),
            names.WRITE_TESTS: command(
                edit_messages.WriteTestsArguments, self._write_tests
            ),
        }

    def _explain(
        self, arguments: edit_messages.ExplainArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        snapshot, selection = self._place(arguments.uri, arguments.range)
        token = arguments.stream_token

        def stream(so_far: ExplainedRange) -> None:
            # What a slow client misses comes with the next one.
            if token is not None and not self._endpoint.is_congested:
                value = edit_messages.Explanation(
                    markdown=so_far.markdown, tier=so_far.tier
                )
                self._endpoint.notify("$/progress", ProgressParams(token, value))

        async def run() -> edit_messages.Explanation:
            done = await self._explainer.explain(
                snapshot,
                selection,
                question=arguments.question,
                progress_token=params.work_done_token,
                on_text=None if token is None else stream,
            )
            if arguments.show:
                await self._shower.show(done.markdown)
            return edit_messages.Explanation(markdown=done.markdown, tier=done.tier)

        return DeferredAnswer(lambda _: run())

    def _write_tests(
        self, arguments: edit_messages.WriteTestsArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        snapshot, selection = self._place(arguments.uri, arguments.range)

        async def run() -> edit_messages.WriteTestsResult:
            tests = await self._tests.write(
                snapshot,
                selection,
                wish=arguments.wish or "",
                progress_token=params.work_done_token,
            )
            edit = self._edit_forms.of_tests(tests)
            if not await apply_edit(self._endpoint, "Redline: write tests", edit):
                raise EditNotLandedError("The editor refused the tests.")
            return edit_messages.WriteTestsResult(
                uri=tests.snapshot.uri, created=tests.is_new
            )

        return DeferredAnswer(lambda _: run())

    def _place(self, uri: str, where: messages.LspRange) -> tuple[Snapshot, Range]:
        # Inside the reader, for the text as it was when the command was sent.
        snapshot = self._workspace.document(uri).snapshot()
        return snapshot, snapshot.range_from_client(our_range(where))
