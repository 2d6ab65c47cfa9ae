"""`redline gateway`: serve the Responses protocol, from an engine or for a team."""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from redline.cli.arguments.text_argument import text_argument
from redline.cli.gateway.gateway_url import announce_url
from redline.errors import InvalidArgumentsError, SettingsError

if TYPE_CHECKING:
    from redline.gateway.config import GatewayConfig
    from redline.gateway.engines.engine import Engine
    from redline.gateway.recording import Recorder

TOKEN_ENV = "REDLINE_GATEWAY_TOKEN"
"""The default environment variable of the token."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="serve the users and models of a gateway.toml",
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="with --config: serve by N processes behind one port",
    )
    _add_actions(parser)
    parser.add_argument(
        "--engine",
        choices=["rules", "script"],
        default="rules",
        help="the engine: the built-in rules (no model) or a script (for tests)",
    )
    parser.add_argument("--script", type=Path, help="the script, as TOML or JSON")
    parser.add_argument("--host", default="127.0.0.1", help="a loopback address")
    parser.add_argument("--port", type=_port, default=0, help="0: any free port")
    parser.add_argument(
        "--token-env",
        default=TOKEN_ENV,
        metavar="NAME",
        help="environment variable with the token (if unset, a random one is printed)",
    )
    parser.add_argument(
        "--tokens-per-s", type=float, metavar="N", help="pace of the answers"
    )
    parser.add_argument(
        "--requests-per-minute", type=int, default=6000, help="0: no limit"
    )
    parser.add_argument("--max-age-s", type=float, default=3600.0, metavar="S")
    parser.add_argument("--tls-cert", type=Path, metavar="FILE")
    parser.add_argument("--tls-key", type=Path, metavar="FILE")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="record events and their times"
    )
    parser.add_argument(
        "--announce",
        action="store_true",
        help='print {"url": ..., "pid": ...} once it listens',
    )
    parser.add_argument(
        "--parent-stdin",
        action="store_true",
        help="end when standard input ends, as it does with the parent process",
    )


def _add_actions(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action=None)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action")
    check = actions.add_parser(
        "check", help="report the errors of a gateway.toml", allow_abbrev=False
    )
    check.add_argument("file", type=Path, metavar="FILE")
    add_user = actions.add_parser(
        "add-user",
        help="add a user to a gateway.toml; the key is printed once",
        allow_abbrev=False,
    )
    add_user.add_argument("name", type=text_argument, metavar="NAME")
    add_user.add_argument(
        # Another name than that of the option above, whose value it would replace.
        "--config",
        type=Path,
        metavar="FILE",
        dest="user_config",
        required=True,
    )


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Serve until a signal, or until the parent ends; or carry out an action.

    Returns:
        The exit code.

    Raises:
        InvalidArgumentsError: If the arguments contradict each other, or the script
            cannot be read.
        SettingsError: If the configuration file cannot be read.
        OSError: If it cannot listen.
    """
    if args.workers < 1:
        raise InvalidArgumentsError("--workers is 1 or more.")
    if args.action is not None or args.config is not None:
        return _run_configured(args)
    if args.workers > 1:
        raise InvalidArgumentsError("--workers needs --config FILE.")
    for path in (args.tls_cert, args.tls_key):
        if path is not None and not path.is_file():
            raise InvalidArgumentsError(f"There is no file {path}.")
    from redline.gateway.serving import event_loop

    with _recorder(args.record) as recorder:
        event_loop.run(_serve(args, recorder))
    return 0


# The functions below import when they run, so that other commands start fast.


def _run_configured(args: argparse.Namespace) -> int:
    from redline.cli.gateway import team_gateway

    if args.action == "check":
        return team_gateway.check(args.file)
    if args.action == "add-user":
        return team_gateway.add_user(args.name, args.user_config)
    return team_gateway.serve(
        args.config, announce=args.announce, n_workers=args.workers
    )


@contextlib.contextmanager
def _recorder(path: Path | None) -> Iterator[Recorder]:
    from redline.gateway.recording import Recorder, write_json_lines

    if path is None:
        yield Recorder()
        return
    # Unbuffered, so that readers see each event at once; and no file is overwritten.
    with path.open("xb", buffering=0) as record:
        yield Recorder(write_json_lines(record.write))


async def _serve(args: argparse.Namespace, recorder: Recorder) -> None:
    from redline.gateway.app import create_app
    from redline.gateway.engines.rules import RulesEngine
    from redline.gateway.serving.server import GatewayServer, Listening, end_with_parent

    given = os.environ.get(args.token_env)
    token = given or secrets.token_urlsafe(32)
    engine, config = _engine_and_config(args, token)
    listening = Listening(
        host=args.host, port=args.port, tls_cert=args.tls_cert, tls_key=args.tls_key
    )

    def on_listening(port: int) -> None:
        if not given:
            sys.stderr.write(f"token (shown once): {token}\n")
        announce_url(listening, port, as_json=args.announce)
        if isinstance(engine, RulesEngine):
            engine.warm()

    app = create_app(engine, config, recorder=recorder)
    server = GatewayServer(app, config, listening, on_listening=on_listening)
    if args.parent_stdin:
        end_with_parent(server.end)
    try:
        await server.run_to_end()
    finally:
        if isinstance(engine, RulesEngine):
            engine.close()


def _engine_and_config(
    args: argparse.Namespace, token: str
) -> tuple[Engine, GatewayConfig]:
    from redline.gateway.config import GatewayConfig
    from redline.gateway.engines.rules import RulesEngine

    config = GatewayConfig(
        token=token,
        requests_per_minute=args.requests_per_minute or None,
        max_age_s=args.max_age_s,
        tokens_per_s=args.tokens_per_s,
    )
    if args.engine == "rules":
        return RulesEngine(), config
    if args.script is None:
        raise InvalidArgumentsError("--engine script needs --script FILE.")

    from redline.gateway.engines.script import ScriptEngine, load_script, with_behaviour

    try:
        script = load_script(args.script)
    except SettingsError as error:
        raise InvalidArgumentsError(str(error)) from error
    return ScriptEngine(script), with_behaviour(config, script.server)
