"""A secret is found in a statement on several lines as if it were on one."""

from __future__ import annotations

import pytest

from redline.prompts.secrets.search import (
    find_secrets,
    is_clean,
    may_change,
    secrets_by_place,
)

PASSWORDS = ("velvetcactus", "velvet7cactus")


def found(text: str, path: str) -> list[str]:
    return [text[start:end] for start, end in find_secrets(text, path)]


@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'x = os.environ.get(\n    "DB_PASSWORD",\n    "?",\n)\n'),
        ("a.py", 'server.login(\n    "me",\n    "?",\n)\n'),
        (
            "a.py",
            'p.add_argument(\n    "--password",\n    type=str,\n    default="?",\n)',
        ),
        ("a.py", 'auth=(\n    "me",\n    "?",\n)\n'),
        ("a.py", 'requests.get(url, auth=(\n    "me", "?"\n))\n'),
        (
            "a.py",
            'password: str = Field(  # set by hand\n    "?",\n    title="x",\n)\n',
        ),
        ("a.py", 'password = \\\n    b"?"\n'),
        ("a.py", '+    password = Field(\n+        default="?",\n+    )\n'),
        ("a.js", 'createHmac(\n  "sha256",\n  "?"\n)\n'),
        ("a.js", 'const p =\n  process.env.DB_PASSWORD ||\n  "?";\n'),
        ("a.js", 'const p = process.env.DB_PASSWORD\n  ?? "?";\n'),
        ("A.java", 'user.setPassword(\n    "?");\n'),
        ("A.java", 'DriverManager.getConnection(\n    url,\n    "me",\n    "?");\n'),
        ("a.go", 'os.Setenv(\n\t"DB_PASSWORD",\n\t"?",\n)\n'),
        ("a.go", 'flag.String(\n\t"password",\n\t"?",\n\t"to log in",\n)\n'),
        ("a.php", 'new PDO(\n    $dsn,\n    "me",\n    "?"\n);\n'),
        ("a.kt", 'System.getenv("DB_PASSWORD")\n    ?: "?"\n'),
        ("a.sql", "CREATE USER a\nIDENTIFIED BY\n  '?';\n"),
        ("a.cs", 'var password =\n  @"?";\n'),
        ("a.rs", 'let password =\n    String::from("?");\n'),
        ("a.tf", 'variable "password" {\n  type = string\n\n  default = "?"\n}\n'),
        ("a.json", '{"value": "?",\n "key": "password"}\n'),
        ("a.json", '["--password",\n "?"]\n'),
        ("a.json", '["sshpass", "-p",\n "?"]\n'),
    ],
)
def test_a_value_on_another_line_than_its_name_is_found(
    path: str, text: str, password: str
) -> None:
    text = text.replace('"?"', f'"{password}"').replace("'?'", f"'{password}'")
    assert found(text, path) == [password]


@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'def get_password() -> str:\n    return "?"\n'),
        ("a.py", 'password = lambda: "?"\n'),
        ("a.js", 'getPassword() {\n  return "?";\n}\n'),
        ("a.js", 'const getPassword = () =>\n  "?";\n'),
        ("a.js", 'function password() { return "?"; }\n'),
        ("a.go", 'func password() string {\n\treturn "?"\n}\n'),
        ("a.rb", 'def password\n  "?"\nend\n'),
        ("a.kt", 'fun password() = "?"\n'),
        ("a.rs", 'fn password() -> &\'static str {\n    "?"\n}\n'),
        ("a.swift", 'var password: String { "?" }\n'),
    ],
)
def test_the_result_of_a_function_named_for_a_secret_is_found(
    path: str, text: str, password: str
) -> None:
    assert found(text.replace("?", password), path) == [password]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'FIELDS = [\n    "password",\n    "velvetcactus",\n]\n'),
        ("a.py", 'x = f(\n    password,\n)\ny = g(\n    "velvetcactus",\n)\n'),
        ("a.py", 'def check_password(x):\n    return "velvetcactus"\n'),
        ("a.py", 'if not password():\n    return "velvetcactus"\n'),
        ("a.js", 'if (password) {\n  go("velvetcactus");\n}\n'),
        ("a.js", 'function setPassword(x) {\n  return "velvetcactus";\n}\n'),
        ("a.py", 'x = f(\n    "password",\n' + "    0,\n" * 12 + '    "velvetcactus")'),
    ],
)
def test_strings_of_other_statements_are_left_alone(path: str, text: str) -> None:
    assert found(text, path) == []


def test_only_the_place_of_a_value_marks_it() -> None:
    text = 'x = os.environ.get(\n    "DB_PASSWORD",\n    "velvetcactus",\n)\n'
    assert list(secrets_by_place(text, "a.py")) == ["velvetcactus"]


@pytest.mark.parametrize(
    ("above", "below", "line", "is_same"),
    [
        ("login(", ")", '    a["x"],', False),
        ("x = 1", '    "DB_PASSWORD", z)', "f(", False),
        ("login(x)", "y = 2\nlogin(z)", "a = 1", True),
        ("login(\n    x,\n)", "y", "a = 1", True),
        ("login(x)", "y", "    or z", False),
        ("f(", '"DB_PASSWORD", z)', "x,", False),
        ("x = 1", "y = 2", "login(", False),
    ],
)
def test_a_line_in_a_statement_with_a_name_may_be_a_value(
    above: str, below: str, line: str, *, is_same: bool
) -> None:
    """Typing elsewhere needs no search of the lines around it."""
    for text in (above, below, line):
        find_secrets(text, "a.py")
    assert (may_change(above, below, "a.py") and is_clean(line, "a.py")) is is_same


def test_a_long_list_of_names_is_read_in_parts() -> None:
    """Each part has only so many lines, and the next one begins in it."""
    text = "f(\n" + "    password,\n" * 5_000 + '    login("me",\n"velvetcactus",\n))\n'
    assert found(text, "a.py") == ["velvetcactus"]
