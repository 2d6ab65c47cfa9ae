"""Reads a model's answer: how sure it is, and up to three patches.

    H
    @@ src/cart.py
    -    total += item.price
    +    total += item.price * item.count

`N` means no edit; `L`, `M` and `H` how likely the user makes this one. A patch that is
not in this form, and all after it, are dropped.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from redline.text.fence import read_fence

Confidence = Literal["N", "L", "M", "H"]
Eagerness = Literal["low", "normal", "high"]

MAX_PATCHES = 3

_SHOWN: dict[Eagerness, str] = {"low": "H", "normal": "HM", "high": "HML"}
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_LETTER = re.compile(r"[NLMH]$")
_MAX_BEFORE = 5
"""Lines of talk, or of a fence, before the letter."""


class LinePatch(Struct, frozen=True, kw_only=True):
    """Lines of one file that replace others; without their ends."""

    path: str
    """As the prompt writes it; empty: the file with the cursor."""
    old: tuple[str, ...]
    new: tuple[str, ...]


class ModelReply(Struct, frozen=True, kw_only=True):
    confidence: Confidence = "N"
    patches: tuple[LinePatch, ...] = ()

    def is_shown_at(self, eagerness: Eagerness) -> bool:
        """Whether the model is sure enough."""
        return self.confidence in _SHOWN[eagerness] and bool(self.patches)


def read_reply(text: str, *, is_whole: bool) -> ModelReply:
    """Read an answer; one that is not understood means no edit.

    Args:
        text: What the model wrote.
        is_whole: Whether the model has ended by itself: otherwise its last patch may
            lack lines.
    """
    text = _THOUGHT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line for line in text.split("\n") if line.strip()][:_MAX_BEFORE]
    letter = next((one.strip() for one in lines if _LETTER.match(one.strip())), None)
    if letter is None:
        return ModelReply()
    confidence: Confidence = letter  # type: ignore[assignment]  # By the pattern.
    _, _, rest = f"\n{text}".partition(f"\n{letter}")
    patches = _patches(rest.split("\n")[1:], is_whole=is_whole)
    return ModelReply(confidence=confidence, patches=tuple(patches[:MAX_PATCHES]))


class _Open:
    """The patch that is being read."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._old: list[str] = []
        self._new: list[str] = []
        self._n_blank = 0
        """Blank lines that are context if another line follows."""

    @property
    def has_ended(self) -> bool:
        return self._n_blank > 0

    def feed(self, line: str) -> bool:
        """Read a line; return whether it belongs to the patch."""
        if not line:
            self._n_blank += 1
            return True
        sign, content = line[0], line[1:]
        if sign not in "-+ ":
            return False
        blanks, self._n_blank = [""] * self._n_blank, 0
        self._old += blanks
        self._new += blanks
        if sign in "- ":
            self._old.append(content)
        if sign in "+ ":
            self._new.append(content)
        return True

    def patch(self) -> LinePatch | None:
        """Return the patch; None: it says no place, or changes nothing."""
        if not self._old or self._old == self._new:
            return None
        return LinePatch(path=self._path, old=tuple(self._old), new=tuple(self._new))


def _patches(lines: list[str], *, is_whole: bool) -> list[LinePatch]:
    patches: list[LinePatch] = []
    now: _Open | None = None

    def close() -> bool:
        """End the open patch; return whether it can be used."""
        patch = None if now is None else now.patch()
        if patch is not None:
            patches.append(patch)
        return patch is not None or now is None

    for line in lines:
        if line.startswith("@@"):
            if not close():
                return patches
            now = _Open(line.removeprefix("@@").rstrip().removesuffix("@@").strip())
        elif now is None or now.feed(line):
            continue
        else:
            # Talk or a fence behind a patch ends it; anything else is a line of it
            # without its sign.
            if now.has_ended or read_fence(line) is not None:
                close()
            return patches
    if is_whole:
        close()
    return patches
