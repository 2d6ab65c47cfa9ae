"""Brackets, tags and JSON in languages without a grammar."""

from __future__ import annotations

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.structure import check_structure
from redline.text.lines import split_lines

JSON = '{\n  "a": 1\n}\n'
CSS = ".a {\n  color: red;\n}\n"
SQL = "SELECT max(a)\nFROM t;\n"
YAML = "jobs:\n  - name: Build\n    run: |\n      echo a: b: c\n"
HTML = "<ul>\n  <li>a\n  <li>b\n</ul>\n<br>\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.json", JSON, '{\n  "a": 1,\n}\n'),
        ("a.json", JSON, "{\n  'a': 1\n}\n"),
        ("a.css", CSS, CSS + ".b {\n  color: red;\n"),
        ("a.scss", CSS, CSS + "}\n"),
        ("a.sql", SQL, "SELECT max(a\nFROM t;\n"),
        ("a.html", HTML, HTML.replace("<br>", '<a href="x')),
        ("a.html", HTML, HTML.replace("</ul>", "</ol>")),
        ("a.html", HTML, HTML + "<div>\n"),
        ("a.yml", YAML, YAML.replace("Build", "Build: all")),
        ("a.yml", "# [it's\n" + YAML, YAML + "a: [b, 'c: d'] # \"\ne: f: g\n"),
    ],
)
def test_broken(path: str, before: str, after: str) -> None:
    """A file that was right and no longer is."""
    [problem] = check_structure(_edit(path, before, after))
    assert problem.rule == "syntax"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.json", JSON, '{\n  "a": [1, 2]\n}\n'),
        ("a.yml", YAML, YAML + "      echo d: e: f\n"),
        ("a.yml", YAML, YAML.replace("Build", '"Build: all"  # why: a: b')),
        ("a.yml", YAML, YAML.replace("Build", "https://a.org:80/b")),
        ("a.yml", YAML, YAML + "steps:\n- |\n  title: Redline: the gateway\n"),
        ("a.yml", YAML, YAML + "a: &text |\n  b: c: d\n"),
        ("a.yml", YAML, YAML + "a: !!str >- # why\n  b: c: d\n"),
        ("a.yml", YAML, YAML + "? |\n  b: c: d\n: e\n"),
        ("a.yml", YAML, YAML + "--- |\nb: c: d\n"),
        ("a.yml", YAML, YAML + 'a: "Build: it\n  and: run: it"\n'),
        ("a.yml", YAML, YAML + "a: 'Build: it''s\n  and: run: it'\n"),
        ("a.yml", YAML, YAML + "a: {b: [c,\n  d: e, f: g: h]}\n"),
        ("a.json", "// why\n" + JSON, "// why\n{,}\n"),
        ("a.css", CSS, CSS + ".b { --x: url('{'); /* } */ }\n"),
        ("a.css", CSS + "}", CSS + "}}"),
        ("a.sql", SQL, SQL + "-- (\nSELECT '(';\n"),
        ("a.html", HTML, HTML + "<p>one<p>two\n<img src=x>\n"),
        ("a.html", "<div>\n", "<div><div>\n"),
        ("a.txt", "(\n", "((\n"),
        ("a.py", "x = 1\n", "x = (\n"),
    ],
)
def test_left_alone(path: str, before: str, after: str) -> None:
    """What is right, was broken, or is not read here."""
    assert not list(check_structure(_edit(path, before, after)))


def _edit(path: str, before: str, after: str) -> CheckedEdit:
    old, new = split_lines(before), split_lines(after)
    return CheckedEdit(
        before=old,
        after=new,
        region_before=range(len(old)),
        region_after=range(len(new)),
        path=path,
    )
