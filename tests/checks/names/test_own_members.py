"""Members of types of the same file, in languages with a rule of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

RULE = "phantom-member"

PHP = "<?php\nclass C {{\n    public function g() {{}}\n    function f() {{ {} }}\n}}\n"
C = "struct ring {{ int head, *data; }};\nvoid f(struct ring *r) {{ {} }}\n"
TYPED = "typedef struct {{ int head; }} ring_t;\nvoid f(void) {{ ring_t r; {} }}\n"
KOTLIN = (
    "sealed interface R {{\n    data class Ok(val n: Int) : R\n}}\n"
    "fun f(): R {{\n    {}\n}}\n"
)
INCLUDING = '#include "ring.h"\nvoid f(struct ring *r) {{ {} }}\n'
HEADER = "#ifndef R\n#define R\nstruct ring {\n\tint head;\n};\n#endif\n"
SWIFT = "enum E: Error {{\n    case one\n}}\nfunc f() throws {{\n    {}\n}}\n"


@pytest.mark.parametrize(
    ("path", "form", "code", "message"),
    [
        ("a.php", PHP, "$this->map(1);", "`C` has no `map`."),
        ("a.php", PHP, "return self::make();", "`C` has no `make`."),
        ("a.c", C, "r->tail = 1;", "`ring` has no `tail`."),
        ("a.c", TYPED, "r.tail = 1;", "`ring_t` has no `tail`."),
        ("a.kt", KOTLIN, "return R.Partial(1)", "`R` has no `Partial`."),
        ("a.swift", SWIFT, "throw E.two", "`E` has no `two`."),
    ],
)
def test_reported(
    reported: Reported, path: str, form: str, code: str, message: str
) -> None:
    """Nothing in the file or the workspace has the name."""
    assert reported(path, form.format(""), form.format(code), rule=RULE) == [message]


def test_a_field_that_the_header_lacks_is_reported(reported: Reported) -> None:
    """The struct is declared next to the file, under a guard."""
    before, after = INCLUDING.format(""), INCLUDING.format("r->tail = 1;")
    files = {"ring.h": HEADER}
    found = reported("a.c", before, after, rule=RULE, files=files)
    assert found == ["`ring` has no `tail`."]


@pytest.mark.parametrize(
    ("path", "form", "code", "files"),
    [
        ("a.php", PHP, "$this->g();", {}),
        ("a.php", PHP.replace("C {{", "C extends B {{"), "$this->map(1);", {}),
        ("a.php", PHP.replace("C {{\n", "C {{\n    use T;\n"), "$this->map(1);", {}),
        (
            "a.php",
            PHP.replace("C {{", "C {{\n    function __call($a, $b) {{}}"),
            "$this->map(1);",
            {},
        ),
        ("a.php", PHP, "$x = '$this->map(1)';", {}),
        ("a.c", C, "r->head = 1;", {}),
        ("a.c", C, "*r->data = 1;", {}),
        ("a.c", C, "struct other *r; r->tail = 1;", {}),
        ("a.c", C, "r->tail = 1;", {"a.h": "#define tail head\n"}),
        ("a.c", C.replace("int head", "union {{ int a; }}; int head"), "r->b = 1;", {}),
        ("a.c", INCLUDING, "r->tail = 1;", {}),
        ("a.c", INCLUDING, "r->head = 1;", {"ring.h": HEADER}),
        ("a.c", INCLUDING, "r->tail = 1;", {"ring.h": f"{HEADER}}}\n"}),
        ("a.c", INCLUDING, "r->tail = 1;", {"ring.h": "struct ring { int x tail };"}),
        ("a.kt", KOTLIN, "return R.Ok(1)", {}),
        ("a.kt", KOTLIN, "return Other.Partial(1)", {}),
        ("a.kt", KOTLIN, "return R.partial()", {"b.kt": "fun R.Companion.partial()"}),
        ("a.swift", SWIFT, "throw E.one", {}),
        ("a.swift", SWIFT, "print(E.allCases)", {}),
        ("a.swift", SWIFT.replace("Error", "Base"), "throw E.two", {}),
        (
            "a.swift",
            SWIFT,
            "throw E.two",
            {"b.swift": "extension E { static let two }"},
        ),
    ],
)
def test_not_reported(
    reported: Reported, path: str, form: str, code: str, files: Mapping[str, str]
) -> None:
    """The type has the name, or may have it from elsewhere."""
    before, after = form.format(""), form.format(code)
    assert reported(path, before, after, rule=RULE, files=files) == []
