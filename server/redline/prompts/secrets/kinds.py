"""Decides by the name of a file how values are written in it: with quotes, or without.

Templates and examples of a file, such as `a.yml.j2` and `application.properties.dist`,
are written as it is: the last suffix that is known decides.
"""

from __future__ import annotations

from enum import Enum, auto
from functools import lru_cache
from pathlib import PurePosixPath


class Kind(Enum):
    """How values are written in a text."""

    CODE = auto()
    """In quotes; a word without them is a name."""
    PROSE = auto()
    """As in code, but a word after a colon at the end of a line is a value."""
    SCRIPT = auto()
    """As in code, or as a word: `PASSWORD=…`."""
    SETTINGS = auto()
    """Without quotes, up to the end of the line."""


_SUFFIXES = {
    Kind.CODE: (
        "c cc cjs cpp cs css cts dart ex exs go h hpp html java js json jsx kt kts"
        " less lua m mjs mts php pl ps1 py pyi r rb rs scala scss sql svelte swift ts"
        " tsx vue"
    ),
    Kind.PROSE: "adoc diff log markdown md org patch plaintext rst txt",
    Kind.SCRIPT: (
        "bash bashrc bat cmd csh dockerfile exp expect fish ksh mak make makefile mk"
        " profile sh shellscript tcl zprofile zsh zshenv zshrc"
    ),
    Kind.SETTINGS: (
        "caddyfile cfg cnf condarc conf config curlrc dockercompose dotenv editorconfig"
        " env flaskenv gitconfig helm hgrc htaccess http inf ini inputrc inventory"
        " mount netrc npmrc properties rc reg rest service socket tfvars timer toml"
        " wgetrc yaml yml"
    ),
}
"""Suffixes, names of files after a dot, and identifiers of languages in LSP."""

_KINDS = {
    suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()
}

_NAMES = {
    "caddyfile": Kind.SETTINGS,
    "containerfile": Kind.SCRIPT,
    "dockerfile": Kind.SCRIPT,
    "gnumakefile": Kind.SCRIPT,
    "hosts": Kind.SETTINGS,
    "inventory": Kind.SETTINGS,
    "makefile": Kind.SCRIPT,
    "procfile": Kind.SCRIPT,
}
"""Names without a suffix, also with one, as `Dockerfile.prod`."""


@lru_cache(maxsize=1_024)
def kind_of(path: str) -> Kind:
    """Return the kind of a file; that of an unknown one is code.

    A text without a path, as a message, an output or an instruction, is prose.
    """
    if not path:
        return Kind.PROSE
    first, *suffixes = PurePosixPath(path.lower()).name.lstrip(".").split(".")
    if first == "env":
        return Kind.SETTINGS
    for suffix in reversed(suffixes):
        if suffix in _KINDS:
            return _KINDS[suffix]
    kind = _NAMES.get(first) or _NAMES.get(first.partition("-")[0])
    # `.bashrc` is a suffix without a name.
    is_hidden = PurePosixPath(path).name.startswith(".")
    return kind or (_KINDS.get(first, Kind.CODE) if is_hidden else Kind.CODE)
