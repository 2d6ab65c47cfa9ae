"""Merges settings from several sources into one tree. Reads no files.

Every value is converted separately: a bad one leaves the earlier value, is reported
once, and affects no other. A model without a required setting is left out as a whole,
because half a model might send code to the wrong place.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from redline.settings.leaves import (
    KeyPath,
    Leaf,
    dotted,
    model_leaves,
    section_types,
    sections,
)
from redline.settings.providers import PROVIDERS, provider_named
from redline.settings.source import SettingProblem, Source
from redline.settings.tree import ModelSettings, Settings

DEFAULT = "default"
"""The origin of a value that no source has set."""

_FILES = {("log", "file"), ("store", "file")}
"""Settings with a path that may begin with `~` and a user's name."""

_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_MAX_PROBLEMS = 20
"""Reported for one source; of more, the number. Strangers may have written it."""

_MAX_KEY_CHARS = 100
"""Longer keys are shortened in a problem."""

_INLINE_KEY = (
    "a key itself is not taken here: say where it is, with `{ env = … }`, "
    "`{ command = […] }` or `{ keyring = … }`; if it was a real key, replace it"
)


class Merged(Struct, frozen=True, kw_only=True):
    """The tree, the origin of each value, and the problems."""

    settings: Settings
    origins: dict[str, str]
    """For each dotted key: `path:line`, `editor` or `default`."""
    problems: tuple[SettingProblem, ...]


def merge(sources: Sequence[Source]) -> Merged:
    """Merge sources into one tree; later ones win, setting by setting."""
    merging = _Merging()
    for source in sources:
        for path, value in source.values.items():
            merging.take(source, path, value)
    return merging.result()


class _Merging:
    def __init__(self) -> None:
        self._values: dict[KeyPath, Any] = {}  # Converted: of the leaf's own type.
        self._origins: dict[KeyPath, str] = {}
        self._sources: dict[KeyPath, Source] = {}
        self._bad: dict[KeyPath, Source] = {}
        self._problems: dict[tuple[KeyPath, str], SettingProblem] = {}
        self._n_problems: Counter[str] = Counter()
        """By the name of their source."""
        self._further: set[tuple[KeyPath, str]] = set()
        """Settings whose problems are not reported, since their source has too many."""

    def take(self, source: Source, path: KeyPath, value: object) -> None:
        """Store one value, or the problem with it."""
        leaf = _leaf_at(path)
        if value == "" and leaf is not None and leaf.may_be_empty:
            value = None
        if leaf is None:
            names = _names_beside(path)
            if names is None or (len(path) == 1 and path[0] in sections()):
                self._report(source, path, "expected a table")
            else:
                self._report(source, path, "there is no such setting", known=names)
        elif reason := source.refusal(path):
            # Reported once for a whole model, not for each of its settings.
            self._report(source, path[:2], reason)
        elif reason := _objection(path, leaf, value):
            self._report(source, path, reason)
            self._bad[path] = source
        else:
            self._values[path] = msgspec.convert(value, leaf.type)
            self._origins[path] = source.place_of(dotted(path))
            self._sources[path] = source
            # The editor sends settings repeatedly: a corrected value is no longer a
            # problem.
            if self._problems.pop((path, source.name), None):
                self._n_problems[source.name] -= 1
            self._further.discard((path, source.name))

    def result(self) -> Merged:
        """Build the tree from the stored values."""
        models = self._models()
        tables: dict[str, Any] = {}  # A struct of each section's own type.
        for section, struct in section_types().items():
            given = self._given(sections()[section], section)
            if section == "tiers":
                given = self._known_tiers(given, models)
            tables[section] = struct(**given)
        return Merged(
            settings=Settings(models=models, **tables),
            origins=self._all_origins(models),
            problems=(*self._problems.values(), *self._rest()),
        )

    def _rest(self) -> Iterator[SettingProblem]:
        """Yield the number of problems of each source that are not reported."""
        for source, n_further in Counter(name for _, name in self._further).items():
            message = f"further settings were not used as written: {n_further}"
            yield SettingProblem(key="", source=source, message=message)

    def _given(
        self, leaves: Iterable[str], *table: str
    ) -> dict[str, Any]:  # Values of each leaf's own type.
        return {
            name: self._values[*table, name]
            for name in leaves
            if (*table, name) in self._values
        }

    def _models(self) -> dict[str, ModelSettings]:
        """Build the models with all required settings, in the order they were named."""
        models = {}
        for label in self._labels():
            given = self._filled(label, self._given(model_leaves(), "models", label))
            missing = [
                name
                for name, leaf in model_leaves().items()
                if leaf.is_required and name not in given
            ]
            if missing:
                self._leave_out(label, missing)
            else:
                models[label] = ModelSettings(**given)
        return models

    def _filled(
        self, label: str, given: dict[str, Any]
    ) -> dict[str, Any]:  # Values of each leaf's own type.
        """Add what the model's provider says, where the settings say nothing."""
        name = given.get("provider")
        provider = provider_named(name)
        if provider is not None:
            return {**provider.defaults(given), **given}
        if name is not None:
            path = ("models", label, "provider")
            known = [each.id for each in PROVIDERS]
            self._report(
                self._sources[path],
                path,
                "there is no such provider",
                name=name,
                known=known,
            )
        return given

    def _labels(self) -> Iterable[str]:
        paths = (*self._values, *self._bad)
        return dict.fromkeys(path[1] for path in paths if path[0] == "models")

    def _leave_out(self, label: str, missing: Sequence[str]) -> None:
        """Report that a model is left out, with the cause if it is known."""
        for name in missing:
            path = ("models", label, name)
            if path in self._bad:
                found = path, self._bad[path].name
                if (problem := self._problems.get(found)) is not None:
                    message = f"{problem.message}; the model is left out"
                    self._problems[found] = replace(problem, message=message)
                return
        source = next(
            source
            for path, source in (self._sources | self._bad).items()
            if path[:2] == ("models", label)
        )
        wanted = " and ".join(f"`{name}`" for name in missing)
        self._report(
            source, ("models", label), f"the model is left out: it needs {wanted}"
        )

    def _known_tiers(
        self, given: dict[str, Any], models: dict[str, ModelSettings]
    ) -> dict[str, Any]:  # Values of `TierSettings`' own types.
        known = {}
        for tier, label in given.items():
            path = ("tiers", tier)
            if label is None or label in models:
                known[tier] = label
                continue
            self._report(
                self._sources[path],
                path,
                "it names a model that is not configured or was left out",
                name=label,
                known=models,
            )
            del self._origins[path]
        return known

    def _all_origins(self, models: dict[str, ModelSettings]) -> dict[str, str]:
        paths: list[KeyPath] = [
            ("models", label, name) for label in models for name in model_leaves()
        ]
        paths += [
            (section, name) for section, names in sections().items() for name in names
        ]
        return {dotted(path): self._origins.get(path, DEFAULT) for path in paths}

    def _report(
        self,
        source: Source,
        path: KeyPath,
        message: str,
        *,
        name: str = "",
        known: Iterable[str] = (),
    ) -> None:
        """Store a problem, unless its source has too many.

        Args:
            source: Where the value is from.
            path: The setting.
            message: What is wrong.
            name: The name that is wrong; empty: the last one of the path.
            known: Those that may have been meant.
        """
        found = path, source.name
        if found not in self._problems:
            if self._n_problems[source.name] == _MAX_PROBLEMS:
                self._further.add(found)
                return
            self._n_problems[source.name] += 1
            self._further.discard(found)
        key = dotted(path)
        shown = key if len(key) <= _MAX_KEY_CHARS else f"{key[:_MAX_KEY_CHARS]}…"
        self._problems[found] = SettingProblem(
            key=shown,
            source=source.name,
            message=message + _suggestion(name or path[-1], known),
            line=source.line_of(key),
        )


def _leaf_at(path: KeyPath) -> Leaf | None:
    if path[0] == "models":
        return model_leaves().get(path[2]) if len(path) == 3 else None
    leaves = sections().get(path[0], {})
    return leaves.get(path[1]) if len(path) == 2 else None


def _objection(path: KeyPath, leaf: Leaf, value: object) -> str | None:
    """Return what is wrong with a value, without quoting it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "expected a finite number"
    if path[0] == "models" and leaf.name == "key" and (reason := _inline_key(value)):
        return reason
    try:
        msgspec.convert(value, leaf.type)
    except msgspec.ValidationError as error:
        return _expectation(leaf, str(error))
    if _has_nul(value):
        return "no value can have a NUL character"
    if path in _FILES and os.path.expanduser(str(value)).startswith("~"):
        return "there is no user of this name"
    return None


def _has_nul(value: object) -> bool:
    """Whether there is a NUL in a value, with which no path or address is usable."""
    if isinstance(value, Mapping):
        return any(map(_has_nul, value.values()))
    if isinstance(value, list):
        return any(map(_has_nul, value))
    return isinstance(value, str) and "\0" in value


def _inline_key(value: object) -> str | None:
    """Refuse a key itself where only its place is allowed."""
    if isinstance(value, str):
        return _INLINE_KEY
    env = value.get("env") if isinstance(value, Mapping) else None
    if isinstance(env, str) and not _VARIABLE_NAME.fullmatch(env):
        # Users paste keys here: most contain a hyphen, variable names never do.
        return f"`env` is the name of an environment variable; {_INLINE_KEY}"
    return None


def _expectation(leaf: Leaf, message: str) -> str:
    if leaf.choices:
        # msgspec's own message quotes the value.
        return "expected one of " + ", ".join(f"`{word}`" for word in leaf.choices)
    return message[0].lower() + message[1:]


def _names_beside(path: KeyPath) -> Iterable[str] | None:
    """Return the possible names of a path's last part; None: a table belongs there."""
    if path[0] == "models":
        return model_leaves() if len(path) > 2 else None
    return sections().get(path[0], {}) if len(path) > 1 else (*sections(), "models")


def _suggestion(name: str, known: Iterable[str]) -> str:
    if not known or len(name) > _MAX_KEY_CHARS:
        return ""
    # Imported late: only a mistake needs it.
    from difflib import get_close_matches

    plain = {other.replace("_", ""): other for other in known}
    close = get_close_matches(name.lower().replace("_", ""), plain, n=1)
    return f": did you mean `{plain[close[0]]}`?" if close else ""
