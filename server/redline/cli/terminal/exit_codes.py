"""The exit codes of every command; `docs/reference/cli.md` lists them."""

from __future__ import annotations

EXIT_DONE = 0
"""The work was done; a review found nothing as bad as `--fail-on`."""
EXIT_PROBLEMS = 1
"""Problems were found, or the command could not do its work; an edit or a plan was
held back."""
EXIT_USAGE = 2
"""The arguments are invalid; the code of argparse."""
EXIT_NOT_DONE = 3
"""A review, edit or plan failed, or a review is incomplete, as by its cost limit."""
EXIT_PIPE_CLOSED = 141
"""The reader of the output has closed the pipe, as shells count it: 128 + SIGPIPE."""
EXIT_INTERRUPTED = 130
"""Ctrl-C, as shells count it: 128 + SIGINT."""
