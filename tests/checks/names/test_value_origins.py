"""Members that nothing has, in files whose project uses packages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

CARGO = {"Cargo.toml": '[dependencies]\nserde = "1"\n'}
GRADLE = {"build.gradle.kts": 'dependencies { implementation("a:b:1") }\n'}
NODE = {"package.json": '{"dependencies": {"x": "1"}}'}
GEMS = {"Gemfile": 'gem "pg"\ngem "csv"\n'}
COMPOSER = {"composer.json": '{"require": {"php": ">=8.1", "psr/log": "3"}}'}

RUST = """\
use serde::Deserialize;
use toml::Value;

#[derive(Deserialize)]
pub struct Shop {
    names: Vec<String>,
    extra: Value,
}

impl Shop {
    fn f(&self) {
        self.names.len();
    }
}
"""
TS = """\
import { open } from "x";
export function f(words: string[]) {
  const file = open("a");
  const lines = file.read();
  return words.join();
}
"""
RUBY = """\
class Shop
  def names(rows)
    rows.map { |row| row.strip }
  end
end
"""
KOTLIN = """\
package a

import x.y.Client

class Shop(private val names: List<String>, private val client: Client) {
    fun f(): Int {
        return names.size
    }
}
"""
PHP = """\
<?php
namespace A;
class B
{
    public function f(float $n): float
    {
        return $n * 2;
    }
}
"""
PYTHON = """\
import requests
from own import Own


def f(line, url):
    answer = requests.get(url)
    other = Own()
    return line.strip()
"""


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "files"),
    [
        ("a.rs", RUST, "names.len()", "names.iter().mean()", CARGO),
        ("a.ts", TS, "words.join()", "JSON.parse(words[0]).capitalize()", NODE),
        ("a.rb", RUBY, "row.strip", "row.strip.titleize", GEMS),
        ("A.kt", KOTLIN, "names.size", "names\n            .countWhere(1)", GRADLE),
        ("a.php", PHP, "$n * 2", "$n * math_ceil($n)", COMPOSER),
        ("a.py", PYTHON, "line.strip()", "line.remove_prefix(url)", {}),
    ],
)
def test_values_of_no_package(
    reported: Reported,
    path: str,
    before: str,
    old: str,
    new: str,
    files: Mapping[str, str],
) -> None:
    """A package that is declared does not bring the members of other values."""
    after = before.replace(old, new)
    [message] = reported(path, before, after, rule="phantom-member", files=files)
    assert message.startswith("Neither the standard library nor the workspace has")


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "files"),
    [
        ("a.rs", RUST, "names.len()", "extra.mean()", CARGO),
        ("a.rs", f"use x::Means;\n{RUST}", "names.len()", "names.mean()", CARGO),
        ("a.ts", TS, "words.join()", "lines.capitalize()", NODE),
        ("a.ts", TS, "words.join()", "file\n    .linesOf()", NODE),
        ("a.rb", RUBY, "row.strip", "row.strip.titleize", {"Gemfile": 'gem "rails"\n'}),
        ("a.rb", RUBY, "(rows)", "(rows, more = nil)\n    more.titleize", GEMS),
        ("A.kt", KOTLIN, "names.size", "client.countWhere(1)", GRADLE),
        ("a.php", PHP, "$n * 2", "imap_list($n)", COMPOSER),
        ("a.php", PHP.replace("2;", "own($n);"), "own(", "math_ceil(", COMPOSER),
        ("a.py", PYTHON, "line.strip()", "answer.remove_prefix(url)", {}),
        ("a.py", PYTHON, "line.strip()", "other.remove_prefix(url)", {}),
        ("a.py", PYTHON, "line.strip()", "url.remove_prefix(line)", {}),
        ("a.py", PYTHON.replace("strip", "slug"), "slug", "remove_prefix", {}),
    ],
)
def test_values_of_packages(
    reported: Reported,
    path: str,
    before: str,
    old: str,
    new: str,
    files: Mapping[str, str],
) -> None:
    """A value that a package may have made is left alone."""
    after = before.replace(old, new)
    assert reported(path, before, after, rule="phantom-member", files=files) == []


def test_another_file_that_uses_packages(reported: Reported) -> None:
    """What such a file declares may have members of a package."""
    before = "from own import Own\n\n\ndef f():\n    return Own()\n"
    after = before.replace("Own()", "Own().slug_line()")
    rule = "phantom-member"
    plain = {"own.py": "def Own():\n    return 1\n"}
    assert reported("a.py", before, after, rule=rule, files=plain) != []
    using = {"own.py": "import x\n\n\ndef Own():\n    return x.y()\n"}
    assert reported("a.py", before, after, rule=rule, files=using) == []
