"""The tests that a plan names are run on its result, in a copy."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.assist.conftest import EditHarness

from redline.assist.testing.plan_tests import PlanTests
from redline.assist.testing.proof import Proved
from redline.plans.overlay import Overlay
from redline.plans.record import PlanRequest

PRICE = "def euros(cents):\n    return cents / 10\n"
RIGHT = PRICE.replace("10", "100")
TEST = """\
import unittest

from shop.price import euros


class PriceTest(unittest.TestCase):
    def test_euros(self):
        self.assertEqual(euros(250), 2.5)
"""
PATH = "tests/test_price.py"
FILES = {
    "shop/__init__.py": "",
    "shop/price.py": PRICE,
    "tests/__init__.py": "",
    PATH: TEST,
}
COMMAND = (sys.executable, "-m", "unittest", "{test}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a project whose test fails."""
    folder = tmp_path / "shop"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def files_in(folder: Path) -> dict[str, str]:
    """Read all files of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


async def proved(
    harness: EditHarness,
    folder: Path,
    overlay: Overlay,
    *,
    tests: tuple[str, ...] = (PATH,),
    trusted: bool = True,
    **test: object,
) -> Proved:
    """Run the tests of a plan."""
    harness.configure(
        test={"command": COMMAND, "timeout_s": 60.0, **test},
        trust={"workspaces": [str(folder)] if trusted else []},
    )
    request = PlanRequest(instruction="", roots=(folder.as_uri(),))
    return await PlanTests(harness.services).prove(request, tests, overlay)


BASE = Overlay(base=FILES)
WRITES = """
from pathlib import Path

Path("shop/price.py").write_text("")
Path("more.txt").write_text("more")
"""


@pytest.mark.parametrize(
    ("text", "proof", "message"),
    [
        (RIGHT, "green", f"The tests of {PATH} pass with it."),
        (PRICE + "\n", "red", "PriceTest.test_euros: AssertionError: 25.0 != 2.5"),
        ("def euros(:\n", "red", "SyntaxError"),
        ("import time\ntime.sleep(600)\n", "red", "It was ended after 0.5 s."),
        (RIGHT + WRITES, "green", f"The tests of {PATH} pass with it."),
        ("input()\n", "red", "EOFError"),
    ],
)
async def test_the_tests_run_on_the_result(
    text: str, proof: str, message: str, harness: EditHarness, folder: Path
) -> None:
    """The user's files stay as they are, and no path is that of the copy."""
    limit_s = 0.5 if "sleep" in text else 60.0
    overlay = BASE.write("shop/price.py", text)
    found = await proved(harness, folder, overlay, timeout_s=limit_s)
    assert (found.proof, message in found.message) == (proof, True), found.message
    assert "redline-test-" not in found.message + found.output
    assert files_in(folder) == FILES


@pytest.mark.parametrize(
    ("arrange", "reason"),
    [
        ({"command": ()}, "no `test.command` is configured"),
        ({"trusted": False}, "not in `trust.workspaces`"),
        ({"where": "workspace"}, "tests run in the workspace"),
        ({"tests": ("shop/price.py", "gone.py")}, "collects none from shop/price.py"),
        ({"command": ("no-such-program", "unittest")}, "cannot be started"),
        ({"command": (sys.executable, "-c", "print('Ran 0 tests')", "unittest")},
         f"the command ran none of {PATH}"),
    ],
)  # fmt: skip
async def test_tests_that_do_not_run_prove_nothing(
    arrange: dict[str, object], reason: str, harness: EditHarness, folder: Path
) -> None:
    """With the reason, which the user can act on."""
    overlay = BASE.write("shop/price.py", RIGHT)
    found = await proved(harness, folder, overlay, **arrange)  # type: ignore[arg-type]
    assert (found.proof, reason in found.message) == ("not run", True), found.message


async def test_a_plan_that_changes_its_tests_proves_nothing(
    harness: EditHarness, folder: Path
) -> None:
    """They are run all the same, under the name that they have then."""
    overlay = BASE.write("shop/price.py", RIGHT).rename(PATH, "tests/test_euros.py")
    found = await proved(harness, folder, overlay)
    assert found.proof == "not run"
    assert found.message.startswith("The tests of tests/test_euros.py pass with it.")
    wrong = overlay.write("shop/price.py", PRICE)
    assert (await proved(harness, folder, wrong)).proof == "red"
    deciding = BASE.write("shop/price.py", RIGHT).write("conftest.py", "")
    assert (await proved(harness, folder, deciding)).proof == "not run"


async def test_a_file_with_the_name_of_an_option_is_not_run(
    harness: EditHarness, folder: Path
) -> None:
    """A step may have created it."""
    path = "--config.test.ts"
    overlay = BASE.write(path, 'test("adds", () => {});\n')
    command = (sys.executable, "-c", "import sys; sys.exit(3)", "jest", "{file}")
    found = await proved(harness, folder, overlay, tests=(path,), command=command)
    assert found.proof == "not run"
    assert f"collects none from {path}" in found.message
