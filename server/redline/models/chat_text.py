"""Tells the answer from what some servers leave in its text.

Thinking stands between `<think>` and `</think>` at the very start where a server leaves
the splitting to its clients. Special tokens of the model may begin or end the text. The
same characters anywhere else belong to the answer.
"""

from __future__ import annotations

from redline.models.interface import Delta

_OPEN, _CLOSE = "<think>", "</think>"

_FIRST = ("<|begin_of_box|>",)
"""Special tokens that may begin a text (GLM)."""

_LAST = (
    "<|end_of_box|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|end|>",
    "<|return|>",
    "<end_of_turn>",
    "</s>",
)
"""Special tokens that may end a text, if a server does not cut them."""

_MAX_LAST_CHARS = max(map(len, _LAST))


class ChatText:
    """The text of one answer, taken in pieces cut anywhere."""

    def __init__(self) -> None:
        self._held = ""
        """Text that may be the beginning of a mark."""
        self._state = "start"
        """`start`, `thinking`, `thought` (after its end), or `answer`."""

    def take(self, text: str) -> list[Delta]:
        """Take a piece; return what is certain."""
        if self._state == "answer" and not self._held and "<" not in text:
            return [Delta(text)]
        text, self._held = self._held + text, ""
        found: list[Delta] = []
        if self._state == "start":
            text = self._start(text)
        if self._state == "thinking":
            text = self._think(text, found)
        if self._state == "thought" and (text := text.lstrip()):
            self._state = "answer"
        if self._state == "answer" and text:
            text, self._held = _split_tail(text)
            if text:
                found.append(Delta(text))
        return found

    def finish(self) -> list[Delta]:
        """Take the end: what is held is the answer's unless it is a special token."""
        held, self._held = self._held, ""
        if self._state == "thinking":
            return [Delta(held, "reasoning")] if held else []
        for mark in _LAST:
            held = held.removesuffix(mark)
        return [Delta(held)] if held else []

    def _start(self, text: str) -> str:
        """Look for what may open the text; return the text that follows it."""
        begun = text.lstrip()
        for mark in (_OPEN, *_FIRST):
            if begun.startswith(mark):
                self._state = "thinking" if mark == _OPEN else "answer"
                return begun.removeprefix(mark)
            if mark.startswith(begun):
                self._held = text
                return ""
        self._state = "answer"
        return text

    def _think(self, text: str, found: list[Delta]) -> str:
        """Take thinking; return the text after its end."""
        thought, mark, rest = text.partition(_CLOSE)
        if mark:
            self._state = "thought"
        else:
            n_held = _n_shared(text, _CLOSE)
            thought, self._held = text[: len(text) - n_held], text[len(text) - n_held :]
        if thought:
            found.append(Delta(thought, "reasoning"))
        return rest


def _split_tail(text: str) -> tuple[str, str]:
    """Split off the end of a text if it may be, or begin, a special token."""
    start = text.find("<", max(0, len(text) - _MAX_LAST_CHARS))
    while start >= 0:
        tail = text[start:]
        if any(mark.startswith(tail) for mark in _LAST):
            return text[:start], tail
        start = text.find("<", start + 1)
    return text, ""


def _n_shared(text: str, mark: str) -> int:
    """Return how many of the last characters begin a mark."""
    for n_chars in range(min(len(mark) - 1, len(text)), 0, -1):
        if text.endswith(mark[:n_chars]):
            return n_chars
    return 0
