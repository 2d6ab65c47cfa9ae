"""The files to copy: each is on the page, and what they start is a command of ours."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest

from redline.cli.commands.gateway import add_arguments
from redline.gateway.config import GatewayConfig
from redline.gateway.config_file import load_gateway_file

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "publishing" / "deploy"
PAGE = (ROOT / "docs" / "how-to" / "team-gateway-setups.md").read_text(encoding="utf-8")


def options(words: list[str]) -> argparse.Namespace:
    """Return what the command line of `redline gateway` says."""
    parser = argparse.ArgumentParser(allow_abbrev=False, exit_on_error=False)
    add_arguments(parser)
    return parser.parse_args(words)


def test_the_page_names_every_file() -> None:
    table = PAGE.split("\n## ")[0]
    named = set(re.findall(r"`([\w.-]+)`", table)) - {"gateway.toml"}
    assert named == {path.name for path in FOLDER.iterdir() if path.is_file()}


def test_the_service() -> None:
    """It serves a configuration, and systemd waits longer than a drain takes."""
    unit = ConfigParser(interpolation=None)
    unit.read(FOLDER / "redline-gateway.service", encoding="utf-8")
    service = unit["Service"]
    program, command, *words = shlex.split(service["ExecStart"])
    assert (Path(program).name, command) == ("redline", "gateway")
    served = options(words)
    assert served.config == Path("/etc/redline/gateway.toml")
    assert served.workers == 2
    assert float(service["TimeoutStopSec"]) > GatewayConfig().drain_s
    # A signal to all processes at once would be two for each worker.
    assert service["KillMode"] == "mixed"
    assert service["ExecReload"].endswith("-HUP $MAINPID")


def test_the_image() -> None:
    """It starts a command of ours, from a package and an extra that exist."""
    text = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = re.search(r"'([\w-]+)\[(\w+)\]'", text)
    assert found is not None
    assert found[1] == project["name"]
    assert found[2] in project["optional-dependencies"]
    entry = re.search(r"^ENTRYPOINT (.*)$", text, re.M)
    assert entry is not None
    program, command, *words = json.loads(entry[1])
    assert (program, command) == ("redline", "gateway")
    assert options(words).config == Path("/etc/redline/gateway.toml")


@pytest.mark.parametrize("heading", ["B: one machine", "F: providers only"])
def test_the_configurations_of_the_page(heading: str, tmp_path: Path) -> None:
    """Whole ones have no problem but a certificate that is not there."""
    section = PAGE.split(f"\n## {heading}")[1]
    path = tmp_path / "gateway.toml"
    path.write_text(section.split("```toml\n")[1].split("```")[0])
    problems = load_gateway_file(path, environ={}).problems
    assert {"listen.tls" in str(problem) for problem in problems} == {True}
