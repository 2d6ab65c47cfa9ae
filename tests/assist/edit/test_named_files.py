"""Files that an instruction names by `@path`: what is sent of them, and what is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.fake_model import FakeModel

from redline.errors import (
    AttachmentError,
    HeldBackError,
    PromptTooLongError,
    RedlineError,
)

TEXT = "a = 1\nb = 2\n"
HELPERS = "def round_up(price):\n    return -(-price // 1)\n"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def project(harness: EditHarness, tmp_path: Path) -> Path:
    """A workspace folder with some files; one of them is open and edited."""
    folder = tmp_path / "project"
    (folder / "lib").mkdir(parents=True)
    (folder / ".gitignore").write_text("private.py\n")
    (folder / "helpers.py").write_bytes(HELPERS.replace("\n", "\r\n").encode())
    (folder / "lib/notes.md").write_text(f"Round up. The key is {TOKEN}.\n")
    (folder / "private.py").write_text("SECRET = 1\n")
    (folder / "link.py").symlink_to("private.py")
    (folder / "out.py").symlink_to(tmp_path / "outside.py")
    (folder / "image.bin").write_bytes(b"\0\1")
    (folder / "large.txt").write_text("word " * 100_000)
    (folder / "huge.txt").write_bytes(b"a" * 1_000_001)
    (tmp_path / "outside.py").write_text("OUTSIDE = 1\n")
    harness.workspace.roots = (folder.as_uri(),)
    harness.preview()
    harness.editor.open(TEXT, uri=(folder / "app.py").as_uri())
    return folder


async def sent(harness: EditHarness, project: Path, instruction: str) -> str:
    """Return the prompt of an instruction."""
    uri = (project / "app.py").as_uri()
    running = harness.edit_lines(0, 1, instruction, uri=uri)
    generation = await harness.model.generation(len(harness.model.generations))
    generation.reply("a = 10\n")
    assert (await running.result()).outcome == "offered"
    harness.edits.reject(running.session.id, None)
    messages = generation.request.prompt.chat_messages
    return "\n".join(message.text for message in messages)


async def test_a_named_file_is_shown(harness: EditHarness, project: Path) -> None:
    """Each file once, with LF line ends and without its secrets."""
    prompt = await sent(
        harness, project, "Round it as @helpers.py and @lib/notes.md say, @helpers.py."
    )
    assert prompt.count(HELPERS.strip()) == 1
    assert "names as @lib/notes.md:\n" in prompt
    assert "Round up." in prompt
    assert TOKEN not in prompt


async def test_the_folder_of_the_document_comes_first(
    harness: EditHarness, project: Path, tmp_path: Path
) -> None:
    """Another folder may have a file of the same path; then its others are named."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "helpers.py").write_text("OTHER = 1\n")
    (other / "more.py").write_text("MORE = 1\n")
    harness.workspace.roots = (other.as_uri(), project.as_uri())
    prompt = await sent(harness, project, "Use @helpers.py and @more.py.")
    assert HELPERS in prompt
    assert "OTHER = 1" not in prompt
    assert "MORE = 1" in prompt


async def test_an_open_file_is_shown_as_it_is_in_the_editor(
    harness: EditHarness, project: Path
) -> None:
    """Also if it was never saved."""
    harness.editor.open("EDITED = 1\n", uri=(project / "helpers.py").as_uri())
    harness.editor.open("NEW = 1\n", uri=(project / "new.py").as_uri())
    prompt = await sent(harness, project, "Use @helpers.py and @new.py.")
    assert "names as @helpers.py:\n```\nEDITED = 1\n" in prompt
    assert "names as @new.py:\n```\nNEW = 1\n" in prompt
    assert HELPERS not in prompt


@pytest.mark.parametrize(
    "instruction", ["Add @property.", "Ask @pytest.fixture.", "See @../outside.txt."]
)
async def test_what_names_no_file_is_left_as_it_is(
    harness: EditHarness, project: Path, instruction: str
) -> None:
    """Decorators begin like a path, and nothing outside of the folder is read."""
    prompt = await sent(harness, project, instruction)
    assert instruction in prompt
    assert "names as" not in prompt


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("private.py", HeldBackError, "@private.py is not sent to a model"),
        ("link.py", HeldBackError, "@link.py is not sent to a model"),
        ("out.py", AttachmentError, "leads out of the folder"),
        ("gone.py", AttachmentError, "@gone.py names no file of this workspace"),
        ("../outside.py", AttachmentError, "names no file of this workspace"),
        ("lib", AttachmentError, "@lib is not attached: it is a folder"),
        ("image.bin", AttachmentError, "it is not text"),
        ("huge.txt", AttachmentError, "it is larger than 1 MB"),
        ("large.txt", AttachmentError, "the model has room for"),
    ],
)
async def test_a_file_that_is_not_sent_is_said(
    harness: EditHarness,
    project: Path,
    name: str,
    error: type[RedlineError],
    message: str,
) -> None:
    """In one sentence; nothing is sent, and the document is as it was."""
    uri = (project / "app.py").as_uri()
    running = harness.edit_lines(0, 1, f"Use @{name}", uri=uri)
    with pytest.raises(error, match=message) as found:
        await running.result()
    assert found.value.remedy
    assert harness.model.generations == []
    assert harness.editor.text(uri) == TEXT


async def test_a_redirect_names_a_file(harness: EditHarness, project: Path) -> None:
    """It starts over, since a running generation cannot be given a file."""
    uri = (project / "app.py").as_uri()
    running = harness.edit_lines(0, 1, "Use @lib/notes.md.", uri=uri)
    await harness.model.generation()
    redirected = harness.edits.redirects.redirect(
        running.session, "Use @helpers.py, too."
    )
    assert (await redirected).how == "restarted"
    generation = await harness.model.generation(1)
    prompt = generation.request.prompt.chat_messages[-1].text
    assert HELPERS.strip() in prompt
    assert "Round up." in prompt
    generation.reply("a = 10\n")
    await running.result()
    harness.edits.reject(running.session.id, None)


@pytest.mark.parametrize(
    ("text", "words", "is_copied"),
    [
        ("token = None\n", "", False),
        ("token = None\n", f" It is {TOKEN}.", True),
        (f'token = None\nx = 1\nold = "{TOKEN}"\n', "", True),
    ],
)
async def test_a_secret_of_a_named_file_is_not_copied(
    harness: EditHarness, project: Path, text: str, words: str, is_copied: bool
) -> None:
    """Unless the edited file or the instruction has it, too."""
    harness.configure(checks={"off": (), "repair": False, "escalate": False})
    uri = (project / "main.py").as_uri()
    harness.editor.open(text, uri=uri)
    instruction = f"Copy the token of @lib/notes.md.{words}"
    running = harness.edit_lines(0, 1, instruction, uri=uri)
    generation = await harness.model.generation()
    sent = "\n".join(m.text for m in generation.request.prompt.chat_messages)
    (name,) = set(re.findall(r"REDLINE_SECRET_\d{6}", sent))
    generation.reply(f'token = "{name}"\n')
    result = await running.result()
    assert running.session.offer.written == [
        f'token = "{TOKEN if is_copied else name}"\n'
    ]
    rules = [] if is_copied else ["leftover-marker"]
    assert [problem.rule for problem in result.checks] == rules


CLASS = """\
class Price:
    @property
    def net(self):
        return self.gross

    @net.setter
    def net(self, value):
        self.gross = value

    def tax(self):
        return 19
"""


async def test_a_named_definition_is_shown_alone(
    harness: EditHarness, project: Path
) -> None:
    """By its qualified name, in all its forms, without the rest of its file."""
    (project / "price.py").write_text(CLASS)
    (project / "odd#name.md").write_text("An odd name.\n")
    prompt = await sent(
        harness, project, "As @price.py#Price.net and @odd#name.md and @a#b do."
    )
    assert "The definition that the instruction names as @price.py#Price.net" in prompt
    assert "return self.gross" in prompt
    assert "self.gross = value" in prompt
    assert "return 19" not in prompt
    assert "An odd name." in prompt


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("helpers.py#round_down", "names no definition of helpers.py"),
        ("lib/notes.md#round_up", "names no definition of lib/notes.md"),
        ("private.py#SECRET", "private.py"),
    ],
)
async def test_a_definition_that_cannot_be_shown(
    harness: EditHarness, project: Path, name: str, problem: str
) -> None:
    """Nothing is sent, and the reason is reported."""
    uri = (project / "app.py").as_uri()
    running = harness.edit_lines(0, 1, f"As @{name} does.", uri=uri)
    with pytest.raises(RedlineError, match=re.escape(problem)):
        await running.result()
    assert harness.model.generations == []


async def test_a_named_file_is_shown_to_the_draft_tier(
    harness: EditHarness, project: Path
) -> None:
    drafter = harness.tiers.models["draft"] = FakeModel(label="cheap")
    uri = (project / "app.py").as_uri()
    instruction = "Check the password before login, as in @helpers.py."
    running = harness.edit_lines(0, 1, instruction, uri=uri)
    draft = await drafter.generation()
    assert HELPERS.strip() in draft.request.prompt.chat_messages[-1].text
    harness.edits.stop(session_id=running.id)
    assert (await running.result()).outcome == "stopped"


async def test_a_file_that_is_not_sent_is_said_before_a_draft(
    harness: EditHarness, project: Path
) -> None:
    drafter = harness.tiers.models["draft"] = FakeModel(label="cheap")
    uri = (project / "app.py").as_uri()
    instruction = "Check the password before login, as in @private.py."
    running = harness.edit_lines(0, 1, instruction, uri=uri)
    with pytest.raises(HeldBackError):
        await running.result()
    assert drafter.generations == []


# What may not be sent any more.


def _ignore(project: Path) -> None:
    (project / ".redlineignore").write_text("helpers.py\n")


def _lead_out(project: Path) -> None:
    (project / "helpers.py").unlink()
    (project / "helpers.py").symlink_to("../outside.py")


def _delete(project: Path) -> None:
    (project / "helpers.py").unlink()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_ignore, "@helpers.py is not sent to a model: .redlineignore leaves it out"),
        (_lead_out, "@helpers.py is not attached: .* leads out of the folder"),
        (_delete, "@helpers.py names no file of this workspace"),
    ],
)
@pytest.mark.parametrize("name", ["helpers.py", "helpers.py#round_up"])
async def test_a_repair_looks_at_named_files_again(
    harness: EditHarness,
    project: Path,
    name: str,
    change: Callable[[Path], None],
    message: str,
) -> None:
    harness.configure(checks={"off": [], "repair": True, "escalate": True})
    uri = (project / "app.py").as_uri()
    running = harness.edit_lines(0, 1, f"Use @{name}.", uri=uri)
    generation = await harness.model.generation()
    change(project)
    generation.reply("a = undefined\n")
    with pytest.raises(RedlineError, match=message):
        await running.result()
    assert len(harness.model.generations) == 1
    assert harness.editor.text(uri) == TEXT


async def test_a_repair_does_not_need_the_named_definition(
    harness: EditHarness, project: Path
) -> None:
    """Its file is being worked on, and the repair continues with what was sent."""
    harness.configure(checks={"off": [], "repair": True, "escalate": False})
    uri = (project / "app.py").as_uri()
    running = harness.edit_lines(0, 1, "Use @helpers.py#round_up.", uri=uri)
    generation = await harness.model.generation()
    (project / "helpers.py").write_text("def round_(\n")
    generation.reply("a = undefined\n")
    (await harness.model.generation(1)).reply("a = 10\n")
    assert (await running.result()).outcome == "offered"


async def test_a_higher_tier_is_not_sent_an_ignored_file(
    harness: EditHarness, project: Path
) -> None:
    harness.configure(checks={"off": [], "repair": False, "escalate": True})
    better = harness.tiers.models["standard"] = FakeModel(label="better")
    uri = (project / "app.py").as_uri()
    running = harness.edit_lines(0, 1, "Use @helpers.py.", uri=uri)
    generation = await harness.model.generation()
    _ignore(project)
    generation.reply("a = undefined\n")
    with pytest.raises(HeldBackError, match=r"@helpers\.py is not sent"):
        await running.result()
    assert better.generations == []


async def test_a_redirect_looks_at_the_files_of_earlier_instructions_again(
    harness: EditHarness, project: Path
) -> None:
    uri = (project / "app.py").as_uri()
    running = harness.edit_lines(0, 1, "Use @helpers.py.", uri=uri)
    await harness.model.generation()
    _ignore(project)
    await harness.edits.redirects.redirect(running.session, "Round down.")
    with pytest.raises(HeldBackError, match=r"@helpers\.py is not sent") as found:
        await running.result()
    assert "Nothing was sent" not in found.value.remedy, "a request had been sent"
    assert len(harness.model.generations) == 1


@pytest.mark.parametrize("name", ["helpers.py", "app.py"])
async def test_a_shorter_prompt_is_not_sent_with_an_ignored_file(
    harness: EditHarness, project: Path, name: str
) -> None:
    """As when the server has said how small the model's window is."""
    uri = (project / "app.py").as_uri()
    running = harness.edit_lines(0, 1, "Use @helpers.py.", uri=uri)
    refused = await harness.model.generation()
    harness.model.context_tokens = 4_000
    (project / ".redlineignore").write_text(f"{name}\n")
    refused.fail(PromptTooLongError("The request is too long."))
    with pytest.raises(HeldBackError, match=f"{name} is not sent"):
        await running.result()
    assert len(harness.model.generations) == 1
