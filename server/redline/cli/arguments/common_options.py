"""Options that several commands have, and what `--json` writes."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_config(parser: argparse.ArgumentParser) -> None:
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


def add_workspace(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare `--workspace`, the folder of `what`."""
    parser.add_argument(
        "--workspace", type=Path, metavar="DIR", help=f"the folder {what}"
    )


def add_apply(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--apply", action="store_true", help=f"write {what}")


def add_max_cost(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare `--max-cost`, after which `what` is so."""
    parser.add_argument(
        "--max-cost",
        type=dollars,
        metavar="USD",
        help=f"{what} has cost this many US dollars",
    )


def add_quiet(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare `--quiet`; `what` says its effect."""
    parser.add_argument("--quiet", action="store_true", help=what)


def dollars(text: str) -> float:
    """Read an amount of US dollars, for argparse.

    Raises:
        argparse.ArgumentTypeError: If it is none.
    """
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no amount of US dollars")
    return amount
