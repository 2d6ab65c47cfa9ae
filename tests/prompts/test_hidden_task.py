"""A task is sent without its secrets, wherever they are in it."""

from __future__ import annotations

from msgspec.structs import replace

from redline.prompts.context import ContextItem, fit_context
from redline.prompts.edit import EditTask, edit_prompt
from redline.prompts.hidden_task import hide_task
from redline.prompts.redaction import NO_SECRETS, put_back

TOKEN = "ghp_" + "k3Jf9aQ2mZ7xW1bT5vN8cR4yL6pH0sD2gUeX"
NAME = "REDLINE_SECRET_000000"
TASK = EditTask(
    instruction="Do it.",
    path="a.py",
    language="python",
    before="x = 1\n",
    target="y = 2\n",
    after="z = 3\n",
)
KEY = [
    "-----BEGIN PRIVATE KEY-----",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
    "NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ",
    "-----END PRIVATE KEY-----",
]


def test_every_text_of_a_task_is_searched() -> None:
    """One secret has one name in all of them, and in what goes with the task."""
    context = fit_context(
        [
            ContextItem(kind="open-file", source="b.py", text=f'k = "{TOKEN}"'),
            ContextItem(kind="recent-edit", source="c.py", text=f'+ "{TOKEN}"'),
        ],
        budget=10_000,
        count=len,
    )
    line = f"t = '{TOKEN}'\n"
    task = EditTask(
        instruction=f"Use {TOKEN}.",
        path="a.py",
        language="python",
        before=line,
        target=line,
        after=line,
        draft=line,
        earlier=f"Not {TOKEN}.",
        assumes=(f"Only `{TOKEN}` changes.",),
        context=context,
    )
    hidden = hide_task(task, others=[f"`{TOKEN}` is wrong."])
    (chat_message,) = edit_prompt(hidden.task).chat_messages
    assert TOKEN not in chat_message.text
    assert chat_message.text.count(NAME) == 9
    assert hidden.others == (f"`{NAME}` is wrong.",)
    assert hidden.table.secrets == (TOKEN,)
    assert put_back(chat_message.text, hidden.table) == (
        edit_prompt(task).chat_messages[0].text
    )


def test_a_task_without_secrets_stays_as_it_is() -> None:
    """The very same: nothing is copied for nothing."""
    hidden = hide_task(TASK, others=["fine"])
    assert hidden.task is TASK
    assert hidden.others == ("fine",)
    assert hidden.table == NO_SECRETS


def test_a_draft_that_is_not_there_does_not_come_to_be() -> None:
    """Empty is a draft, none is none."""
    task = replace(TASK, target=f"t = '{TOKEN}'\n")
    assert hide_task(task).task.draft is None
    assert hide_task(task).task.earlier is None
    assert hide_task(replace(task, draft="")).task.draft == ""


def test_a_key_that_the_range_cuts_is_hidden_on_both_sides() -> None:
    """And no title between them is taken for a part of it."""
    task = replace(
        TASK,
        before="\n".join(KEY[:2]) + "\n",
        target=KEY[2] + "\n",
        after="\n".join(KEY[3:]) + "\n",
    )
    prompt = edit_prompt(hide_task(task).task).chat_messages[0].text
    assert not [line for line in KEY[1:4] if line in prompt]
    assert "Range to edit:" in prompt


def test_a_value_whose_name_is_not_in_the_range_is_hidden() -> None:
    """Nor are they in the same text, or the name is in none that is sent."""
    value = '    "hunter2abc"\n'
    task = replace(TASK, before="password = (\n", target=value, after=")\n")
    assert hide_task(task).table.secrets == ("hunter2abc",)
    alone = replace(TASK, target=value)
    document = f"password = (\n{value})\n"
    assert hide_task(alone).table == NO_SECRETS
    assert hide_task(alone, document=document).table.secrets == ("hunter2abc",)


def test_a_file_of_settings_needs_no_quotes() -> None:
    """Each text is read as its own file writes values."""
    context = fit_context(
        [ContextItem(kind="open-file", source="app.ini", text="password = hunter2x")],
        budget=1_000,
        count=len,
    )
    hidden = hide_task(replace(TASK, context=context))
    assert hidden.table.secrets == ("hunter2x",)


def test_a_secret_in_the_name_of_a_file_is_hidden() -> None:
    """Of the edited file and of others; it is the same secret in a text."""
    context = fit_context(
        [
            ContextItem(kind="open-file", source=f"{TOKEN}/b.py", text="b = 1"),
            ContextItem(kind="signature", source="c.py", text=f"# {TOKEN}"),
        ],
        budget=10_000,
        count=len,
    )
    hidden = hide_task(replace(TASK, path=f"src/{TOKEN}.py", context=context))
    (chat_message,) = edit_prompt(hidden.task).chat_messages
    assert TOKEN not in chat_message.text
    assert f"File: src/{NAME}.py\n" in chat_message.text
    assert f"Related file ({NAME}/b.py):\n" in chat_message.text
    assert f"# {NAME}\n" in chat_message.text
    assert hidden.table.secrets == (TOKEN,)
