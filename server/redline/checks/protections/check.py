"""`lost-protection`: an edit takes a protection away that it was not asked about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.protections.changed_code import changed_code
from redline.checks.protections.handlers import lost_handlers, lost_scopes
from redline.checks.protections.lost_forms import (
    lost_clauses,
    lost_constraints,
    lost_errors,
    lost_forms,
)
from redline.checks.protections.lost_guards import lost_conjuncts, lost_guards
from redline.checks.protections.lost_helpers import lost_helpers
from redline.checks.protections.names import lost_names
from redline.checks.protections.weakened import weakenings
from redline.checks.requested_changes import wants_declaration, wants_stub
from redline.text.chatter import MARKDOWN_LANGUAGES

_RULES = (
    weakenings,
    lost_guards,
    lost_names,
    lost_conjuncts,
    lost_handlers,
    lost_scopes,
    lost_forms,
    lost_clauses,
    lost_constraints,
    lost_errors,
)
_MAX_N_PROBLEMS = 3
_MARKUP = frozenset(
    {"html", "javascriptreact", "php", "svelte", "typescriptreact", "vue"}
)
"""LSP language ids in which a placeholder is what an empty field shows."""
_ATTRIBUTE = re.compile(r"\bplaceholder", re.IGNORECASE)


def check_protections(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the protections of the range that are gone without a word about them."""
    if not candidate.instruction or not candidate.new_lines:
        return
    if candidate.language_id in MARKDOWN_LANGUAGES:
        return
    wish = candidate.instruction
    if candidate.language_id in _MARKUP:
        wish = _ATTRIBUTE.sub("", wish)
    if wants_stub(wish) or wants_declaration(wish):
        return
    change = changed_code(candidate)
    found = [problem for rule in _RULES for problem in rule(change)]
    found += lost_helpers(candidate, change)
    yield from list(dict.fromkeys(found))[:_MAX_N_PROBLEMS]
