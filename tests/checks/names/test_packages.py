"""Imports of what does not exist, in languages other than Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

RULE = "phantom-import"
NPM = {"package.json": '{"name": "own", "dependencies": {"marked": "1"}}'}
GO_MOD = {
    "go.mod": "module example.org/shop\n\nrequire github.com/spf13/cobra v1.8.0\n",
    "inner/tax/tax.go": "package tax\n",
}
CARGO = {"Cargo.toml": '[package]\nname = "own"\n[dependencies]\nserde-json = "1"\n'}
POM = {
    "pom.xml": "<dependency><groupId>com.google.guava</groupId></dependency>",
    "src/org/shop/Tax.java": "package org.shop;\nclass Tax {}\n",
}
CSPROJ = {"Own.csproj": '<PackageReference Include="Serilog.Sinks.File" />'}
APACHE_POM = {
    "pom.xml": '<project xmlns="http://maven.apache.org/POM/4.0.0"><build><plugins>'
    "<plugin><groupId>org.apache.maven.plugins</groupId></plugin></plugins></build>"
    "<dependency><groupId>org.slf4j</groupId></dependency></project>"
}
GRADLE = {
    "build.gradle": "plugins {\n    id 'org.apache.own' version '1'\n}\n"
    "repositories { maven { url 'https://repo.apache.org/maven' } }\n"
    "dependencies { implementation 'org.slf4j:slf4j-api:2' }\n"
}
GEMS = {
    "Gemfile.lock": "GEM\n  specs:\n    rake (13)\n    active_model_lists (1)\n",
    "lib/own.rb": "",
}
COMPOSER = {"composer.json": '{"require": {"monolog/monolog": "3"}}'}


@pytest.mark.parametrize(
    ("path", "line", "files", "named"),
    [
        ("src/a.ts", 'import { x } from "left-trim";', NPM, "left-trim"),
        ("src/a.js", 'const x = require("left-trim");', NPM, "left-trim"),
        ("src/a.ts", 'import x from "@acme/left/deep";', NPM, "@acme/left"),
        ("src/a.ts", 'import { x } from "./nothing";', NPM, "./nothing"),
        (
            "src/a.ts",
            'import { y } from "./b";',
            {"src/b.ts": "export const x = 1;\n"},
            "`y`",
        ),
        ("a.mjs", 'import { readJson } from "node:fs";', {}, "readJson"),
        ("a.mjs", 'import x from "node:filesystem";', {}, "node:filesystem"),
        ("a.js", 'const { readJson } = require("fs");', {}, "readJson"),
        ("a.go", 'import "github.com/acme/tax"', GO_MOD, "github.com/acme/tax"),
        ("a.go", 'import "example.org/shop/none"', GO_MOD, "example.org/shop/none"),
        ("src/a.rs", "use turbo_hash::Hasher;", CARGO, "turbo_hash"),
        ("src/a.rs", "fn g() -> u8 { turbo_hash::of(1) }", CARGO, "turbo_hash"),
        ("src/A.java", "import java.util.StringUtils;", {}, "StringUtils"),
        ("src/A.java", "import java.text2.Format;", {}, "java.text2"),
        ("src/A.java", "import com.acme.fast.Lists;", POM, "com.acme.fast"),
        ("A.cs", "using Acme.Logging;", CSPROJ, "Acme.Logging"),
        ("a.php", "use Acme\\Logging\\Log;", COMPOSER, "Acme"),
        ("src/a.rs", "use turbo_hash::{fast::*, slow};", CARGO, "turbo_hash"),
        ("src/A.java", "import org.apache.fast.Lists;", APACHE_POM, "org.apache.fast"),
        ("src/A.java", "import org.apache.fast.Lists;", GRADLE, "org.apache.fast"),
        ("src/A.java", "class A { com.acme.fast.Li x; }", POM, "com.acme.fast"),
        ("src/A.java", "class A { java.util.Lists x; }", {}, "Lists"),
        ("A.cs", "class A { object x = new Acme.Fast.Log(); }", CSPROJ, "Acme.Fast"),
        ("A.cs", "using Log = Acme.Fast.Log;", CSPROJ, "Acme.Fast"),
        ("a.php", "return \\Acme\\Logging\\Log::of(1);", COMPOSER, "Acme"),
        ("lib/a.rb", 'require "fast_lists"', GEMS, "fast_lists"),
    ],
)
def test_reported(
    reported: Reported, path: str, line: str, files: dict[str, str], named: str
) -> None:
    """With the name of what is missing."""
    [message] = reported(
        path, _head(path), _head(path) + line + "\n", rule=RULE, files=files
    )
    assert named in message


@pytest.mark.parametrize(
    ("path", "line", "files"),
    [
        ("src/a.ts", 'import { marked } from "marked";', NPM),
        ("src/a.ts", 'import { x } from "marked/deep";', NPM),
        ("src/a.ts", 'import { own } from "own/inner";', NPM),
        ("src/a.ts", 'import x from "anything";', {}),
        ("src/a.ts", 'import x from "@/inner";', NPM),
        ("src/a.ts", 'import x from "virtual:pages";', NPM),
        ("src/a.ts", "import fs from 'node:fs/promises';", NPM),
        ("src/a.ts", 'import type { PathLike } from "fs";', NPM),
        ("src/a.ts", 'import { x } from "./b.js";', {"src/b.ts": "export let x = 1;"}),
        ("a.js", "import { $, x$ } from './b.js';", {"b.js": "export let $ = 1, x$;"}),
        (
            "src/a.ts",
            'import { x } from "./b";',
            {"src/b/index.ts": "export * from 'c'"},
        ),
        ("src/a.ts", 'import x from "there";', {**NPM, "node_modules/there/a.js": ""}),
        (
            "src/a.ts",
            'import x from "near/deep";',
            {**NPM, "tsconfig.json": '{"paths": {"near/*": ["src/*"]}}'},
        ),
        (
            "src/a.ts",
            'import x from "other";',
            {**NPM, "packages/other/package.json": '{"name": "other"}'},
        ),
        ("src/a.ts", '// import x from "left-trim"', NPM),
        ("a.go", 'import "github.com/spf13/cobra/doc"', GO_MOD),
        ("a.go", 'import "example.org/shop/inner/tax"', GO_MOD),
        ("a.go", 'import "github.com/acme/tax"', {}),
        ("src/a.rs", "use serde_json::Value;", CARGO),
        ("src/a.rs", "mod inner;\nuse inner::X;", CARGO),
        ("src/a.rs", "use std::fmt;\nfn g() -> fmt::Result { Ok(()) }", CARGO),
        ("src/a.rs", "use crate::other::*;\nfn g() { thing::f(); }", CARGO),
        ("src/A.java", "import java.util.Map.Entry;", {}),
        ("src/A.java", "import java.util.*;", {}),
        ("src/A.java", "import com.google.common.collect.Lists;", POM),
        ("src/A.java", "import org.shop.Tax;", POM),
        ("src/A.java", "import com.acme.fast.Lists;", {}),
        ("A.cs", "using Serilog;", CSPROJ),
        ("A.cs", "using System.Net.Mail;", CSPROJ),
        ("A.cs", "using Other.Part;", {**CSPROJ, "B.cs": "namespace Other.Part;"}),
        ("a.php", "use Monolog\\Logger;", COMPOSER),
        ("a.php", "use DateTime;", COMPOSER),
        ("a.php", "return new \\DateTime(); // \\Acme\\Log", COMPOSER),
        ("a.php", "return new \\Monolog\\Logger();", COMPOSER),
        ("src/a.rs", "use serde_json::*;", CARGO),
        ("src/A.java", "class A { org.slf4j.Logger x; }", APACHE_POM),
        ("src/A.java", "class A { java.util.List x; }", GRADLE),
        ("A.cs", "class A { object x = new System.Text.StringBuilder(); }", CSPROJ),
        ("lib/a.rb", 'require "active_model/lists"', GEMS),
        ("lib/a.rb", 'require "own/inner"', GEMS),
        ("lib/a.rb", 'require "net/http"', GEMS),
        ("lib/a.rb", 'require "fast_lists"', {"Gemfile": 'gem "rake"'}),
    ],
)
def test_left_alone(
    reported: Reported, path: str, line: str, files: dict[str, str]
) -> None:
    """What is there, declared, or may come from elsewhere."""
    before = _head(path)
    assert reported(path, before, before + line + "\n", rule=RULE, files=files) == []


def test_what_was_there_is_left_alone(reported: Reported) -> None:
    """A module that the file imported already, and what will be declared."""
    before = 'import x from "left-trim";\n'
    after = 'import x from "left-trim";\nx();\n'
    assert reported("src/a.ts", before, after, rule=RULE, files=NPM) == []
    assert (
        reported(
            "src/a.ts",
            "",
            before,
            rule=RULE,
            files=NPM,
            instruction="Use left-trim, I add it to package.json",
        )
        == []
    )


def _head(path: str) -> str:
    heads = {".go": "package a\n", ".php": "<?php\n"}
    return heads.get(path[path.rindex(".") :], "")


@pytest.mark.parametrize(
    ("instruction", "is_reported"),
    [
        ("log the number at debug level", True),
        ("use log for the number", True),
        ("log the number, I have added the dependency", False),
        ("use log, Cargo.toml comes next", False),
    ],
)
def test_an_instruction_speaks_of_the_manifest(
    reported: Reported, instruction: str, is_reported: bool
) -> None:
    """A crate that is only named does not compile."""
    before = "fn f(n: u8) {}\n"
    after = 'fn f(n: u8) { log::debug!("{}", n); }\n'
    found = reported(
        "src/a.rs", before, after, rule=RULE, files=CARGO, instruction=instruction
    )
    assert bool(found) is is_reported
