"""`redline plan`: what it shows, writes and refuses, with scripted models."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.assist.review.git_project import GitProject
from tests.assist.review.killing import Gateway, serving
from tests.cli.tiers_config import config_of_tiers
from tests.e2e.plan_session import (
    FILES,
    NEW_PRICE,
    plan_answer,
    plan_script,
    step,
)

from redline.cli.main import main
from redline.cli.terminal.exit_codes import (
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_NOT_DONE,
    EXIT_PROBLEMS,
    EXIT_USAGE,
)
from redline.gateway.engines.script import ScriptReply, ScriptRule, When
from redline.settings.tree import StoreSettings
from redline.store.review_store import ReviewStore

pytestmark = pytest.mark.usefixtures("isolated")


def answer_to(words: str, answer: str) -> ScriptRule:
    """Return a rule for the planner: what it says to some words."""
    return ScriptRule(
        when=When(schema="redline_plan", contains=words),
        reply=ScriptReply(text=answer, chunk_chars=200),
    )


RENAMING = plan_answer(
    [
        step(
            id="s1", file="shop/cart.py", do="rename", to="shop/basket.py",
            instruction="Move it.",
        ),
        step(id="s2", file="NOTES.md", do="create", instruction="Write notes."),
    ],
    contracts=[],
)  # fmt: skip


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Three scripted models."""
    script = plan_script(
        more=(
            answer_to("RENAME", RENAMING),
            answer_to("ASK", plan_answer([], questions=["Which \x1b[31mcurrency?"])),
            answer_to("PROSE", "I would look at the cart first."),
            ScriptRule(
                when=When(instruction="Add the method doubled", contains="BROKEN"),
                reply=ScriptReply(text=NEW_PRICE.replace("doubled", "tripled")),
            ),
            answer_to(
                "BREAK",
                plan_answer().replace(
                    "the method doubled", "the method doubled BROKEN"
                ),
            ),
        )
    )
    folder = tmp_path_factory.mktemp("gateway")
    with serving(msgspec.to_builtins(script), folder) as gateway:
        yield gateway


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitProject:
    """A repository with the shop; the current folder."""
    project = GitProject(tmp_path / "project")
    for path, text in FILES.items():
        project.write(path, text)
    monkeypatch.chdir(project.folder)
    return project


@pytest.fixture
def config(gateway: Gateway, tmp_path: Path) -> str:
    """Settings with the scripted models."""
    return config_of_tiers(tmp_path, gateway.url)


def test_a_plan_is_shown_and_then_applied(
    project: GitProject, config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a diff; nothing is written without `--apply`."""
    words = ["plan", "Double the prices.", "shop/cart.py", "--config", config]
    assert main(words) == EXIT_DONE
    shown = capsys.readouterr()
    assert "+    def doubled(self, times: int = 1) -> int:" in shown.out
    assert "+        return sum(one.doubled() for one in self.prices)" in shown.out
    assert "--apply writes them" in shown.err
    cart = project.folder / "shop" / "cart.py"
    assert cart.read_text() == FILES["shop/cart.py"]
    assert main([*words, "--apply", "--json"]) == EXIT_DONE
    page = json.loads(capsys.readouterr().out)
    assert (page["schema"], page["state"]) == (1, "applied")
    assert page["written"] == ["shop/price.py", "shop/cart.py"]
    assert [one["state"] for one in page["steps"]] == ["checked", "checked"]
    assert "one.doubled()" in cart.read_text()


def test_files_are_created_and_renamed(project: GitProject, config: str) -> None:
    """As the plan says."""
    words = ["plan", "RENAME it.", "--apply", "--quiet", "--config", config]
    assert main(words) == EXIT_DONE
    assert (project.folder / "NOTES.md").read_text().startswith("# Notes")
    assert not (project.folder / "shop" / "cart.py").exists()
    moved = project.folder / "shop" / "basket.py"
    assert moved.read_text() == FILES["shop/cart.py"]


@pytest.mark.parametrize("has_links", [True, False])
def test_a_rename_replaces_no_file_that_has_just_appeared(
    project: GitProject,
    config: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    has_links: bool,
) -> None:
    """Both files stay, also where a file cannot have two names."""
    mine, link, rename = project.folder / "shop" / "basket.py", os.link, os.rename

    def linked(source: Path, target: Path) -> None:
        mine.write_text("mine = 1\n")
        if not has_links:
            raise OSError(1, "Operation not permitted")
        link(source, target)

    def renamed(source: Path, target: Path) -> None:
        mine.write_text("mine = 1\n")
        rename(source, target)

    monkeypatch.setattr(os, "link", linked)
    monkeypatch.setattr(os, "rename", renamed)
    assert main(["plan", "RENAME it.", "--apply", "--config", config]) == EXIT_NOT_DONE
    assert "shop/basket.py is not written: " in capsys.readouterr().err
    assert mine.read_text() == "mine = 1\n"
    assert (project.folder / "shop" / "cart.py").read_text() == FILES["shop/cart.py"]


@pytest.mark.parametrize("words", ["Double the prices.", "RENAME it."])
def test_git_applies_the_diff_of_a_plan(
    project: GitProject, config: str, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    """It leads to what `--apply` writes: also files that come, move and go."""
    price = project.folder / "shop" / "price.py"
    price.write_bytes(b"\xef\xbb\xbf" + price.read_bytes().replace(b"\n", b"\r\n"))
    project.git("add", "--all")
    project.git("commit", "-q", "-m", "x")
    command = ["plan", words, "shop/cart.py", "--quiet", "--config", config]
    assert main(command) == EXIT_DONE
    diff = capsys.readouterr().out
    assert main([*command, "--apply"]) == EXIT_DONE
    written = contents(project.folder)
    project.git("stash", "-q", "--include-untracked")
    assert contents(project.folder) != written
    subprocess.run(
        ["git", "apply"], input=diff.encode(), cwd=project.folder, check=True
    )
    assert contents(project.folder) == written


def contents(folder: Path) -> dict[str, bytes]:
    files = (one for one in folder.rglob("*") if one.is_file())
    return {
        str(one.relative_to(folder)): one.read_bytes()
        for one in files
        if ".git" not in one.parts
    }


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this device")
@pytest.mark.usefixtures("project")
def test_a_written_plan_whose_diff_cannot_be_printed_says_so(config: str) -> None:
    words = ["plan", "Double the prices.", "--apply", "--config", config]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "redline", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    said = "Written: shop/price.py, shop/cart.py; only the output failed."
    assert said in done.stderr


INTERRUPTED = """
import os, runpy, sys

replace = os.replace

def interrupted(draft, target):
    if ".redline-" in str(draft):
        os.kill(os.getpid(), {number})
    replace(draft, target)

os.replace = interrupted
sys.argv[1:] = {words!r}
runpy.run_module("redline", run_name="__main__")
"""
"""A program that gets a signal while it writes a file."""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, EXIT_INTERRUPTED), (signal.SIGTERM, -signal.SIGTERM)],
)
@pytest.mark.usefixtures("default_interrupt")
def test_an_interrupt_while_files_are_written_completes_them(
    project: GitProject, config: str, number: signal.Signals, code: int
) -> None:
    """All of them, with a word, and no temporary file stays."""
    before = set(project.folder.rglob("*"))
    words = ["plan", "Double the prices.", "--apply", "--config", config]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(number=int(number), words=words)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = "shop/price.py, shop/cart.py were written before the interrupt."
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "doubled" in (project.folder / "shop" / "price.py").read_text()
    assert "one.doubled()" in (project.folder / "shop" / "cart.py").read_text()
    assert set(project.folder.rglob("*")) == before


def test_a_plan_is_claimed_while_its_files_are_written(
    project: GitProject, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an editor with this folder could apply it at the same moment."""
    replace = os.replace
    claims: list[tuple[str, str]] = []

    async def look() -> None:
        store = ReviewStore(StoreSettings)
        (plan,) = await store.newest_plans([project.folder.as_uri()], limit=1)
        claims.append((plan.state, plan.editing))
        await store.aclose()

    def looking(draft: Path, target: Path) -> None:
        if target.suffix == ".py":
            # Files are written in a thread, which has no event loop.
            asyncio.run(look())
        replace(draft, target)

    monkeypatch.setattr(os, "replace", looking)
    words = ["plan", "Double the prices.", "--apply", "--config", config]
    assert main(words) == EXIT_DONE
    assert len(claims) == 2
    assert all(state == "ready" and editing for state, editing in claims)


def test_a_file_that_cannot_be_written_is_named_with_those_that_were(
    project: GitProject,
    config: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A full disk at the second file; the first one is said to be written."""
    replace = os.replace

    def full(draft: Path, target: Path) -> None:
        if target.name == "cart.py":
            raise OSError(28, "No space left on device")
        replace(draft, target)

    monkeypatch.setattr(os, "replace", full)
    words = ["plan", "Double the prices.", "--apply", "--json", "--config", config]
    assert main(words) == EXIT_NOT_DONE
    page = json.loads(capsys.readouterr().out)
    assert page["written"] == ["shop/price.py"]
    assert "shop/cart.py is not written: No space left" in page["message"]
    assert "Written before it: shop/price.py." in page["message"]


def test_a_held_plan_is_not_written(
    project: GitProject, config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The contract is broken after a repair and an escalation."""
    assert main(["plan", "BREAK it.", "--apply", "--config", config]) == EXIT_PROBLEMS
    assert "s1: contract: `Price.doubled` is not defined." in capsys.readouterr().err
    price = project.folder / "shop" / "price.py"
    assert price.read_text() == FILES["shop/price.py"]


def test_what_is_no_plan_says_why(
    project: GitProject,
    config: str,
    gateway: Gateway,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Prose twice, questions, a file outside, a price too high, and no model at all."""
    assert main(["plan", "PROSE", "--config", config]) == EXIT_NOT_DONE
    assert "holds no JSON object" in capsys.readouterr().err
    assert main(["plan", "ASK", "--config", config]) == EXIT_NOT_DONE
    asked = capsys.readouterr()
    assert "- Which \ufffd[31mcurrency?" in asked.out
    assert "has questions" in asked.err
    assert main(["plan", "Do it.", "/etc/passwd", "--config", config]) == EXIT_USAGE
    assert "is not in" in capsys.readouterr().err
    assert main(["plan", "Do it.", "--max-cost", "1", "--config", config]) == EXIT_USAGE
    assert "price of model" in capsys.readouterr().err
    priced = config_of_tiers(tmp_path, gateway.url, name="gpt-5.3-codex")
    dear = ["plan", "Do it.", "--max-cost", "0.00001", "--config", priced]
    assert main(dear) == EXIT_NOT_DONE
    assert "The cost of planning is estimated at $" in capsys.readouterr().err
    assert main(["plan", "Do it."]) == EXIT_NOT_DONE
    assert "A plan needs a model" in capsys.readouterr().err
    cart = project.folder / "shop" / "cart.py"
    assert cart.read_text() == FILES["shop/cart.py"]
