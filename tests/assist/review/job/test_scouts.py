"""Scouts run concurrently, read one place each, and may fail independently."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from tests.assist.fake_model import FakeModel

from redline.assist.review.job.scouts import ScoutReport, scout
from redline.assist.review.related.related_place import RelatedPlace
from redline.assist.tiers.cost import Cost
from redline.errors import HeldBackError, ModelUnavailableError
from redline.findings.scope import ReviewedFile, ReviewScope, WholeFiles
from redline.models.interface import Usage
from redline.prompts.redaction import NO_SECRETS, SecretTable

_KEY = "AKIAIOSFODNN7EXAMPLF"

_SCOPE = ReviewScope(
    target=WholeFiles(uris=("file:///w/a.py",)),
    title="all of a.py",
    files=(
        ReviewedFile(
            path="a.py",
            uri="file:///w/a.py",
            language="python",
            text=f'def f():\n    return "{_KEY}"\nrest = 1\n',
            spans=((0, 2),),
        ),
    ),
)


def _places(n: int) -> list[RelatedPlace]:
    return [
        RelatedPlace(
            path=f"b{number}.py",
            first_line=9,
            text=f'f()\nkey_{number} = "{_KEY}"',
            relation="caller",
            names=("f", _KEY),
            weight=2.0,
        )
        for number in range(n)
    ]


async def _sends_all(paths: Sequence[str]) -> None:
    """Exclude nothing."""


async def _scout(
    model: FakeModel | None,
    places: Sequence[RelatedPlace],
    *,
    scope: ReviewScope = _SCOPE,
    n_at_once: int = 4,
    limit_s: float = 5.0,
    check_files: Callable[[Sequence[str]], Awaitable[None]] = _sends_all,
    **callbacks: Any,  # Those of `scout`.
) -> tuple[ScoutReport, SecretTable]:
    return await scout(
        scope,
        places,
        model=model,
        n_at_once=n_at_once,
        limit_s=limit_s,
        table=NO_SECRETS,
        check_files=check_files,
        **callbacks,
    )


@pytest.mark.parametrize("model", [None, FakeModel(is_model=False)])
async def test_without_a_model_what_was_found_is_the_note(
    model: FakeModel | None,
) -> None:
    """With its place, and without its secrets."""
    report, table = await _scout(model, _places(1))
    (note,) = report.notes
    assert (note.path, note.first_line, note.end_line) == ("b0.py", 9, 11)
    assert note.text.startswith("f()\nkey_0 = ")
    assert _KEY not in note.text
    assert table.secrets == (_KEY,)
    assert not note.is_model


async def test_each_scout_is_told_one_place_and_the_lines_in_question() -> None:
    """In a clean context, with line numbers, and without secrets."""
    model = FakeModel()
    task = asyncio.create_task(_scout(model, _places(2)))
    first, second = await model.generation(0), await model.generation(1)
    assert "10: f()" in first.prompt
    assert "b0.py" in first.prompt
    assert "b1.py" in second.prompt
    assert "b1.py" not in first.prompt
    assert "def f():" in first.prompt
    assert "rest = 1" not in first.prompt
    assert _KEY not in first.prompt + second.prompt
    second.reply("10: calls f\n")
    first.write("10: ", "calls it too")
    first.finish(usage=Usage(input_n_tokens=7))
    report, _ = await task
    assert [(note.text, note.is_model) for note in report.notes] == [
        ("10: calls it too", True),
        ("10: calls f", True),
    ]
    assert report.spent.tokens.input_n_tokens > 7
    assert report.spent.tokens.output_n_tokens == len("10: calls f\n") // 4


async def test_no_secret_is_cut_in_two() -> None:
    """The remaining half would not be recognized."""
    (file,) = _SCOPE.files
    n_before = 6_000 - len("a.py:\n") - len('k = "') - 16
    text = "x" * (n_before - 1) + f'\nk = "{_KEY}"\n'
    scope = replace(_SCOPE, files=(replace(file, text=text),))
    model = FakeModel()
    task = asyncio.create_task(_scout(model, _places(1), scope=scope))
    generation = await model.generation(0)
    generation.reply("NOTHING")
    await task
    assert "xxxx" in generation.prompt
    assert _KEY[:12] not in generation.prompt


async def test_secrets_in_names_of_files_are_hidden() -> None:
    """In the title of the review, and in the place's own name."""
    scope = replace(_SCOPE, title=f"all of {_KEY}.py")
    places = [replace(one, path=f"{_KEY}/b.py") for one in _places(1)]
    model = FakeModel()
    task = asyncio.create_task(_scout(model, places, scope=scope))
    generation = await model.generation(0)
    generation.reply("10: calls f")
    report, _ = await task
    assert _KEY not in generation.prompt
    assert report.notes[0].path == "REDLINE_SECRET_000000/b.py"


async def test_only_some_read_at_a_time() -> None:
    """The next one starts when one is done."""
    model = FakeModel()
    done: list[tuple[int, int]] = []
    task = asyncio.create_task(
        _scout(
            model,
            _places(3),
            n_at_once=2,
            on_note=lambda n_done, n_all: done.append((n_done, n_all)),
        )
    )
    await model.generation(1)
    assert len(model.generations) == 2
    model.generations[1].reply("10: a")
    await model.generation(2)
    assert done == [(1, 3)]
    model.generations[0].reply("10: b")
    model.generations[2].reply("10: c")
    await task
    assert done == [(1, 3), (2, 3), (3, 3)]


async def test_no_scout_is_sent_once_nothing_more_may_be_spent() -> None:
    """The excerpt is the note, as without a model."""
    model = FakeModel(prices=(1_000.0, 1_000.0))
    costs: list[Cost] = []
    task = asyncio.create_task(
        _scout(
            model,
            _places(3),
            n_at_once=1,
            may_spend=lambda: not costs,
            on_spent=costs.append,
        )
    )
    (await model.generation()).reply("10: calls f")
    report, _ = await task
    assert [note.is_model for note in report.notes] == [True, False, False]
    assert report.n_unread == 2
    assert len(model.generations) == 1
    assert costs == [report.spent]
    assert report.spent.cost is not None
    assert report.spent.cost > 0


async def test_what_a_scout_wrote_that_was_cut_off_is_counted() -> None:
    """It was paid for."""
    model = FakeModel()
    task = asyncio.create_task(_scout(model, _places(1)))
    generation = await model.generation()
    generation.write("10: calls f, and then")
    generation.fail(ModelUnavailableError("It is gone."))
    report, _ = await task
    assert report.problems == ("It is gone.",)
    assert report.spent.tokens.output_n_tokens == 5


@pytest.mark.parametrize("reply", ["NOTHING", "Nothing.\n", "`NOTHING`"])
async def test_nothing_is_no_note(reply: str) -> None:
    """The prompt leaves it out."""
    model = FakeModel()
    task = asyncio.create_task(_scout(model, _places(1)))
    (await model.generation()).reply(reply)
    report, _ = await task
    assert report.notes == ()


async def test_a_scout_that_fails_leaves_what_was_found() -> None:
    """And the problem is reported once, however many have it."""
    model = FakeModel()
    task = asyncio.create_task(_scout(model, _places(3)))
    for number in range(2):
        (await model.generation(number)).fail(ModelUnavailableError("No route."))
    (await model.generation(2)).finish("filtered")
    report, _ = await task
    assert [note.is_model for note in report.notes] == [False, False, False]
    assert report.problems == ("No route.", "A scout's model refused to read a file.")


async def test_a_scout_that_takes_too_long_is_stopped() -> None:
    """The rest of the review does not wait for it."""
    model = FakeModel()
    report, _ = await _scout(model, _places(1), limit_s=0.01)
    assert report.problems == ("A scout took longer than 0.01 s.",)
    assert not report.notes[0].is_model
    assert model.n_running == 0


async def test_an_empty_or_void_answer_is_no_note_of_a_model() -> None:
    """The excerpt is used instead."""
    model = FakeModel()
    task = asyncio.create_task(_scout(model, _places(1)))
    generation = await model.generation()
    generation.write("10: wrong")
    generation.restart()
    generation.reply(" \n")
    report, _ = await task
    assert not report.notes[0].is_model


async def test_cancelling_stops_every_scout() -> None:
    """No lane is held afterwards."""
    model = FakeModel()
    task = asyncio.create_task(_scout(model, _places(3)))
    await model.generation(2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.n_running == 0


async def test_an_answer_is_cut_where_it_is_too_long() -> None:
    """A model that does not stop does not fill the prompt."""
    model = FakeModel()
    task = asyncio.create_task(_scout(model, _places(1)))
    (await model.generation()).reply("10: word " * 5_000)
    report, _ = await task
    assert len(report.notes[0].text) <= 2_000


async def test_no_scout_is_sent_what_is_excluded_by_then() -> None:
    excluded: set[str] = set()
    shown: list[Sequence[str]] = []

    async def check_files(paths: Sequence[str]) -> None:
        shown.append(paths)
        if excluded & set(paths):
            raise HeldBackError("It is excluded.")

    model = FakeModel()
    task = asyncio.create_task(
        _scout(model, _places(2), n_at_once=1, check_files=check_files)
    )
    generation = await model.generation(0)
    excluded.add("b1.py")
    generation.reply("It calls f.")
    report, _ = await task
    assert [note.path for note in report.notes] == ["b0.py"]
    assert [list(paths) for paths in shown] == [["a.py", "b0.py"], ["a.py", "b1.py"]]
    assert report.problems == ()
