"""Two looks of four edits: `python -m tests.editors.vscode.compare_looks <folder>`.

Each edit is written once into the editor, and once while VS Code's own comparison shows
it in one column, which is opened when half of it is there. Pictures are taken then,
when the edit is offered, and once the comparison is up to date; it prints how far the
line below the edit moves in between. Needs `make package`.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from PIL import Image
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.vscode.alone import window_and_model
from tests.editors.vscode.gallery import BEFORE, EDITS, NOWHERE, Edit, script_of
from tests.editors.vscode.stills import N_COLORS
from tests.editors.vscode.window import Window

LOOKS = ("text", "comparison")

DELTA_CHARS = 4
"""What the scripted model sends at once."""

DELTAS_PER_S = 120.0
"""A pace that eyes can follow."""

BELOW = {
    "words": "def store(self, target)",
    "rewritten": "def total(self, rate)",
    "method": "def store(self, target)",
    "deletions": "json.dumps(self.rows)",
}
"""A part of the line that is watched for each edit: below it, or its last one."""

QUIET_MS = 1500
"""How long the text is left alone before the last picture."""

_CODE = (305, 68, 1280, 768)
"""Where the code is in a picture of the window: without side bar and tabs."""

_WATCH = """(text) => {
  const tops = [];
  let isOver = false;
  const look = () => {
    const line = [...document.querySelectorAll('.editor-instance .view-line')]
      .findLast((each) => each.textContent.replaceAll('\\u00a0', ' ').includes(text));
    if (line) tops.push(Math.round(line.getBoundingClientRect().top));
    if (!isOver) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  window.endWatch = () => { isOver = true; return tops; };
}"""


def detour(tops: Sequence[int]) -> int:
    """Return by how much a line moves more than from its first to its last place."""
    way = sum(abs(there - here) for here, there in pairwise(tops))
    return way - abs(tops[-1] - tops[0]) if tops else 0


def turns(tops: Sequence[int]) -> int:
    """Return how often a line changes its direction."""
    moves = [there - here for here, there in pairwise(tops) if there != here]
    return sum((one > 0) != (other > 0) for one, other in pairwise(moves))


async def take(window: Window, target: Path, name: str) -> None:
    """Take a picture of the code, with a palette."""
    path = target / f"{name}.png"
    await window.page.mouse.move(*NOWHERE)
    await window.page.screenshot(path=path, animations="disabled")
    with Image.open(path) as taken:
        code = taken.convert("RGB").crop(_CODE)
    code.quantize(N_COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


async def play(
    window: Window, model: ScriptedModel, edit: Edit, look: str, target: Path
) -> Sequence[int]:
    """Have an edit written and rejected; returns the tops of the line below it."""
    n_deltas = len(edit.reply) // DELTA_CHARS
    hold = model.hold(edit.instruction, after=n_deltas // 2)
    await window.select(*edit.lines)
    await window.instruct(edit.instruction)
    await hold.reached()
    await window.offer("Redline is writing, ").wait_for()
    if look == "comparison":
        await window.command("Redline: Compare the Changes Side by Side")
        await window.page.locator(".monaco-diff-editor").first.wait_for()
    await window.page.evaluate(_WATCH, BELOW[edit.name])
    await take(window, target, f"{edit.name}-{look}-half-way")
    hold.release()
    await window.offer().wait_for()
    await take(window, target, f"{edit.name}-{look}-offered")
    # VS Code computes a comparison once the text has been quiet for a while.
    await window.page.wait_for_timeout(QUIET_MS)
    tops: list[int] = await window.page.evaluate("() => window.endWatch()")
    await take(window, target, f"{edit.name}-{look}")
    await window.command("Redline: Reject All Changes")
    await window.offer().wait_for(state="hidden")
    await window.page.locator(".monaco-diff-editor").wait_for(state="detached")
    await window.focus()
    return tops


async def main(target: Path, scratch: Path) -> None:
    """Play all edits in both looks."""
    opened = window_and_model(
        scratch,
        BEFORE,
        script_of(EDITS, DELTAS_PER_S),
        settings={"diffEditor.renderSideBySide": False},
    )
    async with opened as (window, model):
        for look in LOOKS:
            for edit in EDITS:
                tops = await play(window, model, edit, look, target)
                sys.stdout.write(
                    f"{edit.name:<10} {look:<10} detour {detour(tops):>5} px,"
                    f" {turns(tops)} turns\n"
                )


if __name__ == "__main__":
    pictures = Path(sys.argv[1])
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(pictures, Path(folder)))
