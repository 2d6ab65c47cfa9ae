"""What an answer has come to so far, and what its provider says it is in the end.

Providers stream deltas and then repeat the whole: the part, the item, the response.
The later words are the authoritative ones (openai-python 3.52,
lib/responses_websocket/README.md), and over a socket any of the earlier ones may be
missing. This compares them, without I/O, so that a reader of the deltas ends with the
text that the provider meant.
"""

from __future__ import annotations

from redline.models.interface import Delta, DeltaKind, Restart
from redline.wire import events
from redline.wire.events import ContentPart, OutputItem, ServerEvent

DELTA_KINDS: dict[str, DeltaKind] = {
    events.TEXT_DELTA: "text",
    events.REFUSAL_DELTA: "refusal",
    events.REASONING_DELTA: "reasoning",
    events.REASONING_SUMMARY_DELTA: "reasoning",
}
"""The events that carry a delta."""

CORRECTIONS = frozenset(
    {events.TEXT_DONE, events.REFUSAL_DONE, events.ITEM_DONE, *events.TERMINAL}
)
"""The events that repeat text; see `AnswerText.correct`."""

_Key = tuple[int, int]  # Index of the item in the output, of the part in the item.

_BEFORE: _Key = (-1, 0)
"""Where text goes that came before this began to read."""


class AnswerText:
    """The text of one response as the reader has it."""

    def __init__(self, text: str = "", *, has_gap: bool = False) -> None:
        """Begin.

        Args:
            text: What the reader has from before, wherever it belongs in the output.
            has_gap: Whether there was more before, which is not known here.
        """
        self._has_gap = has_gap
        self._parts: dict[_Key, list[str]] = {_BEFORE: [text]} if text else {}
        self._refusal = ""
        self._commentary: set[int] = set()
        """Items in which the model talks about its work instead of answering."""
        self._is_indexed = not text
        """Whether the server says which part a delta belongs to."""

    @property
    def text(self) -> str:
        """All answer text, parts in the order of the output."""
        return "".join("".join(self._parts[key]) for key in sorted(self._parts))

    @property
    def is_refusal(self) -> bool:
        """Whether the model refused."""
        return bool(self._refusal)

    def begin_item(self, event: ServerEvent) -> None:
        """Learn from `output_item.added` whether an item is commentary."""
        item = events.read_item(event)
        if item.phase == "commentary" and event.output_index is not None:
            self._commentary.add(event.output_index)

    def add(self, event: ServerEvent, kind: DeltaKind, text: str) -> DeltaKind:
        """Add a delta; return what it is to the reader."""
        if kind == "text":
            if event.output_index in self._commentary:
                return "reasoning"
            key = self._key(event)
            if key in self._parts:
                self._parts[key].append(text)
            else:
                self._parts[key] = [text]
        elif kind == "refusal":
            self._refusal += text
        return kind

    def correct(self, event: ServerEvent) -> list[Delta | Restart]:
        """Compare with an event that repeats text; return what the reader lacks."""
        if self._has_gap and event.type not in events.TERMINAL:
            return []
        if event.type == events.TEXT_DONE:
            return self._correct_part(event.output_index, event.content_index, event)
        if event.type == events.REFUSAL_DONE:
            return self._correct_refusal(event.refusal or "")
        if event.type == events.ITEM_DONE:
            return self._correct_item(event.output_index, events.read_item(event))
        return self._correct_all(events.read_response(event).output or [])

    def _key(self, event: ServerEvent) -> _Key:
        if event.output_index is None:
            self._is_indexed = False
        return (event.output_index or 0, event.content_index or 0)

    def _correct_part(
        self, output_index: int | None, content_index: int | None, event: ServerEvent
    ) -> list[Delta | Restart]:
        if output_index in self._commentary or event.text is None:
            return []
        if output_index is None or not self._is_indexed:
            return self._extend_all(event.text)
        return self._set_part((output_index, content_index or 0), event.text)

    def _correct_item(
        self, output_index: int | None, item: OutputItem
    ) -> list[Delta | Restart]:
        found: list[Delta | Restart] = []
        is_commentary = output_index in self._commentary or item.phase == "commentary"
        if is_commentary or item.type != "message":
            return found
        for content_index, part in enumerate(item.content or ()):
            found += self._correct_refusal(_refusal(part))
            if (text := _text(part)) is None:
                continue
            if output_index is None or not self._is_indexed:
                found += self._extend_all(text)
            else:
                found += self._set_part((output_index, content_index), text)
        return found

    def _correct_all(self, output: list[OutputItem]) -> list[Delta | Restart]:
        parts = [
            part
            for item in output
            if item.type == "message" and item.phase != "commentary"
            for part in item.content or ()
        ]
        found = self._correct_refusal("".join(map(_refusal, parts)))
        final = "".join(_text(part) or "" for part in parts)
        have = self.text
        # Servers that leave the output out of the last event do not mean "nothing".
        if final and final != have:
            if final.startswith(have) and not self._has_gap:
                found.append(Delta(final[len(have) :]))
            else:
                found.append(Restart(final))
            self._parts = {(0, 0): [final]}
        return found

    def _extend_all(self, text: str) -> list[Delta | Restart]:
        """Take a part that cannot be placed; only what all of it extends is certain."""
        have = self.text
        if not text.startswith(have) or len(text) == len(have):
            return []
        self._parts = {(0, 0): [text]}
        return [Delta(text[len(have) :])]

    def _set_part(self, key: _Key, text: str) -> list[Delta | Restart]:
        have = "".join(self._parts.get(key, ()))
        if text == have:
            return []
        self._parts[key] = [text]
        if text.startswith(have) and key == max(self._parts):
            return [Delta(text[len(have) :])]
        return [Restart(self.text)]

    def _correct_refusal(self, final: str) -> list[Delta | Restart]:
        have = self._refusal
        if not final.startswith(have) or len(final) == len(have):
            return []
        self._refusal = final
        return [Delta(final[len(have) :], "refusal")]


def _text(part: ContentPart) -> str | None:
    return part.text if part.type == "output_text" else None


def _refusal(part: ContentPart) -> str:
    return (part.refusal or "") if part.type == "refusal" else ""
