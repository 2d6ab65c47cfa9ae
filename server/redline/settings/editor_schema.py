"""The settings as JSON schemas, for the settings page of an editor.

`python -m redline.settings.editor_schema editors/vscode/package.json` writes them into
the manifest of the VS Code extension; a test compares the committed one. This module
takes all knowledge of settings from `tree.py`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta

from redline.settings.leaves import Leaf, sections
from redline.settings.source import Source
from redline.settings.tree import ModelSettings

PREFIX = "redline."

_OWN_FILE_ONLY = "trust"
"""The section that no editor may set."""

_EXTENSION_RESTRICTED = ("redline.server.path", "redline.server.python")
"""Settings of the extension itself that name programs."""

_SIMPLE = {str: "string", bool: "boolean", int: "integer", float: "number"}
_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}

_TITLES = {"models": "Models"}

Json = dict[str, Any]  # A JSON schema; see JSON Schema for its shape.


def groups() -> list[Json]:
    """Return the groups of settings, each with a title and its properties."""
    models = {f"{PREFIX}models": {**_models_schema(), "scope": "window"}}
    found = [{"title": _TITLES["models"], "properties": models}]
    for section, leaves in sections().items():
        if section != _OWN_FILE_ONLY:
            properties = {
                f"{PREFIX}{section}.{name}": {**_leaf_schema(leaf), "scope": "window"}
                for name, leaf in leaves.items()
            }
            found.append({"title": section.capitalize(), "properties": properties})
    return found


def restricted() -> list[str]:
    """Return the settings that a workspace may set only once it is trusted."""
    workspace = Source(kind="workspace", name="", values={})
    keys = [key for group in groups() for key in group["properties"]]
    paths = ((key, tuple(key.removeprefix(PREFIX).split("."))) for key in keys)
    held = (key for key, path in paths if workspace.refusal(path) is not None)
    return [*_EXTENSION_RESTRICTED, *held]


def write_manifest(path: Path) -> str:
    """Return the manifest of a path with the current settings.

    Its first group belongs to the extension itself and is kept.
    """
    manifest = json.loads(path.read_text(encoding="utf-8"))
    configuration = manifest["contributes"]["configuration"]
    configuration[1:] = groups()
    untrusted = manifest["capabilities"]["untrustedWorkspaces"]
    untrusted["restrictedConfigurations"] = restricted()
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def _models_schema() -> Json:
    description = (
        "The models, by names of your own. `#redline.tiers.fast#` and its neighbours "
        "assign them to tiers. An API key is never a "
        'setting: `key` names its place, such as `{ "env": "OPENAI_API_KEY" }`.'
    )
    return {
        "type": "object",
        "markdownDescription": description,
        "default": {},
        "additionalProperties": _struct_schema(ModelSettings),
    }


def _leaf_schema(leaf: Leaf) -> Json:
    schema = {**_type_schema(leaf.type), "markdownDescription": leaf.meta.description}
    if leaf.may_be_empty:
        # An editor shows a field for a text, but not for what may also be null.
        schema["default"] = ""
    elif leaf.default is None:
        schema["type"] = [schema["type"], "null"]
        schema["default"] = None
    elif leaf.default is not NODEFAULT:
        schema["default"] = msgspec.to_builtins(leaf.default)
    return schema


def _type_schema(kind: Any) -> Json:  # A type expression, as msgspec takes it.
    parts = get_args(kind)
    metas = [part for part in parts if isinstance(part, Meta)]
    if metas:
        return {**_type_schema(parts[0]), **_bounds(metas[0])}
    origin = get_origin(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin is tuple:
        return {"type": "array", "items": _type_schema(parts[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type_schema(parts[1])}
    if kind in _SIMPLE:
        return {"type": _SIMPLE[kind]}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct_schema(kind)
    (present,) = (part for part in parts if part is not type(None))
    return _type_schema(present)


def _struct_schema(struct: type[msgspec.Struct]) -> Json:
    fields = msgspec.structs.fields(struct)
    schema: Json = {
        "type": "object",
        "properties": {
            field.name: {
                **_type_schema(field.type),
                "markdownDescription": _description(field.type),
            }
            for field in fields
        },
        "additionalProperties": False,
    }
    required = [field.name for field in fields if field.required]
    return {**schema, "required": required} if required else schema


def _description(kind: Any) -> str:  # As above.
    metas = [part for part in get_args(kind) if isinstance(part, Meta)]
    return metas[0].description or ""


def _bounds(meta: Meta) -> Json:
    bounds = {keyword: getattr(meta, name) for name, keyword in _BOUNDS.items()}
    return {keyword: bound for keyword, bound in bounds.items() if bound is not None}


if __name__ == "__main__":
    _manifest = Path(sys.argv[1])
    _manifest.write_text(write_manifest(_manifest), encoding="utf-8")
