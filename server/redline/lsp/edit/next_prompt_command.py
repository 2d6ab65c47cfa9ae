"""`redline.nextPrompt`: what an instruction would be sent with, while it is typed."""

from __future__ import annotations

from collections.abc import Mapping

from redline.assist.edit.edits import Edits
from redline.assist.edit.prompt.next_prompt import NextPrompt
from redline.assist.edit.session.result import EditRequest
from redline.assist.editor.workspace import Workspace
from redline.lsp.edit import edit_messages, prompt_messages
from redline.lsp.edit.edited_ranges import edit_work
from redline.lsp.jsonrpc.request_context import DeferredAnswer, RequestContext
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import ExecuteCommand
from redline.lsp.rooms.command_row import CommandRow, command


class NextPromptCommand:
    """Answers `redline.nextPrompt` in a task: named files are read."""

    def __init__(self, workspace: Workspace, edits: Edits) -> None:
        self._workspace = workspace
        self._edits = edits

    def table(self) -> Mapping[str, CommandRow]:
        return {
            names.NEXT_PROMPT: command(prompt_messages.NextPromptArguments, self._next)
        }

    def _next(
        self, arguments: prompt_messages.NextPromptArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        work = edit_work(
            edit_messages.EditArguments(
                uri=arguments.uri,
                range=arguments.range,
                ranges=arguments.ranges,
                instruction=arguments.instruction,
            ),
            self._workspace.document(arguments.uri).snapshot(),
        )
        request = EditRequest(
            session_id="",
            uri=arguments.uri,
            range=work.range,
            ranges=work.ranges,
            instruction=work.instruction,
        )

        async def run(context: RequestContext) -> prompt_messages.NextPromptResult:
            n_images = arguments.images
            return _result(await self._edits.next_prompt(request, n_images=n_images))

        return DeferredAnswer(run)


def _result(prompt: NextPrompt) -> prompt_messages.NextPromptResult:
    if not prompt.model.is_model:
        return prompt_messages.NextPromptResult(
            tier=prompt.tier, assumes=prompt.assumes
        )
    parts = prompt.parts
    return prompt_messages.NextPromptResult(
        tier=prompt.tier,
        assumes=prompt.assumes,
        summary=prompt.summary,
        model=prompt.model.name,
        tokens=prompt_messages.PromptTokens(
            window=prompt.use.context_tokens,
            total=prompt.use.n_tokens,
            range=parts.target,
            around=parts.around,
            context=parts.context,
            files=parts.files,
            images=parts.images,
        ),
    )
