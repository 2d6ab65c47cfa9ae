"""Words that name no change, for `sharpen`."""

from __future__ import annotations

from redline.instructions.words import KIND_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLACES = _words(
    "this that these those it its here there everything all whole entire code file"
    " selection selected lines line block body part section snippet"
) | frozenset(KIND_WORDS)
"""Words for the place, which is known from the range."""

SKIPPED = PLACES | _words(
    "a an the my our your of in on at for to with and or please just now some any me us"
    " can could would will you i want like need let's lets try do does make made be is"
    " are a bit little lot more much even very really way up functions methods classes"
    " then also plus afterwards finally"
)
"""Words that add nothing to what is asked for."""

VAGUE = _words(
    "better best good nice nicer nicely clean cleaner cleanup clean-up tidy tidier"
    " improve improved improvement improvements refactor refactoring polish enhance"
    " upgrade modern modernize modernise beautify prettify pretty simplify simpler"
    " readable readability quality robust solid professional production-ready"
    " well rework revise update change edit adjust"
    " tweak review optimal idiomatic elegant maintainable perfect"
)
"""Words that ask for a better text without naming what is to change."""

FAULTS = _words(
    "fix repair debug solve resolve bug bugs error errors issue issues problem problems"
    " fault faults broken wrong buggy failing fails correct"
    " correctly proper properly right work works working"
)
"""Words for a fault that they do not name."""

SPEED = _words(
    "fast faster speed performance performant optimize optimise optimized efficient"
    " efficiency quick quicker slow"
)

ASPECTS = _words(
    "handling validation checks safety logging comments tests docs documentation types"
    " typing naming style formatting"
)
"""Nouns that, without a verb, name only what it is about."""

CHANGES = _words(
    "rename remove delete drop change rewrite convert fix move inline split extract"
)
"""Verbs whose object changes."""

SIGNATURE_WORDS = _words(
    "parameter parameters argument arguments arg args param params signature async"
    " await rename return returns type types typehints typing annotate annotation"
    " annotations keyword default defaults optional flag caller callers split extract"
    " move"
)
"""Words that ask for another signature, or may."""
