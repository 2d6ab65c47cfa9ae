"""A model's connection that ends too soon, at every place where it can."""

from __future__ import annotations

import pytest
from tests.e2e.editor_document import lines
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When
from redline.gateway.injected_faults import Cut

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/cut.py"
TEXT = "def a():\n    return 1\n\n\nb = 2\n"
EDITED = "def a():\n    return 10\n\n\nb = 2\n"

DELTAS = ("def a():\n", "    return", " 10\n")
N_EVENTS = 8 + len(DELTAS)
"""Of one response with one item: see `redline.gateway.composer`."""


def cut(at: int, *, nth: int | None = None) -> Script:
    """A model whose connection ends before an event of its nth answer, or of each."""
    broken = ScriptReply(chunks=DELTAS, faults=(Cut(at=at),))
    return Script(
        rules=(ScriptRule(when=When(nth=nth), reply=broken),),
        otherwise=ScriptReply(chunks=DELTAS),
    )


@pytest.mark.parametrize("at", range(N_EVENTS + 1))
async def test_one_cut_at_any_event_is_not_seen(
    redline: Redline, model: ScriptedModel, at: int
) -> None:
    """The edit is applied as if nothing had happened."""
    model.say(cut(at, nth=1))
    editor = redline.editor
    editor.open(URI, TEXT)
    outcome = await editor.result(editor.edit(URI, lines(0, 2), apply="end"))
    assert outcome["outcome"] == "applied"
    assert editor.text(URI) == EDITED
    assert len(model.tasks) == (1 if at == N_EVENTS else 2)


@pytest.mark.parametrize("at", range(N_EVENTS))
async def test_a_model_that_is_always_cut_fails(
    redline: Redline, model: ScriptedModel, at: int
) -> None:
    """The file is whole, and the request's one answer says what to do."""
    model.say(cut(at))
    editor = redline.editor
    editor.open(URI, TEXT)
    error = await editor.error(editor.edit(URI, lines(0, 2), apply="end"))
    assert error["code"] == -32803
    assert error["data"]["cause"] == "model-cut"
    assert "Run the edit again." in error["message"]
    assert editor.text(URI) == TEXT
    assert not editor.all_of("workspace/applyEdit")
