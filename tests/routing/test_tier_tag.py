"""Tags that name a tier."""

from __future__ import annotations

import pytest

from redline.routing.route import Tier
from redline.routing.tier_tag import split_tier


@pytest.mark.parametrize(
    ("instruction", "text", "tier"),
    [
        ("simplify it #deep", "simplify it", "deep"),
        ("#fast simplify it", "simplify it", "fast"),
        (" simplify it\n#standard \n", "simplify it", "standard"),
        ("#fast simplify it #deep", "simplify it", "deep"),
        ("#deep", "", "deep"),
        ("#fast #deep", "", "deep"),
        ("#fast #deep simplify  it", "simplify  it", "fast"),
        ("simplify it #fast #deep", "simplify it", "deep"),
        ("#deep " * 15_000, "", "deep"),
        ("#deep " * 15_000 + "it", "it", "deep"),
        ("it" + " #deep" * 15_000, "it", "deep"),
        ("simplify it", "simplify it", None),
        ("name it #deep or so", "name it #deep or so", None),
        ("see issue #deeper", "see issue #deeper", None),
        ("a#deep", "a#deep", None),
        ("#fastest way", "#fastest way", None),
        ("", "", None),
    ],
)
def test_a_tag_is_split_off(instruction: str, text: str, tier: Tier | None) -> None:
    """At both ends only; otherwise the instruction stays as it is.

    Many tags take no longer than other words: the quadratic time of an instruction of
    the longest size would exceed the time limit of the test.
    """
    assert split_tier(instruction) == (text, tier)
