"""`redline.sharpen`: what an instruction leaves open, before it is sent."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET

from redline.assist.edit.running.router import NOTHING_NAMED, Router
from redline.assist.editor.services import EditorServices
from redline.instructions.sharpen import sharpen
from redline.lsp.edit import prompt_messages
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import ExecuteCommand, our_range, wire_range
from redline.lsp.rooms.command_row import CommandRow, command
from redline.routing.tag import split_tag
from redline.text.region import widen


class SharpenCommand:
    """Answers `redline.sharpen` inside the reader: it is computed from the text."""

    def __init__(self, services: EditorServices) -> None:
        self._workspace = services.workspace
        self._tiers = services.tiers
        self._router = Router(services)

    def table(self) -> Mapping[str, CommandRow]:
        return {names.SHARPEN: command(prompt_messages.SharpenArguments, self._sharpen)}

    def _sharpen(
        self, arguments: prompt_messages.SharpenArguments, params: ExecuteCommand
    ) -> prompt_messages.SharpenResult:
        snapshot = self._workspace.document(arguments.uri).snapshot()
        selection = snapshot.range_from_client(our_range(arguments.range))
        region = widen(snapshot.lines, selection)
        instruction, tag = split_tag(arguments.instruction, self._tiers.names)
        end = region.first + len(region.lines)
        found = sharpen(instruction, snapshot.lines, region.first, end)
        route = self._router.route_at(
            snapshot,
            region,
            instruction,
            first=region.first,
            asked=tag or NOTHING_NAMED,
        )
        return prompt_messages.SharpenResult(
            task=found.task,
            target=prompt_messages.SharpenTarget(
                path=self._workspace.relative_path(arguments.uri),
                range=wire_range(snapshot, region.range),
                symbol=found.symbol or UNSET,
            ),
            keeps=found.keeps,
            assumes=found.assumes,
            vague=found.is_vague,
            tier=route.tier,
            reasons=route.reasons,
            expected=found.expected or UNSET,
        )
