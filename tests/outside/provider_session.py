"""What a user does with a model, the same with each provider.

Edit, repair, stop, redirect, and a review whose finding is verified. The model's server
is another program that says `SAID` when the prompt holds certain words.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline
from tests.e2e.wire_editor import CAPABILITIES
from tests.gateway.team_process import team_process
from tests.outside.commands import Desk
from tests.outside.conftest import Serve
from tests.outside.reviews import LISTS_REVIEWS, review_ended, start_review

SCALE = "def scale(a):\n    return a * 2\n"
ANNOTATED = "def scale(a: int) -> int:\n    return a * 2\n"
RENAMED = "def scale(b):\n    return b * 2\n"
TOTAL = "def total(prices):\n    return sum(prices)\n"
FROM_ZERO = "def total(prices):\n    return sum(prices, 0)\n"
LAST = "def last(names):\n    return names[len(names)]\n"
BEGUN = "def add(left, right):\n    "
COMPLETED = "return left + right"
LONG = "".join(f"value_{n} = {n * n + 7}\n" for n in range(1_500))
"""An answer that takes seconds."""

FINDING: Json = {
    "file": "last.py",
    "quote": "    return names[len(names)]",
    "severity": "high",
    "category": "correctness",
    "title": "Off by one",
    "explanation": "The index is the length, which is behind the last item.",
    "fix": "    return names[-1]",
}

SAID: dict[str, str] = {
    "Off by one": json.dumps({"reason": "It is so.", "verdict": "upheld"}),
    "zro": FROM_ZERO,
    "sum from zero": FROM_ZERO.replace("0", "zro"),
    "rename a to b": RENAMED,
    "annotate it": ANNOTATED,
    "write values": LONG,
    "names[len(names)]": json.dumps({"findings": [FINDING]}),
}
"""The answers, by words of the prompt; the first whose words it has is given."""

RECITED: Json = {
    "texts": [{"when": words, "say": said} for words, said in SAID.items()],
    "otherwise": "{}",
    "fim": COMPLETED,
}
"""The same for a model that recites."""

IsIdle = Callable[[], Awaitable[bool]]


async def use_model(
    desk: Desk,
    serve: Serve,
    model: Json,
    *,
    is_idle: IsIdle | None = None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Do all of it in one session.

    Args:
        desk: The user's home and project.
        serve: Starts Redline.
        model: Settings of the model, which fills every tier.
        is_idle: Whether the model's server generates nothing, if it can say so.
        environment: Further variables of Redline's environment.
    """
    given = dict(model)
    settings = desk.settings(
        given.pop("url"),
        api=given.pop("api"),
        limits={"first_delta_s": 300, "stall_s": 300},
        review={"retries": 0, "scouts": 0},
        **given,
    )
    redline = await serve(settings, capabilities=LISTS_REVIEWS, environment=environment)
    await _edit(desk, redline)
    await _stop(desk, redline)
    if is_idle:
        while not await is_idle():
            continue
    await _redirect(desk, redline)
    await _review(desk, redline)
    await redline.end()


async def use_model_of_team(
    desk: Desk, serve: Serve, model: Json, *, is_idle: IsIdle | None = None
) -> None:
    """Do the same with a team's gateway between Redline and the model."""
    upstream = "\n".join(f"{name} = {json.dumps(v)}" for name, v in model.items())
    async with team_process(upstream, desk.home / "gateway.toml") as gateway:
        settings = {"api": "responses-socket", "url": gateway.url, "name": "coder"}
        await use_model(
            desk, serve, settings, is_idle=is_idle, environment={"OUTSIDE_KEY": "ada"}
        )


async def _edit(desk: Desk, redline: Redline) -> None:
    """What is checked, and repaired if it is wrong, is written into the file."""
    editor = redline.editor
    reasons: list[Any] = []
    for name, text, instruction, result in (
        ("annotated.py", SCALE, "annotate it", ANNOTATED),
        ("total.py", TOTAL, "sum from zero", FROM_ZERO),
    ):
        uri = (desk.project / name).as_uri()
        editor.open(uri, text)
        edit = editor.edit(uri, lines(0, 2), instruction, apply="end")
        outcome = await editor.result(edit)
        assert outcome["outcome"] == "applied", outcome
        assert editor.text(uri) == result
        reasons.append(outcome["reasons"])
    annotated, repaired = reasons
    assert not any("undefined-name" in reason for reason in annotated)
    assert any("undefined-name" in reason for reason in repaired)


async def _stop(desk: Desk, redline: Redline) -> None:
    """The middle of an answer is dropped, and the file is as it was."""
    editor = redline.editor
    uri = (desk.project / "scale.py").as_uri()
    editor.open(uri, SCALE)
    heard = len(editor.heard)
    edit = editor.edit(uri, lines(0, 2), "write values", apply="preview")
    began = await editor.hear_method("redline/edit/hunks", after=heard)
    await editor.run_now("redline.stop", {"sessionId": began["sessionId"]})
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "stopped", outcome
    assert editor.text(uri) == SCALE


async def _redirect(desk: Desk, redline: Redline) -> None:
    """The answer to another instruction takes the place of the first."""
    editor = redline.editor
    uri = (desk.project / "scale.py").as_uri()
    heard = len(editor.heard)
    edit = editor.edit(uri, lines(0, 2), "write values", apply="preview")
    began = await editor.hear_method("redline/edit/hunks", after=heard)
    where = {"sessionId": began["sessionId"], "instruction": "rename a to b"}
    await editor.run_now("redline.redirect", where)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "offered", outcome
    await editor.run_now("redline.accept", {"sessionId": began["sessionId"]})
    assert editor.text(uri) == RENAMED


async def _review(desk: Desk, redline: Redline) -> None:
    """A finding of one question is upheld by another."""
    uri = desk.write("last.py", LAST).as_uri()
    redline.editor.open(uri, LAST)
    review_id = await start_review(redline.editor, uri)
    ended = await review_ended(redline.editor, review_id)
    assert ended["state"] == "done", ended
    review = await redline.editor.run_now("redline.reviews", {"reviewId": review_id})
    (finding,) = review["findings"]
    assert finding["title"] == "Off by one"
    assert "A second model could not refute it." in finding["evidence"]


Use = Callable[..., Awaitable[None]]
"""`use_model` or `use_model_of_team`."""


async def use_completion(desk: Desk, serve: Serve, model: Json) -> None:
    """Get an inline completion of a model that only fills in the middle."""
    capabilities = copy.deepcopy(CAPABILITIES)
    capabilities["textDocument"]["inlineCompletion"] = {}
    redline = await serve(
        desk.settings(**model, complete={"enabled": True}), capabilities=capabilities
    )
    await redline.hear_of("m")
    uri = (desk.project / "add.py").as_uri()
    redline.editor.open(uri, BEGUN)
    at = {
        "textDocument": {"uri": uri},
        "position": {"line": 1, "character": 4},
        "context": {"triggerKind": 1},
    }
    asked = redline.editor.ask("textDocument/inlineCompletion", at)
    result = await redline.editor.result(asked)
    assert [item["insertText"] for item in result["items"]] == [COMPLETED]
    await redline.end()
