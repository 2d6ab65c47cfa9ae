"""Files of a workspace that are not what they seem to be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.e2e.editor_document import lines
from tests.outside.commands import HANGS_S, Desk
from tests.outside.conftest import Scripted, Serve

FAULTY = "def f(a=[]):\n    return a\n"
BETTER = "def f(a=()):\n    return a\n"
BETTERS = {"otherwise": {"text": BETTER}}

IGNORING = [".gitignore", ".redlineignore"]
READ_FOR_CONTEXT = ["pyproject.toml", "Pipfile", "requirements.txt", "package.json"]
PIPES = [[".gitignore"], [".redlineignore"], [*READ_FOR_CONTEXT, "redline.toml"]]
DEVICES = ["/dev/zero", "/dev/full", "/dev/kmsg", "/dev/stdin", "/dev/tty"]


async def edit_and_shut_down(desk: Desk, serve: Serve, gateway: Scripted) -> None:
    """Have a model edit a file of the project; it works, and the server ends."""
    model = await gateway(BETTERS)
    redline = await serve(desk.settings(model.url))
    editor = redline.editor
    uri = (desk.project / "a.py").as_uri()
    editor.open(uri, FAULTY)
    outcome = await editor.result(editor.edit(uri, lines(0, 2)))
    assert outcome["outcome"] == "applied"
    assert editor.text(uri) == BETTER
    await redline.end()


@pytest.mark.parametrize("name", IGNORING)
@pytest.mark.parametrize("line", ["bin\\", "!", "[z-a]"])
async def test_a_review_passes_over_a_pattern_that_git_ignores(
    desk: Desk, name: str, line: str
) -> None:
    """Such a line is not for us to judge; the others count."""
    desk.write("a.py", FAULTY)
    desk.write("b.py", FAULTY)
    desk.write(name, f"{line}\nb.py\n")
    ran = await desk.run("review", "--force", "--format", "json", "--quiet", ".")
    assert ran.code == 0, ran.err
    assert {one["file"] for one in ran.report["findings"]} == {"a.py"}


@pytest.mark.parametrize("name", IGNORING)
async def test_an_edit_passes_over_patterns_that_git_ignores(
    desk: Desk, serve: Serve, gateway: Scripted, name: str
) -> None:
    """The model is asked and its edit is applied."""
    desk.write("a.py", FAULTY)
    desk.write(name, "bin\\\n!\n[z-a]\n")
    await edit_and_shut_down(desk, serve, gateway)


@pytest.mark.parametrize("names", PIPES)
async def test_a_review_beside_a_pipe(desk: Desk, names: list[str]) -> None:
    """A pipe that nobody writes to is not opened."""
    desk.write("a.py", FAULTY)
    for name in names:
        os.mkfifo(desk.project / name)
    ran = await desk.run("review", "--force", "a.py", within_s=HANGS_S)
    assert ran.code == 0, ran.err
    assert "a.py:1" in ran.out


@pytest.mark.parametrize("names", PIPES)
async def test_an_edit_beside_a_pipe(
    desk: Desk, serve: Serve, gateway: Scripted, names: list[str]
) -> None:
    """Nor by an edit, nor by what reads the workspace ahead of it."""
    desk.write("a.py", FAULTY)
    for name in names:
        os.mkfifo(desk.project / name)
    await edit_and_shut_down(desk, serve, gateway)


@pytest.mark.parametrize("device", DEVICES)
async def test_a_review_beside_links_to_a_device(desk: Desk, device: str) -> None:
    """Git carries such links; standard input stays open and silent."""
    desk.write("a.py", FAULTY)
    for name in (*IGNORING, *READ_FOR_CONTEXT):
        (desk.project / name).symlink_to(device)
    silent, mouth = os.pipe()
    try:
        ran = await desk.run(
            "review", "--force", "a.py", stdin=silent, within_s=HANGS_S
        )
    finally:
        os.close(silent)
        os.close(mouth)
    assert ran.code == 0, ran.err
    assert "a.py:1" in ran.out


@pytest.mark.parametrize("device", DEVICES)
async def test_an_edit_beside_links_to_a_device(
    desk: Desk, serve: Serve, gateway: Scripted, device: str
) -> None:
    """Whatever file the link stands for."""
    desk.write("a.py", FAULTY)
    for name in (*IGNORING, *READ_FOR_CONTEXT):
        (desk.project / name).symlink_to(device)
    await edit_and_shut_down(desk, serve, gateway)


async def test_a_link_out_of_the_workspace_is_not_reviewed(
    desk: Desk, tmp_path: Path
) -> None:
    """Also if it is named itself: what it leads to is somebody else's."""
    secret = tmp_path / "elsewhere.py"
    secret.write_text("def f(private_word=[]):\n    return private_word\n")
    (desk.project / "a.py").symlink_to(secret)
    desk.write("b.py", FAULTY)
    ran = await desk.run("review", "--force", "--format", "json", "a.py", "b.py")
    assert "private_word" not in ran.said
