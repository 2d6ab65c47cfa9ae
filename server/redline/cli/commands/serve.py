"""`redline serve`: runs the language server for an editor."""

from __future__ import annotations

import argparse
from pathlib import Path

from redline.cli.arguments.common_options import add_config
from redline.lsp.options import ServeOptions, TcpAddress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument(
        "--stdio",
        action="store_true",
        help="talk over standard input and output (the default)",
    )
    transport.add_argument(
        "--tcp",
        type=tcp_address,
        metavar="HOST:PORT",
        help="listen for one editor on this machine; port 0 lets the system choose",
    )
    add_config(parser)
    parser.add_argument(
        "--log-file",
        type=Path,
        metavar="FILE",
        help="write the log to this file, regardless of the settings",
    )
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="log at debug level, and to standard error too",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve one editor until it ends; return the exit code."""
    import msgspec

    from redline.log import logging_to
    from redline.lsp.start.startup import serve
    from redline.process_limits import raise_file_limit
    from redline.settings.load import load

    raise_file_limit()
    # Only for the log, which is needed before the editor has sent its settings.
    settings = load(config=arguments.config).settings.log
    if arguments.log_file is not None:
        settings = msgspec.structs.replace(settings, file=str(arguments.log_file))
    options = ServeOptions(
        tcp=arguments.tcp, config=arguments.config, verbose=arguments.verbose
    )
    with logging_to(settings, verbose=arguments.verbose):
        return serve(options)


def tcp_address(text: str) -> TcpAddress:
    """Read `HOST:PORT`.

    Raises:
        argparse.ArgumentTypeError: If it is invalid, or the host is another machine.
    """
    from redline.models.loopback import is_loopback_host

    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdecimal() or int(port) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    if not is_loopback_host(host):
        raise argparse.ArgumentTypeError(
            f"{host} is not this machine: the protocol has no authentication, so use "
            "127.0.0.1 and a tunnel for an editor elsewhere"
        )
    return TcpAddress(host=host.removeprefix("[").removesuffix("]"), port=int(port))
