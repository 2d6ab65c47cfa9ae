"""Reads a reply that rewrites the whole range.

The model's text passes four stages, line by line: reasoning and special tokens are
removed (`reply_forms.envelope`), text around the code (`unwrap`), then the indentation
is restored (`indentation`), and the blank lines at the range's borders (`BlankEdges`).
Each holds back only lines that it cannot decide yet.

At the end the reply may turn out to have another one in it (`reply_forms.layers`),
which is read in the same way. Otherwise its code is compared with the range and its
file, in case it came in another form (`reply_forms.restore`). The text of either
replaces all lines before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from redline.text.blank_edges import BlankEdges
from redline.text.block_choice import chosen_block
from redline.text.chatter import MARKDOWN_LANGUAGES, PROSE_LANGUAGES
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
from redline.text.reply_forms.layers import inner_reply
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.patch import lines_in_text
from redline.text.reply_forms.restore import (
    AMBIGUOUS,
    Restored,
    may_need_whole,
    restore,
)
from redline.text.reply_forms.stray_fences import (
    has_glued_fence,
    is_indented_code,
    replaces_indented_code,
    without_glued_end,
)
from redline.text.reply_forms.surroundings import Surroundings
from redline.text.reply_forms.transport import may_be_decoded
from redline.text.unwrap import Unwrapper

_MAX_DEPTH = 4
"""Replies in replies that are read: a stream, with a call, with a quoted fence."""

_REASONING = "The reply is reasoning that does not end, and holds no code."
_FORM = ReplyProblem(
    kind="form", message="The range's text was read from a reply in another form."
)
_AFTER_END = (
    "The reply goes on after the token that ends it, and whether that belongs to the"
    " range is not certain. Reply with the range alone."
)


class RewriteReader:
    """Reads the lines of one reply.

    Attributes:
        received: The lines of the reply.
        replacement: The new lines, if they are not those that were returned before;
            final after `finish`.
    """

    def __init__(
        self, around: Surroundings, *, lifts_imports: bool = False, depth: int = 0
    ) -> None:
        """Create a reader for one reply.

        Args:
            around: The range, whose lines have no ends, and its file.
            lifts_imports: Whether imports in front of the code are not a part of it.
            depth: The number of replies that this one is in.
        """
        self._around = around
        self._lifts_imports = lifts_imports
        self._depth = depth
        self.received: list[str] = []
        self._inner: RewriteReader | None = None
        """Reads the reply in the reply, if there is one."""
        self._target = around.target
        self._language = around.language
        self._envelope = ReplyEnvelope(around)
        self._kinds_solved: set[ReplyKind] = set()
        self._fault = ""
        self._has_doubt = False
        """Whether the reply may have another one in it."""
        self._is_restored = False
        self._is_as_it_came = False
        """Whether the indentation is not restored, since it is all that changes."""
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
        return self._inner.declined if self._inner else self._unwrapper.declined

    @property
    def imports(self) -> Sequence[str]:
        """The imports in front of the code, without ends; final after `finish`."""
        return self._inner.imports if self._inner else self._lead.lines

    @property
    def has_text(self) -> bool:
        """Whether the new lines may be used; final after `finish`."""
        kinds = {problem.kind for problem in self.problems}
        return self.declined is None and not kinds & {"no-code", "reasoning"}

    @property
    def code(self) -> Sequence[str]:
        """The code as it came; the new lines if it came in another form."""
        return self.lines if self._inner or self._is_restored else self._code

    @property
    def lines(self) -> Sequence[str]:
        """All new lines; final after `finish`."""
        return self._texts if self.replacement is None else self.replacement

    def hold(self) -> None:
        """Record that the reply may also be read in another way."""
        if self._inner is not None:
            self._inner.hold()
        self._fault = self._fault or AMBIGUOUS

    def read_as(self, inner: RewriteReader) -> None:
        """Take the new lines of a reply that is in this one."""
        self._inner, self.replacement = inner, list(inner.lines)

    def read_inner(self, lines: Sequence[str]) -> RewriteReader:
        """Read a reply that is in this one."""
        inner = RewriteReader(
            self._around, lifts_imports=self._lifts_imports, depth=self._depth + 1
        )
        texts = [text for line in lines for text in inner.feed(line.rstrip("\r"))]
        texts += inner.finish()
        if inner.replacement is None:
            inner.replacement = texts
        return inner

    @property
    def problems(self) -> list[ReplyProblem]:
        """The problems found; complete after `finish`."""
        if self.declined is not None:
            return []
        if self._inner is not None:
            return [_FORM, *(one for one in self._inner.problems if one != _FORM)]
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
        self.received.append(line)
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
        if not self._read_inner() and self.has_text:
            self._restore()
            self._take_as_it_came()
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

    def _read_inner(self) -> bool:
        """Read the reply in the reply; return whether there is one."""
        if self._depth == _MAX_DEPTH:
            return False
        is_thought = self._envelope.is_unfinished
        for lines in ([] if is_thought else self.received, self._code):
            found = inner_reply(lines, self._around)
            if found == "unsure":
                self._has_doubt = True
            elif found is not None:
                inner = self.read_inner(found)
                if self._around.is_target(inner.lines):
                    self._has_doubt = True  # The form may be what was asked for.
                    continue
                self.read_as(inner)
                return True
        return False

    def _restore(self) -> None:
        """Read the whole code again if it is not the range's plain text."""
        code = self._code
        kinds = {problem.kind for problem in self._unwrapper.problems}
        if "several-blocks" in kinds and not self._unwrapper.offers_choice:
            code, is_sure = chosen_block(
                [code, *self._unwrapper.further_blocks],
                self._around,
                is_last_corrected=self._unwrapper.is_last_corrected,
            )
            if is_sure:
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
        has_doubt = self._has_doubt and _texts(restored.lines) == _texts(self._code)
        if has_doubt or (wrapper is not None and self._is_inside_out(restored.lines)):
            self._fault = self._fault or AMBIGUOUS
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

    def _take_as_it_came(self) -> None:
        """Leave the indentation as it came if nothing else would change."""
        code, around = _without_edges(self._code), self._around
        wrapper = self._unwrapper.wrapper
        is_doubtful = self._is_restored or self._fault or self._has_doubt
        is_same = around.is_target(self.lines) and code != _without_edges(self._target)
        may_be_text = wrapper is not None and (
            wrapper.indent or self._language in PROSE_LANGUAGES
        )
        if code and is_same and not is_doubtful and not may_be_text:
            self.replacement = list(self._code)
            self._is_as_it_came = True

    def _is_inside_out(self, lines: Sequence[str]) -> bool:
        """Whether a page has an empty block: its fences are the ends of two others."""
        if self._language not in MARKDOWN_LANGUAGES:
            return False
        texts = [line for line in lines if line.strip()]
        return any(
            (fence := read_fence(one)) is not None and fence.is_bare and one == other
            for one, other in pairwise(texts)
        )

    def _is_whole(self, restored: Restored) -> bool:
        """Whether the code is not cut off, although nothing closes its fence."""
        may_be_glued = any(map(has_glued_fence, restored.lines[-1:]))
        if may_be_glued or self._language in MARKDOWN_LANGUAGES:
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
        is_block = replaces_indented_code(first, self._around) or is_indented_code(
            first, self._around
        )
        target = () if is_block else self._target
        self._reindenter = Reindenter(target, indent, self._language)
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
        if wrapper is None:
            return False
        kinds = {problem.kind for problem in self._unwrapper.problems}
        if "chatter" in kinds and self._around.may_be_in_text:
            # A prompt in a string of the code may have a block of its own.
            return not fits(self._code, self._around)
        if not wrapper.is_bare:
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
        if self._is_as_it_came:
            return notes
        if self._is_restored or self._envelope.is_changed:
            notes.append(_FORM)
        if self._reindenter is not None and self._reindenter.is_changed:
            message = "The range's indentation was restored."
            notes.append(ReplyProblem(kind="indentation", message=message))
        if self._edges.is_changed:
            message = "The range's blank lines at its borders were restored."
            notes.append(ReplyProblem(kind="blank-lines", message=message))
        return notes


def _without_edges(lines: Sequence[str]) -> list[str]:
    """Return the lines between the blank ones at the borders, without blanks behind."""
    return "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")


def _texts(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.strip()]
