"""Reads a reply that rewrites the whole range.

The model's text passes four stages, line by line: reasoning and special tokens are
removed (`reply_forms.envelope`), text around the code (`unwrap`), then the indentation
is restored (`indentation`), and the blank lines at the range's borders (`BlankEdges`).
Each holds back only lines that it cannot decide yet.

At the end the whole code is compared with the range and its file, in case it came in
another form (`reply_forms.restore`). If it did, its text replaces all lines before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from redline.text.chatter import MARKDOWN_LANGUAGES
from redline.text.fence import read_fence
from redline.text.import_lines import ImportLead
from redline.text.indentation import Reindenter
from redline.text.reply import ReplyKind, ReplyProblem
from redline.text.reply_forms.brackets import (
    WITHOUT_BLOCKS,
    depth,
    ends_block,
    is_whole,
    may_be_whole,
)
from redline.text.reply_forms.envelope import ReplyEnvelope
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.patch import lines_in_text
from redline.text.reply_forms.restore import (
    AMBIGUOUS,
    Restored,
    may_need_whole,
    restore,
)
from redline.text.reply_forms.stray_fences import (
    replaces_indented_code,
    without_glued_end,
)
from redline.text.reply_forms.surroundings import Surroundings
from redline.text.reply_forms.transport import may_be_decoded
from redline.text.reply_forms.versions import are_examples, last_version
from redline.text.unwrap import Unwrapper


class BlankEdges:
    """Passes lines on, surrounded by the range's own blank lines.

    Attributes:
        is_changed: Whether blank lines were added or removed.
    """

    def __init__(self, target: Sequence[str], *, is_fenced: bool) -> None:
        self._has_text = any(line.strip() for line in target)
        self._leading = list(takewhile(_is_blank, target))
        self._trailing = list(takewhile(_is_blank, reversed(target)))[::-1]
        self._is_fenced = is_fenced
        self._is_begun = False
        self._held: list[str] = []
        self.is_changed = False

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines that are certain now."""
        if _is_blank(line):
            self._held.append(line)
            return []
        held, self._held = self._held, []
        if not self._is_begun:
            self._is_begun = True
            held = self._edge(held, self._leading)
        return [*held, line]

    def finish(self) -> list[str]:
        """Return the blank lines that end the range; none if no text came."""
        return self._edge(self._held, self._trailing) if self._is_begun else []

    def _edge(self, held: list[str], own: list[str]) -> list[str]:
        if not self._has_text or (self._is_fenced and held) or len(held) == len(own):
            return held
        self.is_changed = True
        return own


def _is_blank(line: str) -> bool:
    return not line.strip()


_REASONING = "The reply is reasoning that does not end, and holds no code."
_AFTER_END = (
    "The reply goes on after the token that ends it, and whether that belongs to the"
    " range is not certain. Reply with the range alone."
)


class RewriteReader:
    """Reads the lines of one reply.

    Attributes:
        replacement: The new lines, if they are not those that were returned before;
            final after `finish`.
    """

    def __init__(self, around: Surroundings, *, lifts_imports: bool = False) -> None:
        """Create a reader for one reply.

        Args:
            around: The range, whose lines have no ends, and its file.
            lifts_imports: Whether imports in front of the code are not a part of it.
        """
        self._around = around
        self._lifts_imports = lifts_imports
        self._target = around.target
        self._language = around.language
        self._envelope = ReplyEnvelope(around)
        self._kinds_solved: set[ReplyKind] = set()
        self._fault = ""
        self._is_restored = False
        self._has_last_end = True
        self.replacement: list[str] | None = None
        self._begin()
        self._n_restarts = 0

    def _begin(self) -> None:
        self._unwrapper = Unwrapper(
            self._target,
            self._language,
            is_in_text=self._around.may_be_in_text,
        )
        self._reindenter: Reindenter | None = None
        self._edges = BlankEdges(self._target, is_fenced=False)
        self._lead = ImportLead(
            self._language if self._lifts_imports else "",
            before=self._around.before,
            target=self._target,
        )
        self._n_lines = 0
        self._strays: list[ReplyProblem] = []
        self._code: list[str] = []
        self._texts: list[str] = []
        self._n_shown = 0
        """How many of the texts were returned before the end."""
        self._is_held = False

    @property
    def declined(self) -> str | None:
        """The model's reason for changing nothing, if it gave one."""
        return self._unwrapper.declined

    @property
    def imports(self) -> Sequence[str]:
        """The imports in front of the code, without ends; final after `finish`."""
        return self._lead.lines

    @property
    def has_text(self) -> bool:
        """Whether the new lines may be used; final after `finish`."""
        kinds = {problem.kind for problem in self.problems}
        return self.declined is None and not kinds & {"no-code", "reasoning"}

    @property
    def problems(self) -> list[ReplyProblem]:
        """The problems found; complete after `finish`."""
        if self.declined is not None:
            return []
        if self._envelope.is_unfinished:
            return [ReplyProblem(kind="reasoning", message=_REASONING)]
        wrapping = [
            problem
            for problem in self._unwrapper.problems
            if problem.kind not in self._kinds_solved
        ]
        return [*wrapping, *self._repaired(), *self._uncertain(), *self._stray()]

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the new lines that are certain now."""
        return self._shown(self._enveloped(self._envelope.feed(line)))

    def feed_last(self, line: str) -> list[str]:
        """Read a line that had no end; return the new lines that are certain now."""
        self._has_last_end = False
        return self.feed(line)

    def finish(self) -> list[str]:
        """Return the new lines that were not certain before."""
        lines = self._enveloped(self._envelope.finish())
        lines += self._pass_on(self._unwrapper.finish())
        lines += self._pass_code_on(self._lead.finish())
        if self._reindenter is not None:
            lines += self._count(self._through_edges(self._reindenter.finish()))
            lines += self._count(self._edges.finish())
        if self._n_restarts:
            # What was returned before was no code.
            self.replacement = self._texts
        if self.has_text:
            self._restore()
        if self.replacement is not None:
            return []
        return self._texts[self._n_shown :] if self._is_held else lines

    def _enveloped(self, lines: Sequence[str]) -> list[str]:
        if self._n_restarts != self._envelope.n_restarts:
            self._n_restarts = self._envelope.n_restarts
            self._begin()
        return [
            new for line in lines for new in self._pass_on(self._unwrapper.feed(line))
        ]

    def _shown(self, lines: list[str]) -> list[str]:
        """Return the lines, unless they may be in a form that only the end decides."""
        if self._is_held or self._n_restarts:
            return []
        self._n_shown += len(lines)
        return lines

    def _restore(self) -> None:
        """Read the whole code again if it is not the range's plain text."""
        code = self._code
        kinds = {problem.kind for problem in self._unwrapper.problems}
        if "several-blocks" in kinds and not self._unwrapper.offers_choice:
            blocks = [code, *self._unwrapper.further_blocks]
            last = self._last_version(blocks)
            if last is not None:
                code = list(last)
            if last is not None or are_examples(blocks[1:], code, self._target):
                self._kinds_solved.add("several-blocks")
        if "truncated" in kinds and (whole := without_glued_end(code, self._around)):
            code = whole
            self._kinds_solved.add("truncated")
        wrapper = self._unwrapper.wrapper
        restored = restore(
            code,
            self._around,
            is_unopened=self._unwrapper.is_unopened,
            fence_name=wrapper.info.lower() if wrapper else None,
        )
        self._fault = restored.fault
        if "truncated" in kinds and self._is_whole(restored):
            self._kinds_solved.add("truncated")
        if restored.lines == self._code:
            return
        self._is_restored = True
        self._texts, self._n_lines, self._strays = [], 0, []
        first = next(filter(str.strip, restored.lines), "")
        self._start(first, indent="", is_fenced=False)
        for line in restored.lines:
            self._pass_through([line])
        assert self._reindenter is not None
        self._count(self._through_edges(self._reindenter.finish()))
        self._count(self._edges.finish())
        self.replacement = self._texts

    def _last_version(self, blocks: Sequence[Sequence[str]]) -> Sequence[str] | None:
        """Return the last block if it replaces those before; None if it does not."""
        last = last_version(blocks, self._target)
        if last is not None or not self._unwrapper.is_last_corrected:
            return last
        is_text = fits(blocks[-1], self._around)
        return (
            blocks[-1] if is_text and may_be_whole(blocks[-1], self._target) else None
        )

    def _is_whole(self, restored: Restored) -> bool:
        """Whether the code is not cut off, although nothing closes its fence."""
        if self._language in MARKDOWN_LANGUAGES:
            return False
        if restored.goes_beyond:
            return depth(restored.lines) == depth(self._target)
        lines, target = restored.lines, self._target
        if self._envelope.ends_with_token:
            return may_be_whole(lines, target)
        return is_whole(lines, target) or (
            self._language not in WITHOUT_BLOCKS
            and ends_block(lines, target, has_line_end=self._has_last_end)
        )

    def _start(self, first: str, *, indent: str, is_fenced: bool) -> None:
        is_block = replaces_indented_code(first, self._around)
        self._reindenter = Reindenter(() if is_block else self._target, indent)
        self._edges = BlankEdges(self._target, is_fenced=is_fenced)

    def _pass_on(self, lines: Sequence[str]) -> list[str]:
        return self._pass_code_on(
            [code for line in lines for code in self._lead.feed(line)]
        )

    def _pass_code_on(self, lines: Sequence[str]) -> list[str]:
        if not lines:
            return []
        first = next(filter(str.strip, lines), "")
        if self._reindenter is None:
            wrapper = self._unwrapper.wrapper
            indent = wrapper.indent if wrapper else ""
            self._start(first, indent=indent, is_fenced=wrapper is not None)
        if not any(map(str.strip, self._code)):
            self._is_held = first != "" and may_need_whole(first, self._around)
        self._is_held = self._is_held or any(map(may_be_decoded, lines))
        self._code += lines
        return self._pass_through(lines)

    def _pass_through(self, lines: Sequence[str]) -> list[str]:
        certain: list[str] = []
        assert self._reindenter is not None
        for line in lines:
            certain += self._through_edges(self._reindenter.feed(line))
        return self._count(certain)

    def _through_edges(self, lines: Sequence[str]) -> list[str]:
        return [certain for line in lines for certain in self._edges.feed(line)]

    def _count(self, lines: list[str]) -> list[str]:
        """Collect the lines, and record fences that do not belong in them."""
        for line in lines:
            if self._is_stray(line):
                self._strays.append(
                    ReplyProblem(
                        kind="stray-fence",
                        message="A Markdown fence stands inside the code.",
                        line=self._n_lines,
                    )
                )
            self._n_lines += 1
        self._texts += lines
        return lines

    def _stray(self) -> list[ReplyProblem]:
        """Return the fences that are in no text of the code."""
        inside = lines_in_text(self._texts) if self._strays else set()
        return [one for one in self._strays if one.line not in inside]

    def _is_stray(self, line: str) -> bool:
        if self._unwrapper.wrapper or self._language in MARKDOWN_LANGUAGES:
            return False
        fence = read_fence(line)
        is_outermost = fence is not None and not fence.indent and fence.run[0] == "`"
        return is_outermost and line not in self._target

    @property
    def _has_own_fence(self) -> bool:
        """Whether the fence around the reply may be one of the range."""
        wrapper = self._unwrapper.wrapper
        if wrapper is None or not wrapper.is_bare:
            return False
        if self._language in MARKDOWN_LANGUAGES and self._texts == list(self._target):
            return True  # It is what the user asked for.
        own = (read_fence(line) for line in self._target)
        return any(each is not None and each.run == wrapper.run for each in own)

    def _uncertain(self) -> list[ReplyProblem]:
        faults = [self._fault] * bool(self._fault)
        faults += [_AFTER_END] * self._envelope.is_uncertain
        faults += [AMBIGUOUS] * (self._envelope.is_ambiguous or self._has_own_fence)
        return [ReplyProblem(kind="uncertain", message=fault) for fault in faults]

    def _repaired(self) -> list[ReplyProblem]:
        notes: list[ReplyProblem] = []
        if self._is_restored or self._envelope.is_changed:
            message = "The range's text was read from a reply in another form."
            notes.append(ReplyProblem(kind="form", message=message))
        if self._reindenter is not None and self._reindenter.is_changed:
            message = "The range's indentation was restored."
            notes.append(ReplyProblem(kind="indentation", message=message))
        if self._edges.is_changed:
            message = "The range's blank lines at its borders were restored."
            notes.append(ReplyProblem(kind="blank-lines", message=message))
        return notes
