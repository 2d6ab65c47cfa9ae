"""How VS Code paints an edit: `python -m tests.editors.vscode.measure_paint`.

How fast: a model rewrites 300 lines at 1,000 deltas a second, a third of them changed.
Printed is what the extension logs at the end of an edit: how often it painted, and the
time from a message of the server to the decorations being set, in milliseconds.

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
from pathlib import Path

from tests.editors.vscode.alone import LOGS, window_alone
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
        await window.offer().wait_for()
        await window.accept()
        await window.offer().wait_for(state="hidden")
    return numbers(folder / LOGS, len(text))


def numbers(logs: Path, n_chars: int) -> dict[str, float]:
    """Read what the extension has logged."""
    text = "".join(log.read_text() for log in logs.rglob("Redline.log"))
    found = _PAINTED.search(text)
    assert found, text
    seconds = n_chars / CHUNK_CHARS / DELTAS_PER_S
    return {
        "paints": int(found[1]),
        "paints_per_s": round(int(found[1]) / seconds, 1),
        "mean_ms": float(found[2]),
        "most_ms": float(found[3]),
    }


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
    for measure in (measure_speed, measure_steadiness):
        with tempfile.TemporaryDirectory() as scratch:
            sys.stdout.write(json.dumps(asyncio.run(measure(Path(scratch)))) + "\n")
