"""A secret that is written as several strings is hidden as a whole."""

from __future__ import annotations

import pytest

from redline.prompts.secrets.joined import may_be_joined
from redline.prompts.secrets.search import find_secrets

ONE, TWO = "ghp_a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8sT"
"""The halves of a key, of which only both together have its format."""


def found(text: str, path: str) -> list[str]:
    return [text[start:end] for start, end in find_secrets(text, path)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "f('ONE' + 'TWO')"),
        ("a.py", "f(\"ONE\" 'TWO')"),
        ("a.py", 'f("ONE" f"TWO")'),
        ("a.py", 'x = (\n    "ONE"\n    "TWO"\n)'),
        ("a.py", 'x = "ONE" \\\n    + "TWO"'),
        ("a.js", "f(`ONE` +\n  `TWO`)"),
        ("a.java", 'f("ONE"\n    + "TWO");'),
        ("a.c", 'f("ONE"\n  "TWO");'),
        ("a.php", "f('ONE' . 'TWO');"),
        ("a.lua", 'f("ONE" .. "TWO")'),
        ("a.sql", "select 'ONE' || 'TWO'"),
        ("a.exs", 'f "ONE" <> "TWO"'),
        ("a.hs", 'f "ONE" ++ "TWO"'),
        ("a.ml", 'f ("ONE" ^ "TWO")'),
        ("a.vb", 'f("ONE" & _\n  "TWO")'),
        ("a.sh", "f \"ONE\"'TWO'"),
    ],
)
def test_both_halves_of_a_key_are_hidden(path: str, text: str) -> None:
    text = text.replace("ONE", ONE).replace("TWO", TWO)
    assert found(text, path) == [ONE, TWO]


@pytest.mark.parametrize(
    "text",
    [
        'password = "hunter2Xk9" \\\n    "Qw8Zp4Lm"',
        'password = (\n    "hunter2Xk9" +\n    "Qw8Zp4Lm"\n)',
        'String password = "hunter2Xk9"\n    + "Qw8Zp4Lm";',
        'f("mysql://ada:hunter2Xk9" "Qw8Zp4Lm@db/x")',
    ],
)
def test_both_halves_of_a_password_are_hidden(text: str) -> None:
    assert found(text, "a.py") == ["hunter2Xk9", "Qw8Zp4Lm"]


def test_all_parts_but_the_shortest_are_hidden() -> None:
    parts = (ONE, TWO[:9], TWO[9:17], TWO[17:])
    text = " + ".join(f'"{part}"' for part in parts)
    assert found(f"f({text})", "a.py") == list(parts[:3])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", f'f("{ONE}", "{TWO}")'),
        ("a.py", f'f("{ONE}" % "{TWO}")'),
        ("a.py", f'f("{ONE}")\n\n"{TWO}"'),
        ("a.sh", f'f "{ONE}" "{TWO}"'),
        ("a.py", f'x = "the words {ONE} " "and {TWO}"'),
    ],
)
def test_other_strings_are_not_joined(path: str, text: str) -> None:
    assert found(text, path) == []


def test_a_long_line_of_joints_is_read() -> None:
    text = 'f("ab" + "cd", ' * 20_000 + f'"{ONE}" + "{TWO}")'
    assert found(text, "a.js") == [ONE, TWO]


@pytest.mark.parametrize(
    ("line", "may_be"),
    [
        ('    "abc"', True),
        ("    + f'abc')", True),
        ("x = 'abc' +", True),
        ('x = "abc" & _', True),
        ("x = 1", False),
        ('x = f("abc")', False),
    ],
)
def test_the_lines_of_a_joint_are_known(line: str, *, may_be: bool) -> None:
    assert may_be_joined(line) is may_be
