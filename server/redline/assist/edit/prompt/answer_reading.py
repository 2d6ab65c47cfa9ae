"""What the answers of an attempt are read against."""

from __future__ import annotations

from redline.assist.edit.attempts.attempt import AttemptSpec
from redline.assist.edit.attempts.reply_reader import CommentRemovingReader, ReplyReader
from redline.assist.edit.session.edit_target import EditTarget
from redline.text.edit_parts import EditPart
from redline.text.marked_ranges import RangeMarkers
from redline.text.range_replies import RangeReplyParser
from redline.text.region import end_of_new_lines
from redline.text.reply import ReplyFormat
from redline.text.reply_parser import ReplyParser


class AnswerReading:
    """The text of an edit target when the attempt begins; makes a reader an answer."""

    def __init__(
        self, edit_target: EditTarget, turn: AttemptSpec, reply_format: ReplyFormat
    ) -> None:
        self._edit_target = edit_target
        self._region = edit_target.region
        self._file_lines = edit_target.document.snapshot().lines
        self._language = edit_target.document.language_id
        self._first_line = edit_target.first_line
        self._parts = edit_target.parts
        self._comment = turn.from_comment
        self._format: ReplyFormat = reply_format

    def reader(self) -> ReplyReader:
        reader: ReplyReader
        lines = self._region.lines
        if self._parts:
            reader = RangeReplyParser(
                lines=lines,
                parts=self._parts,
                make_reader=self._part_reader,
                markers=RangeMarkers.for_text(lines),
                line_end=end_of_new_lines(
                    self._file_lines, self._first_line + len(lines)
                ),
                language=self._language,
            )
        else:
            reader = self._lines_reader(0, len(lines), self._format)
        if self._comment is not None:
            reader = CommentRemovingReader(reader, self._comment)
        return reader

    def _part_reader(self, part: EditPart) -> ReplyReader:
        reader = self._lines_reader(part.start, part.end, "rewrite")
        for each in part.comments:
            reader = CommentRemovingReader(reader, each)
        return reader

    def _lines_reader(self, start: int, end: int, form: ReplyFormat) -> ReplyReader:
        """Return a reader for the new text of some lines of the region."""
        first, after = self._first_line + start, self._first_line + end
        return ReplyParser(
            format=form,
            target_lines=self._region.lines[start:end],
            before=self._file_lines[:first],
            after=self._file_lines[after:],
            line_end=end_of_new_lines(self._file_lines, first),
            language=self._language,
            lifts_imports=self._edit_target.can_widen,
        )
