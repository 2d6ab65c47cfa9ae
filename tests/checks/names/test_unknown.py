"""Called names that no library has, of owners whose type is not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

RULE = "phantom-member"

C = "#include <string.h>\n\nvoid f(char *s) {{\n    {}\n}}\n"
CPP = "#include <vector>\n\nint f(std::vector<int> v) {{\n    {}\n}}\n"
JAVA = "import java.util.*;\nclass C {{ Object f(List<String> all) {{\n{}\n}} }}\n"
PHP = "<?php\n\nfunction f(array $all)\n{{\n    {}\n}}\n"
RUBY = 'require "csv"\n\ndef f(all)\n  {}\nend\n'
RUST = "use std::fmt;\n\nfn f(all: &[u8]) {{\n    {}\n}}\n"
JS = "export function f(all) {{\n  {}\n}}\n"


@pytest.mark.parametrize(
    ("path", "form", "code", "name"),
    [
        ("a.c", C, "strtrim(s);", "strtrim"),
        ("a.cpp", CPP, "return v.count_where(1);", "count_where"),
        ("C.java", JAVA, "return all.stream().sortedDown().toList();", "sortedDown"),
        ("a.php", PHP, "return array_flatten($all);", "array_flatten"),
        ("a.rb", RUBY, "all.map(&:to_i).mean_value", "mean_value"),
        ("a.rs", RUST, "all.iter().sum_of_squares();", "sum_of_squares"),
        ("a.js", JS, "return all.filter(Boolean).isBlankList();", "isBlankList"),
    ],
)
def test_reported(
    reported: Reported, path: str, form: str, code: str, name: str
) -> None:
    """Nothing that the file can use has such a name."""
    found = reported(path, form.format(""), form.format(code), rule=RULE, files={})
    message = f"Neither the standard library nor the workspace has `{name}`."
    assert found == [message]


@pytest.mark.parametrize(
    ("path", "form", "code", "files"),
    [
        ("a.c", C, "char *t = strdup(s); if (t) { strlen(t); }", {}),
        ("a.c", C, "strtrim(s);", {"trim.h": "char *strtrim(char *);\n"}),
        ("a.c", '#include "trim.h"\n' + C, "strtrim(s);", {}),
        ("a.c", "#include <glib.h>\n" + C, "strtrim(s);", {}),
        ("a.c", "#define D(n) void n##_trim(void);\n" + C, "str_trim(s);", {}),
        (
            "a.c",
            '#include "own.h"\n' + C,
            "strtrim(s);",
            {"own.h": '#include "more.h"\n', "more.h": "# include <glib.h>\n"},
        ),
        ("a.cpp", CPP, "v.emplace_back(1); return v.size();", {}),
        ("a.cpp", "#include <boost/any.hpp>\n" + CPP, "return v.count_where(1);", {}),
        ("C.java", JAVA, "return all.stream().sorted().toList();", {}),
        (
            "C.java",
            "import org.x.Y;\n" + JAVA.replace("String", "Y"),
            "return all.stream().sortedDown();",
            {},
        ),
        (
            "C.java",
            JAVA,
            "return item().getTitle();",
            {"B.java": "String title;\n"},
        ),
        ("a.php", PHP, "return is_admin_page($all);", {}),
        ("a.php", PHP, "return wp_list_pluck($all);", {}),
        (
            "a.php",
            PHP,
            "return array_flatten($all);",
            {"composer.json": '{"require": {"a/b": "1"}}'},
        ),
        ("a.php", PHP, "return array_map(fn ($x) => mb_trim($x), $all);", {}),
        ("a.php", PHP, "return collect($all);", {"composer.json": '{"a/b": "1"}'}),
        ("a.rb", RUBY, "all.sum.round(2)", {}),
        ("a.rb", RUBY, "all.pluck_all(:a)", {"Gemfile": "gem 'rake'\ngem 'pg'"}),
        ("a.rb", RUBY, "all.pluck_all(:a)", {"Gemfile": 'gem "rails"\n'}),
        ("a.rb", RUBY, "all.pluck_all(:a)", {"b.rb": "require 'active_support'\n"}),
        ("a.rs", RUST, "all.iter().rev();", {}),
        ("a.rs", "use itertools::Itertools;\n" + RUST, "all.iter().sum_of_all();", {}),
        ("a.js", JS, "return all.flatMap(String);", {}),
        ("a.js", 'import x from "x";\n' + JS, "return all.isBlankList();", {}),
        *(
            ("a.js", JS, "return all.isBlankList();", {"package.json": manifest})
            for manifest in (
                '{"dependencies": {"x": "1"}}',
                '{"devDependencies": {"x": "1"}}',
                '{"optionalDependencies": {"x": "1"}}',
            )
        ),
        ("a.js", JS, "return all.isBlankList();", {"b.js": "x.isBlankList = 1;\n"}),
        ("a.js", JS, 'return "all.isBlankList()";', {}),
    ],
)
def test_not_reported(
    reported: Reported, path: str, form: str, code: str, files: Mapping[str, str]
) -> None:
    """A library or the workspace has the name, or the file may have it from others."""
    head = form.split("{", 1)[0]
    before, after = form[len(head) :].format(""), form[len(head) :].format(code)
    assert reported(path, head + before, head + after, rule=RULE, files=files) == []


@pytest.mark.parametrize(
    ("path", "form", "code", "files"),
    [
        (
            "a.c",
            '#include "own.h"\n' + C,
            "strtrim(s);",
            {"own.h": '#include "own.h"\n'},
        ),
        ("a.rs", RUST, "all.iter().strtrim();", {"Cargo.toml": "[dependencies]\n"}),
        ("a.js", JS, "return all.strtrim();", {"package.json": '{"dependencies": {}}'}),
        ("a.rb", RUBY, "all.strtrim", {"b.rb": "require 'json'\n"}),
        ("C.java", JAVA, "return all.stream().strtrim();", {"pom.xml": "<project/>\n"}),
    ],
)
def test_still_closed(
    reported: Reported, path: str, form: str, code: str, files: Mapping[str, str]
) -> None:
    """The manifests and other sources bring nothing from elsewhere."""
    found = reported(path, form.format(""), form.format(code), rule=RULE, files=files)
    assert found == ["Neither the standard library nor the workspace has `strtrim`."]


def test_tools_of_ruby_add_no_methods(reported: Reported) -> None:
    """A Gemfile with nothing but tools leaves a file closed."""
    files = {"Gemfile": 'source "x"\n\ngem "rake"\ngem "rubocop-rspec", "~> 2"\n'}
    after = RUBY.format("all.pluck_all(:a)")
    [found] = reported("a.rb", RUBY.format(""), after, rule=RULE, files=files)
    assert "`pluck_all`" in found
