"""What the docs name exists: links, paths, commands, settings, APIs, make targets."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import get_args

import pytest

from redline.lsp.protocol import names
from redline.settings.leaves import model_leaves, sections
from redline.settings.tree import Api

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server" / "redline"
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (
        *ROOT.glob("docs/**/*.md"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
    )
)

ROOMS = {path.name for path in SERVER.iterdir() if path.is_dir()} - {"__pycache__"}
FOLDERS = {"server", "tests", "editors", "benchmarks", "docs"}

# Paths that a page gives as an example, and files that a command writes.
NOT_OURS = {"argparse.py", "tests/test_x.py", "benchmarks/results/"}

# What the changelog says is gone.
GONE = {"CHANGELOG.md": {"edit.context_bytes", "redline.stopExplanation"}}

AN_INSTRUCTION = "`make it faster`"

# Names that start like a command: files, and kinds of code actions.
NOT_COMMANDS = re.compile(
    r"redline\.(toml|el|sqlite3(-\w+)?|session|tests|explain|review)|redline\.server\.\w+"
)


def prose_of(path: Path) -> str:
    """Return the text of a page without its blocks of code."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)


def words_of(page: str) -> set[str]:
    """Return what stands in backquotes in running text."""
    return set(re.findall(r"`([^`\n]+)`", prose_of(ROOT / page)))


def anchors_of(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose_of(path), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


def leads_somewhere(page: str, link: str) -> bool:
    """Whether a link that is no URL leads to a file, and to a heading of it."""
    name, _, anchor = link.partition("#")
    path = (ROOT / page).parent / name if name else ROOT / page
    return path.exists() and (not anchor or anchor in anchors_of(path))


def is_there(path: str) -> bool:
    """Whether a path exists: from the repository, the server, or by its name alone."""
    if "/" not in path:
        return any(SERVER.rglob(path)) or any(
            (folder / path).exists()
            for folder in (*ROOT.glob("editors/*"), ROOT / "publishing/deploy")
        )
    return (ROOT / path).exists() or (SERVER / path).exists()


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    """A link leads to a page and a heading that exist."""
    links = set(re.findall(r"\]\(([^)\s]+)\)", prose_of(ROOT / page)))
    inside = {link for link in links if not re.match(r"[a-z]+:", link)}
    assert {link for link in inside if not leads_somewhere(page, link)} == set()


@pytest.mark.parametrize("page", PAGES)
def test_paths_exist(page: str) -> None:
    """A page sends a reader only to files and folders that are there."""
    paths = {
        word
        for word in words_of(page)
        if re.fullmatch(r"[\w.-]+\.py|[\w-]+/([\w./-]*)", word)
        and (word.endswith(".py") or word.split("/")[0] in ROOMS | FOLDERS)
    }
    assert {path for path in paths - NOT_OURS if not is_there(path)} == set()


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_notifications_exist(page: str) -> None:
    """What a page calls a command or a notification of ours is one."""
    known = {*names.COMMANDS, *names.NOTIFICATIONS, *names.REQUESTS} | GONE.get(
        page, set()
    )
    manifest = (ROOT / "editors/vscode/package.json").read_text(encoding="utf-8")
    named = {
        word
        for word in words_of(page)
        if re.fullmatch(r"redline[./][a-z]\w*(/\w+)?(\.\w+)*", word)
    }
    assert {
        word
        for word in named - known
        if not NOT_COMMANDS.fullmatch(word) and f'"{word}"' not in manifest
    } == set()


@pytest.mark.parametrize("page", PAGES)
def test_settings_exist(page: str) -> None:
    """A page names no setting that was removed or renamed."""
    known = {f"{room}.{name}" for room, keys in sections().items() for name in keys}
    known |= GONE.get(page, set())
    named = {
        word
        for word in words_of(page)
        if re.fullmatch(r"\w+\.[a-z_]+", word) and word.split(".")[0] in sections()
    }
    assert {word for word in named - known if not word.endswith(".py")} == set()
    of_models = set(
        chain.from_iterable(
            re.findall(r"^models\.\*\.(\w+)$", word) for word in words_of(page)
        )
    )
    assert of_models - set(model_leaves()) == set()


@pytest.mark.parametrize("page", PAGES)
def test_apis_exist(page: str) -> None:
    """Each `api = …` that a page shows is accepted."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert set(re.findall(r'^\s*api = "([^"]*)"', text, re.MULTILINE)) <= {
        *get_args(Api)
    }


@pytest.mark.parametrize("page", PAGES)
def test_make_targets_exist(page: str) -> None:
    """Each `make …` that a page shows is a target."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    text = (ROOT / page).read_text(encoding="utf-8")
    fenced = "\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S))
    indented = "\n".join(re.findall(r"(?<=\n)\n    (.*)$", text, re.M))
    command = r"make ((?:[a-z-]+ ?)+)"
    named = re.findall(rf"`{command}`", text.replace(AN_INSTRUCTION, "")) + re.findall(
        rf"^ *{command}(?=$|  )", f"{fenced}\n{indented}", re.M
    )
    assert {target for line in named for target in line.split()} <= targets


def test_something_is_checked() -> None:
    """The patterns above find the words that they are about."""
    words = set().union(*map(words_of, PAGES))
    assert {"redline.edit", "edit.apply", "text/live_proposal.py"} <= words | {
        word.removeprefix("server/redline/") for word in words
    }
