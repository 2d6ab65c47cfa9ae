"""Lists, maps and sections whose name says that they hold secrets."""

from __future__ import annotations

import pytest

from redline.prompts.secrets.search import find_secrets

FIRST, SECOND = "kT7xQ2mVw9Rb3n", "pL4sHj8ZcY6fDg"

FORMS = {
    "a.py": 'PASSWORDS = [\n    "{0}",\n    "{1}",\n]\n',
    "b.py": 'api_keys = {{\n    "ann": "{0}",\n    "bob": "{1}",\n}}\n',
    "a.ts": 'const tokens: Map = {{\n  ann: "{0}",\n  bob: "{1}",\n}};\n',
    "a.go": 'var secrets = map[string]string{{\n\t"ann": "{0}",\n\t"bob": "{1}",\n}}\n',
    "a.json": '{{\n  "passwords": [\n    "{0}",\n    "{1}"\n  ]\n}}\n',
    "a.yml": "secrets:\n  ann: {0}\n  bob:\n    value: {1}\n",
    "b.yml": "api_keys:\n- name: ann\n  value: {0}\n- {1}\n",
    "a.toml": '[auth.tokens]\nann = "{0}"\nbob = "{1}"\n',
    "a.ini": "[passwords]\nann = {0}\nbob = {1}\n",
    "a.xml": '<passwords>\n  <user name="ann">{0}</user>\n  <user>{1}</user>\n'
    "</passwords>\n",
    "a.cs": 'var secrets = new Dictionary<string, string>\n{{\n    ["ann"] = "{0}",\n'
    '    ["bob"] = "{1}",\n}};\n',
    "a.sh": 'PASSWORDS=(\n  "{0}"\n  [bob]="{1}"\n)\n',
}


def found(text: str, path: str) -> set[str]:
    return {text[start:end] for start, end in find_secrets(text, path)}


@pytest.mark.parametrize("path", FORMS)
def test_items_are_found(path: str) -> None:
    """However many there are."""
    text = FORMS[path].format(FIRST, SECOND)
    shown = " ".join(found(text, path))
    assert FIRST in shown
    assert SECOND in shown
    line = next(line for line in text.split("\n") if FIRST in line)
    many = text.replace(f"{line}\n", f"{line}\n" * 40)
    hidden = [many[start:end] for start, end in find_secrets(many, path)]
    assert sum(FIRST in each for each in hidden) == many.count(FIRST)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        # What is behind the container, and keys that name something else.
        ('tokens = [\n    "a1",\n]\nname = "Building2b"\n', "a.py"),
        ("secrets:\n  - name: registry-login1\n    file: ./Login2.txt\n", "a.yml"),
        ('[tokens]\nx = 1\n[package]\nname = "Release2b1"\n', "a.toml"),
        (
            'TOKENS = {\n    "identifier": IDENT,\n    "string": "quoted text",\n}\n',
            "a.py",
        ),
        ('tokens = [\n    "userPasswordHash",\n    "backgroundColor",\n]\n', "a.ts"),
    ],
)
def test_others_are_not(text: str, path: str) -> None:
    assert not found(text, path)
