"""What a keyboard of a country sends for a key of `package.json`.

Chromium gives each key a `code`, its place on the keyboard, and a `key`, what it types
on the user's layout. VS Code finds the command by both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from playwright.async_api import CDPSession

_MODIFIERS = {"alt": 1, "ctrl": 2, "shift": 8}
"""The bits of CDP."""

_NAMED = {
    "enter": ("Enter", "Enter", 13),
    "escape": ("Escape", "Escape", 27),
    "tab": ("Tab", "Tab", 9),
    "up": ("ArrowUp", "ArrowUp", 38),
    "down": ("ArrowDown", "ArrowDown", 40),
    "f7": ("F7", "F7", 118),
}
"""Keys that are alike on all layouts: `code`, `key`, and the number of the key."""


@dataclass(frozen=True)
class Stroke:
    """One key of a layout."""

    code: str
    key: str
    number: int
    shift: bool = False
    """Whether the character needs the shift key."""


@dataclass(frozen=True)
class Layout:
    """Where a layout differs from the American one."""

    name: str
    """Of VS Code's setting `keyboard.layout`."""
    strokes: Mapping[str, Stroke] = field(default_factory=dict)

    def stroke(self, key: str) -> Stroke:
        """Return what is pressed for a key."""
        if key in _NAMED:
            return Stroke(*_NAMED[key])
        known = self.strokes.get(key)
        letter = key.upper()
        return known or Stroke(f"Key{letter}", key, ord(letter))


LAYOUTS = {
    "german": Layout(
        "de",
        {
            "y": Stroke("KeyZ", "y", ord("Y")),
            "'": Stroke("Backslash", "'", 191, shift=True),
        },
    ),
    "french": Layout(
        "fr",
        {
            "a": Stroke("KeyQ", "a", ord("A")),
            "'": Stroke("Digit4", "'", ord("4")),
        },
    ),
    # VS Code has no layout of this name for browsers, and takes the American one.
    "us-international": Layout("us", {"'": Stroke("Quote", "Dead", 222)}),
}


async def press(page: CDPSession, layout: Layout, *bindings: str) -> None:
    """Press keys as `package.json` writes them, on a layout."""
    for binding in bindings:
        *modifiers, key = binding.split("+")
        stroke = layout.stroke(key)
        if stroke.shift and "shift" not in modifiers:
            modifiers.append("shift")
        typed = stroke.key.upper() if "shift" in modifiers else stroke.key
        # What a key with a name sends is the same with the shift key.
        shown = stroke.key if len(stroke.key) > 1 else typed
        event = {
            "code": stroke.code,
            "key": shown,
            "windowsVirtualKeyCode": stroke.number,
            "modifiers": sum(_MODIFIERS[each] for each in modifiers),
        }
        await page.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **event})
        await page.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})
