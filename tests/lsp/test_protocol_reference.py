"""docs/reference/protocol.md and the messages of `lsp/` say the same."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from tests.lsp import client_capabilities

from redline.lsp.client import status_messages
from redline.lsp.edit import edit_messages, prompt_messages
from redline.lsp.plan import plan_messages
from redline.lsp.protocol import names
from redline.lsp.review import review_messages
from redline.lsp.suggestions import next_edit_messages
from redline.lsp.testing import test_messages

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "protocol.md"

MODULES = (
    client_capabilities,
    edit_messages,
    next_edit_messages,
    plan_messages,
    prompt_messages,
    review_messages,
    status_messages,
    test_messages,
)

STRUCTS = {
    name: kind
    for module in MODULES
    for name, kind in vars(module).items()
    if isinstance(kind, type)
    and issubclass(kind, msgspec.Struct)
    and kind.__module__ == module.__name__
    and kind.__struct_fields__
}
"""All but `NoArguments` and the bases, which have no fields."""


def documented_fields(name: str) -> dict[str, bool]:
    """Return field → whether it may be absent, from the table under a heading."""
    text = PAGE.read_text(encoding="utf-8")
    section = re.search(
        rf"^#+ `{re.escape(name)}`\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL
    )
    assert section, f"{name} has no heading"
    rows = re.findall(r"^\| `(\w+)`( \?)? \|", section[1], re.MULTILINE)
    return {field: bool(optional) for field, optional in rows}


@pytest.mark.parametrize("name", sorted(STRUCTS))
def test_every_type_is_documented_field_by_field(name: str) -> None:
    """The page lists exactly the fields, and says which may be absent."""
    kind = STRUCTS[name]
    fields = msgspec.structs.fields(kind)
    omits = kind.__struct_config__.omit_defaults
    is_input = name.endswith("Arguments") or name == "Capabilities"
    expected = {
        field.encode_name: not field.required and (is_input or omits)
        for field in fields
    }
    assert documented_fields(name) == expected


@pytest.mark.parametrize(
    "name", [*names.COMMANDS, *names.NOTIFICATIONS, *names.REQUESTS], ids=str
)
def test_every_message_has_a_heading(name: str) -> None:
    """Commands and notifications are all on the page."""
    assert re.search(rf"^### `{re.escape(name)}`$", PAGE.read_text(), re.MULTILINE)


def test_the_page_names_no_message_that_does_not_exist() -> None:
    """A removed message does not live on in the page."""
    headings = re.findall(r"^### `(redline[./][\w./]+)`$", PAGE.read_text(), re.M)
    assert set(headings) == {*names.COMMANDS, *names.NOTIFICATIONS, *names.REQUESTS}
