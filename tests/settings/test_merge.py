"""Later sources win setting by setting, and a bad value spoils only itself."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.settings.flatten import flatten
from redline.settings.leaves import model_leaves, sections
from redline.settings.merge import Merged, merge
from redline.settings.source import Source, SourceKind
from redline.settings.tree import KeySource, RoutingSettings, Settings

SPARK = {"api": "responses-http", "url": "https://h/v1", "name": "m"}


def source(kind: SourceKind = "user", /, **values: object) -> Source:
    name = "editor" if kind == "editor" else f"{kind}.toml"
    return Source(kind=kind, name=name, values=flatten(values))


def merged(**values: object) -> Merged:
    return merge([source(**values)])


def problems(result: Merged) -> dict[str, str]:
    return {problem.key: problem.message for problem in result.problems}


def test_without_sources_all_is_default() -> None:
    result = merge([])

    assert result.settings == Settings()
    assert set(result.origins.values()) == {"default"}
    assert result.origins.keys() >= {"edit.apply", "log.file", "trust.workspaces"}


def test_later_sources_win_setting_by_setting() -> None:
    result = merge(
        [
            source("user", edit={"apply": "preview", "on_stop": "keep"}),
            source("workspace", edit={"on_stop": "drop", "rewrite_lines": 5}),
            source("editor", edit={"rewrite_lines": 7}),
        ]
    )

    edit = result.settings.edit
    assert (edit.apply, edit.on_stop, edit.rewrite_lines) == ("preview", "drop", 7)
    assert not result.problems
    assert result.origins["edit.apply"] == "user.toml"
    assert result.origins["edit.on_stop"] == "workspace.toml"
    assert result.origins["edit.rewrite_lines"] == "editor"
    assert result.origins["edit.paints_per_s"] == "default"


def test_a_model_is_put_together_from_several_sources() -> None:
    result = merge(
        [
            source("user", models={"spark": {**SPARK, "key": {"env": "A"}}}),
            source("editor", models={"spark": {"effort": "low"}}),
        ]
    )

    spark = result.settings.models["spark"]
    assert (spark.name, spark.effort, spark.key) == ("m", "low", KeySource(env="A"))
    assert not result.problems
    assert result.origins["models.spark.effort"] == "editor"
    assert result.origins["models.spark.sockets"] == "default"


@pytest.mark.parametrize(
    ("section", "name", "value", "message"),
    [
        ("edit", "apply", "x", "expected one of `end`, `stream`, `preview`"),
        ("edit", "apply", 3, "expected one of `end`, `stream`, `preview`"),
        ("edit", "context_tokens", "9", "expected `int`, got `str`"),
        ("edit", "context_tokens", True, "expected `int`, got `bool`"),
        ("edit", "context_tokens", -1, "expected `int` >= 0"),
        ("limits", "stall_s", 0, "expected `float` > 0.0"),
        ("limits", "stall_s", 1e18, "expected `float` <= 86400.0"),
        ("limits", "stall_s", math.inf, "expected a finite number"),
        ("limits", "stall_s", math.nan, "expected a finite number"),
        ("routing", "fast_below", 2, "expected `float` <= 1.0"),
        ("trust", "workspaces", ["a", 1], "expected `str`, got `int` - at `$[1]`"),
        ("trust", "workspaces", ["/a", "/b\0"], "no value can have a NUL character"),
        ("store", "file", "~nobody-here/x", "there is no user of this name"),
        ("log", "file", "~nobody-here/x", "there is no user of this name"),
        ("store", "file", "/b\0", "no value can have a NUL character"),
        ("edit", "aply", 1, "there is no such setting: did you mean `apply`?"),
        ("edit", "onStop", 1, "there is no such setting: did you mean `on_stop`?"),
        ("edit", "zzz", 1, "there is no such setting"),
    ],
)
def test_a_bad_value_keeps_its_default_and_spoils_nothing_else(
    section: str, name: str, value: object, message: str
) -> None:
    values = {section: {name: value}, "edit.paints_per_s": 5}
    result = merge([source(**values)])

    assert problems(result) == {f"{section}.{name}": message}
    expected = Settings(edit=msgspec.structs.replace(Settings().edit, paints_per_s=5))
    assert result.settings == expected


@pytest.mark.parametrize(
    ("values", "key", "message"),
    [
        ({"edti": {"apply": "end"}}, "edti.apply", "there is no such setting"),
        ({"edti": 1}, "edti", "there is no such setting: did you mean `edit`?"),
        ({"edit": 1}, "edit", "expected a table"),
        ({"models": []}, "models", "expected a table"),
        ({"models": {"spark": 1}}, "models.spark", "expected a table"),
        ({"model": 1}, "model", "there is no such setting: did you mean `models`?"),
    ],
)
def test_an_unknown_place_is_named(
    values: dict[str, object], key: str, message: str
) -> None:
    result = merge([source(**values)])

    assert problems(result) == {key: message}
    assert result.settings == Settings()


def test_each_further_problem_counts_once() -> None:
    """Also one that several settings have, and none that is corrected."""
    wrong: dict[str, object] = {f"apply_{n}": 1 for n in range(20)}
    for n_wrong in range(3):
        values = {**wrong, **{f"more_{n}": 1 for n in range(n_wrong)}}
        result = merge([source(edit=values), source(edit=values)])
        further = [one.message for one in result.problems[20:]]
        text = f"further settings were not used as written: {n_wrong}"
        assert further == [text] * (n_wrong > 0)
    first, second = source(edit={**wrong, "apply": 1}), source(edit={"apply": "end"})
    assert len(merge([first, second]).problems) == 20


@pytest.mark.parametrize(
    "values",
    [
        {"edit": {f"apply_{n}": 1 for n in range(1_000)}},
        {"models": {f"model_{n}": {"url": "x"} for n in range(1_000)}},
    ],
)
def test_of_many_problems_of_a_source_the_first_are_reported(
    values: dict[str, object],
) -> None:
    """Each is a message of the editor, and anybody may have written the file."""
    own = source("editor", edit={"aply": 1})
    for kind in ("workspace", "user"):
        result = merge([source(kind, **values), own])
        assert len(result.problems) == 22
        assert problems(result)["edit.aply"].endswith("did you mean `apply`?")
        assert str(result.problems[-1]).endswith(
            "further settings were not used as written: 980"
        )


def test_a_problem_that_is_corrected_makes_room() -> None:
    many = {f"apply_{n}": 1 for n in range(19)}
    bad, good = {"apply": "x", **many}, {"apply": "end", "apply_19": 1}
    result = merge([source("editor", edit=bad), source("editor", edit=good)])
    assert set(problems(result)) == {f"edit.apply_{n}" for n in range(20)}


def test_a_long_key_is_shortened() -> None:
    (problem,) = merge([source(**{"edit": {"a" * 900_000: 1}})]).problems
    assert len(str(problem)) < 200


def test_a_bad_value_keeps_what_an_earlier_source_said() -> None:
    result = merge(
        [
            source("user", edit={"apply": "preview"}),
            source("editor", edit={"apply": "x"}),
        ]
    )

    assert result.settings.edit.apply == "preview"
    assert [problem.source for problem in result.problems] == ["editor"]


def test_what_the_editor_has_corrected_is_no_problem() -> None:
    result = merge(
        [
            source("editor", edit={"apply": "x"}),
            source("editor", edit={"apply": "preview"}),
        ]
    )

    assert not result.problems
    assert result.settings.edit.apply == "preview"


@pytest.mark.parametrize("missing", ["api", "url", "name"])
def test_a_model_without_what_it_needs_is_left_out(missing: str) -> None:
    spark = {name: value for name, value in SPARK.items() if name != missing}
    result = merged(models={"spark": spark, "other": SPARK})

    assert list(result.settings.models) == ["other"]
    assert problems(result) == {
        "models.spark": f"the model is left out: it needs `{missing}`"
    }


def test_a_bad_needed_value_is_one_problem() -> None:
    result = merged(models={"spark": {**SPARK, "url": 3}})

    assert not result.settings.models
    assert problems(result) == {
        "models.spark.url": "expected `str`, got `int`; the model is left out"
    }


def test_a_model_of_which_everything_is_bad_is_left_out() -> None:
    result = merged(models={"spark": {"sockets": 0}})

    assert not result.settings.models
    assert problems(result)["models.spark"].startswith("the model is left out")


def test_a_bad_optional_value_keeps_the_model() -> None:
    result = merged(models={"spark": {**SPARK, "sockets": 99}})

    assert result.settings.models["spark"].sockets == 2
    assert list(problems(result)) == ["models.spark.sockets"]


def test_a_tier_names_a_configured_model() -> None:
    result = merged(models={"spark": SPARK}, tiers={"fast": "spark", "deep": "sprak"})

    assert result.settings.tiers.fast == "spark"
    assert result.settings.tiers.deep is None
    assert list(problems(result)) == ["tiers.deep"]
    assert "did you mean `spark`?" in problems(result)["tiers.deep"]
    assert result.origins["tiers.deep"] == "default"


@pytest.mark.parametrize("kind", ["user", "editor"])
def test_an_empty_text_stands_for_none(kind: SourceKind) -> None:
    """Where a setting may be absent: an editor has no other value of an empty field."""
    first = source("user", log={"file": "a.log"})
    empty = source(kind, tiers={"fast": ""}, log={"file": ""}, models={"spark": ""})
    result = merge([first, empty])

    assert result.settings.tiers.fast is None
    assert result.settings.log.file is None
    assert list(problems(result)) == ["models.spark"]


SECRET = "sk-proj-hunter2"


@pytest.mark.parametrize(
    "key", [SECRET, {"env": SECRET}, {"env": f"{SECRET}=x"}, {"inline": SECRET}]
)
@pytest.mark.parametrize("kind", ["user", "editor", "trusted workspace"])
def test_a_key_itself_is_refused_and_not_shown(key: object, kind: SourceKind) -> None:
    result = merge([source(kind, models={"spark": {**SPARK, "key": key}})])

    assert result.settings.models["spark"].key is None
    assert list(problems(result)) == ["models.spark.key"]
    assert SECRET not in repr(result)


@pytest.mark.parametrize(
    "key", [{}, {"env": "A", "keyring": "b"}, {"command": "pass openai"}, ["A"], 3]
)
def test_a_key_has_exactly_one_source(key: object) -> None:
    result = merged(models={"spark": {**SPARK, "key": key}})

    assert result.settings.models["spark"].key is None
    assert list(problems(result)) == ["models.spark.key"]


# Who may set what.

EVERYTHING = {
    "models": {"spark": SPARK},
    "tiers": {"fast": "spark"},
    "edit": {"apply": "preview"},
    "limits": {"stall_s": 1},
    "routing": {"fast_below": 0.1},
    "log": {"level": "debug", "file": "/tmp/x.log"},
    "trust": {"workspaces": ["/w"]},
}


def test_the_user_may_set_everything() -> None:
    result = merged(**EVERYTHING)

    assert not result.problems
    assert result.settings.trust.workspaces == ("/w",)


@pytest.mark.parametrize("kind", ["editor", "trusted workspace"])
def test_only_the_user_says_whom_to_trust(kind: SourceKind) -> None:
    result = merge([source(kind, **EVERYTHING)])

    assert list(problems(result)) == ["trust.workspaces"]
    assert result.settings.trust.workspaces == ()
    assert result.settings.tiers.fast == "spark"


def test_an_untrusted_workspace_tunes_behaviour_only() -> None:
    result = merge([source("workspace", **EVERYTHING)])

    settings = result.settings
    assert (settings.models, settings.tiers) == ({}, Settings().tiers)
    assert settings.log.file is None
    assert settings.trust == Settings().trust
    assert settings.edit.apply == "preview"
    assert settings.limits.stall_s == 1
    assert settings.routing.fast_below == 0.1
    assert settings.log.level == "debug"
    assert list(problems(result)) == [
        "models.spark",
        "tiers.fast",
        "log.file",
        "trust.workspaces",
    ]
    assert "trust.workspaces" in problems(result)["models.spark"]


@pytest.mark.parametrize("field", sorted(model_leaves()))
def test_an_untrusted_workspace_cannot_touch_a_configured_model(field: str) -> None:
    user = source("user", models={"spark": SPARK}, tiers={"fast": "spark"})
    theirs = source("workspace", **{f"models.spark.{field}": "http://evil"})

    result = merge([user, theirs])

    assert result.settings == merge([user]).settings
    assert list(problems(result)) == ["models.spark"]


def test_only_who_may_can_want_models() -> None:
    assert source("user", models={"spark": {"url": 3}}).wants_models()
    assert source("editor", tiers={"fast": 3}).wants_models()
    assert not source("workspace", **EVERYTHING).wants_models()
    assert not source("user", edit={"apply": "end"}).wants_models()


_SECTION_NAMES = st.sampled_from([*sections(), "models", "models.a", "x", "edit.x"])
_FIELD_NAMES = st.sampled_from(
    [*(name for names in sections().values() for name in names), *model_leaves(), "y"]
)
_VALUES = st.recursive(
    st.sampled_from([SECRET, 3, -1.5, True, None, math.nan, "end"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["env", "command", "z", "a.b"]), inner),
    ),
    max_leaves=4,
)
_TREES = st.dictionaries(
    _SECTION_NAMES, st.one_of(_VALUES, st.dictionaries(_FIELD_NAMES, _VALUES))
)


@given(tree=_TREES, kind=st.sampled_from(["user", "workspace", "editor"]))
def test_nothing_that_is_written_raises_or_is_quoted(
    tree: dict[str, object], kind: SourceKind
) -> None:
    result = merge([source(kind, **tree)])

    assert SECRET not in repr(result.problems)
    if kind == "workspace":
        assert result.settings.models == {}


BOUNDARIES = {"boundaries": {"money": {"paths": ["ledger/"]}}, "boundaries_off": ["x"]}


@pytest.mark.parametrize("kind", ["user", "trusted workspace", "editor"])
def test_boundaries_are_set_by_those_who_are_trusted(kind: SourceKind) -> None:
    result = merge([source(kind, routing=BOUNDARIES)])

    assert not result.problems
    assert result.settings.routing.boundaries["money"].paths == ("ledger/",)
    assert result.settings.routing.boundaries_off == ("x",)


def test_a_workspace_moves_no_boundary() -> None:
    """It may tune the thresholds beside them."""
    result = merge([source("workspace", routing={"fast_below": 0.3, **BOUNDARIES})])

    assert set(problems(result)) == {"routing.boundaries", "routing.boundaries_off"}
    assert "trust.workspaces" in problems(result)["routing.boundaries"]
    assert result.settings.routing == RoutingSettings(fast_below=0.3)


def test_a_workspace_switches_no_second_opinion_off() -> None:
    """They guard the user's code, too."""
    result = merge([source("workspace", routing={"second_opinions": 0})])

    assert set(problems(result)) == {"routing.second_opinions"}
    assert result.settings.routing == RoutingSettings()


def test_a_boundary_that_is_no_regular_expression_is_refused() -> None:
    result = merged(routing={"boundaries": {"money": {"code": ["pay("]}}})

    assert "not a regular expression" in problems(result)["routing.boundaries"]
    assert result.settings.routing.boundaries == {}
