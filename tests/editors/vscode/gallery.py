"""Pictures for looking: `python -m tests.editors.vscode.gallery <folder>`.

Each of four edits, and the box that asks, in three themes, in a wide and a narrow
window, with and without the side bar. The pictures of one edit are also in one sheet.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.async_api import ViewportSize, expect
from tests.editors.vscode.alone import window_alone
from tests.editors.vscode.themes import use_theme
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

KINDS = ("dark", "light", "contrast")
"""Of the themes."""

TOGGLE = "Toggle Primary Side Bar"

NOWHERE = (400, 700)
"""Where the mouse points at nothing, in a window of any size."""

SIZES = {
    "wide": ViewportSize(width=1280, height=800),
    "narrow": ViewportSize(width=700, height=800),
}

SIDES = ("bare", "side")
"""Without and with the side bar, which is there at first."""

BEFORE = '''\
"""Orders of a shop."""

import csv
import json


class Ledger:
    """The orders of one day."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        self.cache = {}
        self.debug = False

    def load(self):
        """Read all orders, and skip those without a price."""
        file = open(self.path)
        for row in csv.DictReader(file):
            if row["price"] == "":
                continue
            price = float(row["price"])
            self.rows.append({"name": row["name"], "price": price})
        file.close()
        if self.debug:
            print("loaded", len(self.rows), "rows")

    def total(self, rate):
        price = 100 * rate
        net = sum(row["count"] * price for row in self.rows)
        if net > 1000 and price > 10:
            net = net - price * 0.1
        return round(net, 2), price

    def store(self, target):
        """Write them as JSON."""
        target.write_text(json.dumps(self.rows))
'''

TOTAL = BEFORE[BEFORE.index("    def total") : BEFORE.index("\n    def store")]
LOAD = BEFORE[BEFORE.index("    def load") : BEFORE.index("\n    def total")]
STORE = BEFORE[BEFORE.index("    def store") :]

REWRITTEN = '''\
    def load(self):
        """Read all orders, and skip those without a price."""
        with open(self.path, encoding="utf-8", newline="") as file:
            self.rows = [
                {"name": row["name"], "price": float(row["price"])}
                for row in csv.DictReader(file)
                if row["price"] != ""
            ]
        if self.debug:
            print(f"loaded {len(self.rows)} rows")
'''

METHOD = '''\

    def report(self, title, width=60, currency="EUR"):
        """Return a table of all orders as text, with a line for the sum.

        Names that are too long for their column are cut, so that prices stay below
        each other. An empty ledger has a title and a sentence.
        """
        if not self.rows:
            return f"{title}: there are no orders."
        column = width - 16
        lines = [title, "=" * width]
        for row in self.rows:
            name = row["name"]
            if len(name) > column:
                name = name[: column - 1] + "…"
            price = f"{row['price']:12.2f}"
            lines.append(f"{name:<{column}}{price} {currency}")
        lines.append("-" * width)
        total = sum(row["price"] for row in self.rows)
        lines.append(f"{'Sum':<{column}}{total:12.2f} {currency}")
        largest = max(self.rows, key=lambda row: row["price"])
        lines.append(f"The largest order is {largest['name']}.")
        by_name = {}
        for row in self.rows:
            by_name.setdefault(row["name"], []).append(row["price"])
        repeated = {name: each for name, each in by_name.items() if len(each) > 1}
        if repeated:
            lines.append("Ordered more than once:")
            for name, prices in sorted(repeated.items()):
                lines.append(f"  {name}: {len(prices)} times, {sum(prices):.2f}")
        lines.append("")
        lines.append(f"From {self.path}, whose rows without a price are left out.")
        return "\\n".join(lines)
'''

WITHOUT_DEBUG = (
    BEFORE.replace("        self.cache = {}\n        self.debug = False\n", "")
    .replace(' and skip those without a price."""', ' also those without a price."""')
    .replace('            if row["price"] == "":\n                continue\n', "")
    .replace(
        '        if self.debug:\n            print("loaded", len(self.rows), "rows")\n',
        "",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is filmed, and what is asked for."""

    name: str
    instruction: str
    lines: tuple[int, int]
    """Of `BEFORE` that are selected, counted from 1, both included."""
    reply: str


def lines_of(part: str) -> tuple[int, int]:
    """Return the lines of a part of the file."""
    first = BEFORE[: BEFORE.index(part)].count("\n") + 1
    return first, first + part.count("\n") - 1


EDITS = (
    Edit(
        name="words",
        instruction="rename price to amount",
        lines=lines_of(TOTAL),
        reply=TOTAL.replace("price", "amount"),
    ),
    Edit(
        name="rewritten",
        instruction="use with and a comprehension",
        lines=lines_of(LOAD),
        reply=REWRITTEN,
    ),
    Edit(
        name="method",
        instruction="add a method that reports as text",
        lines=lines_of(TOTAL),
        reply=TOTAL + METHOD,
    ),
    Edit(
        name="deletions",
        instruction="no debugging, no cache, keep rows without a price",
        lines=lines_of(BEFORE),
        reply=WITHOUT_DEBUG,
    ),
)

BOXES = {
    "box": ("improve this", "Taken for granted"),
    "box-files": ("begin as in @pri", "prices.py"),
}
"""What is typed into the box, and a part of a row that follows."""


def script_of(edits: Sequence[Edit], deltas_per_s: float | None = None) -> Script:
    """Return what a model answers to each edit."""
    return Script(
        rules=tuple(
            ScriptRule(
                when=When(instruction=edit.instruction),
                reply=ScriptReply(text=edit.reply, tokens_per_s=deltas_per_s),
            )
            for edit in edits
        )
    )


class Gallery:
    """Takes pictures of what a window shows, in all looks."""

    def __init__(self, window: Window, project: Path, target: Path) -> None:
        self._window = window
        self._project = project
        self._target = target
        self._has_side = True

    async def take(self, name: str) -> None:
        """Take the pictures, and lay them out in one sheet."""
        rows = []
        for kind in KINDS:
            await use_theme(self._window, self._project, kind)
            row = []
            for (size, viewport), side in product(SIZES.items(), SIDES):
                await self._window.page.set_viewport_size(viewport)
                await self._show_side(is_wanted=side == "side")
                path = self._target / f"{name}-{kind}-{size}-{side}.png"
                await self._window.page.screenshot(path=path, animations="disabled")
                row.append(path)
            rows.append(row)
        lay_out(rows, self._target / f"sheet-{name}.png")
        await self._window.page.set_viewport_size(SIZES["wide"])

    async def _show_side(self, *, is_wanted: bool) -> None:
        if self._has_side == is_wanted:
            return
        # While the box is open it has the keys.
        toggle = self._window.page.get_by_label(TOGGLE).first
        await toggle.click()
        self._has_side = is_wanted
        side = self._window.page.locator(".part.sidebar .monaco-list-row").first
        await side.wait_for(state="visible" if is_wanted else "hidden")
        await self._window.page.mouse.move(*NOWHERE)
        tooltips = self._window.page.locator(".monaco-hover:not(.hidden)")
        await expect(tooltips).to_have_count(0)


async def fill(target: Path, scratch: Path) -> None:
    """Play all edits in a fresh profile, and take their pictures."""
    async with window_alone(scratch, BEFORE, script_of(EDITS)) as window:
        gallery = Gallery(window, scratch / "project", target)
        for edit in EDITS:
            await window.select(*edit.lines)
            await window.instruct(edit.instruction)
            await window.offer().wait_for()
            await gallery.take(edit.name)
            await window.reject()
            await window.marks(0)
        await window.go_to(EDITS[0].lines[0] + 2)
        for name, (typed, row) in BOXES.items():
            await window.ask()
            await window.type(typed)
            box = window.box("Redline")
            await box.locator(".monaco-list-row", has_text=row).first.wait_for()
            await gallery.take(name)
            await box.locator("input").fill("")
            await box.locator(".monaco-list-row", has_text="adds a file").wait_for()
            await window.leave_box()


def lay_out(rows: list[list[Path]], target: Path) -> None:
    """Write pictures into one."""
    images = [[Image.open(path).convert("RGB") for path in row] for row in rows]
    width = sum(image.width for image in images[0])
    whole = Image.new("RGB", (width, sum(row[0].height for row in images)))
    top = 0
    for row in images:
        left = 0
        for image in row:
            whole.paste(image, (left, top))
            left += image.width
        top += row[0].height
    whole.save(target)


if __name__ == "__main__":
    pictures = Path(sys.argv[1])
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(fill(pictures, Path(scratch)))
