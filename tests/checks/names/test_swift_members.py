"""Members in Swift and Lua of types and libraries that are written in the file."""

from __future__ import annotations

import pytest
from tests.checks.names.conftest import Reported

SWIFT = """\
import Foundation

struct Tide: Codable {
    let metres: Double
    let place: String
}

final class Harbour {
    private var tides: [Tide] = []

    func highest(after tide: Tide) -> Double? {
        return nil
    }
}
"""
LUA = "local M = {}\n\nfunction M.f(s)\n  return s\nend\n\nreturn M\n"
PACKAGE = {"Package.swift": 'let package = Package(name: "A")\n'}


def of_swift(reported: Reported, line: str, files: dict[str, str]) -> list[str]:
    """Return what is reported of the body of a method."""
    after = SWIFT.replace("return nil", line)
    return reported("A.swift", SWIFT, after, rule="phantom-member", files=files)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("return tides.maxBy { $0.metres }", "`Array` has no `maxBy`."),
        ("return tides.map { $0.metres }.uniqued()", "`Array` has no `uniqued`."),
        ("return self.tides.latest()", "`Array` has no `latest`."),
        ("return tide.height", "`Tide` has no `height`."),
        ("return Double(tide.place.length)", "`String` has no `length`."),
        (
            "return tides.first { $0.place.contains2(1) }",
            "`String` has no `contains2`.",
        ),
        ('let a = tide.place + ""\n return a.len', "`String` has no `len`."),
        ("return tide.place.lowercased().trimmed()", "`String` has no `trimmed`."),
    ],
)
def test_what_a_type_of_swift_lacks_is_reported(
    reported: Reported, line: str, message: str
) -> None:
    assert of_swift(reported, line, PACKAGE) == [message]


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("return tides.map { $0.metres }.max()", PACKAGE),
        ("return tide.metres", PACKAGE),
        ("return Double(tide.place.trimmingCharacters(in: .whitespaces))", PACKAGE),
        ("return Double(tide.place.unicodeScalars.count)", PACKAGE),
        ("return tide.place.first?.wholeNumberValue.map(Double.init)", PACKAGE),
        ("let place = other()\n        return place.length", PACKAGE),
        (
            "return Double(tide.place.length)",
            {"B.swift": "extension String {\n    var length: Int { count }\n}\n"},
        ),
        ("let tides = other()\n        return tides.latest()", PACKAGE),
        (
            "return tides.latest()",
            {"B.swift": "extension Array {\n    func latest() -> Double? { nil }\n}\n"},
        ),
        (
            "return tides.uniqued()",
            {"Package.swift": '.package(url: "https://example.org/a")\n'},
        ),
    ],
)
def test_what_it_may_have_is_not(
    reported: Reported, line: str, files: dict[str, str]
) -> None:
    assert of_swift(reported, line, files) == []


@pytest.mark.parametrize(
    ("line", "messages"),
    [
        ("return string.strip(s)", ["`string` has no `strip`."]),
        ("return table.contains(s, 1)", ["`table` has no `contains`."]),
        ("return string.split(s, 'a')", ["`string` has no `split`."]),
        ("return string.format('%s', table.concat(s))", []),
        ("return M.string.strip(s)", []),
        ("local string = require('a')\n  return string.strip(s)", []),
    ],
)
def test_libraries_of_lua(reported: Reported, line: str, messages: list[str]) -> None:
    after = LUA.replace("return s\n", f"{line}\n")
    assert reported("a.lua", LUA, after, rule="phantom-member") == messages


def test_a_function_that_the_workspace_adds_to_a_library(reported: Reported) -> None:
    after = LUA.replace("return s\n", "return string.strip(s)\n")
    files = {"b.lua": "function string.strip(s)\n  return s\nend\n"}
    assert reported("a.lua", LUA, after, rule="phantom-member", files=files) == []


@pytest.mark.parametrize("head", ["--!strict\n", "local run = game:GetService('A')\n"])
def test_luau_has_more(reported: Reported, head: str) -> None:
    before = head + LUA
    after = before.replace("return s", "return string.split(s, 'a')")
    assert after != before
    assert reported("a.lua", before, after, rule="phantom-member") == []
