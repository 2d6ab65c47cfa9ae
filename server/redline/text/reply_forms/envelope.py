"""Removes what a model or its server leaves around a whole reply.

That is its reasoning in a block of its own, special tokens of its chat format, a byte
order mark, and a zero-width space that the file does not have. Lines pass while the
reply arrives; only reasoning is held back.

Tokens and tags that are text of the code stay: those within quotation marks, and those
that the range or its file has.
"""

from __future__ import annotations

import re
from itertools import pairwise

from redline.text.chatter import (
    MARKDOWN_LANGUAGES,
    PROSE_LANGUAGES,
    is_certain_chatter,
    reads_as_talk,
)
from redline.text.indentation import indent_of
from redline.text.reply_forms.after_end import read_end
from redline.text.reply_forms.brackets import is_whole
from redline.text.reply_forms.own_signs import OwnSigns
from redline.text.reply_forms.reply_blocks import (
    ASIDE,
    CLOSING,
    MARKUP,
    OPENING,
    REASONING,
    last_fenced,
    may_be_wrapper,
    without_inner_block,
)
from redline.text.reply_forms.special_tokens import (
    END,
    MIDDLE,
    PROMPT,
    START,
    TOKEN,
    is_quoted,
)
from redline.text.reply_forms.surroundings import Surroundings

_BYTE_ORDER_MARK = "\ufeff"
"""`ReplyParser` restores that of the range."""
_ZERO_WIDTH_SPACE = "\u200b"
"""Some models begin a reply with it; texts in Thai or Khmer have it between words."""

_MAX_N_CHARS = 10_000
"""Longer lines are data, in which nothing is searched."""

_MARK = re.compile(r"[<[\u25c1]")
"""What tokens and tags begin with."""

_MAY_BE_TAG = re.compile(r"</?[A-Za-z]+>")

_ENDS_BEFORE = re.compile(r"assistant|done thinking|Here is my response")
"""What a line has that ends what came before it."""

_THOUGHT_END = re.compile(r"(?:\.{3}|\u2026)done thinking\.?\s*$|Here is my response:")
"""What programs and models write behind reasoning that no tag ends."""

_NEXT_TURN = re.compile(r"\s*(?:#{2,3} )?(?:Human|User|Instruction|Question)\s*:")
"""What a model writes that goes on with the next question."""

_GLUED = re.compile(r"assistantfinal|^assistant$")
"""What is left of the header of a message whose special tokens were removed."""


class ReplyEnvelope:
    """Reads the lines of one reply.

    Attributes:
        n_restarts: How often lines that were passed on turned out to be reasoning.
        is_changed: Whether anything was removed.
        ends_with_token: Whether a special token follows the last text, with which the
            model ended the reply.
        is_unfinished: Whether the reply is reasoning that does not end.
        is_uncertain: Whether text follows the token that ends the reply, and it is not
            certain that it does not belong to it.
        is_ambiguous: Whether a token or a tag may be the model's, or text of the file.
    """

    def __init__(self, around: Surroundings) -> None:
        """Create a reader for one reply.

        Args:
            around: The range, whose lines have no ends, and its file.
        """
        self._around = around
        self._target = around.target
        self._language = around.language
        self._own = OwnSigns(around)
        self._passed: list[str] = []
        self._n_filled = 0
        self._has_strike = False
        self._block: list[str] = []
        self._block_name = ""
        self._last_block: list[str] = []
        self._last_name = ""
        self._n_blocks = 0
        self._is_reasoning = False
        """In a message of a chat format that is not for the user."""
        self._is_over = False
        """A message of another role follows, or the end was certain."""
        self._skips: str | None = None
        """The kind of header whose text is skipped up to the next token or line."""
        self._after_end: list[str] | None = None
        self._has_prompt = False
        """Whether a token announced a part of a prompt that is filled in."""
        self._is_begun = False
        self._is_plain = False
        """Whether code is passed on, and nothing is held back."""
        self.n_restarts = 0
        self.is_changed = False
        self.ends_with_token = False
        self.is_unfinished = False
        self.is_uncertain = False
        self.is_ambiguous = False

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines that are certain now."""
        if self._is_plain and not _MARK.search(line) and not _ENDS_BEFORE.search(line):
            # Nearly every line of nearly every reply.
            self._passed.append(line)
            return [line]
        if not self._is_begun:
            self._is_begun = True
            marks = _BYTE_ORDER_MARK
            if _ZERO_WIDTH_SPACE in line and not self._around.has(_ZERO_WIDTH_SPACE):
                marks += _ZERO_WIDTH_SPACE
            bare = line.lstrip(marks)
            self.is_changed |= bare != line
            line = bare
        n_before = len(self._passed)
        n_restarts = self.n_restarts
        self._read(line)
        self._is_plain = self._has_code() and not (
            self._block_name or self._is_reasoning or self._is_over or self._skips
        )
        self._is_plain &= self._after_end is None
        start = n_before if n_restarts == self.n_restarts else 0
        return self._passed[start:]

    def finish(self) -> list[str]:
        """Return the lines that were not certain before."""
        n_before, n_restarts = len(self._passed), self.n_restarts
        if self._block_name:
            self._finish_block()
        elif self._n_blocks and self._has_only_talk():
            if self._has_code():
                self._restart()
            # Everything is in blocks: the last one is the answer, as in
            # `<reasoning>...</reasoning><answer>...</answer>`.
            if REASONING.search(self._last_name):
                self.is_unfinished = True
            else:
                block = self._last_block
                is_markup = self._language in MARKUP
                self._passed += block if is_markup else without_inner_block(block)
                self._n_filled += any(map(str.strip, block))
        end = read_end(self._after_end or (), self._passed, self._target)
        if end == "unsure":
            self.is_uncertain = True
        else:
            self._passed += end
        self.is_ambiguous |= self._own.is_ambiguous_in(self._passed)
        self.is_unfinished |= self.n_restarts > 0 and not self._has_code()
        start = n_before if n_restarts == self.n_restarts else 0
        return self._passed[start:]

    def _has_only_talk(self) -> bool:
        """Whether what stands beside the blocks is no code; perhaps it is nothing."""
        texts = [line for line in self._passed if line.strip()]
        if texts and (
            self._language in PROSE_LANGUAGES
            or REASONING.search(self._last_name)
            or ASIDE.search(self._last_name.lower())
        ):
            return False
        return all(reads_as_talk(line) or is_certain_chatter(line) for line in texts)

    def _read(self, line: str) -> None:
        may_have_token = ("<" in line or "[" in line) and len(line) < _MAX_N_CHARS
        found = TOKEN.finditer(line) if may_have_token else ()
        tokens = [
            one
            for one in found
            if not is_quoted(line, one)
            and not self._is_tag(one[0], line)
            and not self._own.has(one[0])
        ]
        if self._block_name or not tokens:
            self._text(line)
            self._skips = None
            self.ends_with_token &= not line.strip()
            return
        self.is_changed = True
        self.ends_with_token = not line[tokens[-1].end() :].strip()
        text, at = "", 0
        is_noise = self._has_code()
        for token in tokens:
            text += line[at : token.start()]
            at = token.end()
            name = token[0].strip("<>|\uff5c[]")
            if self._parts(name):
                is_noise = False
                # White space before a token belongs to the line only if code does.
                if text.strip():
                    # Some print a blank in front of the token that ends a reply.
                    is_end = END.search(name) is not None
                    self._text(text.rstrip() if is_end else text)
                text = ""
            self._token(name)
            if self._is_over:
                return
        rest = line[at:]
        own = next(filter(str.strip, self._target), "")
        is_talk = not self._has_code() and is_certain_chatter(rest.strip())
        if not text.strip() and (is_talk or indent_of(rest) == f" {indent_of(own)}"):
            rest = rest[1:]  # Some tokens have a blank behind them.
        text += rest
        if text.strip() or (is_noise and self._is_blank_next()):
            self._text(text)
        if self._skips != "message":
            self._skips = None

    def _is_blank_next(self) -> bool:
        """Whether the range has a blank line below its copy of the last line.

        Then a token alone stands in place of it.
        """
        last = self._passed[-1].strip()
        return any(
            line.strip() == last and not below.strip()
            for line, below in pairwise(self._target)
        )

    def _is_tag(self, token: str, line: str) -> bool:
        """Whether what looks like a token is a tag of the document."""
        if self._language not in MARKUP or not _MAY_BE_TAG.fullmatch(token):
            return False
        return token != "</s>" or self._has_strike or "<s>" in line

    def _parts(self, name: str) -> bool:
        """Whether a token parts the reply; others may stand within a line."""
        parting = (END, START, *[MIDDLE] * self._has_prompt)
        is_named = any(one.search(name) for one in parting) or name == "channel"
        return is_named or self._skips is not None

    def _token(self, name: str) -> None:
        if REASONING.search(name):
            # Such as `<|begin_of_thought|>` and `<|end_of_thought|>`.
            self._is_reasoning = not (name[0] == "/" or END.search(name))
            self._restart()
            return
        self._has_prompt |= PROMPT.search(name) is not None
        if name == "channel":
            self._skips = "channel"
        elif MIDDLE.search(name):
            # Only where the prompt is repeated is the text before it not the answer.
            if self._has_prompt:
                self._restart()
        elif START.search(name):
            self._after_end = None if not self._has_code() else self._after_end
            # A token that names the role or the answer has no role behind it.
            is_named = name == "assistant" or name.lower().endswith("response")
            self._skips = None if is_named else "role"
            if name in ("user", "system", "tool"):
                self._is_over = self._has_code()
        elif END.search(name):
            if self._is_reasoning:
                self._is_reasoning = False
            elif self._has_code() and self._after_end is None:
                self._after_end = []
        else:
            self._is_over |= name == "INST" and self._after_end is not None
            self._skips = None

    def _text(self, text: str) -> None:
        if self._is_over:
            return
        if self._skips is not None:
            self._header(text.strip())
        elif self._is_reasoning:
            return
        elif self._after_end is not None:
            is_first = not any(map(str.strip, self._after_end))
            if is_first and _NEXT_TURN.match(text):
                self._is_over = True
            else:
                self._after_end.append(text)
        elif self._block_name:
            self._in_block(text)
        else:
            self._code(text)

    def _header(self, text: str) -> None:
        kind, self._skips = self._skips, None
        if kind == "channel":
            self._is_reasoning = not text.lower().startswith("final")
        elif text.lower() not in ("assistant", "model", ""):
            self._is_over = self._has_code()

    def _has_code(self) -> bool:
        return self._n_filled > 0

    def _code(self, text: str) -> None:
        if not self._has_code() and self._opens(text):
            return
        thought = _THOUGHT_END.match(text)
        if thought and not self._around.has(thought[0].strip()):
            self._restart()
            if rest := text[thought.end() :].strip():
                self._code(rest)
            return
        glued = "assistant" in text and _GLUED.search(text)
        if glued and not self._around.has(glued[0]):
            self._restart()
            if rest := text[glued.end() :]:
                self._code(rest)
            return
        has_closing = "</" in text or "\u25c1" in text
        closing = has_closing and CLOSING.search(text)
        if closing and self._ends_reasoning(text, closing):
            self._restart()
            rest = text[closing.end() :]
            if rest.strip():
                self._code(rest)
            return
        self._passed.append(text)
        self._n_filled += bool(text.strip())
        self._has_strike |= "<s>" in text

    def _opens(self, text: str) -> bool:
        """Whether a reply begins with a block; reads its first line, if so."""
        opening = OPENING.match(text)
        if opening is None or TOKEN.fullmatch(opening[0].strip()):
            return False
        name = opening["angle"] or opening["wide"] or opening["square"]
        is_reasoning = REASONING.search(name) is not None
        is_alone = not text[opening.end() :].strip()
        is_tag = is_alone and may_be_wrapper(opening, self._around)
        if not (is_reasoning or is_tag):
            return False
        if self._own.has_tag(opening[0].strip(), text):
            if is_reasoning:
                self._own.begin_block()
            return False
        self.is_changed = True
        self._block_name, self._block = name, []
        rest = text[opening.end() :]
        if rest.strip():
            self._in_block(rest)
        return True

    def _in_block(self, text: str) -> None:
        name = re.escape(self._block_name)
        closings = list(
            re.finditer(rf"</{name}>|\u25c1/{name}\u25b7|\[/{name}\]", text)
        )
        if not closings:
            self._block.append(text)
            return
        # Reasoning about tags may quote one: the last of the line is the end.
        last = closings[-1]
        head = text[: last.start()]
        self._block += [head] * bool(head.strip())
        if not self._n_blocks or not ASIDE.search(self._block_name.lower()):
            self._last_block, self._last_name = self._block, self._block_name
        self._n_blocks += 1
        self._block_name = ""
        rest = text[last.end() :]
        if rest.strip():
            self._read(rest)

    def _finish_block(self) -> None:
        if not REASONING.search(self._block_name):
            self._passed += self._block
            self.is_uncertain = not is_whole(self._block, self._target)
            return
        # A page of Markdown may end with a block of its own.
        is_page = self._language in MARKDOWN_LANGUAGES
        block = None if is_page else last_fenced(self._block)
        if block is None:
            self.is_unfinished = True
        else:
            self._passed += block

    def _ends_reasoning(self, text: str, closing: re.Match[str]) -> bool:
        name = closing["angle"] or closing["wide"]
        if REASONING.search(name) is None or is_quoted(text, closing):
            return False
        if self._own.has_tag(closing[0], text):
            return False
        is_about_tags = closing[0].replace("/", "", 1) in text[: closing.start()]
        # The sentence may be one of the reasoning, or of the file's text.
        self.is_ambiguous |= is_about_tags
        return not is_about_tags

    def _restart(self) -> None:
        self.is_changed = True
        if self._passed:
            self.n_restarts += 1
        self._passed, self._n_filled = [], 0
        self._after_end = None
