"""Where API keys come from: the environment, a command, or the system keyring.

A key exists in three places only: where the user keeps it, inside an `ApiKey`, and in
the header of a request. It is never in a log, an error, a `repr` or a stored row, so no
message of this module quotes text that it has read.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio import StreamReader
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import NoReturn

from redline import ends_with_parent
from redline.child_environment import note_key_variable
from redline.errors import KeyMissingError
from redline.keys_in_use import MAX_KEY_CHARS, note_key
from redline.programs import find_program
from redline.settings.tree import KeySource

COMMAND_LIMIT_S = 30.0
"""Longest run of a key command: the user may have to unlock a password store."""

MAX_OUTPUT_BYTES = 65_536
"""Limit of a key command's output; the key is its first line."""

_PIPE_LIMIT_S = 1.0
"""How long the output of a killed command may stay open: a child that has left its
session can hold it."""

KEYRING_SERVICE = "redline"
"""The service name of our keys in the system keyring."""


class ApiKey:
    """A key whose text is accessible only through `reveal`.

    Creating one registers its text for removal from every error and log line.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text
        note_key(text)

    def __repr__(self) -> str:
        """Hide the key."""
        return "ApiKey(hidden)"

    def reveal(self) -> str:
        """Return the key's text, for a request header and nothing else."""
        return self._text


async def read_key(source: KeySource, *, environ: Mapping[str, str]) -> ApiKey:
    """Read a key from where the settings say it is.

    Cancelling ends a running command with all its children.

    Args:
        source: Exactly one of environment variable, command and keyring entry.
        environ: The environment, for the variable and for the command.

    Raises:
        KeyMissingError: If there is no usable key; the error says what to do.
    """
    if source.env is not None:
        return _from_environment(source.env, environ)
    if source.command is not None:
        return await _from_command(source.command, environ)
    return await _from_keyring(source.keyring or "", environ)


def describe_source(source: KeySource | None) -> str:
    """Say where a key comes from, as in `from env OPENAI_API_KEY`."""
    if source is None:
        return "none is sent"
    if source.env is not None:
        return f"from env {source.env}"
    if source.command is not None:
        # Arguments may be private; the program's name is enough to identify it.
        return f"from command {source.command[0] if source.command else '(empty)'}"
    return f"from keyring {source.keyring}"


def _from_environment(name: str, environ: Mapping[str, str]) -> ApiKey:
    remedy = (
        f"Set {name} in the environment that the editor is started from, or name "
        "another source in the model's `key`."
    )
    text = environ.get(name, "").strip()
    if not text:
        raise KeyMissingError(
            f"The environment variable {name} is not set.", remedy=remedy
        )
    return _checked(text, f"the environment variable {name}")


async def _from_command(words: Sequence[str], environ: Mapping[str, str]) -> ApiKey:
    if not words or not words[0]:
        raise KeyMissingError(
            "The key command is empty.",
            remedy='Give its words, such as `key = { command = ["pass", "openai"] }`.',
        )
    what = f"the key command {words[0]}"
    output = await _first_line(words, what, environ)
    return _checked(output, what)


async def _from_keyring(name: str, environ: Mapping[str, str]) -> ApiKey:
    if find_spec("keyring") is None:
        raise KeyMissingError(
            "The key is in the system keyring, but keyring support is not installed.",
            remedy="Install it with `pip install 'redline-ls[keyring]'`.",
        )
    # In a separate process, so that a keyring that waits for a password can be ended.
    # Without `-P`, modules in the current folder, which may be an untrusted workspace,
    # would be imported instead of those of the keyring and of Python.
    words = (sys.executable, "-P", "-m", "keyring", "get", KEYRING_SERVICE, name)
    what = f"the keyring entry {name}"
    remedy = f"Store it with `keyring set {KEYRING_SERVICE} {name}`."
    try:
        return _checked(await _first_line(words, what, environ), what)
    except KeyMissingError as error:
        raise KeyMissingError(str(error), remedy=remedy) from error


async def _first_line(
    words: Sequence[str], what: str, environ: Mapping[str, str]
) -> str:
    """Run a command without a shell and return its first line of output."""
    program, *arguments = words
    if not os.path.dirname(program):
        found = find_program(program, environ.get("PATH", os.defpath))
        if found is None:
            raise _not_started(what, "there is no such program")
        program = found
    try:
        process = await asyncio.create_subprocess_exec(
            *(*ends_with_parent.COMMAND, program, *arguments),
            # Ends the command if this process is killed.
            stdin=PIPE,
            stdout=PIPE,
            # Not the command's, which is discarded: it may quote a secret.
            stderr=PIPE,
            env=dict(environ),
            # A session of its own: it cannot write to the editor's terminal, and its
            # children can be ended with it.
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise _not_started(what, _reason(error)) from error
    try:
        async with asyncio.timeout(COMMAND_LIMIT_S):
            output = await _read_bounded(process.stdout, what)
            trouble = await _read_bounded(process.stderr, what)
            status = await process.wait()
    except TimeoutError:
        await _end(process)
        _fail(what, f"did not end within {COMMAND_LIMIT_S:.0f} s")
    except BaseException:
        await _end(process)
        raise
    if trouble:
        raise _not_started(what, trouble.decode("utf-8", "replace"))
    if status != 0:
        _fail(what, f"ended with exit status {status}")
    lines = output.decode("utf-8", "replace").splitlines()
    return lines[0].strip() if lines else ""


async def _read_bounded(stream: StreamReader | None, what: str) -> bytes:
    assert stream is not None
    output = bytearray()
    while chunk := await stream.read(4096):
        output += chunk
        if len(output) > MAX_OUTPUT_BYTES:
            _fail(what, f"wrote more than {MAX_OUTPUT_BYTES} bytes")
    return bytes(output)


async def _end(process: Process) -> None:
    """Kill a command that is still running, with its child processes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            # Kill the group even if its leader has ended: a child may hold the pipe.
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
    # asyncio releases a process only at the end of its output, which comes later.
    assert process.stdout is not None
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PIPE_LIMIT_S):
            while await process.stdout.read(MAX_OUTPUT_BYTES):
                pass


def _checked(text: str, what: str) -> ApiKey:
    """Raise if the text cannot be a key, without quoting it."""
    if not text:
        _fail(what, "gave no key")
    is_word = text.isascii() and text.isprintable() and " " not in text
    if not is_word or len(text) > MAX_KEY_CHARS:
        # Such text would break the request header or inject a second one.
        _fail(what, "gave text that cannot be a key")
    return ApiKey(text)


def _fail(what: str, how: str) -> NoReturn:
    raise KeyMissingError(
        f"{what[0].upper()}{what[1:]} {how}.",
        remedy="Run it in a terminal and check that its first line is the key.",
    )


def _not_started(what: str, reason: str) -> KeyMissingError:
    return KeyMissingError(
        f"Could not start {what}: {reason}.",
        remedy="Check that the program is installed. Without a folder in its name, it"
        " is looked for in the absolute folders of PATH.",
    )


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "its words hold a character that cannot be passed on"


class CachedKey:
    """A model's key, read when it is first needed, until its provider refuses it.

    A key command may ask a person to unlock something, so it runs once for all sockets
    and requests of a model, not once for each.
    """

    def __init__(self, source: KeySource | None, *, environ: Mapping[str, str]) -> None:
        if source is not None and source.env is not None:
            note_key_variable(source.env)
        self._source = source
        self._environ = environ
        self._key: ApiKey | None = None
        self._lock = asyncio.Lock()

    async def get(self) -> ApiKey | None:
        """Return the key; None if no key is sent to this model.

        Raises:
            KeyMissingError: If it is not where the settings say it is.
        """
        if self._source is None:
            return None
        async with self._lock:
            if self._key is None:
                self._key = await read_key(self._source, environ=self._environ)
            return self._key

    async def renew(self, refused: ApiKey | None) -> bool:
        """Run a key command again after the provider refused its key.

        Returns:
            Whether the key is another one now, so that a request can be repeated.
        """
        source = self._source
        if refused is None or source is None or source.env is not None:
            return False
        async with self._lock:
            if self._key is None or self._key.reveal() == refused.reveal():
                try:
                    self._key = await read_key(source, environ=self._environ)
                except KeyMissingError:
                    return False
            return self._key.reveal() != refused.reveal()

    def forget(self) -> None:
        """Read it again next time: the provider refused this one."""
        self._key = None
