"""The settings as an editor shows them: complete, in the manifest, and guarded."""

from __future__ import annotations

import json
from pathlib import Path

from redline.settings.editor_schema import groups, restricted, write_manifest
from redline.settings.leaves import sections

MANIFEST = Path(__file__).parents[2] / "editors" / "vscode" / "package.json"

PROPERTIES = {
    key: schema for group in groups() for key, schema in group["properties"].items()
}


def test_the_manifest_is_up_to_date() -> None:
    """Else run `python -m redline.settings.editor_schema` as its docstring says."""
    assert MANIFEST.read_text(encoding="utf-8") == write_manifest(MANIFEST)


def test_every_setting_is_there_but_the_users_own_trust() -> None:
    """Each with a description and its default."""
    expected = {
        f"redline.{section}.{name}"
        for section, leaves in sections().items()
        for name in leaves
        if section != "trust"
    }
    assert set(PROPERTIES) == expected | {"redline.models"}
    for key, schema in PROPERTIES.items():
        assert schema["markdownDescription"], key
        assert "default" in schema, key


def test_types_bounds_and_choices_are_those_of_the_tree() -> None:
    """As an editor checks what is typed."""
    assert PROPERTIES["redline.edit.apply"]["enum"] == ["end", "stream", "preview"]
    candidates = PROPERTIES["redline.edit.candidates"]
    assert (candidates["type"], candidates["minimum"], candidates["maximum"]) == (
        "integer",
        1,
        10,
    )
    assert PROPERTIES["redline.limits.stall_s"]["exclusiveMinimum"] == 0
    assert PROPERTIES["redline.checks.off"]["items"] == {"type": "string"}
    # A field in the settings of VS Code, which has none for what may be null.
    fast = PROPERTIES["redline.tiers.fast"]
    assert (fast["type"], fast["default"]) == ("string", "")
    model = PROPERTIES["redline.models"]["additionalProperties"]
    assert model["required"] == ["api", "url", "name"]
    assert set(model["properties"]["key"]["properties"]) == {
        "env",
        "command",
        "keyring",
    }


def test_a_folder_that_is_not_trusted_chooses_no_model_program_or_file() -> None:
    """And it may still tune how edits behave."""
    held = set(restricted())
    assert {"redline.models", "redline.tiers.fast", "redline.log.file"} <= held
    assert {"redline.server.path", "redline.server.python"} <= held
    assert not held & {"redline.edit.apply", "redline.log.level"}
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    own = manifest["contributes"]["configuration"][0]["properties"]
    assert held <= {*PROPERTIES, *own}
