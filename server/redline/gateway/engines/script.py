"""The engine for tests and benchmarks: it answers exactly as a script says.

A script is a list of rules; the first rule that matches a request gives the reply. It
comes from a JSON or TOML file, or is built from these values in the same process.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import msgspec
from msgspec import Struct

from redline.errors import SettingsError, UnreadableFileError
from redline.files import read_file
from redline.gateway.config import GatewayConfig
from redline.gateway.engines.engine import (
    End,
    EngineAnswer,
    EngineRequest,
    EngineUsage,
    NextItem,
    Piece,
    TextPiece,
)
from redline.gateway.injected_faults import AnyFault, Faults, OnSteer
from redline.gateway.refusals import Refusal
from redline.prompts.edit import EditTask, read_edit_task

NAME = "script"

_MAX_BYTES = 10_000_000


class ScriptUsage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Token counts to report."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0


class ScriptReply(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The text of a reply, its pace and its faults."""

    text: str = ""
    """The answer; `{{target}}` in it stands for the range of an edit's prompt,
    `{{instruction}}` for its instruction."""
    items: tuple[str, ...] = ()
    """Instead of `text`: several output items, between which a steer takes effect."""
    chunks: tuple[str, ...] = ()
    """Instead of `text`: the exact deltas of the answer."""
    chunk_chars: int = 4
    """Length of the deltas that `text`, `items` and `reasoning` are cut into."""
    repeat: int = 1
    """How often the text or the chunks are repeated, for long answers."""
    reasoning: str = ""
    """Reasoning that comes before the answer."""
    refusal: str = ""
    """A refusal that follows the text."""
    delay_s: float = 0.0
    """Time before the first delta."""
    tokens_per_s: float | None = None
    """Deltas a second; None: the gateway's pace."""
    incomplete: str | None = None
    """End as incomplete, for this reason."""
    failed: str | None = None
    """End as failed, with this code."""
    usage: ScriptUsage | None = None
    faults: tuple[AnyFault, ...] = ()
    skip: frozenset[str] = frozenset()
    """Types of events that are not sent."""
    on_steer: OnSteer = "accept"


class When(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Selects the requests of a rule; all given conditions must hold."""

    contains: str | None = None
    """A part of the instructions or the conversation."""
    instruction: str | None = None
    """A part of the edit's instruction, or else of the user's last message."""
    model: str | None = None
    """The exact name of the model."""
    schema: str | None = None
    """The name of the requested JSON Schema."""
    nth: int | None = None
    """The number of the request to this engine, from 1."""


class ScriptRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reply and the requests that it answers."""

    when: When = When()
    reply: ScriptReply = ScriptReply()


class ServerBehaviour(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the server around the engine behaves; see `GatewayConfig`."""

    lanes: bool = True
    steering: bool = True
    max_age_s: float | None = None
    requests_per_minute: int | None = None
    upgrades: tuple[Refusal | None, ...] = ()
    """Refusals of the first upgrades; null accepts one."""


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole script."""

    rules: tuple[ScriptRule, ...] = ()
    otherwise: ScriptReply = ScriptReply(text="{{target}}")
    server: ServerBehaviour = ServerBehaviour()


def load_script(path: Path) -> Script:
    """Read a script from a `.toml` or a JSON file.

    Raises:
        SettingsError: If it cannot be read or is not valid.
    """
    decode = msgspec.toml.decode if path.suffix == ".toml" else msgspec.json.decode
    try:
        return decode(read_file(path, max_bytes=_MAX_BYTES), type=Script)
    except UnreadableFileError as exc:
        reason = exc.reason
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        reason = str(exc)
    except RecursionError:
        reason = "it is nested too deeply"
    raise SettingsError(f"Cannot read the script {path.name}: {reason}.")


def with_behaviour(config: GatewayConfig, manners: ServerBehaviour) -> GatewayConfig:
    """Return the config with a script's settings of the server applied."""
    return replace(
        config,
        has_lanes=manners.lanes,
        can_steer=manners.steering,
        max_age_s=manners.max_age_s or config.max_age_s,
        requests_per_minute=manners.requests_per_minute or config.requests_per_minute,
        upgrade_refusals=manners.upgrades,
    )


class ScriptEngine:
    """Answers requests by a script."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._n_requests = 0

    @property
    def models(self) -> tuple[str, ...]:
        """Return its only name; it accepts any name."""
        return (NAME,)

    def answer(self, request: EngineRequest) -> EngineAnswer:
        self._n_requests += 1
        task = read_edit_task(request.prompt)
        reply = self._reply(request, task)
        return EngineAnswer(
            pieces=_pieces(reply, task),
            tokens_per_s=reply.tokens_per_s,
            faults=Faults(
                faults=reply.faults, skip=reply.skip, on_steer=reply.on_steer
            ),
        )

    def _reply(self, request: EngineRequest, task: EditTask | None) -> ScriptReply:
        for rule in self._script.rules:
            if _matches(rule.when, request, task, nth=self._n_requests):
                return rule.reply
        return self._script.otherwise


def _matches(
    when: When, request: EngineRequest, task: EditTask | None, *, nth: int
) -> bool:
    chat_messages = request.prompt.chat_messages
    last = chat_messages[-1].text if chat_messages else ""
    instruction = task.instruction if task else last
    said = [request.prompt.instructions, *(each.text for each in chat_messages)]
    schema = request.text_format.name if request.text_format else None
    return (
        when.nth in (None, nth)
        and when.model in (None, request.model)
        and when.schema in (None, schema)
        and (when.instruction is None or when.instruction in instruction)
        and (when.contains is None or any(when.contains in each for each in said))
    )


async def _pieces(
    reply: ScriptReply, task: EditTask | None
) -> AsyncGenerator[Piece, None]:
    if reply.delay_s:
        await asyncio.sleep(reply.delay_s)
    for chunk in _cut(reply.reasoning, reply.chunk_chars):
        yield TextPiece(chunk, "reasoning")
    for index, item in enumerate(reply.items or (reply.text,)):
        if index:
            yield NextItem()
        chunks = reply.chunks or _cut(_filled_in(item, task), reply.chunk_chars)
        for _ in range(reply.repeat):
            for chunk in chunks:
                yield TextPiece(chunk)
    if reply.refusal:
        yield TextPiece(reply.refusal, "refusal")
    yield _end(reply)


def _end(reply: ScriptReply) -> End:
    return End(
        incomplete_reason=reply.incomplete,
        error_code=reply.failed,
        error_message="The script says so." if reply.failed else "",
        usage=None if reply.usage is None else _usage(reply.usage),
    )


def _usage(usage: ScriptUsage) -> EngineUsage:
    return EngineUsage(
        input_n_tokens=usage.input,
        output_n_tokens=usage.output,
        cached_n_tokens=usage.cached,
        reasoning_n_tokens=usage.reasoning,
    )


def _filled_in(text: str, task: EditTask | None) -> str:
    target, instruction = (task.target, task.instruction) if task else ("", "")
    return text.replace("{{instruction}}", instruction).replace("{{target}}", target)


def _cut(text: str, n_chars: int) -> list[str]:
    return [text[at : at + n_chars] for at in range(0, len(text), n_chars)]
