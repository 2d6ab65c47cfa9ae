"""Passwords in settings of devices, of HAProxy and of installers."""

from __future__ import annotations

import pytest

from redline.prompts.secrets.search import find_secrets

FORMS = [
    "enable secret {}",
    "enable secret 5 {}",
    "enable password level 15 0 {}",
    "username admin password 0 {}",
    "username admin privilege 15 secret 9 {}",
    "username admin privilege 15 algorithm-type scrypt secret {}",
    "snmp-server community {} RO",
    "tacacs-server host 10.0.0.1 key {}",
    " radius-server key 7 {}",
    "crypto isakmp key {} address 10.0.0.1",
    " key-string 7 {}",
    "    user admin insecure-password {}",
    "    user admin password {} groups G1",
    "    stats auth admin:{}",
    "rootpw {}",
    "rootpw --plaintext {}",
    "rootpw --lock --iscrypted {}",
    "d-i passwd/user-password password {}",
    "d-i passwd/root-password-again password {}",
]


def found(text: str, path: str) -> list[str]:
    return [text[start:end] for start, end in find_secrets(text, path)]


@pytest.mark.parametrize("value", ["sunflower", "0822455d0a16"])
@pytest.mark.parametrize("form", FORMS)
def test_a_password_is_found_in_settings(form: str, value: str) -> None:
    assert found(form.format(value), "device.cfg") == [value]


@pytest.mark.parametrize("form", FORMS)
def test_a_password_with_a_digit_is_found_in_a_string_of_code(form: str) -> None:
    assert found(f'send("{form.format("sunfl0wer")}")', "a.py") == ["sunfl0wer"]


@pytest.mark.parametrize(
    "line",
    [
        'echo "db db/root_password password {}" | debconf-set-selections',
        "RUN debconf-set-selections <<< 'db db/root_password password {}'",
    ],
)
def test_an_answer_to_debconf_is_found_in_a_script(line: str) -> None:
    assert found(line.format("sunflower"), "a.sh") == ["sunflower"]


def test_a_hash_of_type_8_or_9_is_found() -> None:
    value = "$9$nhEmQVczB7dqsO$X.HsgL6x1il0RxkOSSvyQYwucySCt7qFm4v7pqCxkKM"
    assert found(f"username admin secret 9 {value}", "notes.md") == [value]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.md", "enable secret rotation"),
        ("a.md", "Enable password authentication and password policies."),
        ("a.md", "username and password prompt"),
        ("a.md", "See passwd/user-password password questions."),
        ("a.py", '"enable password protection"'),
        ("haproxy.cfg", "    stats auth admin:${PASSWORD}"),
        ("ks.cfg", "rootpw --lock"),
        ("router.cfg", "no snmp-server community"),
        ("router.cfg", "enable secret <password>"),
    ],
)
def test_other_words_are_left_alone(path: str, line: str) -> None:
    assert found(line, path) == []
