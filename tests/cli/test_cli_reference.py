"""The reference page names every command and every option."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

import pytest

from redline.cli.main import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text(
    encoding="utf-8"
)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_on_the_page(name: str) -> None:
    parser = argparse.ArgumentParser(add_help=False)
    import_module(f"redline.cli.commands.{name}").add_arguments(parser)

    section = PAGE.partition(f"\n## `redline {name}`\n")[2].partition("\n## ")[0]
    options = [option for action in parser._actions for option in action.option_strings]
    assert options
    for option in options:
        assert f"`{option}" in section, f"describe {option} in docs/reference/cli.md"
