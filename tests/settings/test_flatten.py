"""Nested, dotted and mixed keys all become the same single settings."""

from __future__ import annotations

import pytest

from redline.settings.flatten import flatten
from redline.settings.leaves import KeyPath

KEY = {"env": "A_KEY"}


@pytest.mark.parametrize(
    ("values", "flat"),
    [
        ({}, {}),
        ({"edit": {"apply": "end"}}, {("edit", "apply"): "end"}),
        ({"edit.apply": "end"}, {("edit", "apply"): "end"}),
        ({"edit.apply.x": 1}, {("edit", "apply", "x"): 1}),
        ({"edit": {"apply.x": 1}}, {("edit", "apply", "x"): 1}),
        ({"edit": {"apply": {"x": 1}}}, {("edit", "apply"): {"x": 1}}),
        ({"edit": 3}, {("edit",): 3}),
        ({"edit": None, "log": {"file": None}}, {}),
        ({"nothing": 3}, {("nothing",): 3}),
        (
            {"edit": {"apply": "end"}, "edit.apply": "preview"},
            {("edit", "apply"): "preview"},
        ),
    ],
)
def test_sections(values: dict[str, object], flat: dict[KeyPath, object]) -> None:
    assert flatten(values) == flat


@pytest.mark.parametrize(
    "values",
    [
        {"models": {"a": {"url": "u", "key": KEY}}},
        {"models": {"a": {"url": "u", "key.env": "A_KEY"}}},
        {"models": {"a.url": "u", "a.key": KEY}},
        {"models": {"a.url": "u", "a.key.env": "A_KEY"}},
        {"models.a": {"url": "u", "key": KEY}},
        {"models.a.url": "u", "models.a.key": KEY},
        {"models.a.url": "u", "models.a.key.env": "A_KEY"},
    ],
)
@pytest.mark.parametrize("label", ["a", "gpt-6.1"])
def test_every_way_to_write_a_model(values: dict[str, object], label: str) -> None:
    def renamed(part: object) -> object:
        if not isinstance(part, dict):
            return part
        return {_renamed(name, label): renamed(inner) for name, inner in part.items()}

    written = renamed(values)
    assert isinstance(written, dict)

    assert flatten(written) == {
        ("models", label, "url"): "u",
        ("models", label, "key"): KEY,
    }


def _renamed(name: str, label: str) -> str:
    return ".".join(label if part == "a" else part for part in name.split("."))


@pytest.mark.parametrize(
    ("values", "flat"),
    [
        ({"models": 3}, {("models",): 3}),
        ({"models": {"a": 3}}, {("models", "a"): 3}),
        ({"models.a": 3}, {("models", "a"): 3}),
        ({"models": {"a": {}}}, {}),
        ({"models": {"a": None}}, {}),
        ({"models.a.key.env": None}, {}),
        ({"models.a.key": "sk-1"}, {("models", "a", "key"): "sk-1"}),
        (
            {"models.a.key.env": "E", "models.a.key.keyring": "k"},
            {("models", "a", "key"): {"env": "E", "keyring": "k"}},
        ),
    ],
)
def test_unusual_models(values: dict[str, object], flat: dict[KeyPath, object]) -> None:
    assert flatten(values) == flat
