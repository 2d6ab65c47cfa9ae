"""`redline demo`: runs edits of every kind and a review on a real server.

The server runs as a process over stdio and the built-in gateway as another, paced at a
fast model's speed; `--model` uses a configured model instead. The file is read and
never written: the edits are applied in the demo's own small editor.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from contextlib import AsyncExitStack
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any  # An exception group may hold any exception.

from redline.cli.arguments.text_argument import text_argument
from redline.errors import InvalidArgumentsError, RedlineError, UnreadableFileError
from redline.files import read_file

if TYPE_CHECKING:
    from redline.cli.demo.demo_stage import Stage

_INSTRUCTION = "Add type hints and use f-strings"
_SAMPLE_INSTRUCTION = f"{_INSTRUCTION} and rename `dropped` to `rejected`"
_READY_LIMIT_S = 15.0
_MAX_BYTES = 2_000_000

# `-P`: a `redline` in the current folder must not run in the server's place.
_SERVE = (sys.executable, "-P", "-m", "redline", "serve")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--file", type=Path, help="a file to work on; it is read, never written"
    )
    parser.add_argument(
        "--instruction",
        type=text_argument,
        help=f"the first edit (default: {_INSTRUCTION})",
    )
    parser.add_argument(
        "--model",
        type=text_argument,
        help="a model of your settings (default: a model that runs on this machine, "
        "else the built-in rules engine)",
    )
    parser.add_argument("--config", type=Path, help="the settings file to use")


def run(arguments: argparse.Namespace) -> int:
    """Run the demo; return the exit code.

    Raises:
        InvalidArgumentsError: If the file cannot be read, or there is no such model.
        RedlineError: If the server or its model failed.
    """
    path = arguments.file or Path(
        str(files("redline.cli.demo") / "samples" / "report.py")
    )
    text = _read(path)
    try:
        asyncio.run(_show(arguments, path.resolve(), text))
    except ExceptionGroup as group:
        # Raised by a scene with concurrent tasks.
        if (failed := group.subgroup(RedlineError)) is None:
            raise
        raise _first(failed) from group
    return 0


def _read(path: Path) -> str:
    try:
        text = read_file(path, max_bytes=_MAX_BYTES).decode()
    except UnreadableFileError as error:
        raise InvalidArgumentsError(str(error)) from error
    except UnicodeDecodeError as error:
        raise InvalidArgumentsError(f"{path} is no text in UTF-8.") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


async def _show(arguments: argparse.Namespace, path: Path, text: str) -> None:
    from redline.cli.demo.demo_editor import connected
    from redline.cli.demo.demo_model import demo_model
    from redline.cli.demo.demo_scenes import DemoReviewNews, show_review
    from redline.cli.demo.demo_stage import Screen, Stage, Stream

    screen = Screen()
    stream = Stream(screen)
    news = DemoReviewNews()

    def heard(method: str, params: object, at: float) -> None:
        stream.heard(method, params, at)
        news.heard(method, params, at)

    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(
            demo_model(arguments.config, arguments.model)
        )
        editor = await stack.enter_async_context(
            connected(
                [*_SERVE, *model.arguments],
                os.environ | model.environment,
                heard,
            )
        )
        await editor.initialize(path.parent.as_uri(), model.options)
        language = _language(path)
        editor.open(path.as_uri(), language, text)
        screen.title(path, language, text.count("\n") + 1, model.engine)
        await _connected(stream.connection_tried)
        stage = Stage(editor, screen, stream)
        usual = _INSTRUCTION if arguments.file else _SAMPLE_INSTRUCTION
        await _scenes(stage, arguments.instruction or usual)
        await show_review(stage, news, is_rules=model.is_rules)


async def _connected(tried: asyncio.Event) -> None:
    """Wait for the warm connection; without one, the first edit reports the reason."""
    try:
        async with asyncio.timeout(_READY_LIMIT_S):
            await tried.wait()
    except TimeoutError:
        return


async def _scenes(stage: Stage, instruction: str) -> None:
    from redline.cli.demo import demo_scenes

    stage.stream.begin("edit")
    await demo_scenes.show_edit(stage, instruction)
    await demo_scenes.show_stop(stage)
    await demo_scenes.show_redirect(stage)
    await demo_scenes.show_candidates(stage)
    await demo_scenes.show_live(stage)


def _language(path: Path) -> str:
    return {".py": "python", ".ts": "typescript", ".js": "javascript"}.get(
        path.suffix, path.suffix.lstrip(".") or "plaintext"
    )
