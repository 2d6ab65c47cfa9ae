"""Targets that the rules of a makefile need."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.data_files.named_use import NamedUse

_RULE = re.compile(
    r"^(?P<targets>[\w.%$(){}/ \t-]++)(?<![ \t])[ \t]*+::?(?![=:])"
    r"(?P<needed>[^=\n#;]*+)(?![=:])",
    re.MULTILINE,
)
_OPEN = re.compile(
    r"^[ \t]*+-?s?include\b|^%[ \t]*+:|\$\(eval\b|^\.DEFAULT\b"
    r"|^[^\t\n$]*+\$[({][^\n:=]*+:(?!=)"
    r"|^define\b",
    re.MULTILINE,
)
_NAME = re.compile(r"[a-z][\w-]*+")


def target_uses(text: str) -> Iterator[NamedUse]:
    """Yield the prerequisites that are plain words, if all targets are written."""
    joined = text.replace("\\\n", "  ")
    if _OPEN.search(joined):
        return
    rules = list(_RULE.finditer(joined))
    targets = {name for one in rules for name in one["targets"].split()}
    for one in rules:
        if one["targets"].startswith("."):
            continue
        for name in one["needed"].replace("|", " ").split():
            if _NAME.fullmatch(name):
                yield NamedUse(
                    name=name,
                    line=text.count("\n", 0, one.start("needed")),
                    is_known=name in targets,
                    message=f"No rule makes `{name}`.",
                )
