"""The input of the checks: a whole file before and after an edit, and its region."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from redline.checks.code_text import without_text
from redline.checks.definitions import Defined, all_defined
from redline.syntax.language import Language, language_id_of, language_of
from redline.syntax.tree import Tree, parse
from redline.text.line_diff import LineHunk
from redline.text.lines import strip_end, with_line_feeds


# No slots: values that several rules need are computed once and cached here.
class CheckedEdit(Struct, frozen=True, kw_only=True, dict=True):
    """An edit that has not been shown or applied yet."""

    before: Sequence[str]
    """The file's lines with their ends; the last one may be empty."""
    after: Sequence[str]
    """The file's lines with the edit applied."""
    region_before: range
    """The lines of `before` that were to be edited; empty: a place for new ones."""
    region_after: range
    """The lines of `after` that replace them."""
    language: str = ""
    """The document's LSP language id; empty: derived from the path."""
    path: str = ""
    """Relative to the workspace, or absolute; the file is never opened by it."""
    instruction: str = ""
    """The instruction: it may excuse what is otherwise a problem."""
    imports: Sequence[LineHunk] = ()
    """The changes of imports above the region, in lines of `before`; in `after` they
    are made."""
    secrets: Sequence[str] = ()
    """Values that the model saw placeholders of."""
    kind: str = ""
    """The kind of action, such as `quickfix`; empty: a free instruction."""

    @property
    def old_lines(self) -> Sequence[str]:
        """The region's lines before the edit."""
        return self.before[self.region_before.start : self.region_before.stop]

    @property
    def new_lines(self) -> Sequence[str]:
        """The region's lines after the edit."""
        return self.after[self.region_after.start : self.region_after.stop]

    @cached_property
    def introduced(self) -> tuple[tuple[int, str], ...]:
        """The region's new lines that occur nowhere in the old file, ignoring
        indentation: each with its number in the region, without its end."""
        known = {line.strip() for line in self.before}
        return tuple(
            (number, strip_end(line))
            for number, line in enumerate(self.new_lines)
            if line.strip() not in known
        )

    @cached_property
    def import_lines(self) -> frozenset[int]:
        """The lines of `after` above the region that change imports."""
        lines: set[int] = set()
        shift = 0
        for hunk in self.imports:
            first = hunk.start + shift
            lines.update(range(first, first + len(hunk.lines)))
            shift += hunk.shift
        return frozenset(lines)

    @cached_property
    def text_before(self) -> str:
        """The whole file before the edit, with line feeds, as grammars count lines."""
        return with_line_feeds(self.before)

    @cached_property
    def text_after(self) -> str:
        """The whole file after the edit, with line feeds."""
        return with_line_feeds(self.after)

    @cached_property
    def code_before(self) -> str:
        """`text_before` with blank comments and strings."""
        return without_text(self.text_before, self.language_id)

    @cached_property
    def code_after(self) -> str:
        """`text_after` with blank comments and strings."""
        return without_text(self.text_after, self.language_id)

    @property
    def language_id(self) -> str:
        """The LSP language id, of the editor or else by the path; empty: not known."""
        return self.language or language_id_of(self.path)

    @cached_property
    def grammar(self) -> Language | None:
        """The language to parse it as; None: it cannot be parsed."""
        return language_of(self.path, self.language)

    @property
    def is_python(self) -> bool:
        """Whether the Python rules check it."""
        return self.grammar is Language.PYTHON

    @cached_property
    def tree_before(self) -> Tree | None:
        """The syntax tree before; None if there is no grammar."""
        return parse(self.text_before, self.grammar) if self.grammar else None

    @cached_property
    def tree_after(self) -> Tree | None:
        """The syntax tree after; None if there is no grammar."""
        return parse(self.text_after, self.grammar) if self.grammar else None

    @cached_property
    def defined_before(self) -> tuple[Defined, ...]:
        """The file's definitions before; none without a grammar."""
        tree = self.tree_before
        return all_defined(tree, self.before) if tree else ()

    @cached_property
    def defined_after(self) -> tuple[Defined, ...]:
        """The file's definitions after; none without a grammar."""
        tree = self.tree_after
        return all_defined(tree, self.after) if tree else ()

    def is_text(self, line: int, column: int) -> bool:
        """Whether a place in the new region is in a comment or a string."""
        tree = self.tree_after
        at = self.region_after.start + line
        return tree is not None and tree.in_comment_or_string(at, column)

    def is_value(self, line: int, column: int) -> bool:
        """Whether a place in the new region is in a string that code uses."""
        tree = self.tree_after
        at = self.region_after.start + line
        return tree is not None and tree.in_value(at, column)

    def continues_text(self, line: int) -> bool:
        """Whether a line of the new region begins in a comment or a string."""
        tree = self.tree_after
        return tree is not None and tree.continues_text(self.region_after.start + line)

    def line_in_region(self, line: int) -> int | None:
        """Convert a line of `after` to one of the region; None if it is outside."""
        inside = line in self.region_after
        return line - self.region_after.start if inside else None
