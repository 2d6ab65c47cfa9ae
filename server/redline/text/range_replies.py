"""Reads a reply that answers several numbered ranges of one region.

Each answer stands between the marker lines of its range, or, as chat models write, in a
fenced block under a title such as `Range 2:`. It is read like a reply on that range
alone. The result is the whole region: a range without an answer stays as it is, and the
reply says so. Answers may come in any order; what is certain is returned in the order
of the region.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec.structs import replace

from redline.text.edit_parts import EditPart
from redline.text.fence import Fence, read_fence
from redline.text.language_ids import reading_id
from redline.text.lines import LineBuffer, strip_end
from redline.text.marked_ranges import RangeMarkers
from redline.text.reply import FaultKind, Reply, ReplyProblem, read_decline
from redline.text.reply_forms.envelope import ReplyEnvelope
from redline.text.reply_forms.surroundings import Surroundings
from redline.text.reply_parser import DEFAULT_MAX_CHARS

_TITLE = re.compile(r"\W*+range\s++(?P<number>\d{1,6})\W*+$", re.IGNORECASE)


class PartReader(Protocol):
    def feed(self, delta: str) -> list[str]:
        """Read a piece; returns the lines that are final now."""

    def finish(self) -> Reply:
        """End the reply and return it whole."""


class RangeReplyParser:
    def __init__(
        self,
        *,
        lines: Sequence[str],
        parts: Sequence[EditPart],
        make_reader: Callable[[EditPart], PartReader],
        markers: RangeMarkers,
        line_end: str = "\n",
        language: str = "",
    ) -> None:
        """Create a parser for one reply.

        Args:
            lines: The lines of the region, with their ends.
            parts: Its ranges, in order; the first one is number 1.
            make_reader: Returns a reader for the reply on one of them.
            markers: The marker lines of the prompt.
            line_end: What ends a last line without an end if new lines follow it.
            language: The document's LSP language id; may be empty.
        """
        self._has_last_end = not lines or lines[-1].endswith(("\n", "\r"))
        self._lines = lines
        if not self._has_last_end and parts[-1].start == len(lines):
            self._lines = [*lines[:-1], lines[-1] + line_end]
        self._parts = parts
        self._make_reader = make_reader
        self._markers = markers
        around = Surroundings(
            before=(),
            target=[strip_end(line) for line in lines],
            after=(),
            language=reading_id(language, lines),
        )
        self._envelope = ReplyEnvelope(around)
        self._n_restarts = 0
        self._buffer = LineBuffer()
        self._n_chars_left = DEFAULT_MAX_CHARS
        self._is_held = False
        """Whether lines that were returned turned out to be wrong."""
        self._begin()

    def _begin(self) -> None:
        self._answers: dict[int, _Answer] = {}
        """By the index of their part."""
        self._open: _Answer | None = None
        self._titled: int | None = None
        """The index in a title whose fenced block has not begun."""
        self._fence: Fence | None = None
        """What opened the block under a title."""
        self._faults: list[ReplyProblem] = []
        self._declined: str | None = None
        self._n_parts_out = 0
        self._n_lines_out = 0
        """Of the part that is returned."""
        self._kept: list[str] = []
        """A line that is certain, but for its end: it may be the last one."""

    def feed(self, delta: str) -> list[str]:
        """Read the next piece; returns the lines of the region that are certain now."""
        self._n_chars_left -= len(delta)
        if self._n_chars_left < 0:
            return []
        for line in self._buffer.feed(delta):
            self._enveloped(self._envelope.feed(line))
        if self._is_held:
            return []
        new = [*self._kept, *self._certain()]
        self._kept = [] if self._has_last_end else new[-1:]
        return new[: len(new) - len(self._kept)]

    def finish(self) -> Reply:
        """Return the whole reply; call it once, after the last piece."""
        if self._n_chars_left < 0:
            problem = _fault("too-long", "The reply is longer than the ranges need.")
            return Reply(lines=None, problems=(problem,))
        for line in self._buffer.finish():
            self._enveloped(self._envelope.feed(line))
        self._enveloped(self._envelope.finish())
        self._close()
        if not self._answers:
            return self._unanswered()
        answers = [self._answers.get(index) for index in range(len(self._parts))]
        if all(each is not None and each.is_declined for each in answers):
            reasons = dict.fromkeys(
                each.declined for each in answers if each is not None
            )
            return Reply(lines=None, declined=" ".join(filter(None, reasons)))
        return self._whole(answers)

    # Reading.

    def _enveloped(self, lines: Sequence[str]) -> None:
        if self._n_restarts != self._envelope.n_restarts:
            # What came before was reasoning.
            self._n_restarts = self._envelope.n_restarts
            self._is_held = True
            self._begin()
        for line in lines:
            if self._open is not None:
                self._read_inside(self._open, line)
            else:
                self._read_outside(line)

    def _read_outside(self, line: str) -> None:
        if (number := self._markers.read_opening(line)) is not None:
            self._begin_answer(number)
        elif (title := _TITLE.match(line)) is not None:
            self._titled = int(title["number"])
        elif self._titled is not None and (fence := read_fence(line)) is not None:
            self._begin_answer(self._titled)
            self._fence = fence
            if self._open is not None:
                self._open.feed(line)
        elif line.strip():
            self._titled = None
            if not self._answers and self._declined is None:
                self._declined = read_decline(line)

    def _read_inside(self, answer: _Answer, line: str) -> None:
        if (opening := self._fence) is not None:
            answer.feed(line)
            fence = read_fence(line)
            if fence is not None and fence.is_bare and fence.may_end(opening):
                self._close()
        elif self._markers.is_closing(line):
            self._close()
        elif (number := self._markers.read_opening(line)) is not None:
            # The line that ends the range before is missing.
            self._close()
            self._begin_answer(number)
        else:
            answer.feed(line)

    def _begin_answer(self, number: int) -> None:
        self._titled = None
        if not 1 <= number <= len(self._parts):
            last = len(self._parts)
            message = f"The reply has a range {number}; the ranges are 1 to {last}."
            self._faults.append(_fault("unknown-range", message))
            part = EditPart(start=0, end=0)
        else:
            part = self._parts[number - 1]
        old = self._lines[part.start : part.end]
        self._open = _Answer(number - 1, old, self._make_reader(part))
        is_known = 1 <= number <= len(self._parts)
        if is_known and number - 1 not in self._answers:
            self._answers[number - 1] = self._open

    def _close(self) -> None:
        answer, self._open, self._fence = self._open, None, None
        if answer is None:
            return
        is_as_before = answer.finish()
        first = self._answers.get(answer.index)
        if first is answer:
            self._is_held |= not is_as_before
        elif first is not None and first.lines != answer.lines:
            message = (
                f"Range {answer.index + 1} was answered twice, and not alike. Reply"
                " with each range once."
            )
            self._faults.append(_fault("repeated", message))

    # What is returned.

    def _certain(self) -> list[str]:
        new: list[str] = []
        while self._n_parts_out < len(self._parts):
            answer = self._answers.get(self._n_parts_out)
            if answer is None:
                break
            is_first = not self._n_parts_out and not self._n_lines_out
            if is_first and (answer.lines or answer.is_done):
                new += self._between(0)
            new += answer.lines[self._n_lines_out :]
            self._n_lines_out = len(answer.lines)
            if not answer.is_done:
                break
            self._n_parts_out += 1
            self._n_lines_out = 0
            if self._n_parts_out < len(self._parts):
                # Those up to the next part are certain as well.
                new += self._between(self._n_parts_out)
        return new

    def _between(self, index: int) -> Sequence[str]:
        """Return the lines between a part and the one before it."""
        start = self._parts[index - 1].end if index else 0
        return self._lines[start : self._parts[index].start]

    def _whole(self, answers: Sequence[_Answer | None]) -> Reply:
        lines: list[str] = []
        problems: list[ReplyProblem] = []
        imports: dict[str, None] = {}
        for index, (part, answer) in enumerate(zip(self._parts, answers, strict=True)):
            lines += self._between(index)
            if answer is None or answer.reply is None:
                lines += self._lines[part.start : part.end]
                continue
            problems += (
                replace(
                    each,
                    message=f"Range {index + 1}: {each.message}",
                    line=None if each.line is None else len(lines) + each.line,
                )
                for each in answer.reply.problems
            )
            imports.update(dict.fromkeys(answer.reply.imports))
            lines += answer.lines
        lines += self._lines[self._parts[-1].end :]
        if lines and not self._has_last_end:
            # The last line of the file, perhaps another one than before.
            lines[-1] = strip_end(lines[-1])
        return Reply(
            lines=tuple(lines),
            problems=(*self._faults, *problems),
            imports=tuple(imports),
            left=_left(answers),
        )

    def _unanswered(self) -> Reply:
        if self._declined is not None:
            return Reply(lines=None, declined=self._declined)
        message = (
            "The reply has none of the numbered ranges. Reply with each range between"
            f" its lines {self._markers.opening(1)!r} and {self._markers.closing(1)!r}."
        )
        return Reply(lines=None, problems=(*self._faults, _fault("no-range", message)))


class _Answer:
    def __init__(self, index: int, old: Sequence[str], reader: PartReader) -> None:
        self.index = index
        self.lines: list[str] = []
        """The lines that are certain; all of them once it is done."""
        self.reply: Reply | None = None
        self._old = old
        self._reader = reader

    @property
    def is_done(self) -> bool:
        return self.reply is not None

    @property
    def declined(self) -> str | None:
        """The model's reason for leaving the range as it is."""
        return None if self.reply is None else self.reply.declined

    @property
    def is_declined(self) -> bool:
        return self.declined is not None

    def feed(self, line: str) -> None:
        self.lines += self._reader.feed(line + "\n")

    def finish(self) -> bool:
        """End it; returns False if lines that were certain are not part of it."""
        fed = self.lines
        self.reply = self._reader.finish()
        lines = self.reply.lines
        self.lines = list(self._old if lines is None else lines)
        return self.lines[: len(fed)] == fed


def _left(answers: Sequence[_Answer | None]) -> str | None:
    """Say which ranges stay as they are; None: all were answered."""
    missing = [str(index + 1) for index, each in enumerate(answers) if each is None]
    texts = []
    if missing:
        *others, last = missing
        named = f"{', '.join(others)} and {last}" if others else last
        is_one = "Range {} is" if not others else "Ranges {} are"
        texts.append(f"{is_one.format(named)} unchanged: the model did not answer.")
    for index, each in enumerate(answers):
        if each is not None and each.declined is not None:
            reason = f": {each.declined.rstrip('.')}" if each.declined else ""
            texts.append(f"Range {index + 1} is unchanged{reason}.")
    return " ".join(texts) or None


def _fault(kind: FaultKind, message: str) -> ReplyProblem:
    return ReplyProblem(kind=kind, message=message)
