"""Images that are attached to an instruction: what is sent of them, and to whom."""

from __future__ import annotations

import asyncio
import io
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, PngImagePlugin
from tests.assist.conftest import EditHarness
from tests.assist.fake_model import FakeGeneration, FakeModel
from tests.assist.in_process import InThisProcess

from redline.assist.edit.attached.attachments import MAX_FILE_BYTES, load_images
from redline.assist.edit.attached.image_cleaning import LONG_SIDE, clean_image
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import (
    AttachmentError,
    HeldBackError,
    ModelUnavailableError,
    RedlineError,
)
from redline.models.interface import Usage
from redline.parsing.parser_pool import ParserPool
from redline.prompts.message import PromptImage

SECRET = b"Anna at home"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TEXT = "a = 1\nb = 2\n"


def picture(kind: str = "PNG", *, size: tuple[int, int] = (8, 4), **more: Any) -> bytes:
    """Draw a picture whose metadata name somebody."""
    file = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    if kind == "PNG":
        info = PngImagePlugin.PngInfo()
        info.add_text("Author", SECRET.decode())
        more["pnginfo"] = info
    if kind == "GIF":
        more["comment"] = SECRET
    else:
        more["exif"] = exif
    Image.new("RGB", size, (200, 30, 30)).save(file, kind, **more)
    return file.getvalue()


def data_uri(data: bytes) -> str:
    """Write a `data:` URI."""
    return f"data:image/png;base64,{b64encode(data).decode()}"


async def load(*uris: str, root: Path | None = None) -> tuple[PromptImage, ...]:
    """Load images as an edit does."""
    roots = [root.as_uri()] if root else []
    parser = InThisProcess()
    return await load_images(uris, roots=roots, rules=IgnoreRules(), parser=parser)


def clean(data: bytes) -> PromptImage:
    """Clean an image that can be sent."""
    image = clean_image(data).image
    assert image is not None
    return image


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("PNG", "image/png"),
        ("JPEG", "image/jpeg"),
        ("WEBP", "image/png"),
        ("GIF", "image/png"),
    ],
)
def test_only_the_pixels_are_sent(kind: str, sent: str) -> None:
    """The name, place and time of its author are removed."""
    data = picture(kind)
    assert SECRET in data
    image = clean(data)
    assert image.media_type == sent
    assert SECRET not in image.data
    with Image.open(io.BytesIO(image.data)) as shown:
        assert shown.size == (8, 4)
        assert not shown.getexif()


def test_a_large_image_is_scaled_down() -> None:
    """To what providers read; the proportions stay."""
    image = clean(picture(size=(4_000, 1_000)))
    with Image.open(io.BytesIO(image.data)) as shown:
        assert shown.size == (LONG_SIDE, LONG_SIDE // 4)


def test_a_photo_is_turned_as_it_is_shown() -> None:
    """Its metadata say how, and are not sent."""
    file = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (8, 4)).save(file, "JPEG", exif=exif)
    image = clean(file.getvalue())
    with Image.open(io.BytesIO(image.data)) as shown:
        assert shown.size == (4, 8)


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("data:image/png;base64,!!", "must be in base64"),
        ("data:image/png,abc", "must be in base64"),
        (data_uri(b"GIF89a"), "is not a png, jpeg, webp or gif"),
        (data_uri(picture()[:60]), "is not a png, jpeg, webp or gif"),
        (data_uri(b"<svg/>"), "is not a png, jpeg, webp or gif"),
        ("https://example.com/a.png", "is not a file"),
        ("file:///nowhere/a.png", "it does not exist"),
    ],
)
async def test_what_cannot_be_sent_is_refused(uri: str, said: str) -> None:
    """With the reason, and nothing is sent."""
    with pytest.raises(AttachmentError, match=said):
        await load(uri)


async def test_a_picture_with_too_many_pixels_is_refused() -> None:
    """However small its file is."""
    uri = data_uri(picture(size=(10_000, 5_001)))
    with pytest.raises(AttachmentError, match="million pixels"):
        await load(uri)


async def test_files_are_limited(tmp_path: Path) -> None:
    """In number, in size, and in kind."""
    with pytest.raises(AttachmentError, match="At most 4"):
        await load(*[data_uri(picture())] * 5)
    large = tmp_path / "large.png"
    with large.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(AttachmentError, match=r"large\.png is not attached"):
        await load(large.as_uri())
    with pytest.raises(AttachmentError, match="it is a folder"):
        await load(tmp_path.as_uri())


async def test_an_image_that_keeps_a_decoder_busy_is_refused() -> None:
    """200 kB with 200 passes over 48 million pixels, which take minutes in C."""
    file = io.BytesIO()
    Image.new("L", (8_000, 6_000)).save(file, "JPEG", progressive=True)
    data = file.getvalue()
    start, end = data.rindex(b"\xff\xda"), data.rindex(b"\xff\xd9")
    hostile = data_uri(data[:end] + data[start:end] * 200 + data[end:])
    parser = ParserPool(limit_s=0.5, max_processes=1)
    try:
        with pytest.raises(AttachmentError, match=r"took longer than 0\.5 s\.$"):
            await load_images([hostile], roots=(), rules=IgnoreRules(), parser=parser)
    finally:
        await parser.aclose()


async def test_ignore_rules_apply_to_images(tmp_path: Path) -> None:
    """As to all files; one that is allowed is read."""
    (tmp_path / ".redlineignore").write_text("private*\n")
    for name in ("private.png", "shown.png"):
        (tmp_path / name).write_bytes(picture())
    with pytest.raises(HeldBackError, match=r"private\.png is not sent"):
        await load((tmp_path / "private.png").as_uri(), root=tmp_path)
    (image,) = await load((tmp_path / "shown.png").as_uri(), root=tmp_path)
    assert image.media_type == "image/png"


# In an edit.


IMAGE = data_uri(picture())
OTHER = data_uri(picture(size=(4, 4)))


async def test_a_model_that_reads_images_is_sent_them(harness: EditHarness) -> None:
    """With the task, and again with each repair or redirect."""
    harness.editor.open(TEXT)
    harness.model.reads_images = True
    running = harness.edit(0, 6, "like this", attachments=(IMAGE,))
    generation = await harness.model.generation()
    (task,) = generation.request.prompt.chat_messages
    assert [each.media_type for each in task.images] == ["image/png"]
    generation.reply("a = 2\n")
    assert (await running.result()).outcome == "applied"
    logged = harness.sent.last(None)
    assert logged is not None
    assert not logged.prompt.chat_messages[0].images, "nothing of it is stored"


def _ignore(shot: Path) -> None:
    (shot.parent / ".redlineignore").write_text("*.png\n")


def _delete(shot: Path) -> None:
    shot.unlink()


def _lead_out(shot: Path) -> None:
    _delete(shot)
    shot.symlink_to("../elsewhere.png")


@pytest.fixture
def shot(harness: EditHarness, tmp_path: Path) -> Path:
    """An image in the workspace, for a model that reads images."""
    harness.workspace.roots = (tmp_path.as_uri(),)
    harness.model.reads_images = True
    harness.editor.open(TEXT)
    path = tmp_path / "shot.png"
    path.write_bytes(picture())
    return path


async def test_a_repair_looks_at_images_again(harness: EditHarness, shot: Path) -> None:
    """One that is ignored by then is not sent."""
    harness.configure(checks={"off": [], "repair": True, "escalate": True})
    running = harness.edit(0, 6, "like this", attachments=(shot.as_uri(),))
    generation = await harness.model.generation()
    _ignore(shot)
    generation.reply("a = undefined\n")
    with pytest.raises(HeldBackError, match=r"shot\.png is not sent"):
        await running.result()
    assert len(harness.model.generations) == 1


async def test_a_redirect_looks_at_images_again(
    harness: EditHarness, shot: Path
) -> None:
    """One that has become a link out of the workspace is not sent."""
    running = harness.edit(0, 6, "like this", attachments=(shot.as_uri(),))
    await harness.model.generation()
    _lead_out(shot)
    await harness.edits.redirects.redirect(running.session, "Larger.")
    with pytest.raises(AttachmentError, match="leads out of the folder"):
        await running.result()
    assert len(harness.model.generations) == 1


async def test_a_temporary_image_may_be_gone_after_the_first_request(
    harness: EditHarness, shot: Path
) -> None:
    harness.configure(checks={"off": [], "repair": True, "escalate": True})
    running = harness.edit(0, 6, "like this", attachments=(shot.as_uri(),))
    generation = await harness.model.generation()
    _delete(shot)
    generation.reply("a = undefined\n")
    repair = await harness.model.generation(1)
    assert len(repair.request.prompt.chat_messages[0].images) == 1
    repair.reply("a = 2\n")
    assert (await running.result()).outcome == "applied"


async def test_a_description_of_an_image_that_became_ignored(
    harness: EditHarness, shot: Path
) -> None:
    """It is not sent to the model that edits."""
    harness.model.reads_images = False
    eyes = harness.tiers.models["vision"] = FakeModel(label="eyes", reads_images=True)
    running = harness.edit(0, 6, "like this", attachments=(shot.as_uri(),))
    describing = await eyes.generation()
    _ignore(shot)
    describing.reply("A blue button.")
    with pytest.raises(HeldBackError, match=r"shot\.png is not sent"):
        await running.result()
    assert harness.model.generations == []


async def test_a_blind_model_is_not_asked(harness: EditHarness) -> None:
    """If no model reads images, the message says how to have one."""
    harness.editor.open(TEXT)
    running = harness.edit(0, 6, "like this", attachments=(IMAGE,))
    with pytest.raises(AttachmentError, match="does not read images") as caught:
        await running.result()
    assert "vision = true" in caught.value.remedy
    assert harness.model.generations == []
    assert harness.editor.text() == TEXT


async def test_the_tier_that_sees_is_used(harness: EditHarness) -> None:
    """The reason says so; a tier that was named is not replaced."""
    harness.editor.open(TEXT)
    seeing = FakeModel(label="eyes", reads_images=True)
    harness.tiers.models["deep"] = seeing
    running = harness.edit(0, 6, "like this", attachments=(IMAGE,))
    (await seeing.generation()).reply("a = 2\n")
    result = await running.result()
    assert result.tier == "deep"
    assert "The deep tier reads the attached image." in result.reasons
    named = harness.edit(0, 6, "#fast like this", attachments=(IMAGE,))
    with pytest.raises(AttachmentError) as caught:
        await named.result()
    assert caught.value.remedy == "Use eyes (fake-1), which does: add `#deep`."
    assert harness.model.generations == []


async def test_images_change_while_the_instruction_is_typed(
    harness: EditHarness,
) -> None:
    """The instruction is carried out again with the images that are attached then."""
    harness.preview(live_pause_s=0.0)
    harness.editor.open(TEXT)
    harness.model.reads_images = True
    for number, images in enumerate(((), (IMAGE, OTHER), (OTHER,))):
        running = harness.edit(
            *(0, 6, "like this"), session_id="live", is_draft=True, attachments=images
        )
        generation = await harness.model.generation(number)
        (task,) = generation.request.prompt.chat_messages
        assert len(task.images) == len(images)
        generation.reply(f"a = {number + 2}\n")
        assert (await running.result()).outcome == "offered"
    running = harness.edit(0, 6, "like this", session_id="live", attachments=(OTHER,))
    assert (await running.result()).outcome == "offered"
    assert len(harness.model.generations) == 3, "nothing changed since the last draft"


async def test_a_tier_is_named_while_the_instruction_is_typed(
    harness: EditHarness,
) -> None:
    """The last draft is not the offer if another tier wrote it."""
    harness.preview(live_pause_s=0.0)
    harness.editor.open(TEXT)
    deep = harness.tiers.models["deep"] = FakeModel(label="deep")
    draft = harness.edit(0, 6, "improve it", session_id="live", is_draft=True)
    (await harness.model.generation()).reply("a = 2\n")
    assert (await draft.result()).outcome == "offered"
    running = harness.edit(0, 6, "improve it #deep", session_id="live")
    (await deep.generation()).reply("a = 3\n")
    result = await running.result()
    assert (result.outcome, result.tier) == ("offered", "deep")


async def test_a_tier_that_a_redirect_names_stays_while_more_is_typed(
    harness: EditHarness,
) -> None:
    """Until another one is named."""
    harness.preview(live_pause_s=0.0)
    harness.editor.open(TEXT)
    deep = harness.tiers.models["deep"] = FakeModel(label="deep")
    draft = harness.edit(0, 6, "improve it", session_id="live", is_draft=True)
    (await harness.model.generation()).reply("a = 2\n")
    assert (await draft.result()).outcome == "offered"
    redirect = asyncio.create_task(
        harness.edits.redirects.redirect(draft.session, "shorten it #deep")
    )
    generation = await deep.generation()
    await redirect
    generation.reply("a = 3\n")
    await harness.idle()
    running = harness.edit(0, 6, "shorten it more", session_id="live", is_draft=True)
    (await deep.generation(1)).reply("a = 4\n")
    assert (await running.result()).tier == "deep"


async def test_other_images_are_described(harness: EditHarness) -> None:
    """The description belongs to the images that are attached."""
    harness.preview(live_pause_s=0.0)
    harness.editor.open(TEXT)
    eyes = harness.tiers.models["vision"] = FakeModel(label="eyes", reads_images=True)
    for number, image in enumerate((IMAGE, OTHER)):
        running = harness.edit(
            *(0, 6, "like this"),
            session_id="live",
            is_draft=True,
            attachments=(image,),
        )
        (await eyes.generation(number)).reply(f"Picture {number}.")
        writing = await harness.model.generation(number)
        (task,) = writing.request.prompt.chat_messages
        assert f"Picture {number}." in task.text
        writing.reply("a = 2\n")
        assert (await running.result()).outcome == "offered"


async def test_a_tier_that_needs_a_description_is_named_while_typing(
    harness: EditHarness,
) -> None:
    """The image was loaded for a tier whose model reads it."""
    harness.preview(live_pause_s=0.0)
    harness.editor.open(TEXT)
    eyes = harness.tiers.models["vision"] = FakeModel(label="eyes", reads_images=True)
    deep = harness.tiers.models["deep"] = FakeModel(label="deep", reads_images=True)
    draft = harness.edit(
        *(0, 6, "#deep like this"),
        session_id="live",
        is_draft=True,
        attachments=(IMAGE,),
    )
    (await deep.generation()).reply("a = 2\n")
    assert (await draft.result()).outcome == "offered"
    assert eyes.generations == []
    running = harness.edit(
        0, 6, "#fast like this", session_id="live", attachments=(IMAGE,)
    )
    (await eyes.generation()).reply("A blue button.")
    writing = await harness.model.generation()
    assert "A blue button." in writing.request.prompt.chat_messages[0].text
    writing.reply("a = 3\n")
    result = await running.result()
    assert (result.outcome, result.tier) == ("offered", "fast")


async def test_a_stop_that_keeps_an_offer_while_other_images_are_described(
    harness: EditHarness,
) -> None:
    """A description that then fails does not end the offer."""
    harness.preview(live_pause_s=0.0, on_stop="keep")
    harness.editor.open(TEXT)
    eyes = harness.tiers.models["vision"] = FakeModel(label="eyes", reads_images=True)
    draft = harness.edit(0, 6, "like this", session_id="live", is_draft=True)
    (await harness.model.generation()).reply("a = 2\n")
    assert (await draft.result()).outcome == "offered"
    running = harness.edit(0, 6, "like this", session_id="live", attachments=(IMAGE,))
    shown = await eyes.generation()
    harness.edits.stop(session_id="live")
    assert (await running.result()).outcome == "offered"
    shown.fail(ModelUnavailableError("No credit."))
    await harness.idle()
    assert not running.session.state.is_end


async def test_a_model_of_the_vision_tier_describes_it(harness: EditHarness) -> None:
    """For a tier whose model does not read images; it stays where it was routed."""
    harness.editor.open(TEXT)
    eyes = FakeModel(label="eyes", reads_images=True)
    harness.tiers.models |= {"vision": eyes, "deep": eyes}
    running = harness.edit(0, 6, "like this", attachments=(IMAGE,))
    shown = await eyes.generation()
    (question,) = shown.request.prompt.chat_messages
    assert len(question.images) == 1
    assert "like this" in question.text
    assert TEXT not in question.text, "code is sent only to the model that edits it"
    shown.write("A blue button. Its label is ")
    shown.write(f"{TOKEN}.")
    shown.finish(usage=Usage(input_n_tokens=700, output_n_tokens=30))
    writing = await harness.model.generation()
    (task,) = writing.request.prompt.chat_messages
    assert not task.images
    assert "A blue button. Its label is REDLINE_SECRET_" in task.text
    assert TOKEN not in task.text
    writing.reply("a = 2\n")
    result = await running.result()
    assert (result.outcome, result.tier) == ("applied", "fast")
    assert any("eyes (fake-1 at nowhere) described" in each for each in result.reasons)
    spent = running.session.account.cost_tally.take()
    assert spent.tokens.input_n_tokens >= 700


async def test_a_model_that_sees_needs_no_description(harness: EditHarness) -> None:
    """It gets the image itself, which says more than words."""
    harness.editor.open(TEXT)
    harness.model.reads_images = True
    eyes = harness.tiers.models["vision"] = FakeModel(label="eyes", reads_images=True)
    running = harness.edit(0, 6, "like this", attachments=(IMAGE,))
    writing = await harness.model.generation()
    assert len(writing.request.prompt.chat_messages[0].images) == 1
    writing.reply("a = 2\n")
    await running.result()
    assert eyes.generations == []


@pytest.mark.parametrize(
    ("finish", "said"),
    [
        (lambda it: it.fail(ModelUnavailableError("No credit.")), "No credit."),
        (lambda it: it.finish(), "did not describe the image"),
        (lambda it: it.finish("length"), "did not describe the image"),
    ],
)
async def test_no_description(
    harness: EditHarness, finish: Callable[[FakeGeneration], None], said: str
) -> None:
    """The edit fails with the cause: a model that cannot see would guess."""
    harness.editor.open(TEXT)
    eyes = harness.tiers.models["vision"] = FakeModel(label="eyes", reads_images=True)
    running = harness.edit(0, 6, "like this", attachments=(IMAGE,))
    finish(await eyes.generation())
    with pytest.raises(RedlineError, match=said):
        await running.result()
    assert harness.model.generations == []
    assert harness.editor.text() == TEXT


async def test_a_stop_while_it_is_described(harness: EditHarness) -> None:
    """It stops the description, and nothing else is asked."""
    harness.editor.open(TEXT)
    eyes = harness.tiers.models["vision"] = FakeModel(label="eyes", reads_images=True)
    running = harness.edit(0, 6, "like this", attachments=(IMAGE,))
    shown = await eyes.generation()
    harness.edits.stop(session_id=running.id)
    assert (await running.result()).outcome == "stopped"
    await harness.idle()
    assert shown.is_released
    assert harness.model.generations == []


async def test_a_vision_tier_that_does_not_read_images(harness: EditHarness) -> None:
    """It is not sent them; the message says what to set."""
    harness.editor.open(TEXT)
    blind = harness.tiers.models["vision"] = FakeModel(label="eyes")
    running = harness.edit(0, 6, "like this", attachments=(IMAGE,))
    with pytest.raises(AttachmentError, match="tier `vision`") as caught:
        await running.result()
    assert "vision = true" in caught.value.remedy
    assert blind.generations == []


async def test_a_bad_image_fails_the_edit(harness: EditHarness) -> None:
    """Before anything is sent."""
    harness.editor.open(TEXT)
    harness.model.reads_images = True
    running = harness.edit(0, 6, "like this", attachments=(data_uri(b"x"),))
    with pytest.raises(AttachmentError, match="is not a png"):
        await running.result()
    assert harness.model.generations == []
