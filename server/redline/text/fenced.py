"""Reads the code of a reply: between Markdown fences, or from its first line on.

The difficulty is the closing fence: the code may contain fences, in a docstring or
because it is Markdown. An inner one with a language certainly opens a block; so does a
bare one if another bare one follows; after the fence that closes the reply there is
talk, or another block. Therefore, where the code could contain fences, a bare fence is
held back with all that follows; elsewhere it ends the code at once.

A reply that begins with code is all code, except a lone closing fence at the very end:
some models forget the opening one, some servers cut it off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.text.chatter import MARKDOWN_LANGUAGES
from redline.text.fence import Fence, read_fence
from redline.text.reply import ReplyKind

_CONSOLES = frozenset(
    ["bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "powershell"]
)
"""Languages after a fence of a block with commands to run."""

_SCRIPTS = frozenset({"shellscript", "powershell", "bat", "fish"})
"""LSP language ids of files whose text may be in such a block."""


class FencedReader:
    """Reads the lines after an opening fence.

    The method that reads the next line is the state: `_read_code`, `_read_inner` inside
    a block of the code's own, `_read_undecided` after a fence that may be the last,
    `_read_after`, `_read_second` after a further fence, `_read_commands` after one of a
    console, `_read_between` two of these.

    Attributes:
        kinds: The problems found.
        further: The blocks after the first one.
        above_last: The lines between the last two blocks.
    """

    def __init__(self, wrapper: Fence, target: Sequence[str], language: str) -> None:
        """Start after the opening fence `wrapper`."""
        self.further: list[list[str]] = []
        self.above_last: list[str] = []
        self._between: list[str] = []
        self._wrapper = wrapper
        self._has_own_fences = language in MARKDOWN_LANGUAGES or any(
            fence is not None and self._is_outermost(fence)
            for fence in map(read_fence, target)
        )
        self._skips_commands = (
            not self._has_own_fences
            and language not in _SCRIPTS
            and wrapper.info.lower() not in {"", *_CONSOLES}
        )
        self._read: Callable[[str], list[str]] = self._read_code
        self._held: list[str] = []
        self.kinds: set[ReplyKind] = set()

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines of code that are certain."""
        return self._read(line)

    def finish(self) -> list[str]:
        """Record how the reply ended; there is never a line left."""
        if self._read in (self._read_code, self._read_inner):
            self.kinds.add("truncated")
        if any(map(str.strip, self._held[1:])):
            self.kinds.add("chatter")
        return []

    def _is_outermost(self, fence: Fence) -> bool:
        return len(fence.indent) <= len(self._wrapper.indent)

    def _fence(self, line: str) -> Fence | None:
        """Read a fence that could end the reply's; shorter ones are plain text."""
        fence = read_fence(line)
        return fence if fence and fence.may_end(self._wrapper) else None

    def _read_code(self, line: str) -> list[str]:
        fence = self._fence(line)
        if fence is None:
            return [line]
        if not fence.is_bare:
            self._read = self._read_inner
            return [line]
        if self._is_outermost(fence) and not self._has_own_fences:
            self._read = self._read_after
            return []
        self._held = [line]
        self._read = self._read_undecided
        return []

    def _read_inner(self, line: str) -> list[str]:
        fence = self._fence(line)
        if fence is not None and fence.is_bare:
            self._read = self._read_code
        return [line]

    def _read_undecided(self, line: str) -> list[str]:
        fence = self._fence(line)
        if fence is None:
            self._held.append(line)
            return []
        if not fence.is_bare:
            # A block cannot open inside a block: the held fence was the end.
            self._open_second(fence)
            return []
        held, self._held = self._held, []
        first = read_fence(held[0])
        is_inner = first is not None and not self._is_outermost(first)
        if is_inner and self._is_outermost(fence) and not self._has_own_fences:
            self._read = self._read_after
            return held
        self._read = self._read_code
        return [*held, line]

    def _read_after(self, line: str) -> list[str]:
        if fence := self._fence(line):
            self._open_second(fence)
        elif line.strip():
            self.kinds.add("chatter")
            self._between.append(line)
        return []

    def _open_second(self, fence: Fence) -> None:
        if self._skips_commands and fence.info.lower() in _CONSOLES:
            self.kinds.add("chatter")
            self._read = self._read_commands
            return
        self.above_last, self._between = self._between, []
        self.further.append([])
        self._read = self._read_second

    def _read_commands(self, line: str) -> list[str]:
        """Skip a further block with commands to run."""
        fence = self._fence(line)
        if fence is not None and fence.is_bare and self._is_outermost(fence):
            self._read = self._read_between if self.further else self._read_after
        return []

    def _read_second(self, line: str) -> list[str]:
        """Keep a further block aside."""
        fence = self._fence(line)
        if fence is not None and fence.is_bare and self._is_outermost(fence):
            self._read = self._read_between
        else:
            self.further[-1].append(line)
            if line.strip():
                self.kinds.add("several-blocks")
        return []

    def _read_between(self, line: str) -> list[str]:
        if fence := self._fence(line):
            self._open_second(fence)
        else:
            self._between.append(line)
        return []


class BareReader:
    """Reads the lines of a reply that begins with code.

    Attributes:
        kinds: The problems found.
    """

    def __init__(self, target: Sequence[str]) -> None:
        """Create a reader; fences that occur in `target` belong to the code."""
        self._target = frozenset(target)
        self._is_in_block = False
        self._held: list[str] = []
        self.kinds: set[ReplyKind] = set()

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines of code that are certain."""
        if self._held:
            self._held.append(line)
            return self._release() if line.strip() else []
        if not self._is_fence(line):
            return [line]
        fence = read_fence(line)
        if fence is not None and fence.is_bare and not self._is_in_block:
            self._held = [line]
            return []
        self._is_in_block = not self._is_in_block
        return [line]

    def finish(self) -> list[str]:
        """Drop a fence that nothing follows."""
        if self._held:
            self.kinds.add("fence")
        return self._held[1:]

    def _is_fence(self, line: str) -> bool:
        fence = read_fence(line)
        return fence is not None and fence.run[0] == "`" and line not in self._target

    def _release(self) -> list[str]:
        """Treat a held fence as an opening one, since text follows it."""
        held, self._held = self._held, []
        last = held[-1]
        self._is_in_block = not self._is_fence(last)
        return held
