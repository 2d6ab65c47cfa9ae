"""Values from one place, what each place may set, and problems with values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from redline.settings.leaves import KeyPath

SourceKind = Literal["user", "workspace", "trusted workspace", "editor"]

WORKSPACE_SECTIONS = frozenset({"edit", "limits", "routing"})
"""What a workspace may set before the user trusts it: behaviour, and nothing about
where code and keys go, which programs run, or which files are written."""

GUARDS = frozenset(
    ("routing", name) for name in ("boundaries", "boundaries_off", "second_opinions")
)
"""Settings in these sections that still need a trusted source: switching them off would
remove protection of the user's own code."""

TRUST_REMEDY = (
    "a workspace may not set this until you list its folder in `trust.workspaces` of "
    "your own config.toml"
)


class Source(Struct, frozen=True, kw_only=True):
    """Values from one place, not yet checked."""

    kind: SourceKind
    name: str
    """The path of the file, or `editor`."""
    values: Mapping[KeyPath, object]
    lines: Mapping[str, int] = field(default_factory=dict)
    """Lines, from 1, of dotted keys and tables, where known."""

    def line_of(self, key: str) -> int | None:
        """Return the line of a dotted key, or of its nearest enclosing table."""
        while key:
            if key in self.lines:
                return self.lines[key]
            key = key.rpartition(".")[0]
        return None

    def place_of(self, key: str) -> str:
        """Return the place of a dotted key: `/home/me/config.toml:3`."""
        line = self.line_of(key)
        return self.name if line is None else f"{self.name}:{line}"

    def refusal(self, path: KeyPath) -> str | None:
        """Return why this source may not set a key; None: it may."""
        if path[0] == "trust" and self.kind != "user":
            return "only your own config.toml says which workspaces are trusted"
        if self.kind == "workspace" and not _is_behaviour(path):
            return TRUST_REMEDY
        return None

    def wants_models(self) -> bool:
        """Whether models or tiers are configured here, even incorrectly."""
        return any(
            path[0] in ("models", "tiers") and self.refusal(path) is None
            for path in self.values
        )


class SettingProblem(Struct, frozen=True, kw_only=True):
    """A setting, or a file, that was not used as written."""

    key: str
    """The dotted key; empty: the whole file."""
    source: str
    """The path of the file, or `editor`."""
    message: str
    """What is wrong and what to do; never quotes the value, which may be a key."""
    line: int | None = None

    def __str__(self) -> str:
        """Write the problem on one line, place first."""
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        return ": ".join(part for part in (place, self.key, self.message) if part)


def _is_behaviour(path: KeyPath) -> bool:
    if path[:2] in GUARDS:
        return False
    return path[0] in WORKSPACE_SECTIONS or path == ("log", "level")
