"""How VS Code paints an edit: `python -m tests.editors.vscode.measure_paint`.

How fast: a model rewrites 300 lines at 1,000 deltas a second, a third of them changed,
several times. Printed is what the extension logs at the end of each edit: how often it
painted, how many times a second while the text arrived (`paints_per_s`), and the time
from a message of the server to the decorations being set, in milliseconds.

The first of each list is the first edit of the window: VS Code and its browser are slow
then, for any extension. The model begins when the page has nothing else to do, such as
closing the box for the instruction: no model answers sooner.

How soon: from the moment that the gateway sends a line of an answer until the frame
that shows it is painted, several times (`first_ms`). In turn with these, `floor_ms` is
the same for an extension that does nothing but replace the line when it receives it:
what VS Code, its browser and the machine need. `over_floor_ms` is the difference of the
medians, and `ratio` compares them. `activation_ms` says how long the extension takes to
be activated, as VS Code shows it, at several starts; `activation_floor_ms` is that of
the other one in the same window.

How steadily: four edits are written at the pace of a common model, offered and
accepted. Printed is, for each, the number of frames of the screen, and in how many of
them something painted was gone for a while (dips), text stood elsewhere than before
(jumps), a line that came was not marked yet (bare), or the last line moved away from
its place in the end (detours).
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import ViewportSize
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.vscode.alone import LOGS, window_alone, window_and_model
from tests.editors.vscode.bare_edit import BareEdit, bare_edit
from tests.editors.vscode.frames import (
    count_bare,
    count_detours,
    count_dips,
    count_jumps,
    recorded,
)
from tests.editors.vscode.gallery import BEFORE, EDITS, Edit, script_of
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply

N_LINES = 300
CHUNK_CHARS = 4
DELTAS_PER_S = 1000.0

STEADY_PER_S = 120.0
"""Deltas a second of the edits whose frames are counted."""

N_SPEEDS = 5
"""How often the 300 lines are rewritten."""

N_TIMES = 10
"""How often the first line is waited for."""

N_STARTS = 5
"""How often the extension is activated."""

_SHOWN_AT = """(text) => new Promise((done) => {
  const lines = document.querySelector('.editor-instance .view-lines');
  const look = () => {
    if (!lines.textContent.replaceAll('\\u00a0', ' ').includes(text)) {
      return;
    }
    observer.disconnect();
    // The editor writes into the page at the begin of a frame: this comes after it.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(Date.now());
    port2.postMessage(null);
  };
  const observer = new MutationObserver(look);
  observer.observe(lines, { childList: true, subtree: true, characterData: true });
  look();
})"""
"""When a text is on the screen, in milliseconds of the system's clock."""

_TALL = ViewportSize(width=1280, height=3000)

_MODAL = ".monaco-modal-editor-block"

_IDLE = "() => new Promise(requestIdleCallback)"
"""Wait until the page has nothing to do, such as closing the box: any model takes
longer than that until its first delta."""

_PAINTED = re.compile(
    r"painted (\d+) times, ([\d.]+) ms each, ([\d.]+) ms at most; "
    r"([\d.]+) times a second"
)


async def measure_speed(folder: Path) -> dict[str, list[float]]:
    """Run the edit several times in a window and return the numbers of each."""
    lines = [f"value_{number:03} = compute({number})\n" for number in range(N_LINES)]
    after = [
        line.replace("(", "(10, ") if number % 3 == 0 else line
        for number, line in enumerate(lines)
    ]
    text = "".join(after)
    reply = ScriptReply(text=text, chunk_chars=CHUNK_CHARS, tokens_per_s=DELTAS_PER_S)
    opened = window_and_model(folder, "".join(lines), Script(otherwise=reply))
    async with opened as (window, model):
        for turn in range(N_SPEEDS):
            hold = model.hold(f"turn {turn}", after=0)
            await window.press("Control+a")
            await window.instruct(f"turn {turn}")
            await hold.reached()
            await window.page.evaluate(_IDLE)
            hold.release()
            await window.offer().wait_for()
            await reject_all(window)
    return numbers(folder / LOGS)


async def reject_all(window: Window) -> None:
    """Take the changes of an edit at the begin of the file back."""
    await window.press("Control+Home")
    await window.command("Redline: Reject All Changes")
    await window.offer().wait_for(state="hidden")


def numbers(logs: Path) -> dict[str, list[float]]:
    """Read what the extension has logged, edit by edit."""
    text = "".join(log.read_text() for log in logs.rglob("Redline.log"))
    found = _PAINTED.findall(text)
    assert len(found) == N_SPEEDS, text
    names = ("paints", "mean_ms", "most_ms", "paints_per_s")
    columns = zip(*found, strict=True)
    return {
        name: [float(each) for each in column]
        for name, column in zip(names, columns, strict=True)
    }


async def measure_latency(folder: Path) -> dict[str, object]:
    """Measure how soon a line is on the screen, and the extension active."""
    lines = [f"value_{number} = {number}\n" for number in range(20)]
    text = "".join(lines)
    whole = Script(otherwise=ScriptReply(chunks=tuple(lines)))
    first_ms, floor_ms, activation_ms, activation_floor_ms = [], [], [], []
    async with bare_edit(folder) as bare:
        opened = window_and_model(folder, text, whole, bare=bare)
        async with opened as (window, model):
            for turn in range(N_TIMES):
                floor_ms.append(await replace_bare(window, bare, lines, turn))
                first_ms.append(await replace_by_edit(window, model, lines, turn))
            # The page of running extensions shows only the rows that fit.
            await window.page.set_viewport_size(_TALL)
            for _ in range(N_STARTS):
                await window.command("Developer: Show Running Extensions")
                activation_ms.append(await activation(window, "Redline"))
                activation_floor_ms.append(await activation(window, "Bare edit"))
                # A modal page would open again, above the file.
                await window.press("Escape")
                await window.page.locator(_MODAL).wait_for(state="detached")
                await window.page.reload()
                await window.ready()
                await window.focus()
    first, floor = statistics.median(first_ms), statistics.median(floor_ms)
    return {
        "first_ms": first_ms,
        "floor_ms": floor_ms,
        "over_floor_ms": round(first - floor, 1),
        "ratio": round(first / floor, 2),
        "activation_ms": activation_ms,
        "activation_floor_ms": activation_floor_ms,
    }


async def replace_bare(
    window: Window, bare: BareEdit, lines: list[str], turn: int
) -> float:
    """Have the second line replaced by the other extension."""
    new = f"value_1 = 2{turn}"
    await window.press("Control+a")
    shown_ms = await timed(window, new, lambda: bare.replace(1, new))
    await bare.replace(1, lines[1].strip())
    await window.shows("".join(lines))
    return shown_ms


async def replace_by_edit(
    window: Window, model: ScriptedModel, lines: list[str], turn: int
) -> float:
    """Have the second line replaced by an edit, and take it back."""
    new = f"value_1 = 1{turn}"
    chunks = (lines[0], f"{new}\n", *lines[2:])
    model.say(Script(otherwise=ScriptReply(chunks=chunks)))
    hold = model.hold(f"turn {turn}", after=1)
    await window.press("Control+a")
    await window.instruct(f"turn {turn}")
    await hold.reached()

    async def release() -> None:
        hold.release()

    shown_ms = await timed(window, new, release)
    await window.offer().wait_for()
    await reject_all(window)
    return shown_ms


async def timed(
    window: Window, text: str, begin: Callable[[], Awaitable[None]]
) -> float:
    """Milliseconds from the begin of something until a text is on the screen."""
    await window.page.evaluate(_IDLE)
    shown = asyncio.create_task(window.page.evaluate(_SHOWN_AT, text))
    # The page looks from now on.
    await window.page.evaluate("() => new Promise(requestAnimationFrame)")
    began = time.time() * 1000
    await begin()
    at: float = await shown
    return round(at - began, 1)


async def activation(window: Window, extension: str) -> float:
    """How long an extension took to be activated, by the page of running ones."""
    rows = window.page.locator(".runtime-extensions-editor .monaco-list-row")
    text = await rows.filter(has_text=extension).first.inner_text()
    activated = re.search(r"Activation: (\d+)ms", text)
    assert activated, text
    return float(activated[1])


async def measure_steadiness(folder: Path) -> dict[str, dict[str, int]]:
    """Count the frames of each edit in a fresh profile."""
    async with window_alone(folder, BEFORE, script_of(EDITS, STEADY_PER_S)) as window:
        return {edit.name: await count_frames(window, edit) for edit in EDITS}


async def count_frames(window: Window, edit: Edit) -> dict[str, int]:
    """Have an edit written, offered and accepted, and take it back."""
    await window.select(*edit.lines)
    await window.ask()
    await window.type(edit.instruction)
    async with recorded(window.page) as recording:
        await window.press("Enter")
        await window.offer().wait_for()
        await window.accept()
        await window.marks(0)
    frames = recording.frames
    await window.press("Control+z")
    await window.offer().wait_for(state="hidden")
    return {
        "frames": len(frames),
        "dips": count_dips(frames),
        "jumps": count_jumps(frames),
        "bare": count_bare(frames, BEFORE),
        "detours": count_detours(frames, BEFORE.splitlines()[-1]),
    }


if __name__ == "__main__":
    for measure in (measure_speed, measure_latency, measure_steadiness):
        with tempfile.TemporaryDirectory() as scratch:
            sys.stdout.write(json.dumps(asyncio.run(measure(Path(scratch)))) + "\n")
