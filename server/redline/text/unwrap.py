"""Removes what a model puts around a rewritten range: prose and Markdown fences.

A reply begins with a preamble, which may be empty. The line that ends it decides how
the rest is read: a fence or code (`fenced`), or the marker of a declined edit.
Talk is held back until then, since only a fence after it proves that it is talk; code
is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import dropwhile, takewhile

from redline.text.chatter import (
    MARKDOWN_LANGUAGES,
    PROSE_LANGUAGES,
    is_certain_chatter,
    is_greeting,
    is_refusal,
    is_sentence,
    may_be_talk,
    reads_as_talk,
)
from redline.text.fence import Fence, is_code_span, read_fence
from redline.text.fenced import BareReader, FencedReader
from redline.text.indentation import indent_of
from redline.text.reply import ReplyKind, ReplyProblem, read_decline

_MESSAGES: dict[ReplyKind, str] = {
    "chatter": "Prose around the code was left out.",
    "fence": "Markdown fences around the code were taken off.",
    "no-code": "The reply is prose and holds no code.",
    "several-blocks": "The reply has several code blocks; only the first was read.",
    "truncated": "The reply opens a code block and does not close it.",
    "empty": "The reply is empty.",
}


_MARKUP = frozenset({"html", "xml"})
"""LSP language ids of documents with sentences, in which no fence is text."""

_CODE_BEHIND = re.compile(
    r"[^\s(][(;]|[);{,]$|\s[-+*/|&:!<>]?=\s|^@\w|^(?:import|return|raise|throw)\s\S"
    r"|^(?:if|elif|else|for|while|with|try|def|class|async|case)\b.*:$"
)
"""Signs of code, not of the attributes of a fence."""
_INFO = re.compile(r"(?P<name>[A-Za-z][\w+#-]{0,20})?(?P<gap>\s*+)(?P<rest>.*)")
_GLUED_OPENING = re.compile(
    r"(?P<run>`{3})(?P<name>[A-Za-z][\w+#-]{0,20})(?P<code>\s[^`]*+`.*+)"
)
_ATTRIBUTE = re.compile(r"[\w:-]{1,40}=\S|\{|[\w@-]*[./][\w./-]*$")

_FIRST_OPTION = re.compile(
    r"\b(?:option|variant|variante|alternative|opci\u00f3n|op\u00e7\u00e3o|opzione"
    r"|\u0432\u0430\u0440\u0438\u0430\u043d\u0442) ?(?:1|a|i|one)\b"
    r"|\u65b9\u6848 ?[1\u4e00]",
    re.IGNORECASE,
)

_CORRECTION = re.compile(
    r"\b(?:corrected|fixed|right) (?:version|code|text|range|answer|block|one)\b"
    r"|\bcorrection:|\buse this (?:one |version )?instead\b"
    r"|^\W*(?:after|new|updated|replace(?:d)? with|with(?: this)?|becomes|now|to)\W*$"
    r"|\b(?:ignore|disregard|scratch) (?:that|the (?:above|first|previous))\b",
    re.IGNORECASE,
)
"""What says that the next block replaces the one before."""

_QUOTED = re.compile(
    '["\u201c\u201e\u00ab](?P<text>[^"\u201c\u201d\u00bb]+)["\u201c\u201d\u00bb]'
)
"""A line in quotation marks."""

_SPAN_AT_END = re.compile(
    r"[^\W\d_a-z][^`]*+(?<=[:\uff1a\s])(?P<span>`[^`]+`)[.:\u3002]?$"
)
"""A sentence that ends with the code."""


class Unwrapper:
    """Finds the code in the lines of one reply.

    Attributes:
        wrapper: The fence around the code, once it has been seen.
        declined: The model's reason for changing nothing, if it gave one.
    """

    def __init__(
        self, target: Sequence[str], language: str, *, is_in_text: bool = False
    ) -> None:
        """Create an unwrapper for one reply.

        Args:
            target: The range's lines, without ends: lines in it are never treated as
                wrapping.
            language: The document's LSP language id; may be empty.
            is_in_text: Whether the range may begin in a string or comment.
        """
        self._target = target
        self._language = language
        self._is_in_text = is_in_text
        self._preamble: list[str] = []
        self._body: FencedReader | BareReader | None = None
        self._kinds: set[ReplyKind] = set()
        self._has_code = False
        self.wrapper: Fence | None = None
        self.declined: str | None = None

    @cached_property
    def _is_prose(self) -> bool:
        # Computed late: most replies begin with the code.
        return self._language in PROSE_LANGUAGES or any(map(is_sentence, self._target))

    @property
    def further_blocks(self) -> Sequence[Sequence[str]]:
        """The fenced blocks after the first one."""
        return self._body.further if isinstance(self._body, FencedReader) else ()

    @property
    def offers_choice(self) -> bool:
        """Whether what stands above the first block is the first of several options."""
        return any(map(_FIRST_OPTION.search, self._preamble))

    @property
    def is_last_corrected(self) -> bool:
        """Whether the text above the last block says that it replaces those before."""
        above = self._body.above_last if isinstance(self._body, FencedReader) else ()
        return any(map(_CORRECTION.search, above))

    @property
    def is_unopened(self) -> bool:
        """Whether the reply closes a fence that it does not open; final after
        `finish`."""
        return isinstance(self._body, BareReader) and "fence" in self._body.kinds

    @property
    def problems(self) -> list[ReplyProblem]:
        """The problems found, each kind once; complete after `finish`."""
        kinds = self._kinds | (self._body.kinds if self._body else set())
        return [
            ReplyProblem(kind=kind, message=message)
            for kind, message in _MESSAGES.items()
            if kind in kinds
        ]

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines of code that are certain."""
        if self.declined is not None:
            return []
        if not self._has_code and self._is_decline(line):
            self.declined = read_decline(line)
            return []
        return self._note(self._body.feed(line) if self._body else self._begin(line))

    def finish(self) -> list[str]:
        """Return the lines of code that were not certain before."""
        if self.declined is not None:
            self._kinds, self._body = set(), None
            return []
        lines = self._note(
            self._body.finish() if self._body else self._finish_preamble()
        )
        if not self._has_code and "no-code" not in self._kinds:
            self._kinds.add("empty")
        return lines

    def _note(self, lines: list[str]) -> list[str]:
        self._has_code = self._has_code or any(map(str.strip, lines))
        return lines

    def _is_decline(self, line: str) -> bool:
        return read_decline(line) is not None and line not in self._target

    def _begin(self, line: str) -> list[str]:
        """Read a line of the preamble, or the one that ends it."""
        fence = read_fence(line) or self._fence_before_code(line)
        if fence is not None and self._is_page(fence):
            # The answer is a page of Markdown, which has a fence of its own.
            self._kinds.add("fence")
            self._preamble.append("")
            return []
        if fence is not None and self._is_wrapper(fence, line):
            self._kinds.add("fence")
            if any(map(str.strip, self._preamble)):
                self._kinds.add("chatter")
            self.wrapper = fence
            self._body = FencedReader(fence, self._target, self._language)
            code = self._code_behind(fence, line)
            return self._body.feed(code) if code else []
        if not line.strip() or self._may_be_chatter(line):
            self._preamble.append(line)
            return []
        self._body = BareReader(self._target)
        return [*self._without_chatter(), *self._body.feed(line)]

    def _fence_before_code(self, line: str) -> Fence | None:
        """Read a fence whose language stands in front of code with backticks."""
        found = _GLUED_OPENING.fullmatch(line)
        if found is None or self._is_prose or line in self._target:
            return None
        is_named = found["name"].lower() == self._language
        info = found["name"] + found["code"]
        return Fence(indent="", run=found["run"], info=info) if is_named else None

    def _code_behind(self, fence: Fence, line: str) -> str:
        """Return code that stands in the line of an opening fence; empty if none."""
        info = line[len(fence.indent) + len(fence.run) :].rstrip()
        found = _INFO.fullmatch(info)
        if found is None or not found["rest"]:
            return ""
        gap, own = found["gap"], self._first_line()
        is_apart = found["name"] is not None and (len(gap) > 1 or gap == "\t")
        is_named = (found["name"] or "").lower() == self._language or is_apart
        code = gap + found["rest"] if is_named or not found["name"] else info
        is_deep = is_apart and (
            gap == indent_of(own) or not _ATTRIBUTE.match(found["rest"])
        )
        words = own.split()
        is_alike = code.split()[:1] == words[:1] and code.strip() not in words
        if not (is_deep or is_alike or _CODE_BEHIND.search(code.strip())):
            return ""
        # A blank may divide them, or all blanks are the depth of the line.
        depth, usual = indent_of(code), indent_of(own)
        is_divided = depth == f" {usual}" or (depth != usual and len(depth) % 2 == 1)
        return code.removeprefix(" ") if is_divided else code

    def _is_wrapper(self, fence: Fence, line: str) -> bool:
        """Whether a fence surrounds the reply, and is not part of the document."""
        if fence.run[0] == "~" and (
            self._language == "restructuredtext" or line in self._target
        ):
            return False  # A title's underline.
        is_markdown = fence.info.lower() in MARKDOWN_LANGUAGES | {"md"}
        own = read_fence(self._first_line())
        if own is not None:
            is_longer = fence.may_end(own) and fence.run != own.run
            return is_longer or (is_markdown and own.info != fence.info)
        if self._language in MARKDOWN_LANGUAGES:
            return fence.is_bare or is_markdown
        return True

    def _is_page(self, fence: Fence) -> bool:
        """Whether a fence opens Markdown, which the document is not."""
        names = MARKDOWN_LANGUAGES | {"md"}
        return fence.info.lower() in names and self._language not in PROSE_LANGUAGES

    def _first_line(self) -> str:
        return next(filter(str.strip, self._target), "")

    def _may_be_chatter(self, line: str) -> bool:
        if line in self._target:
            return False
        if is_certain_chatter(line):
            return True
        may_have_fence = self._language in PROSE_LANGUAGES - _MARKUP
        quoted = _QUOTED.fullmatch(line)
        return not may_have_fence and may_be_talk(quoted["text"] if quoted else line)

    def _without_chatter(self) -> list[str]:
        """Return the preamble as code, without lines that are certainly talk."""
        first = next(filter(str.strip, self._preamble), "")
        if not (is_greeting(first) or is_certain_chatter(first)):
            return self._preamble
        is_text = self._is_prose or self._is_in_text
        if not (is_greeting if is_text else is_certain_chatter)(first):
            return self._preamble
        self._kinds.add("chatter")
        return list(dropwhile(self._is_talk, self._preamble))

    def _is_talk(self, line: str) -> bool:
        if not line.strip() or is_certain_chatter(line):
            return True
        if self._is_in_text or not reads_as_talk(line):
            return False
        return not self._is_prose

    def _finish_preamble(self) -> list[str]:
        """Decide about a reply that is all preamble."""
        texts = list(filter(str.strip, self._preamble))
        # If the range is a line of a docstring, a sentence may well replace it.
        is_in_text = self._is_in_text or is_sentence(self._first_line().strip())
        is_talk = is_refusal if is_in_text else self._is_talk
        is_span = all(is_code_span(text.strip()) for text in texts)
        n_spans = sum(1 for _ in takewhile(is_code_span, map(str.strip, texts[::-1])))
        if n_spans and not (self._is_prose or is_in_text or is_span):
            self._kinds.add("chatter")
            return texts[-n_spans:]
        if len(texts) == 1 and not (self._is_prose or is_in_text or is_span):
            found = _SPAN_AT_END.match(texts[0])
            if found is not None:
                self._kinds.add("chatter")
                return [found["span"]]
        if texts and not (self._is_prose or is_span) and all(map(is_talk, texts)):
            self._kinds.add("no-code")
            return []
        return self._preamble
