"""The errors of type checkers and linters, as these print them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.traces.checkers import read_checker_errors

MYPY = """\
a.py:2: error: Incompatible return value type (got str)  [return-value]
a.py:3:5: error: Name "x" is not defined  [name-defined]
a.py:3: note: Did you mean "y"?
Found 2 errors in 1 file (checked 1 source file)
"""
PYRIGHT = """\
/home/me/shop/a.py
  /home/me/shop/a.py:3:12 - error: "x" is not defined (reportUndefinedVariable)
  /home/me/shop/a.py:4:1 - warning: Import "os" is not accessed (reportUnusedImport)
1 error, 1 warning, 0 informations
"""
TSC = "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n"
TSC_PRETTY = "\x1b[96ma.ts\x1b[0m:1:7 - error TS2322: Type 'string' is wrong.\n"
STYLISH = """\

/home/me/shop/a.js
  1:5   error    'x' is assigned a value but never used  no-unused-vars
  1:11  warning  Unnecessary semicolon                   no-extra-semi

\u2716 2 problems (1 error, 1 warning)
"""
UNIX = """\
/home/me/a.js:1:5: 'x' is never used. [Error/no-unused-vars]
/home/me/a.js:1:11: Unnecessary semicolon. [Warning/no-extra-semi]

2 problems
"""
VET = """\
# x
vet: ./x.go:7:14: cannot use "a" (untyped string constant) as int value
./x.go:9:2: fmt.Printf format %d has arg "s" of wrong type string
"""
CARGO = """\
    Checking x v0.1.0 (/home/me/rs)
error[E0308]: mismatched types
 --> src/lib.rs:2:5
  |
2 |     "a"
  |     ^^^ expected `i32`, found `&str`

error: could not compile `x` (lib) due to 1 previous error
"""
CARGO_SHORT = """\
src/lib.rs:2:5: error[E0308]: mismatched types: expected `i32`, found `&str`
src/lib.rs:3:5: warning: unused variable: `q`
"""
RUFF = "a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n"
SHELLCHECK = """\
a.sh:3:4: warning: Quote this to prevent word splitting. [SC2046]
a.sh:4:1: error: Couldn't parse this if expression. [SC1073]
"""


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            MYPY,
            [
                ("a.py", 2, 'Incompatible return value type (got str) [return-value]'),
                ("a.py", 3, 'Name "x" is not defined [name-defined]'),
            ],
        ),
        (
            PYRIGHT,
            [("/home/me/shop/a.py", 3, '"x" is not defined (reportUndefinedVariable)')],
        ),
        (
            TSC,
            [("a.ts", 1, "TS2322: Type 'string' is not assignable to type 'number'.")],
        ),
        (TSC_PRETTY, [("a.ts", 1, "TS2322: Type 'string' is wrong.")]),
        (
            STYLISH,
            [
                ("/home/me/shop/a.js", 1,
                 "'x' is assigned a value but never used no-unused-vars"),
            ],
        ),
        (UNIX, [("/home/me/a.js", 1, "'x' is never used. [Error/no-unused-vars]")]),
        (
            VET,
            [
                ("./x.go", 7, 'cannot use "a" (untyped string constant) as int value'),
                ("./x.go", 9, 'fmt.Printf format %d has arg "s" of wrong type string'),
            ],
        ),
        (CARGO, [("src/lib.rs", 2, "E0308: mismatched types")]),
        (
            CARGO_SHORT,
            [("src/lib.rs", 2,
              "[E0308]: mismatched types: expected `i32`, found `&str`")],
        ),
        (RUFF, [("a.py", 1, "F401 [*] `os` imported but unused")]),
        (SHELLCHECK, [("a.sh", 4, "Couldn't parse this if expression. [SC1073]")]),
        ("Success: no issues found in 1 source file\n", []),
        ("12:30:01 started\nhttp://127.0.0.1:80/ is up\n", []),
    ],
)  # fmt: skip
def test_errors_are_read(output: str, expected: list[tuple[str, int, str]]) -> None:
    """Without warnings and notes."""
    found = [(one.path, one.line, one.message) for one in read_checker_errors(output)]
    assert found == expected


@given(st.text(alphabet="a.:/ \n\t1[]error-(),'", max_size=300))
def test_no_output_is_too_odd(output: str) -> None:
    """Every error has a path and a message."""
    for one in read_checker_errors(output):
        assert one.path
        assert one.message
