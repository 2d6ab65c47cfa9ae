"""Passwords as managers and cloud consoles make them: their signs are no code."""

from __future__ import annotations

import pytest

from redline.prompts.secrets.search import find_secrets


def found(text: str, path: str) -> list[str]:
    return [text[start:end] for start, end in find_secrets(text, path)]


@pytest.mark.parametrize(
    "password",
    ["$Q49YR8Y$yo8^82kFc", "$Jyk9rlICphANB76Fn", "<cB}e#(>4R_Jp>~wmC", "{kP4[x&7Lq!wZ"],
)
@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", 'password = "{}"'),
        ("a.ts", "const c = {{ user: 'ada', password: '{}' }};"),
        ("a.php", "$password = '{}';"),
        ("a.rb", "password = '{}'"),
        ("a.toml", "password = '{}'"),
        ("a.yaml", "password: '{}'"),
    ],
)
def test_a_sign_in_front_does_not_make_a_reference(
    path: str, line: str, password: str
) -> None:
    assert found(line.format(password), path) == [password]


@pytest.mark.parametrize(
    ("path", "line", "password"),
    [
        ("a.py", 'password = os.getenv("P", "{}")', "zba@DT$DWOTgOKUGpm"),
        ("a.py", 'password = os.environ.get("P", "{}")', "AL,:i!-7$4XU&[(8w|"),
        ("a.rb", "password = ENV.fetch('P', '{}')", "a$HTJaUefF3QWaTZSJ"),
        ("a.yaml", '  value: "{}"', "yZ>|g&MQ7gN_OI(A_V"),
        ("a.py", 'dsn = f"host={{h}} password={} user=x"', "AvOOgW@DI&^Cd8@Kfg"),
        ("a.cs", 'x = "Server=x;User Id=sa;Password={};A=b"', "DC&4&oSu0#oIkmPbPX"),
        ("a.sh", "mysql -uroot -p'{}' db", "e?#NWu.6UZ[w2F61j"),
        ("a.sh", "export DB_PASSWORD='{}'", "8.iU&VaoL(44h#sI"),
    ],
)
def test_a_password_with_signs_is_found_whole(
    path: str, line: str, password: str
) -> None:
    text = f"- name: DB_PASSWORD\n{line.format(password)}\n"
    assert found(text, path) == [password]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", 'password = os.getenv("DB_PASSWORD", "")'),
        ("a.py", 'password = os.getenv("DB_PASSWORD", default)'),
        ("a.py", 'dsn = f"host={host} password={password} user={user}"'),
        ("a.sh", "password=$DB_PASSWORD2"),
        ("a.sh", 'password="${DB_PASSWORD:-}"'),
        ("a.sh", 'password="$(cat /run/Secret1/db)"'),
        ("a.yaml", "password: ${{secrets.DB_Password2}}"),
        ("a.yaml", "password: <YourPassword1>"),
        ("a.ini", "password = %(DB_Password1)s"),
        ("a.tf", "password = random_password.Main1[count.index].result"),
        ("a.html", '<input type="password" value="{{Form1.Value}}">'),
    ],
)
def test_references_and_calls_are_left_alone(path: str, line: str) -> None:
    assert found(line, path) == []
