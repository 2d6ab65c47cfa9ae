"""`redline check`: checks an edit, given a file before and after it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from redline.cli.arguments.common_options import add_json
from redline.cli.arguments.text_argument import text_argument
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_PROBLEMS

_LINES = re.compile(r"([1-9]\d{0,8}):(\d{1,9})")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--before", type=Path, metavar="A", required=True, help="the file as it was"
    )
    parser.add_argument(
        "--after", type=Path, metavar="B", required=True, help="the file as it is now"
    )
    parser.add_argument(
        "--range",
        type=_lines,
        metavar="L1:L2",
        help="the lines of A to edit, from 1, both included; L1:L1-1 is the place"
        " before L1 (default: the lines that differ)",
    )
    parser.add_argument(
        "--instruction",
        type=text_argument,
        metavar="TEXT",
        default="",
        help="the instruction: a rename, for example, may remove a name",
    )
    parser.add_argument(
        "--language",
        type=text_argument,
        metavar="ID",
        default="",
        help="the LSP language id (default: from the name of A)",
    )
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        default=Path(),
        help="the folder whose modules can be imported (default: the current one)",
    )
    parser.add_argument(
        "--python",
        type=Path,
        metavar="DIR",
        help="the Python environment (default: found as an editor does)",
    )
    add_json(parser, "the problems")


def run(arguments: argparse.Namespace) -> int:
    """Write the problems; return 1 if there are any."""
    import sys

    from redline.checks.edit_question import CHECK, EditVerdict, unchecked
    from redline.cli.reports.check_files import (
        problems_page,
        read_question,
        text_page,
    )
    from redline.errors import ParserEndedError
    from redline.parsing.parser_pool import ParserPool

    question = read_question(
        arguments.before,
        arguments.after,
        workspace=arguments.workspace.absolute(),
        lines=arguments.range,
        language=arguments.language,
        instruction=arguments.instruction,
        python=arguments.python and arguments.python.absolute(),
    )
    parser = ParserPool()
    try:
        verdict = parser.run_and_wait(CHECK, question)
    except ParserEndedError as error:
        verdict = EditVerdict(problems=(unchecked(error),), score=0.0)
    finally:
        parser.close()
    page = problems_page if arguments.json else text_page
    sys.stdout.write(page(arguments.after, question, verdict))
    return EXIT_PROBLEMS if verdict.problems else EXIT_DONE


def _lines(text: str) -> range:
    found = _LINES.fullmatch(text)
    if found is None or int(found[2]) < int(found[1]) - 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no range of lines such as 3:12")
    return range(int(found[1]) - 1, int(found[2]))
