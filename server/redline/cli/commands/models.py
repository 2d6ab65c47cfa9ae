"""`redline models`: lists the models that providers offer."""

from __future__ import annotations

import argparse

from redline.cli.arguments.common_options import add_config, add_json
from redline.cli.arguments.text_argument import text_argument
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_PROBLEMS
from redline.printable import json_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--provider",
        type=text_argument,
        metavar="NAME",
        help="ask this provider, such as `anthropic`, instead of those of your models",
    )
    add_config(parser)
    add_json(parser, "the lists")


def run(arguments: argparse.Namespace) -> int:
    """Write the lists; return 1 if a provider did not give one."""
    import asyncio
    import os
    import sys

    from redline.cli.reports.offered_models import (
        offers_of_provider,
        offers_of_settings,
        plain_page,
    )
    from redline.settings.load import load

    if arguments.provider is None:
        loaded = load(config=arguments.config)
        offers = asyncio.run(offers_of_settings(loaded, os.environ))
    else:
        offers = asyncio.run(offers_of_provider(arguments.provider, os.environ))
    page = json_page(offers) if arguments.json else plain_page(offers)
    sys.stdout.write(page)
    return EXIT_PROBLEMS if any(offer.problem for offer in offers) else EXIT_DONE
