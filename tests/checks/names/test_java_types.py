"""Classes of Java that nothing brings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

RULE = "undefined-name"

FORM = "package a;\n\nclass C {{\n    Object f(String s) {{ {} }}\n}}\n"


@pytest.mark.parametrize(
    "code", ["return StringUtils.trim(s);", "return new FastList<String>();"]
)
def test_reported(reported: Reported, code: str) -> None:
    """Neither the file nor the JDK nor the workspace has it."""
    [message] = reported("C.java", FORM.format(""), FORM.format(code), rule=RULE)
    assert message.endswith("is neither imported nor in this package.")


@pytest.mark.parametrize(
    ("form", "code", "files"),
    [
        (FORM, "return Math.abs(1);", {}),
        (FORM, "return new C();", {}),
        (FORM, "return org.x.StringUtils.trim(s);", {}),
        (FORM, 'return "StringUtils.trim(s)";', {}),
        (FORM, "return new PersonMapperImpl();", {}),
        (FORM, "return StringUtils.trim(s);", {"b/B.java": "class StringUtils {}"}),
        (FORM.replace("class C", "class C extends B"), "return new Fast();", {}),
        (FORM.replace("\n\nclass", "\nimport b.*;\nclass"), "return new Fast();", {}),
        (
            FORM.replace("\n\nclass", "\nimport b.Fast;\nclass"),
            "return new Fast();",
            {},
        ),
    ],
)
def test_not_reported(
    reported: Reported, form: str, code: str, files: Mapping[str, str]
) -> None:
    """Something has it, or may have it."""
    before, after = form.format(""), form.format(code)
    assert reported("C.java", before, after, rule=RULE, files=files) == []
