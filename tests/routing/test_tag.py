"""Tags that name a tier or a model."""

from __future__ import annotations

import pytest

from redline.routing.route import Tier
from redline.routing.tag import Tag, can_be_tag, split_tag, unknown_tag


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
    assert split_tag(instruction) == (text, tier and Tag(tier=tier))


@pytest.mark.parametrize(
    ("instruction", "text", "model"),
    [
        ("simplify it #gpt-5.3", "simplify it", "gpt-5.3"),
        ("#deep simplify it #best", "simplify it", "best"),
        ("#best #gpt-5.3", "", "gpt-5.3"),
        ("name it #best or so", "name it #best or so", None),
        ("see issue #12", "see issue #12", None),
        ("see #bests", "see #bests", None),
    ],
)
def test_a_tag_names_a_model(instruction: str, text: str, model: str | None) -> None:
    """One of the names that are given; any other word is part of the text."""
    names = ("best", "gpt-5.3", "fast")
    assert split_tag(instruction, names) == (text, model and Tag(model=model))


def test_a_tier_is_not_a_model() -> None:
    """A tier's tag means the tier, whatever models are called."""
    assert split_tag("it #fast", ("fast",)) == ("it", Tag(tier="fast"))
    assert [name for name in ("fast", "two words", "", "a") if can_be_tag(name)] == [
        "a"
    ]


@pytest.mark.parametrize(
    ("instruction", "tag"),
    [
        ("simplify it #bets", "#bets"),
        ("#bets simplify it", "#bets"),
        ("fix issue #12", None),
        ("hide #main for now", None),
        ("# a title", None),
        ("", None),
    ],
)
def test_a_tag_that_names_nothing(instruction: str, tag: str | None) -> None:
    """Where a tag would count; not the number of an issue."""
    assert unknown_tag(instruction) == tag
