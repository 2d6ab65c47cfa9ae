"""A secret is found while it is being typed: nothing behind it says where it ends."""

from __future__ import annotations

import pytest

from redline.prompts.secrets.search import find_secrets

PASSWORD = "hV7pQ2zXkL9w"


def found(text: str, path: str) -> list[str]:
    return [text[start:end] for start, end in find_secrets(text, path)]


@pytest.mark.parametrize("n_chars", [8, 10, 12])
@pytest.mark.parametrize("behind", ["", "\n", ")\n", ");\n"])
@pytest.mark.parametrize(
    ("path", "before"),
    [
        ("a.toml", 'password = "'),
        ("a.yaml", '  password: "'),
        ("a.yaml", "  password: '"),
        ("a.sql", "ALTER USER a WITH PASSWORD '"),
        ("a.php", "define('DB_PASSWORD', '"),
        ("a.php", "'password' => env('DB_PASSWORD', '"),
        ("a.py", 'login("ada", "'),
        ("a.py", 'password = os.environ.get("DB_PASSWORD") or "'),
        ("a.py", 'get(url, headers={"Authorization": "Bearer '),
        ("a.ts", "fetch(url, { headers: { Authorization: `Bearer "),
        ("a.xml", '<add key="ApiKey" value="'),
        ("a.py", 'DB = "postgres://ada:'),
        ("a.ts", "const db = `mongodb+srv://ada:"),
        (".env", "DATABASE_URL=postgres://ada:"),
    ],
)
def test_a_string_that_is_not_closed_ends_with_its_line(
    path: str, before: str, behind: str, n_chars: int
) -> None:
    """Also in front of the brackets that an editor closes."""
    password = PASSWORD[:n_chars]
    assert found(f"a\n{before}{password}{behind}", path) == [password]


@pytest.mark.parametrize(
    "line",
    ["<password>{}", "<db:password type='x'>{}", "<clientSecret><![CDATA[{}"],
)
def test_the_text_of_an_element_that_is_not_closed_is_found(line: str) -> None:
    text = f"<a>\n  {line.format(PASSWORD)}\n</a>\n"
    assert found(text, "a.xml") == [PASSWORD]


@pytest.mark.parametrize("quote", ['"', "'", "`"])
@pytest.mark.parametrize("password", ["hunter2x", "hunterxy", "pA55w0rd/9x"])
def test_the_password_of_a_url_without_a_host_is_found(
    password: str, quote: str
) -> None:
    text = f"db = {quote}postgres://ada:{password}{quote}\n"
    assert found(text, "a.py") == [password]


@pytest.mark.parametrize(
    "line",
    [
        'url = "http://localhost:8080/items/abc123"',
        'url = "http://localhost:8080"',
        "see http://localhost:8080/a1b2c3.",
        'url = f"http://{host}:{port}/path"',
        "curl http://$HOST:$PORT/items",
        "curl https://example.org:${PORT}/items",
        'url = "http://host:port/path/to"',
        "ssh://example.org:/path/to/repo",
        "image = docker://node:bookworm-slim",
        'at = "http://[::1]:8080/items"',
        "jdbc:sqlserver://db:1433;databaseName=shop1x",
        'x = password>"',
        "return this.password>minimum",
        "$password->validate",
        "const f = (password)=>validate",
        "const all: Array<Token>values",
        '"""Return the password',
        "# it's the user's password",
        'x = lookup("password")["other"]+suffix_name',
    ],
)
@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.php", "a.md", "a.sh"])
def test_ports_paths_and_open_texts_are_left_alone(line: str, path: str) -> None:
    assert found(f"a\n{line}\nb\n", path) == []
