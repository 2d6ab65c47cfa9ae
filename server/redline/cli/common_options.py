"""Options that several commands have, and what `--json` writes."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_config(parser: argparse.ArgumentParser) -> None:
    """Declare `--config`."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="read these settings instead of your own config.toml",
    )


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare `--json`, which writes `what` for programs."""
    parser.add_argument(
        "--json", action="store_true", help=f"write {what} as JSON, for programs"
    )


def json_page(value: object) -> str:
    """Return a value as JSON, indented, with a final newline."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"
