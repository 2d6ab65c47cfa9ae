"""The arguments that a function accepts."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSignature:
    """The parameters of a function, by how they may be passed."""

    positional_only: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()
    """Passed by position or by keyword."""

    keyword_only: tuple[str, ...] = ()
    takes_any_positional: bool = False
    takes_any_keyword: bool = False

    @property
    def n_positional(self) -> int:
        """Most positional arguments, if `takes_any_positional` is False."""
        return len(self.positional_only) + len(self.positional)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Accepted keywords, if `takes_any_keyword` is False."""
        return self.positional + self.keyword_only

    def takes_keyword(self, name: str) -> bool:
        """Whether an argument of this name can be passed by keyword."""
        return self.takes_any_keyword or name in self.keywords

    def takes_positional(self, n_arguments: int) -> bool:
        """Whether this number of arguments can be passed by position."""
        return self.takes_any_positional or n_arguments <= self.n_positional

    def bound(self) -> CallSignature | None:
        """Return the signature of a bound method; None if nothing can be bound."""
        if self.positional_only:
            return replace(self, positional_only=self.positional_only[1:])
        if self.positional:
            return replace(self, positional=self.positional[1:])
        return self if self.takes_any_positional else None


def signature_of(arguments: ast.arguments) -> CallSignature:
    """Read a signature from a definition."""
    return CallSignature(
        positional_only=tuple(a.arg for a in arguments.posonlyargs),
        positional=tuple(a.arg for a in arguments.args),
        keyword_only=tuple(a.arg for a in arguments.kwonlyargs),
        takes_any_positional=arguments.vararg is not None,
        takes_any_keyword=arguments.kwarg is not None,
    )
