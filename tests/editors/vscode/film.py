"""A short animated picture of an edit: `python -m tests.editors.vscode.film <file>`.

An edit paints itself while it streams, is redirected half-way, and is accepted, in the
real VS Code. The model writes far more slowly than a fast one does, so that people can
follow.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.async_api import FloatRect, Page, ViewportSize
from tests.editors.vscode.alone import window_alone
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

SIZE = ViewportSize(width=960, height=470)

SHOWN = FloatRect(x=0, y=0, width=960, height=436)
"""All but the status bar, whose pace is that of the slower play."""

N_COLORS = 128
"""Of the film's palette: what an editor shows has few."""

N_SAMPLES = 6
"""Frames that the palette is made from."""

SLOWER = 5
"""How much slower the scene is played than shown, so that a busy machine takes all
screenshots. All times and paces below are those that are shown."""

FIRST_PACE = 24.0
SECOND_PACE = 40.0
"""Deltas a second of the two answers; the first leaves time to redirect it."""

FRAME_S = 0.1
"""Time between two screenshots, at least."""

KEY_MS = 45.0
"""Time between two keys."""

LAST_S = 2.5
"""How long the end stands before the film begins again."""

FIRST_WISH = "add type hints and docstrings"
SECOND_WISH = "only the types, no docstrings"

HALF_WAY = "Return the names"
"""Painted when the second instruction is typed."""

BEFORE = """\
import json


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def names(orders):
    return [order["name"] for order in orders]


def total(orders, discount=0.0):
    gross = sum(order["price"] for order in orders)
    return gross * (1 - discount)
"""

TYPED = """\
import json


def load(path: str) -> list[dict]:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def names(orders: list[dict]) -> list[str]:
    return [order["name"] for order in orders]


def total(orders: list[dict], discount: float = 0.0) -> float:
    gross = sum(order["price"] for order in orders)
    return gross * (1 - discount)
"""

DOCUMENTED = (
    TYPED.replace(
        "list[dict]:\n    with",
        'list[dict]:\n    """Read all orders of a JSON file."""\n    with',
    )
    .replace(
        "    return [",
        '    """Return the names of orders, in order."""\n    return [',
    )
    .replace(
        "    gross =",
        '    """Add up the prices of orders.\n\n    The discount is a share of 1.'
        '\n    """\n    gross =',
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What the screen showed, and for how long."""

    png: bytes
    seconds: float


class Camera:
    """Takes a screenshot again and again; one that shows nothing new is no frame."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._shots: list[tuple[float, bytes]] = []

    async def run(self) -> None:
        """Film until cancelled."""
        while True:
            began = time.monotonic()
            png = await self._page.screenshot(clip=SHOWN)
            if not self._shots or self._shots[-1][1] != png:
                self._shots.append((began, png))
            left = FRAME_S * SLOWER - (time.monotonic() - began)
            await asyncio.sleep(max(0.0, left))

    def frames(self) -> list[Frame]:
        """Return the film."""
        times = [at / SLOWER for at, _ in self._shots]
        ends = [*times[1:], times[-1] + LAST_S]
        return [
            Frame(png=png, seconds=end - at)
            for (_, png), at, end in zip(self._shots, times, ends, strict=True)
        ]


async def film(folder: Path) -> list[Frame]:
    """Play the scene in a fresh profile and return what the screen showed."""
    redirected = ScriptRule(
        when=When(instruction=SECOND_WISH),
        reply=ScriptReply(text=TYPED, tokens_per_s=SECOND_PACE / SLOWER),
    )
    begun = ScriptReply(text=DOCUMENTED, tokens_per_s=FIRST_PACE / SLOWER)
    script = Script(rules=(redirected,), otherwise=begun)
    calm = {"editor.lightbulb.enabled": "off", "editor.cursorBlinking": "solid"}
    async with window_alone(folder, BEFORE, script, size=SIZE, settings=calm) as window:
        await window.press("Control+b", "Control+a")
        await window.page.mouse.move(SIZE["width"] - 1, SIZE["height"] - 1)
        camera = Camera(window.page)
        running = asyncio.create_task(camera.run())
        try:
            await play(window)
        finally:
            running.cancel()
            await asyncio.wait([running])
    return camera.frames()


async def play(window: Window) -> None:
    """Do what is filmed."""
    keyboard = window.page.keyboard
    await window.ask()
    await keyboard.type(FIRST_WISH, delay=KEY_MS * SLOWER)
    await window.press("Enter")
    await window.shows_line(HALF_WAY)
    await window.press("Control+'")
    await window.box("Redline: redirect").wait_for()
    await keyboard.type(SECOND_WISH, delay=KEY_MS * SLOWER)
    await window.press("Enter")
    await window.offer().wait_for()
    await asyncio.sleep(LAST_S * SLOWER / 2)  # For people, to see what is offered.
    await window.accept()
    await window.marks(0)
    await window.shows(TYPED)
    await asyncio.sleep(FRAME_S * SLOWER * 5)  # For the camera, to see it.


def develop(frames: list[Frame], target: Path) -> None:
    """Write frames as an animated PNG, which repeats."""
    images = [Image.open(BytesIO(frame.png)).convert("RGB") for frame in frames]
    palette = palette_of(images)
    first, *others = [
        image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images
    ]
    target.parent.mkdir(parents=True, exist_ok=True)
    first.save(
        target,
        save_all=True,
        append_images=others,
        duration=[round(frame.seconds * 1000) for frame in frames],
        loop=0,
    )


def palette_of(images: list[Image.Image]) -> Image.Image:
    """Return one palette for all, so that what stays the same is stored once."""
    width, height = images[0].size
    samples = [
        images[at * (len(images) - 1) // (N_SAMPLES - 1)] for at in range(N_SAMPLES)
    ]
    sheet = Image.new("RGB", (width, height * N_SAMPLES))
    for at, sample in enumerate(samples):
        sheet.paste(sample, (0, at * height))
    return sheet.quantize(N_COLORS)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        develop(asyncio.run(film(Path(scratch))), Path(sys.argv[1]))
