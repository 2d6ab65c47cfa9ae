"""The reference page of all settings, generated from the tree.

`python -m redline.settings.reference > docs/reference/settings.md` writes it; a test
compares the committed one. This module takes all knowledge of settings from `tree.py`,
and addresses from `providers.py`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta

from redline.settings.actions import OwnAction
from redline.settings.check_settings import CheckCommand
from redline.settings.leaves import Leaf, model_leaves, section_types, sections
from redline.settings.providers import provider_named
from redline.settings.source import GUARDS, WORKSPACE_SECTIONS
from redline.settings.tree import Api, BoundarySettings, KeySource, ModelSettings

_INTRODUCTION = """\
<!-- Generated: python -m redline.settings.reference > docs/reference/settings.md -->

# Settings

Settings are read from these places; later ones win, setting by setting:

1. the defaults below;
2. your own `config.toml`, or the file named with `--config FILE`. It lies in
   `~/.config/redline` on Linux, `~/Library/Application Support/redline` on macOS and
   `%LOCALAPPDATA%\\redline\\redline` on Windows; `redline doctor` prints the path;
3. the `redline.toml` in the root of each workspace folder. It may set `edit`,
   `limits`, the thresholds of `routing`, and `log.level`; the rest only once
   `trust.workspaces` in your own file names the folder. Settings count for the whole
   window: if it has several folders, only the files of named ones are used;
4. the editor: `initializationOptions`, the section `redline` of its configuration, and
   every later change of it. Nested objects and dotted keys (`"edit.apply"`) are both
   accepted; `null` leaves a setting unchanged.

A server that runs reads its files again within two seconds of a change.

An empty text stands for none where a setting may be absent, such as a tier's model.

A value that does not fit leaves the earlier value in force. It is reported once, with
its key, the file and the line; all other settings apply. A model needs a `name`, and
either a `provider` or both `api` and `url`; one without is left out. Keys themselves
are never settings: a setting only names the place of a key.

```toml
[models.fast]
provider = "cerebras"
name = "gpt-oss-120b"

[models.deep]
api = "responses-http"
url = "https://api.openai.com/v1/responses"
name = "the-models-name"
key = { env = "OPENAI_API_KEY" }

[tiers]
fast = "fast"
deep = "deep"
```

If the settings name no model, Redline looks for one: first for a key in the
environment, then for a local server. Otherwise it uses the built-in rules engine, which
is not a model. The status and `redline doctor` show which one is in use."""

_FORMATS: dict[Api, tuple[str, str]] = {
    "responses-socket": ("openai", "OpenAI's Responses API over a WebSocket"),
    "responses-http": ("openai", "the same over HTTP"),
    "chat-completions": ("groq", "what most servers speak"),
    "anthropic": ("anthropic", "Anthropic's Messages API"),
    "gemini": ("gemini", "Gemini's own API; `url` is the base"),
    "ollama": ("ollama", "Ollama's own API; `url` is the base"),
    "fim": ("llama-server", "filling in the middle, for completions only"),
}
"""A provider whose endpoint is the example, and what the wire format is."""

_TYPE_NAMES: dict[object, str] = {
    str: "text",
    bool: "true or false",
    int: "whole number",
    float: "number",
    KeySource: "one of `env`, `command`, `keyring`",
    BoundarySettings: "table of patterns",
    OwnAction: "table of an action",
    CheckCommand: "table of a command",
}


def reference_page() -> str:
    parts = [_INTRODUCTION, *_model_part()]
    for section, leaves in sections().items():
        parts += _section(f"`[{section}]`", section_types()[section], leaves)
        if section == "actions":
            parts += _fields("\nAn action of `own` is a table with:\n", OwnAction)
        if section == "checks":
            title = "\nA command of `commands` is a table with:\n"
            parts += _fields(title, CheckCommand)
        parts.append(_may_set(section))
    return "\n".join(parts) + "\n"


def _model_part() -> Iterator[str]:
    yield from _section("`[models.NAME]`", ModelSettings, model_leaves())
    yield _may_set("models")
    yield "\nAn example of each `api`:\n"
    yield "| `api` | what it is | example of `url` |"
    yield "| --- | --- | --- |"
    for api, (provider, meaning) in _FORMATS.items():
        named = provider_named(provider)
        assert named is not None
        yield f"| `{api}` | {meaning} | `{named.endpoints[api]}` |"
    yield from _fields("\nA model's `key` is a table with exactly one of:\n", KeySource)


def _fields(title: str, struct: type[msgspec.Struct]) -> Iterator[str]:
    """Write the fields of a setting that is a table, as a list."""
    yield title
    for field in msgspec.structs.fields(struct):
        leaf = Leaf(name=field.name, type=field.type, default=field.default)
        kind = _type_name(leaf) + (", required" if leaf.is_required else "")
        yield f"- `{leaf.name}` ({kind}): {leaf.meta.description}"


def _section(
    title: str, struct: type[msgspec.Struct], leaves: Mapping[str, Leaf]
) -> list[str]:
    rows = [_row(leaf) for leaf in leaves.values()]
    return [
        f"\n## {title}\n",
        f"{(struct.__doc__ or '').strip()}\n",
        "| setting | type | default | meaning |",
        "| --- | --- | --- | --- |",
        *rows,
    ]


def _row(leaf: Leaf) -> str:
    cells = (f"`{leaf.name}`", _type_name(leaf), _default(leaf), leaf.meta.description)
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _may_set(section: str) -> str:
    if section == "trust":
        return "\nSet by your own file only."
    if section in WORKSPACE_SECTIONS:
        guards = [f"`{name}`" for place, name in sorted(GUARDS) if place == section]
        but = f" Of the workspaces, only trusted ones set {' and '.join(guards)}."
        return "\nSet by your own file, any workspace, and the editor." + (
            but if guards else ""
        )
    also = " `level` also by any workspace." if section == "log" else ""
    return f"\nSet by your own file, trusted workspaces, and the editor.{also}"


def _type_name(leaf: Leaf) -> str:
    if leaf.choices:
        return " or ".join(f"`{word}`" for word in leaf.choices)
    (kind,) = leaf.alternatives
    if get_origin(kind) is tuple:
        return f"list of {_TYPE_NAMES[get_args(kind)[0]]}s"
    if get_origin(kind) is dict:
        return f"{_TYPE_NAMES[get_args(kind)[1]]} by name"
    return _TYPE_NAMES[kind] + _range(leaf.meta)


def _range(meta: Meta) -> str:
    bounds = [
        f"{words} {bound:,}"
        for words, bound in (
            ("above", meta.gt),
            ("at least", meta.ge),
            ("at most", meta.le),
            ("below", meta.lt),
        )
        if bound is not None
    ]
    return ", " + ", ".join(bounds) if bounds else ""


def _default(leaf: Leaf) -> str:
    value: Any = leaf.default  # Of the leaf's own type, as it stands in the tree.
    if value is NODEFAULT:
        return "required"
    if value is None:
        return "absent"
    return f"`{json.dumps(value)}`"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
