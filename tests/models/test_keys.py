"""A key is read from where the settings say it is, and never shows itself."""

from __future__ import annotations

import asyncio
import os
import select
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from redline.errors import KeyMissingError
from redline.models import keys
from redline.models.keys import ApiKey, describe_source, read_key
from redline.settings.tree import KeySource

SECRET = "sk-proj-hunter2"


def python(code: str) -> KeySource:
    return KeySource(command=(sys.executable, "-c", code))


async def revealed(source: KeySource, environ: Mapping[str, str] | None = None) -> str:
    key = await read_key(source, environ=os.environ if environ is None else environ)
    return key.reveal()


async def failure(
    source: KeySource, environ: Mapping[str, str] | None = None
) -> KeyMissingError:
    with pytest.raises(KeyMissingError) as caught:
        await revealed(source, environ)
    error = caught.value
    assert SECRET not in f"{error!r} {error} {error.remedy} {error.__cause__!r}"
    assert error.remedy
    return error


def test_a_key_hides_itself() -> None:
    key = ApiKey(SECRET)

    assert SECRET not in f"{key!r} {key} {[key]}"
    assert key.reveal() == SECRET


async def test_a_key_comes_from_the_environment_without_its_blanks() -> None:
    environ = {"A_KEY": f" {SECRET}\n"}

    assert await revealed(KeySource(env="A_KEY"), environ) == SECRET


@pytest.mark.parametrize("environ", [{}, {"A_KEY": ""}, {"A_KEY": " "}])
async def test_a_missing_variable_is_named(environ: dict[str, str]) -> None:
    error = await failure(KeySource(env="A_KEY"), environ)

    assert "A_KEY" in str(error)
    assert "A_KEY" in error.remedy


@pytest.mark.parametrize("text", [f"{SECRET} b", f"{SECRET}\r\nX: y", f"{SECRET}é"])
async def test_text_that_would_break_a_header_is_no_key(text: str) -> None:
    error = await failure(KeySource(env="A_KEY"), {"A_KEY": text})

    assert "cannot be a key" in str(error)


async def test_a_commands_first_line_is_the_key() -> None:
    source = python(f"print('{SECRET} '); print('user: me')")

    assert await revealed(source) == SECRET


async def test_a_command_gets_no_shell_no_input_and_the_environment() -> None:
    code = "import os,sys; print(os.environ['V'] + sys.argv[1] + sys.stdin.read())"
    source = KeySource(command=(sys.executable, "-c", code, "$HOME;x"))

    assert await revealed(source, {**os.environ, "V": "v"}) == "v$HOME;x"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (python("pass"), "gave no key"),
        (python(f"import sys; print('{SECRET}'); sys.exit(3)"), "exit status 3"),
        (python(f"import sys; sys.exit('{SECRET}')"), "exit status 1"),
        (python(f"print('{SECRET}' * 9999)"), "more than"),
        (KeySource(command=("/no/such/program", SECRET)), "No such file"),
        (KeySource(command=("/a\0b",)), "cannot be passed on"),
        (KeySource(command=("a\0b",)), "no such program"),
        (KeySource(command=()), "empty"),
        (KeySource(command=("",)), "empty"),
    ],
)
async def test_a_command_that_fails_says_how(source: KeySource, why: str) -> None:
    error = await failure(source)

    assert why in str(error)


HANGS_WITH_A_CHILD = """
import os, subprocess, sys, time
life = os.open(sys.argv[1], os.O_WRONLY)
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
subprocess.Popen(sleep, pass_fds=[life])
os.write(life, b"!")
if sys.argv[2] == "stay":
    time.sleep(600)
"""


class Life:
    """A pipe that a command and its children hold open for as long as they live."""

    def __init__(self, path: Path) -> None:
        self._path = path
        os.mkfifo(path)

    def command(self, leader: str) -> KeySource:
        words = (sys.executable, "-c", HANGS_WITH_A_CHILD, str(self._path), leader)
        return KeySource(command=words)

    async def begun(self) -> None:
        """Return once the command and its child run."""
        self.pipe = await asyncio.to_thread(self._path.open, "rb", buffering=0)
        assert await asyncio.to_thread(self.pipe.read, 1) == b"!"

    async def over(self) -> None:
        """Return once none of them runs any more."""
        with self.pipe:
            assert await asyncio.to_thread(self.pipe.read, 1) == b""


@pytest.mark.parametrize("leader", ["stay", "leave"])
async def test_a_command_that_hangs_is_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leader: str
) -> None:
    monkeypatch.setattr(keys, "COMMAND_LIMIT_S", 1.0)
    life = Life(tmp_path / "life")

    error, _ = await asyncio.gather(failure(life.command(leader)), life.begun())

    assert "did not end within" in str(error)
    await life.over()


async def test_cancelling_ends_the_command(tmp_path: Path) -> None:
    life = Life(tmp_path / "life")
    reading = asyncio.create_task(revealed(life.command("stay")))
    await life.begun()

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    await life.over()


READS_A_KEY = """
import asyncio, os, sys
from redline.models.keys import read_key
from redline.settings.tree import KeySource
asyncio.run(read_key(KeySource(command=tuple(sys.argv[1:])), environ=os.environ))
"""


async def test_a_command_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    life = Life(tmp_path / "life")
    words = life.command("stay").command
    assert words is not None
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", READS_A_KEY, *words
    )
    await life.begun()

    server.kill()
    await server.wait()

    # With a limit: what goes on after all would do so for ten minutes.
    assert select.select([life.pipe], [], [], 30)[0]
    await life.over()


LEAVES_AN_AGENT = f"""
import subprocess, sys
agent = "import sys; n = open(sys.argv[1]).read(1); open(sys.argv[2], 'w').write(n)"
words = [sys.executable, "-c", agent, *sys.argv[1:]]
subprocess.Popen(words, stdout=subprocess.DEVNULL)
print("{SECRET}")
"""


async def test_what_a_command_leaves_behind_goes_on(tmp_path: Path) -> None:
    """As an agent that keeps a password store unlocked."""
    asked, answer = tmp_path / "asked", tmp_path / "answer"
    os.mkfifo(asked)
    os.mkfifo(answer)
    words = (sys.executable, "-c", LEAVES_AN_AGENT, str(asked), str(answer))
    with asked.open("r+b", 0) as asking, answer.open("r+b", 0) as reading:
        assert await revealed(KeySource(command=words)) == SECRET

        asking.write(b"!")
        assert select.select([reading], [], [], 30)[0]


def install_keyring(tmp_path: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a `keyring` package with the real one's command line on the path."""
    package = tmp_path / "keyring"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)


async def test_a_key_comes_from_the_keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        f"import sys; assert sys.argv[1:] == ['get', 'redline', 'o']\nprint('{SECRET}')"
    )
    install_keyring(tmp_path, code, monkeypatch)
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}

    assert await revealed(KeySource(keyring="o"), environ) == SECRET


@pytest.mark.parametrize("name", ["keyring.py", "argparse.py"])
async def test_the_keyring_is_not_replaced_by_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """An editor may start the server in a folder of strangers."""
    installed, folder = tmp_path / "installed", tmp_path / "folder"
    installed.mkdir()
    folder.mkdir()
    install_keyring(installed, f"import argparse; print('{SECRET}')", monkeypatch)
    (folder / name).write_text(f"open({str(folder / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(folder)
    environ = {**os.environ, "PYTHONPATH": str(installed)}

    assert await revealed(KeySource(keyring="o"), environ) == SECRET
    assert not (folder / "ran").exists()


async def test_an_absent_keyring_entry_says_how_to_store_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_keyring(tmp_path, "import sys; sys.exit(1)", monkeypatch)
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}

    error = await failure(KeySource(keyring="o"), environ)

    assert "keyring set redline o" in error.remedy


async def test_keyring_support_that_is_not_installed_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keys, "find_spec", lambda name: None)

    error = await failure(KeySource(keyring="o"))

    assert "redline-ls[keyring]" in error.remedy


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (None, "none is sent"),
        (KeySource(env="A_KEY"), "from env A_KEY"),
        (KeySource(command=("pass", "secret/place")), "from command pass"),
        (KeySource(command=()), "from command (empty)"),
        (KeySource(keyring="openai"), "from keyring openai"),
    ],
)
def test_a_source_is_described_without_private_words(
    source: KeySource | None, text: str
) -> None:
    assert describe_source(source) == text
