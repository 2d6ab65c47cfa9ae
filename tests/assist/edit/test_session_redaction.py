"""Secrets never reach a model, and come back as they were, wherever a reply is cut."""

from __future__ import annotations

from random import Random

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.fake_model import FakeModel

from redline.models.interface import GenerationRequest
from redline.prompts.edit import read_edit_task
from redline.routing.rules import NAMES

TOKEN = "ghp_" + "k3Jf9aQ2mZ7xW1bT5vN8cR4yL6pH0sD2gUeX"
OTHER = "sk-ant-api03-" + "Qw8eRt5yUi2oPa7sDf4gHj1kLz"
TEXT = f'import os\n\nOTHER = "{OTHER}"\nTOKEN = "{TOKEN}"\nprint(TOKEN)\n'
NAME = "REDLINE_SECRET_"


def sent_text(request: GenerationRequest) -> str:
    messages = (message.text for message in request.prompt.chat_messages)
    return "\n".join([request.prompt.instructions, *messages])


@pytest.mark.parametrize("seed", range(12))
async def test_a_secret_stays_here_and_comes_back(
    harness: EditHarness, seed: int
) -> None:
    """In the range, around it and in the instruction; cut anywhere in the stream."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5, f"Rename it, and print {OTHER}.")
    generation = await harness.model.generation()
    assert TOKEN not in sent_text(generation.request)
    assert OTHER not in sent_text(generation.request)
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    (other,) = [w for w in task.instruction.split() if w.startswith(NAME)]
    reply = task.target.replace("TOKEN", "KEY").replace(
        "print(KEY)", f'print(KEY, "{other.rstrip(".")}")'
    )
    random = Random(seed)
    while reply:
        n_chars = random.randint(1, 9)
        generation.write(reply[:n_chars])
        reply = reply[n_chars:]
    generation.finish()
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == TEXT.replace(
        f'TOKEN = "{TOKEN}"\nprint(TOKEN)', f'KEY = "{TOKEN}"\nprint(KEY, "{OTHER}")'
    )


@pytest.mark.parametrize("n_between", [0, 900])
async def test_a_secret_whose_name_is_outside_of_the_range_stays_here(
    harness: EditHarness, n_between: int
) -> None:
    """Its name may be in the line above, or far from all lines that are sent."""
    between = "total = price * amount\n" * n_between
    text = f'password = (\n    "hunter2abc"\n)\n{between}f("hunter2abc")\n'
    harness.editor.open(text)
    first = n_between + 3 if n_between else 1
    running = harness.edit_lines(first, first + 1)
    generation = await harness.model.generation()
    assert "hunter2abc" not in sent_text(generation.request)
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    generation.reply(f"{task.target.rstrip()}  # x\n")
    assert (await running.result()).outcome == "applied"
    line = text.splitlines()[first]
    assert f"{line}  # x\n" in harness.editor.text()


async def test_a_recent_edit_of_a_value_that_its_place_makes_secret(
    harness: EditHarness,
) -> None:
    """The old value and the new one stay here; the prompt has no sign of them."""
    uri = "file:///project/deploy.yaml"
    entries = "".join(
        f"  entry{number}: paddle{number}-otter\n" for number in range(400)
    )
    text = f"kind: Secret\nstringData:\n{entries}"
    harness.editor.open(text, uri)
    at = text.index("paddle300")
    harness.editor.replace(at, at + len("paddle300"), "lantern300", uri)
    harness.workspace.change_roots(added=["file:///project"], removed=())
    harness.editor.open("x = 1\ny = 2\n")
    harness.edit_lines(0, 1)
    sent = sent_text((await harness.model.generation()).request)
    assert "entry300: REDLINE_SECRET" in sent
    assert "otter" not in sent


async def test_a_secret_keeps_its_name_through_a_session(harness: EditHarness) -> None:
    """In the draft that a redirect hands on, and in the new instruction."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    first = await harness.model.generation()
    task = read_edit_task(first.request.prompt)
    assert task is not None
    line = task.target.splitlines()[0].replace("TOKEN", "KEY")
    first.write(f"{line}\nprint(KEY)\n")
    await harness.idle()
    await harness.edits.redirects.redirect(running.session, f"Not that: {TOKEN}")
    again = await harness.model.generation(1)
    assert TOKEN not in sent_text(again.request)
    redirected = read_edit_task(again.request.prompt)
    assert redirected is not None
    name = line.split('"')[1]
    assert redirected.draft is not None
    assert name in redirected.draft
    assert redirected.instruction == f"Not that: {name}"
    again.reply(f"{line}\n")
    assert (await running.result()).outcome == "offered"
    assert running.session.offer.written == [f'KEY = "{TOKEN}"\n']


async def test_a_secret_stays_here_through_repair_and_escalation(
    harness: EditHarness,
) -> None:
    """In the draft, also where nothing marks it, and in the problems' own words."""
    harness.configure(
        checks={"off": (), "repair": True, "escalate": True},
        routing={"boundaries_off": NAMES},
    )
    higher = FakeModel(label="higher")
    harness.tiers.models["standard"] = higher
    password = "hunt3r"
    text = f'password = "{password}"\nTOKEN = "{TOKEN}"\n'
    harness.editor.open(text)
    running = harness.edit_lines(0, 2)
    first = await harness.model.generation()
    task = read_edit_task(first.request.prompt)
    assert task is not None
    bad = task.target.replace("password =", "login(").replace("TOKEN", "(TOKEN")
    first.reply(bad)
    repair = await harness.model.generation(1)
    asked, answer, _ = repair.request.prompt.chat_messages
    assert (asked,) == first.request.prompt.chat_messages
    assert answer.text == bad
    repair.reply(bad)
    escalated = await higher.generation()
    assert read_edit_task(escalated.request.prompt) == task
    assert bad in escalated.prompt
    for generation in (first, repair, escalated):
        assert TOKEN not in sent_text(generation.request)
        assert password not in sent_text(generation.request)
    escalated.reply(task.target.replace("TOKEN", "KEY"))
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == text.replace("TOKEN", "KEY")


async def test_parts_of_a_secret_stay_here_when_it_becomes_code(
    harness: EditHarness,
) -> None:
    """The checks quote the names that it consists of, as undefined."""
    harness.configure(
        checks={"off": (), "repair": True, "escalate": True},
        routing={"boundaries_off": NAMES},
    )
    higher = FakeModel(label="higher")
    harness.tiers.models["standard"] = higher
    harness.editor.open('password = "hunter2-Correct9Horse7"\n')
    running = harness.edit_lines(0, 1)
    first = await harness.model.generation()
    task = read_edit_task(first.request.prompt)
    assert task is not None
    bare = task.target.replace('"', "")
    first.reply(bare)
    repair = await harness.model.generation(1)
    assert "`[secret]` is not defined" in sent_text(repair.request)
    repair.reply(bare)
    escalated = await higher.generation()
    assert "`[secret]` is not defined" in sent_text(escalated.request)
    for generation in (repair, escalated):
        assert "hunter2" not in sent_text(generation.request)
        assert "Horse7" not in sent_text(generation.request)
    escalated.reply(task.target.replace("password", "secret"))
    await running.result()


async def test_a_secret_that_the_model_empties_is_held(harness: EditHarness) -> None:
    """The model is asked to repeat it first; the file still has it."""
    harness.configure(checks={"off": (), "repair": True, "escalate": False})
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5, "Rename it to KEY.")
    emptied = 'KEY = ""\nprint(KEY)\n'
    (await harness.model.generation()).reply(emptied)
    repair = await harness.model.generation(1)
    assert "Repeat its placeholder" in repair.request.prompt.chat_messages[-1].text
    repair.reply(emptied)
    result = await running.result()
    assert [problem.rule for problem in result.checks] == ["lost-secret"]
    assert harness.editor.text() == TEXT


async def test_tests_get_no_secret_of_the_tested_code(harness: EditHarness) -> None:
    """The instruction for tests quotes it; the file with the tests does not have it."""
    harness.preview()
    harness.configure(checks={"off": (), "repair": False, "escalate": False})
    harness.editor.open("\n")
    code = f'def login(password="{OTHER}"): ...'
    running = harness.edit(0, 0, f"Write tests:\n{code}", kind="tests")
    (await harness.model.generation()).reply(f'x = "{NAME}000000"\n')
    result = await running.result()
    assert [problem.rule for problem in result.checks] == ["leftover-marker"]
    assert OTHER not in "".join(running.session.offer.written)


async def test_the_rules_engine_sees_the_text_as_it_is(harness: EditHarness) -> None:
    """It is no model, and nothing leaves this machine."""
    harness.model.is_model = False
    harness.editor.open(TEXT)
    harness.edit_lines(3, 5)
    generation = await harness.model.generation()
    assert TOKEN in sent_text(generation.request)
    assert harness.sent.use is None


async def test_a_placeholder_in_the_text_is_text(harness: EditHarness) -> None:
    """A user who writes one into a file gets it back, and nothing else."""
    text = f'a = "{NAME}000000"\nb = "{TOKEN}"\n'
    harness.editor.open(text)
    running = harness.edit_lines(0, 2)
    generation = await harness.model.generation()
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    generation.reply(task.target.replace("a =", "c ="))
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == text.replace("a =", "c =")


async def test_what_was_sent_is_kept_for_a_while(harness: EditHarness) -> None:
    """Exactly, by session; an unknown one is an error."""
    harness.editor.open(TEXT)
    sent = []
    for number in range(20):
        running = harness.edit_lines(3, 5, f"Do {number}.")
        generation = await harness.model.generation(number)
        assert harness.sent.last().prompt == generation.request.prompt
        sent.append((running.id, generation.request.prompt))
        generation.reply("NO CHANGE: none\n")
        await running.result()
    kept = [prompt for name, prompt in sent[-16:] if harness.sent.last(name)]
    assert kept == [harness.sent.last(name).prompt for name, _ in sent[-16:]]
    with pytest.raises(Exception, match="Nothing was sent"):
        harness.sent.last(sent[0][0])
    use = harness.sent.use
    assert use is not None
    assert 0 < use.share < 0.3
    assert use.band == "0-30"
