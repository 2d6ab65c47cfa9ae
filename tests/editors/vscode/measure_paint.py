"""How VS Code paints an edit: `python -m tests.editors.vscode.measure_paint`.

How fast: a model rewrites 300 lines at 1,000 deltas a second, a third of them changed.
Printed is what the extension logs at the end of an edit: how often it painted, also
by the seconds from the first line on the screen to the offer, and the time from a
message of the server to the decorations being set, in milliseconds.

How soon: from the moment that the gateway sends a line of an answer until that line is
in a frame of the screen, five times; and how long the extension takes to be activated,
as VS Code shows it, in milliseconds.

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
import sys
import tempfile
import time
from pathlib import Path

from tests.editors.vscode.alone import LOGS, window_alone, window_and_model
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

N_TIMES = 5
"""How often the first line is waited for."""

_SHOWN_AT = """(text) => new Promise((done) => {
  const look = () => {
    const lines = [...document.querySelectorAll('.editor-instance .view-line')];
    if (lines.some((each) =>
      each.textContent.replaceAll('\\u00a0', ' ').includes(text))) {
      // After the frame that shows it.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(Date.now());
      port2.postMessage(null);
    } else {
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
})"""
"""When a text is on the screen, in milliseconds of the system's clock."""

_PAINTED = re.compile(r"painted (\d+) times, ([\d.]+) ms each, ([\d.]+) ms at most")


async def measure_speed(folder: Path) -> dict[str, float]:
    """Run the edit in a fresh profile and return the numbers."""
    lines = [f"value_{number:03} = compute({number})\n" for number in range(N_LINES)]
    after = [
        line.replace("(", "(10, ") if number % 3 == 0 else line
        for number, line in enumerate(lines)
    ]
    text = "".join(after)
    reply = ScriptReply(text=text, chunk_chars=CHUNK_CHARS, tokens_per_s=DELTAS_PER_S)
    script = Script(otherwise=reply)
    async with window_alone(folder, "".join(lines), script) as window:
        await window.press("Control+a")
        await window.instruct("scale it")
        begun = await window.page.evaluate(_SHOWN_AT, "(10,")
        await window.offer().wait_for()
        seconds = time.time() - begun / 1000
        await window.accept()
        await window.offer().wait_for(state="hidden")
    return numbers(folder / LOGS, seconds)


def numbers(logs: Path, seconds: float) -> dict[str, float]:
    """Read what the extension has logged."""
    text = "".join(log.read_text() for log in logs.rglob("Redline.log"))
    found = _PAINTED.search(text)
    assert found, text
    return {
        "paints": int(found[1]),
        "paints_per_s": round(int(found[1]) / seconds, 1),
        "mean_ms": float(found[2]),
        "most_ms": float(found[3]),
    }


async def measure_latency(folder: Path) -> dict[str, list[float]]:
    """Measure how soon a line is on the screen, and the extension active."""
    lines = [f"value_{number} = {number}\n" for number in range(20)]
    first_ms = []
    whole = Script(otherwise=ScriptReply(chunks=tuple(lines)))
    opened = window_and_model(folder, "".join(lines), whole)
    async with opened as (window, model):
        for turn in range(N_TIMES):
            new = f"value_1 = 1{turn}\n"
            chunks = (lines[0], new, *lines[2:])
            model.say(Script(otherwise=ScriptReply(chunks=chunks)))
            hold = model.hold(f"turn {turn}", after=1)
            await window.press("Control+a")
            await window.instruct(f"turn {turn}")
            await hold.reached()
            shown = asyncio.create_task(window.page.evaluate(_SHOWN_AT, new.strip()))
            # The page looks from now on.
            await window.page.evaluate("() => new Promise(requestAnimationFrame)")
            sent = time.time() * 1000
            hold.release()
            first_ms.append(round(await shown - sent, 1))
            await window.offer().wait_for()
            await window.press("Control+Home")
            await window.command("Redline: Reject All Changes")
            await window.offer().wait_for(state="hidden")
        await window.command("Developer: Show Running Extensions")
        own = window.page.locator(".runtime-extensions-editor .monaco-list-row")
        text = await own.filter(has_text="Redline").first.inner_text()
    activated = re.search(r"Activation: (\d+)ms", text)
    assert activated, text
    return {"first_ms": first_ms, "activation_ms": [float(activated[1])]}


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
