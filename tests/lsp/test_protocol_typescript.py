"""editors/vscode/src/protocol*.ts and the messages of `lsp/` say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from tests.lsp.test_protocol_reference import STRUCTS

from redline.lsp.edit import edit_messages
from redline.lsp.protocol import message_bases, names
from redline.lsp.suggestions import next_edit_messages
from redline.prompts import window
from redline.routing import task

SOURCES = Path(__file__).parents[2] / "editors" / "vscode" / "src"
TEXT = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("protocol*.ts"))
)

ALIASES = {
    "Tier": message_bases.Tier,
    "Band": window.Band,
    "Outcome": edit_messages.Outcome,
    "ActionKind": task.ActionKind,
    "Ending": edit_messages.Ending,
    "NextEditReason": next_edit_messages.NextEditReason,
    "NextEditDisplay": next_edit_messages.NextEditDisplay,
}


def mirrored_fields(name: str) -> dict[str, bool]:
    """Return field → whether it may be absent, of an interface and those it extends."""
    found = re.search(
        rf"^export interface {name}(?: extends (\w+))? {{\n(.*?)^}}",
        TEXT,
        re.MULTILINE | re.DOTALL,
    )
    assert found, f"{name} is not mirrored"
    inherited = mirrored_fields(found[1]) if found[1] else {}
    rows = re.findall(r"^  readonly (\w+)(\?)?:", found[2], re.MULTILINE)
    return inherited | {field: bool(optional) for field, optional in rows}


@pytest.mark.parametrize("name", sorted(STRUCTS))
def test_every_type_is_mirrored_field_by_field(name: str) -> None:
    """The interface has exactly the fields, and says which may be absent."""
    kind = STRUCTS[name]
    omits = kind.__struct_config__.omit_defaults
    is_input = name.endswith("Arguments") or name == "Capabilities"
    assert mirrored_fields(name) == {
        field.encode_name: not field.required and (is_input or omits)
        for field in msgspec.structs.fields(kind)
    }


def test_no_type_is_mirrored_that_does_not_exist() -> None:
    """A removed type does not live on in the mirror."""
    mirrored = re.findall(r"^export interface (\w+)", TEXT, re.MULTILINE)
    assert set(mirrored) == set(STRUCTS)


@pytest.mark.parametrize("name", ALIASES)
def test_every_choice_of_words_is_mirrored(name: str) -> None:
    """The words are the same, in the same order."""
    found = re.search(rf"^export type {name} =(.*?);", TEXT, re.MULTILINE | re.DOTALL)
    assert found, f"{name} is not mirrored"
    words = tuple(re.findall(r'"([^"]+)"', found[1]))
    assert words == get_args(ALIASES[name])


def test_the_scheme_of_reports_is_mirrored() -> None:
    """The extension shows them as pages."""
    assert f'REPORT_SCHEME = "{names.REPORT_SCHEME}"' in TEXT


@pytest.mark.parametrize(
    ("constant", "expected"),
    [
        ("commands", names.COMMANDS),
        ("notifications", names.NOTIFICATIONS),
        ("requests", names.REQUESTS),
    ],
)
def test_every_message_is_mirrored(constant: str, expected: tuple[str, ...]) -> None:
    """Commands and notifications have the same names."""
    found = re.search(rf"^export const {constant} = {{(.*?)}}", TEXT, re.M | re.S)
    assert found
    assert tuple(re.findall(r'"([^"]+)"', found[1])) == expected
