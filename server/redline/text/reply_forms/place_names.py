"""Lines that name a file, or lines of it, and nothing else."""

from __future__ import annotations

import re

_SUFFIXES = (
    r"(?:astro|bash|bat|c|cc|cfg|clj|cmake|conf|cpp|cs|css|csv|cxx|dart|erl|exs?|fs|go"
    r"|gradle|graphql|groovy|h|hpp|hs|html?|ini|ipynb|java|jl|js|json|jsonc|jsx|kts?"
    r"|less|lua|m|md|mjs|mk|ml|nim|nix|php|pl|pm|proto|ps1|pyi?|r|rb|rs|rst|sass|scala"
    r"|scss|sh|sql|svelte|swift|tex|tf|toml|tsx?|txt|vue|xml|ya?ml|zig|zsh)"
)
_LINES = (
    r"(?:(?::|#L?|,? ?\(?,? ?(?:lines?|L)? ?)\d+"
    r"(?: ?(?:-|\u2013|:|to|,) ?L?\d+)?\)?)?:?"
)
_QUOTE = "[`\"']?"
_LABEL = (
    r"(?:(?:file|code|full|new|updated)?[ -]?(?:file|path|filepath|filename|file name"
    r"|source|location|edited|updated|modified)[:=] ?)"
)
_WITH_SUFFIX = (
    rf"(?:in |from |end of )?{_QUOTE}[\w.@~/\\-]{{0,200}}\b[\w@-]{{1,80}}"
    rf"\.{_SUFFIXES}{_QUOTE}"
)
_IN_FOLDER = r"(?:\.?[\w.@~-]{1,80}/){1,20}[\w.@-]{1,80}"
_WITHOUT_SUFFIX = r"(?:Dockerfile|Makefile|Gemfile|Rakefile|Jenkinsfile|Vagrantfile)"
_PATH = re.compile(
    rf"(?:{_LABEL}{_QUOTE}[\w.@~/\\ -]{{1,200}}{_QUOTE}|{_WITH_SUFFIX}|{_IN_FOLDER}"
    rf"|{_WITHOUT_SUFFIX}){_LINES}|lines? \d+ ?(?:-|\u2013|to) ?\d+:?",
    re.IGNORECASE,
)
_PLACE = re.compile(
    rf"(?:file|path|filepath|filename|source|location): ?{_QUOTE}[\w.@~/\\-]{{1,200}}"
    rf"{_QUOTE}{_LINES}"
    rf"|{_IN_FOLDER}(?::|#L|,? \(?(?:lines? )?)(?:\d+(?: ?[-\u2013] ?L?\d+)?\)?:?)?",
    re.IGNORECASE,
)


def is_path(text: str) -> bool:
    """Whether a text, such as that of a comment, is the name of a file."""
    return _PATH.fullmatch(text) is not None


def is_place(line: str) -> bool:
    """Whether a line says where a text belongs, and is no path that code may have."""
    return _PLACE.fullmatch(line) is not None
