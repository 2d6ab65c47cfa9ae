"""`redline debug`: what it shows of an output, its JSON, and its exit codes."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.assist.review.killing import Gateway, serving
from tests.cli.tiers_config import config_of_tiers
from tests.e2e.debug_session import (
    EVIDENCE,
    OUTPUT,
    PRICE,
    debug_answer,
    debug_script,
    write_project,
)
from tests.e2e.plan_session import step

from redline.cli.main import main
from redline.gateway.engines.script import ScriptReply, ScriptRule, When

TRACE = """\
Traceback (most recent call last):
  File "{0}/run.py", line 3, in <module>
    total([None])
  File "{0}/cart.py", line 4, in total
    n += row
  File "/usr/lib/python3.12/x.py", line 1, in y
    pass
TypeError: unsupported operand
"""
PAGE = """\
TypeError: unsupported operand
  run.py:3 in <module>
      1 | from cart import total
      2 |
    > 3 | total([None])
  cart.py:4 in total
      2 |     n = 0
      3 |     for row in rows:
    > 4 |         n += row
      5 |     return n
  (1 call outside of the workspace)

Read without a model: the cause is not explained.
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The program that failed."""
    (tmp_path / "run.py").write_text("from cart import total\n\ntotal([None])\n")
    (tmp_path / "cart.py").write_text(
        "def total(rows):\n    n = 0\n    for row in rows:\n        n += row\n"
        "    return n\n"
    )
    return tmp_path


def debug(
    monkeypatch: pytest.MonkeyPatch, workspace: Path, text: str, *options: str
) -> int:
    stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    return main(["debug", "-", "--workspace", str(workspace), *options])


def test_a_failure_is_shown_with_its_code(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each place in the workspace, and that no model was asked."""
    assert debug(monkeypatch, workspace, TRACE.format(workspace)) == 0
    assert capsys.readouterr() == (PAGE, "")


def test_a_file_is_read_as_standard_input_is(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as the log of a build."""
    log = workspace / "build.log"
    log.write_text("make\n" + TRACE.format(workspace))
    assert main(["debug", str(log), "--workspace", str(workspace)]) == 0
    assert capsys.readouterr().out == PAGE


def test_json(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """For programs, with what was printed and what was found."""
    chained = f"{TRACE.format(workspace)}\nDuring handling of the above exception, "
    chained += "another exception occurred:\n\n" + TRACE.format("/nowhere")
    assert debug(monkeypatch, workspace, chained, "--json") == 0
    page = json.loads(capsys.readouterr().out)
    assert page["schema"] == 1
    [failure] = page["failures"]
    assert (failure["kind"], failure["error"]) == ("python", "TypeError")
    [cause] = failure["causes"]
    assert [frame["file"] for frame in cause["frames"]] == ["run.py", "cart.py", None]
    assert cause["frames"][1]["code"][2] == "        n += row"

    assert debug(monkeypatch, workspace, "5 passed\n", "--json") == 1
    assert json.loads(capsys.readouterr().out) == {
        "schema": 1,
        "failures": [],
        "search_cut": False,
    }


def test_an_output_without_a_failure(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It says what is recognized; exit code 1, as nothing was found."""
    assert debug(monkeypatch, workspace, "5 passed\n") == 1
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("redline: No failure was recognized. Redline reads ")


def test_causes_messages_tests_and_hidden_code_are_shown(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What a terminal would obey is not printed."""
    (workspace / ".redlineignore").write_text("cart.py\n")
    text = (
        "FAIL: test_total (test_cart.CartTest)\n"
        + TRACE.format(workspace)
        + "more \u202eabout it\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        'Traceback (most recent call last):\n  File "run.py", line 2, in g\n    h()\n'
        "ValueError\n"
    )
    assert debug(monkeypatch, workspace, text) == 0
    page = capsys.readouterr().out
    assert page.startswith("ValueError\n")
    assert "caused by TypeError: unsupported operand\n" in page
    assert "(the file has changed since, or is another one)" in page
    assert "(not shown: " in page
    assert "n += row" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nowhere.log"], 1, "nowhere.log is not read: it does not exist."),
        (["-", "--workspace", "nowhere"], 2, "nowhere is not a folder."),
    ],
)
def test_what_cannot_be_read(
    words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that says what and why."""
    assert main(["debug", *words]) == code
    assert capsys.readouterr().err == f"redline: {said}\n"


def test_only_the_end_of_an_endless_output_is_kept(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A program may print gigabytes before it fails."""
    text = "x" * 79 + "\n"
    assert debug(monkeypatch, workspace, text * 120_000 + TRACE.format(workspace)) == 0
    assert capsys.readouterr().out == PAGE


RUNNER = f"""\
import sys
sys.path.insert(0, ".")
from shop.price import euros
if euros(250) != 2.5:
    sys.exit({OUTPUT!r})
"""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Three scripted models, which are wrong where the text says so."""
    steps = [step(where={"symbol": "euros"}, instruction="Divide by 20.")]
    wrong = ScriptRule(
        when=When(schema="redline_debug", contains="WRONG"),
        reply=ScriptReply(text=debug_answer(steps=steps), chunk_chars=200),
    )
    # Of the second diagnosis: the new output has nothing of the first text.
    guess = ScriptRule(
        when=When(schema="redline_debug", contains="VAGUE"),
        reply=ScriptReply(text=debug_answer(evidence=[], steps=[]), chunk_chars=200),
    )
    prose = ScriptRule(
        when=When(schema="redline_debug", contains="PROSE"),
        reply=ScriptReply(text="I cannot say."),
    )
    folder = tmp_path_factory.mktemp("gateway")
    script = msgspec.to_builtins(debug_script(wrong, guess, prose))
    with serving(script, folder) as gateway:
        yield gateway


@pytest.fixture
def config(gateway: Gateway, tmp_path: Path) -> str:
    """Settings with the scripted models and a test command."""
    config = config_of_tiers(tmp_path, gateway.url)
    command = json.dumps([sys.executable, "-c", RUNNER])
    trusted = tmp_path / "shop"
    with Path(config).open("a", encoding="utf-8") as file:
        file.write(f"[test]\ncommand = {command}\n")
        file.write(f'[trust]\nworkspaces = ["{trusted}"]\n')
    return config


@pytest.mark.usefixtures("isolated")
@pytest.mark.parametrize("is_always_wrong", [False, True])
def test_a_wrong_fix_is_diagnosed_once_more(
    config: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    is_always_wrong: bool,
) -> None:
    """With its new output; a second one that is wrong is held, and never proved."""
    folder = tmp_path / "shop"
    write_project(folder)
    price = folder / "shop" / "price.py"
    if is_always_wrong:
        price.write_text(PRICE.replace("    return", "    # WRONG\n    return"))
    before = price.read_text(encoding="utf-8")
    text = f"WRONG\n{OUTPUT}"
    options = ("--config", config, "--json", "--apply")
    exit_code = debug(monkeypatch, folder, text, *options)
    page = json.loads(capsys.readouterr().out)
    if is_always_wrong:
        assert (exit_code, page["state"], page["proved"]) == (1, "held", "red")
        assert "still fails with the fix" in page["message"]
        assert price.read_text(encoding="utf-8") == before
    else:
        assert (exit_code, page["state"], page["proved"]) == (0, "applied", "green")
        assert "cents / 100" in price.read_text(encoding="utf-8")


@pytest.mark.usefixtures("isolated")
def test_a_fix_that_is_not_proved_is_dropped_for_a_guess(
    config: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing of it is shown as the fix, and the failed proof is not forgotten."""
    folder = tmp_path / "shop"
    write_project(folder)
    price = folder / "shop" / "price.py"
    price.write_text(PRICE.replace("    return", "    # VAGUE\n    return"))
    options = ("--config", config, "--json")
    assert debug(monkeypatch, folder, f"WRONG\n{OUTPUT}", *options) == 1
    page = json.loads(capsys.readouterr().out)
    assert (page["state"], page["proved"]) == ("held", "red")
    assert (page["steps"], page["diff"]) == ([], "")
    assert "The first fix was dropped: the test still fails" in page["message"]
    assert "This cause is a guess" in page["message"]


@pytest.mark.usefixtures("isolated")
def test_a_fix_stays_if_the_second_diagnosis_fails(
    config: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is shown as what it is: held, and not proved."""
    folder = tmp_path / "shop"
    write_project(folder)
    price = folder / "shop" / "price.py"
    price.write_text(PRICE.replace("    return", "    # PROSE\n    return"))
    options = ("--config", config, "--json", "--apply")
    assert debug(monkeypatch, folder, f"WRONG\n{OUTPUT}", *options) == 1
    page = json.loads(capsys.readouterr().out)
    assert (page["state"], page["proved"]) == ("held", "red")
    assert "cents / 20" in page["diff"]
    assert [one["state"] for one in page["steps"]] == ["checked"]
    assert "The test still fails with this fix, which is not proved" in page["message"]
    assert "gave no readable cause" in page["message"]
    assert "cents / 10" in price.read_text(encoding="utf-8")


@pytest.mark.usefixtures("isolated")
def test_a_model_finds_the_cause_and_the_fix_is_proved(
    config: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The test of the user is run in a copy; `--apply` writes the fix."""
    folder = tmp_path / "shop"
    write_project(folder)
    price = folder / "shop" / "price.py"
    options = ("--config", config)
    assert debug(monkeypatch, folder, OUTPUT, *options) == 0
    shown = capsys.readouterr()
    assert "Cause: Cents are divided by 10.\n  shop/price.py:\n" in shown.out
    assert "Confidence: high. Proved: green." in shown.out
    assert "+    return cents / 100" in shown.out
    assert "fails without the fix and passes with it" in shown.err
    assert price.read_text(encoding="utf-8") == PRICE
    assert debug(monkeypatch, folder, OUTPUT, *options, "--apply", "--json") == 0
    page = json.loads(capsys.readouterr().out)
    assert (page["kind"], page["state"], page["proved"]) == (
        "debug",
        "applied",
        "green",
    )
    assert page["evidence"] == [EVIDENCE]
    assert page["failures"][0]["test"] == "tests/test_price.py::test_euros"
    assert "cents / 100" in price.read_text(encoding="utf-8")
    assert debug(monkeypatch, folder, OUTPUT, "--no-model") == 0
    assert capsys.readouterr().out.endswith("the cause is not explained.\n")
