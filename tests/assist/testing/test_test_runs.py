"""Test runs of other runners than pytest: from the test to the place of its failure.

`captured/RUNNER.txt` is what the real runner printed for these projects: unittest of
Python 3.11, Go, Cargo, Jest 29, Vitest 5, Mocha 12, Node 24, RSpec 3.12, PHPUnit 9.6,
and Maven with Surefire 3.2 and JUnit 5.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from tests.assist.conftest import EditHarness

from redline.assist.testing import run_state, test_runs
from redline.assist.testing.failure_places import FailurePlaces
from redline.assist.testing.output_failures import failures_of
from redline.assist.testing.proof import failing_test
from redline.plans.record import PlanRequest
from redline.traces.read import read_failures

CAPTURED = Path(__file__).parent / "captured"
OUTPUTS = Path(__file__).parents[2] / "traces" / "outputs"

REPLAY = """\
import sys
from pathlib import Path
name, asked = sys.argv[1], sys.argv[2]
Path("asked").write_text(asked)
print(Path(name).read_text(encoding="utf-8").replace("{root}", str(Path.cwd())))
sys.exit(1)
"""
"""Prints what the runner printed in the folder in which it runs."""

UNITTEST = """\
import unittest

from shop.price import euros


class PriceTest(unittest.TestCase):
    def test_euros(self):
        self.assertEqual(euros(250), 2.5)

    def test_none(self):
        self.assertEqual(euros(0), 0)
"""
GO = """\
package shop

import "testing"

func TestEuros(t *testing.T) {
\tif got := Euros(250); got != 2.5 {
\t\tt.Errorf("Euros(250) = %v, want 2.5", got)
\t}
}

func TestNone(t *testing.T) {
\tif Euros(0) != 0 {
\t\tt.Fatal("no")
\t}
}
"""
RUST = """\
pub fn euros(cents: i64) -> f64 {
    cents as f64 / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_250() {
        assert_eq!(euros(250), 2.5);
    }

    #[test]
    fn of_0() {
        assert_eq!(euros(0), 0.0);
    }
}
"""
JEST = """\
const { euros } = require("./price");

describe("Price", () => {
  it("is (in euros)", () => {
    expect(euros(250)).toBe(2.5);
  });

  it("is none", () => {
    expect(euros(0)).toBe(0);
  });
});
"""
VITEST = """\
import { describe, expect, it } from "vitest";

import { euros } from "./price";

describe("Price", () => {
  it("is (in euros)", () => {
    expect(euros(250)).toBe(2.5);
  });

  it("is none", () => {
    expect(euros(0)).toBe(0);
  });
});
"""
JAVA = """\
package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PriceTest {
  @Test
  void euros() {
    assertEquals(2.5, Price.euros(250));
  }

  @Test
  void none() {
    assertEquals(0.0, Price.euros(0));
  }
}
"""
MOCHA = """\
const assert = require("node:assert");

const { euros } = require("../price");

describe("Price", () => {
  context("of cents", () => {
    it("is (in euros)", () => {
      assert.equal(euros(250), 2.5);
    });
  });

  it("is none", () => {
    assert.equal(euros(0), 0);
  });
});
"""
NODE_TEST = """\
const assert = require("node:assert");

const { describe, it } = require("node:test");

const { euros } = require("../price");

describe("Price", () => {
  describe("of cents", () => {
    it("is (in euros)", () => {
      assert.equal(euros(250), 2.5);
    });
  });

  it("is none", () => {
    assert.equal(euros(0), 0);
  });
});
"""
RSPEC = """\
require_relative "../price"

RSpec.describe Object, "prices" do
  describe "#euros" do
    it "is (in euros)" do
      expect(euros(250)).to eq(2.5)
    end
  end

  it "is none" do
    expect(euros(0)).to eq(0)
  end
end
"""
PHPUNIT = """\
<?php

namespace Shop\\Tests;

use PHPUnit\\Framework\\TestCase;

use function Shop\\euros;

require_once __DIR__ . '/../price.php';

final class PriceTest extends TestCase
{
    public function testEuros(): void
    {
        $this->assertSame(2.5, euros(250));
    }

    public function testNone(): void
    {
        $this->assertSame(0.0, euros(0));
    }
}
"""
RUNS = {
    "unittest": ("unittest", "tests/test_price.py", "python", UNITTEST,
                 "tests.test_price.PriceTest.test_euros", "25.0 != 2.5"),
    "go": ("go", "price_test.go", "go", GO, "TestEuros", "Euros(250) = 25, want 2.5"),
    "cargo": ("cargo", "src/price.rs", "rust", RUST, "price::tests::of_250",
              "left: 25.0"),
    "jest": ("jest", "price.test.js", "javascript", JEST,
             r"Price (?:> )?is \(in euros\)", "Received: 25"),
    "vitest": ("vitest", "price.test.ts", "typescript", VITEST,
               r"Price (?:> )?is \(in euros\)", "expected 25 to be 2.5"),
    "maven": ("mvn", "src/test/java/shop/PriceTest.java", "java", JAVA,
              "shop.PriceTest#euros", "expected: <2.5> but was: <25.0>"),
    "mocha": ("mocha", "test/price.js", "javascript", MOCHA,
              r"Price (?:> )?of cents (?:> )?is \(in euros\)", "25 == 2.5"),
    "node-test": ("--test", "test/price.test.js", "javascript", NODE_TEST,
                  r"Price (?:> )?of cents (?:> )?is \(in euros\)", "25 == 2.5"),
    "rspec": ("rspec", "spec/price_spec.rb", "ruby", RSPEC,
              r"Object prices ?#euros is \(in euros\)", "expected: 2.5\ngot: 25.0"),
    "phpunit": ("phpunit", "tests/PriceTest.php", "php", PHPUNIT,
                r"\bPriceTest::testEuros( |$)", "25.0 is identical to 2.5"),
}  # fmt: skip


@pytest.mark.parametrize("runner", RUNS)
async def test_a_failing_test_is_placed(
    runner: str, harness: EditHarness, tmp_path: Path
) -> None:
    """At its assertion, under the name that the runner takes; a debug reads it."""
    word, path, language, text, asked, message = RUNS[runner]
    root = tmp_path / "shop (1)"
    (root / path).parent.mkdir(parents=True)
    (root / path).write_text(text, encoding="utf-8")
    (root / "replay.py").write_text(REPLAY, encoding="utf-8")
    output = CAPTURED / f"{runner}.txt"
    harness.configure(
        test={
            "command": [sys.executable, "replay.py", str(output), "{test}", word],
            "where": "workspace",
        },
        trust={"workspaces": [str(root)]},
    )
    harness.workspace.change_roots(added=[root.as_uri()], removed=())
    # Some editors do not escape parentheses.
    uri = (root / path).as_uri().replace("%281%29", "(1)")
    harness.workspace.open(uri, language, 1, text)
    runs = test_runs.TestRuns(harness.services)
    ended: asyncio.Queue[test_runs.RunRecord] = asyncio.Queue()
    runs.follow(
        lambda run: None if run.state in run_state.AT_WORK else ended.put_nowait(run)
    )
    assert asked in {one.name for one in await runs.tests_in(uri)}
    await runs.start(uri, test=asked)
    run = await ended.get()
    assert (run.state, run.failed) == ("failed", (asked,)), run.message
    assert (root / "asked").read_text() == asked
    (failure,) = [one for one in run.failures if one.name]
    assert message in failure.message
    place = failure.places[0]
    assert place.uri == uri
    lines = text.splitlines()
    assert place.text == lines[place.line].strip()
    assert "250" in place.text or "250" in lines[place.line - 1]
    # The debug of it is about the same test, and asks its runner in the same way.
    found = runs.failed_output(failure.id)
    request = PlanRequest(
        instruction="",
        roots=(root.as_uri(),),
        kind="debug",
        output=found.output,
        failure_number=found.number,
    )
    assert failures_of(request)[0].test == failure.test
    test = failing_test(request)
    assert test is not None
    assert test.file == path
    await runs.aclose()


@pytest.mark.parametrize("name", ["gcc", "tsc"])
def test_errors_of_compilers_are_placed(name: str, tmp_path: Path) -> None:
    """Each at its line of the workspace."""
    found = read_failures((OUTPUTS / f"{name}.txt").read_text(encoding="utf-8"))
    assert found
    for failure in found:
        (frame,) = failure.frames
        file = tmp_path / frame.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x\n" * 200, encoding="utf-8")
    places = FailurePlaces(tmp_path, {})
    for failure in found:
        (place,) = places.places(failure)
        assert place.uri == (tmp_path / failure.frames[0].path).as_uri()
        assert place.line == failure.frames[0].line - 1


@pytest.mark.parametrize("above", ["\f\n", "S = 'a\u2028b'\r", "\x1c\x85\v\r\n"])
def test_lines_are_those_of_documents(above: str, tmp_path: Path) -> None:
    """Not those that only Python's strings know."""
    text = above + "assert 1 == 2\n"
    places = FailurePlaces(tmp_path, {"test_a.py": text})
    assert places.line("test_a.py", 1).text == "assert 1 == 2"
    assert places.line("test_a.py", 9).line == 1


async def test_tests_are_those_of_the_text_that_was_opened_again(
    harness: EditHarness, tmp_path: Path
) -> None:
    """Though its version is the same."""
    harness.configure(
        test={"command": ["pytest", "{test}"]}, trust={"workspaces": [str(tmp_path)]}
    )
    harness.workspace.change_roots(added=[tmp_path.as_uri()], removed=())
    uri = (tmp_path / "test_a.py").as_uri()
    runs = test_runs.TestRuns(harness.services)
    for name in ("test_one", "test_two"):
        harness.workspace.open(uri, "python", 1, f"def {name}():\n    pass\n")
        assert [one.found.name for one in await runs.tests_in(uri)] == [name]
        harness.workspace.close(uri)
    await runs.aclose()


@pytest.mark.parametrize(
    ("place", "failed"),
    [("a.test.js", ("adds two numbers",)), ("b.test.js", ())],
)
async def test_a_failure_is_of_the_test_that_it_names(
    place: str, failed: tuple[str, ...], harness: EditHarness, tmp_path: Path
) -> None:
    """Not of one whose name begins as its does, and not of one of another file."""
    text = 'test("adds", () => {});\ntest("adds two numbers", () => { x(); });\n'
    for name in ("a.test.js", "b.test.js"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    output = (
        f"FAIL ./{place}\n  \u25cf adds two numbers\n\n    thrown: 1\n\n"
        f"      at Object.<anonymous> ({place}:2:1)\n"
    )
    script = f"print({output!a}); raise SystemExit(1)"
    harness.configure(
        test={
            "command": [sys.executable, "-X", "utf8", "-c", script, "jest", "{test}"],
            "where": "workspace",
        },
        trust={"workspaces": [str(tmp_path)]},
    )
    harness.workspace.change_roots(added=[tmp_path.as_uri()], removed=())
    uri = (tmp_path / "a.test.js").as_uri()
    harness.workspace.open(uri, "javascript", 1, text)
    runs = test_runs.TestRuns(harness.services)
    ended: asyncio.Queue[test_runs.RunRecord] = asyncio.Queue()
    runs.follow(
        lambda run: None if run.state in run_state.AT_WORK else ended.put_nowait(run)
    )
    await runs.start(uri)
    run = await ended.get()
    assert run.failed == failed, run.output
    assert [one.test for one in run.failures] == ["adds two numbers"]
    await runs.aclose()
