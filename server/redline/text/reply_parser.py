"""Reads a model's reply to an edit while it is written.

The parser converts text that arrives in pieces, cut anywhere, to the range's new lines,
with the document's line ends, the range's indentation and its final line end. It takes
back lines that it returned only if the whole reply turns out to be unusable, or not to
be the range's plain text.
"""

from __future__ import annotations

from collections.abc import Sequence

from redline.text.language_ids import reading_id
from redline.text.line_diff import restore_ends
from redline.text.lines import LineBuffer, strip_ends
from redline.text.lines import line_end as end_of
from redline.text.reply import Reply, ReplyFormat, ReplyProblem
from redline.text.reply_forms.dropped_lines import drops_own_lines
from redline.text.reply_forms.surroundings import Surroundings
from redline.text.reply_search import search
from redline.text.rewrite import RewriteReader
from redline.text.search_replace import BlockReader

DEFAULT_MAX_CHARS = 4_000_000
"""About a million tokens: several times what a model writes in one answer."""

_MAX_N_AROUND = 6_000
"""Most lines before and after the range that a reply is compared with."""

_BYTE_ORDER_MARK = "\ufeff"


class ReplyParser:
    def __init__(
        self,
        *,
        format: ReplyFormat,
        target_lines: Sequence[str],
        before: Sequence[str] = (),
        after: Sequence[str] = (),
        line_end: str = "\n",
        language: str = "",
        max_chars: int = DEFAULT_MAX_CHARS,
        lifts_imports: bool = False,
    ) -> None:
        """Create a parser for one reply.

        Args:
            format: The requested form of the reply; `ranges` has its own parser.
            target_lines: The range's lines with their ends; none for an insertion. If
                the last line has no end, neither has the new text.
            before: The file's lines before the range, which replies repeat.
            after: Those after it.
            line_end: The end of new lines, unless the range has ends of its own.
            language: The document's LSP language id; may be empty.
            max_chars: Most text that is read; more is a fault.
            lifts_imports: Whether imports in front of a rewritten range are no part of
                its new text, see `Reply.imports`.
        """
        self._target_lines = target_lines
        # The empty last line after a final line end is not text.
        self._rest = [""] if target_lines and target_lines[-1] == "" else []
        self._target = strip_ends([line for line in target_lines if line])
        self._mark = ""
        if self._target and self._target[0].startswith(_BYTE_ORDER_MARK):
            # Models leave it out, so it is hidden from them and restored.
            self._mark = _BYTE_ORDER_MARK
            self._target[0] = self._target[0].removeprefix(_BYTE_ORDER_MARK)
        self._around = Surroundings(
            before=before[-_MAX_N_AROUND:],
            target=self._target,
            after=after[:_MAX_N_AROUND],
            language=reading_id(language, target_lines),
        )
        self._reader: RewriteReader | BlockReader = (
            RewriteReader(self._around, lifts_imports=lifts_imports)
            if format == "rewrite"
            else BlockReader(self._target)
        )
        ends = set(map(end_of, target_lines)) - {""}
        # With mixed ends only the whole diff shows which line keeps which.
        self._is_uniform = len(ends) <= 1
        self._line_end = ends.pop() if len(ends) == 1 else line_end
        self._has_final_end = (
            not target_lines or target_lines[-1] == "" or end_of(target_lines[-1]) != ""
        )
        self._buffer = LineBuffer()
        self._returns = ""
        self._n_chars_left = max_chars
        self._texts: list[str] = []
        self._n_fed = 0

    def feed(self, delta: str) -> list[str]:
        """Read the next piece of the reply.

        Returns:
            The further lines of the range's new text that are certain now, ends
            included, in order. Together they begin `Reply.lines`, unless the whole
            reply is read in another way in the end.
        """
        self._n_chars_left -= len(delta)
        if self._n_chars_left < 0:
            return []
        if "\r" in delta or self._returns:
            delta = self._without_doubled_returns(delta)
        for line in self._buffer.feed(delta):
            self._take(self._reader.feed(line))
        if not self._is_uniform:
            return []
        # Without a final line end the last line is not known before the end.
        n_certain = len(self._texts) - (0 if self._has_final_end else 1)
        texts = self._texts[self._n_fed : n_certain]
        self._n_fed += len(texts)
        return [text + self._line_end for text in texts]

    def finish(self) -> Reply:
        """Return the whole reply; call it once, after the last piece."""
        if self._n_chars_left < 0:
            message = "The reply is longer than any range could need."
            problem = ReplyProblem(kind="too-long", message=message)
            return Reply(lines=None, problems=(problem,))
        for line in self._buffer.feed(self._returns):
            self._take(self._reader.feed(line))
        has_end, reader = self._buffer.has_end, self._reader
        for line in self._buffer.finish():
            self._take(
                reader.feed_last(line)
                if isinstance(reader, RewriteReader) and not has_end
                else reader.feed(line)
            )
        self._take(reader.finish())
        if isinstance(reader, RewriteReader):
            search(reader, self._around)
            if drops_own_lines(
                reader.received, [*reader.imports, *reader.lines], self._around
            ):
                reader.hold()
        if reader.replacement is not None:
            self._texts = []
            self._take(reader.replacement)
        problems = reader.problems
        if not reader.has_text:
            return Reply(lines=None, problems=tuple(problems), declined=reader.declined)
        return Reply(
            lines=self._lines(),
            problems=tuple(problems),
            imports=tuple(reader.imports),
        )

    def _without_doubled_returns(self, delta: str) -> str:
        """Read `\\r\\r\\n`, which two conversions of `\\n` leave, as one line end."""
        text = self._returns + delta
        bare = text.rstrip("\r")
        # Whether a line feed follows is not known yet.
        self._returns = text[len(bare) :]
        return bare.replace("\r\r\n", "\r\n")

    def _take(self, texts: list[str]) -> None:
        if self._mark and texts and not self._texts:
            texts = [self._mark + texts[0].removeprefix(self._mark), *texts[1:]]
        self._texts += texts

    def _lines(self) -> tuple[str, ...]:
        lines = [text + self._line_end for text in self._texts]
        if lines and not self._has_final_end:
            lines[-1] = self._texts[-1]
        lines += self._rest
        if not self._is_uniform:
            lines = restore_ends(self._target_lines, lines)
        return tuple(lines)
