"""What a window of VS Code shows, frame by frame, and what in it dips or jumps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise

import msgspec
from msgspec import Struct
from playwright.async_api import Page

_RECORD = """() => {
  const frames = [];
  const editor = document.querySelector('.editor-instance .monaco-editor');
  const place = (each) => {
    const { left, top } = each.getBoundingClientRect();
    return [Math.round(left), Math.round(top)];
  };
  const look = () => {
    const numbers = {};
    for (const each of editor.querySelectorAll('.margin-view-overlays .line-numbers')) {
      numbers[place(each)[1]] = parseInt(each.textContent);
    }
    const marked = new Set([...editor.querySelectorAll('.view-overlays .cdr')]
      .filter((each) => /ced-.*-\\d/.test(each.className) && each.style.left === '0px'
        && getComputedStyle(each).borderTopStyle === 'none')
      .map((each) => place(each)[1]));
    const lines = [...editor.querySelectorAll('.lines-content > .view-lines > *')]
      .map((each) => {
        const [left, top] = place(each);
        const painted = [...each.querySelectorAll('span')]
          .map((span) => getComputedStyle(span, '::after').content)
          .filter((content) => !['none', 'normal', ''].includes(content));
        return { left, top, number: numbers[top] ?? 0, text: each.textContent,
          isMarked: marked.has(top), gone: painted.join(' ') };
      });
    const height = parseInt(editor.querySelector('.view-line').style.height);
    frames.push({ lines, height });
  };
  // Between what the editor draws for a frame and anything that changes it again.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = look;
  let isOver = false;
  const next = () => {
    port2.postMessage(null);
    if (!isOver) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  window.endRecord = () => { isOver = true; return JSON.stringify(frames); };
}"""


class Line(Struct, frozen=True, kw_only=True):
    """A line on the screen."""

    number: int
    """From 1; 0 if it has none."""
    text: str
    left: int = 0
    top: int
    is_marked: bool = msgspec.field(default=False, name="isMarked")
    """Whether it is painted as new."""
    gone: str = ""
    """What is painted behind its end."""


class Frame(Struct, frozen=True, kw_only=True):
    """What one frame shows."""

    lines: tuple[Line, ...]
    height: int
    """Of a line, in pixels."""


class Recording:
    """The frames of some time; empty until it is over."""

    def __init__(self) -> None:
        self.frames: Sequence[Frame] = ()


@asynccontextmanager
async def recorded(page: Page) -> AsyncIterator[Recording]:
    """Record each frame of the file that is shown."""
    recording = Recording()
    await page.evaluate(_RECORD)
    yield recording
    frames = await page.evaluate("() => window.endRecord()")
    recording.frames = msgspec.json.decode(frames, type=tuple[Frame, ...])


def count_dips(frames: Sequence[Frame]) -> int:
    """Count the frames without something that is painted before and after them."""
    painted = [frozenset(_painted(frame)) for frame in frames]
    later: set[str] = set()
    after = []
    for each in reversed(painted):
        after.append(frozenset(later))
        later |= each
    before: set[str] = set()
    n_dips = 0
    for each, coming in zip(painted, reversed(after), strict=True):
        n_dips += bool((before & coming) - each)
        before |= each
    return n_dips


def count_bare(frames: Sequence[Frame], base: str) -> int:
    """Count the frames with a line that is not in the base and is not painted as new.

    What was accepted is not painted: only frames up to the last painted one count.
    """
    old = {line.strip() for line in base.split("\n")}
    is_painted = [any(_painted(frame)) for frame in frames]
    last = max((at for at, is_so in enumerate(is_painted) if is_so), default=0)
    return sum(
        any(_plain(line.text) not in old and not line.is_marked for line in frame.lines)
        for frame in frames[:last]
    )


def count_jumps(frames: Sequence[Frame]) -> int:
    """Count the frames that show a line elsewhere than its number says.

    A line that comes moves those below it by its height, and their numbers with them:
    that is no jump.
    """
    places = [frozenset(_places(frame)) for frame in frames]
    return sum(
        len(each) > 1 or each != last
        for last, each in zip(places[:1] + places, places, strict=False)
    )


def count_detours(frames: Sequence[Frame], text: str) -> int:
    """Count the frames that move a line away from where it is in the end.

    A line that only moves by what the text above it grows has none; one that goes down
    for what comes, and up again for what goes, has many.
    """
    numbers = [
        line.number
        for frame in frames
        for line in frame.lines
        if line.number and _plain(line.text) == text.strip()
    ]
    ways = [abs(number - numbers[-1]) for number in numbers]
    return sum(here < there for here, there in pairwise(ways))


def _painted(frame: Frame) -> Iterator[str]:
    for line in frame.lines:
        if line.is_marked:
            yield f"+{_plain(line.text)}"
        if line.gone:
            yield f"-{line.gone}"


def _places(frame: Frame) -> Iterator[tuple[int, int]]:
    """Yield where line 0 is, computed from each line."""
    for line in frame.lines:
        if line.number:
            yield line.left, line.top - line.number * frame.height


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ").strip()
