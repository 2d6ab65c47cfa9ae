"""Finds the values that commands put into a store of secrets, whatever their names are.

As `vault kv put app/db user=ada pw=…`, `fly secrets set DSN=…`, or what `docker secret
create` reads from its standard input. The commands are those of the programs' reference
pages (as of November 2026).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.prompts.secrets import signs
from redline.prompts.secrets.neighbours import is_opaque, is_password

_OPTIONS = r"(?:\s{1,4}--?[\w-]{1,40}+(?:[= ][\w./:@-]{1,80}+)?){0,4}"

_SECRETS = (
    rf"(?:docker|podman|nerdctl){_OPTIONS}\s{{1,4}}secret\s{{1,4}}create"
    r"|(?:gh|glab)\s{1,4}(?:secret|variable)\s{1,4}(?:set|create|update)"
    r"|wrangler\s{1,4}secret\s{1,4}put|vault\s{1,4}(?:kv\s{1,4})?(?:put|patch|write)"
    r"|(?:fly|flyctl|doppler|supabase)\s{1,4}secrets\s{1,4}(?:set|import|stage)"
    r"|gcloud\s{1,4}secrets\s{1,4}(?:versions\s{1,4}add|create)"
    r"|firebase\s{1,4}functions:secrets:set|circleci\s{1,4}context\s{1,4}store-secret"
    r"|pulumi\s{1,4}config\s{1,4}set\s{1,4}--secret|pass\s{1,4}insert"
    r"|chamber\s{1,4}write|kubeseal|ansible-vault\s{1,4}encrypt_string"
    r"|travis\s{1,4}encrypt"
)
_SETTINGS = (
    r"(?:heroku|dokku)\s{1,4}config:(?:set|add)|railway\s{1,4}variables?|eb\s{1,4}setenv"
    r"|(?:netlify|ntl)\s{1,4}env:set|vercel\s{1,4}env\s{1,4}add|cf\s{1,4}set-env"
    r"|firebase\s{1,4}functions:config:set"
)
"""Other variables are among them, so a value must look like a secret."""

_STORE = re.compile(
    rf"(?<![\w.-])(?:(?P<secrets>{_SECRETS})|{_SETTINGS})(?=[\s\"',]|\Z)"
)

_MAX_COMMAND = 500
"""Characters after the name of a command in which its values are searched."""

_COMMAND_END = re.compile(r"\s(?:[|&;]|<<(?!<))|;|$")

_QUOTED = r"(?:\"([^\"\s]+)\"|'([^'\s]+)'|([^\s\"'`|;&<>()]+))"

_ASSIGNED = re.compile(rf"(?<=[\s\"'])[A-Za-z][\w./:-]{{0,80}}+={_QUOTED}")
_HERE_STRING = re.compile(rf"<<<\s{{0,4}}{_QUOTED}")
_LAST = re.compile(
    rf"(?:(?<=write)\s{{1,4}}[\w./-]{{1,60}}|(?<=set-env)\s{{1,4}}[\w./-]{{1,60}})?{_OPTIONS}"
    rf"\s{{1,4}}(?:[A-Z][A-Z0-9_]{{1,60}}|(?<=secret\s)[\w:.-]{{1,60}}|[\w-]{{1,60}})"
    rf"\s{{1,4}}{_QUOTED}\s{{0,4}}\Z"
)
_HAS_LAST = re.compile(
    r"(?:doppler\s+secrets|glab\s+variable|config|env:)\s*set|chamber|set-env|--secret"
)
"""The commands that take a name, and then its value as a word of its own."""
_ENCRYPTED = re.compile(
    r"\s{1,4}(?:--stdin-name\s\S+\s)?(?:\"([^\"\s]+)\"|'([^'\s]+)')"
)

_PIPED = re.compile(
    rf"\b(?:echo|printf)(?:\s{{1,4}}-\w{{1,3}})?(?:\s{{1,4}}[\"']%s(?:\\n)?[\"'])?\s{{1,4}}"
    rf"{_QUOTED}\s{{0,4}}\|[^|]{{0,60}}\Z"
)
"""What is written to the pipe in front of a command."""


def find_in_stores(line: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of values that may be secrets; the caller judges the values."""
    if not names_store(line):
        return
    for store in _STORE.finditer(line):
        limit = min(len(line), store.end() + _MAX_COMMAND)
        stop = _COMMAND_END.search(line, store.end(), limit)
        end = stop.start() if stop else limit
        for start, stop_of in _values(line, store, end):
            if store["secrets"] or _looks_secret(line[start:stop_of]):
                yield start, stop_of


def names_store(line: str) -> bool:
    """Whether a line may have a command that puts values into a store."""
    return any(map(line.__contains__, signs.STORES))


def reads_secret(command: str) -> bool:
    """Whether a command takes a secret from its standard input."""
    store = _STORE.search(command) if names_store(command) else None
    return store is not None and store["secrets"] is not None


def _values(line: str, store: re.Match[str], end: int) -> Iterator[tuple[int, int]]:
    for pattern in (_ASSIGNED, _HERE_STRING):
        for found in pattern.finditer(line, store.end(), end):
            yield _span(found)
    alone = None
    if "encrypt_string" in store[0]:
        alone = _ENCRYPTED.match(line, store.end(), end)
    elif _HAS_LAST.search(store[0]):
        alone = _LAST.match(line, store.end(), end)
    if alone:
        yield _span(alone)
    before = line[max(0, store.start() - _MAX_COMMAND) : store.start()]
    if "|" in before and (piped := _PIPED.search(before)):
        shift = store.start() - len(before)
        yield shift + _span(piped)[0], shift + _span(piped)[1]


def _span(found: re.Match[str]) -> tuple[int, int]:
    return found.span(found.lastindex or 0)


def _looks_secret(value: str) -> bool:
    return is_opaque(value) or is_password(value)
