"""Scripts in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.errors import SettingsError
from redline.gateway.config import GatewayConfig
from redline.gateway.engines.script import (
    Script,
    ScriptReply,
    ScriptRule,
    ServerBehaviour,
    When,
    load_script,
    with_behaviour,
)
from redline.gateway.injected_faults import Cut, Refuse, Say, Stall
from redline.gateway.refusals import Refusal

TOML = """
[server]
lanes = false
upgrades = [{ status = 503, message = "Later." }]

[[rules]]
when = { contains = "rename", nth = 2 }
[rules.reply]
text = "{{target}}"
tokens_per_s = 1000
skip = ["response.created"]
faults = [
  { do = "cut", at = 3 },
  { do = "stall", at = 2, seconds = 0.5 },
  { do = "say", at = 1, text = "x", n_bytes = 10 },
  { do = "refuse", at = 4, error = { code = "c", status = 429, is_flat = true } },
]
"""

DEEP = b"[" * 50_000 + b"]" * 50_000

JSON = '{"otherwise": {"items": ["a", "b"], "on_steer": "pending"}}'


def test_a_toml_script(tmp_path: Path) -> None:
    path = tmp_path / "script.toml"
    path.write_text(TOML)
    assert load_script(path) == Script(
        rules=(
            ScriptRule(
                when=When(contains="rename", nth=2),
                reply=ScriptReply(
                    text="{{target}}",
                    tokens_per_s=1000,
                    skip=frozenset({"response.created"}),
                    faults=(
                        Cut(at=3),
                        Stall(at=2, seconds=0.5),
                        Say(at=1, text="x", n_bytes=10),
                        Refuse(at=4, error=Refusal(code="c", status=429, is_flat=True)),
                    ),
                ),
            ),
        ),
        server=ServerBehaviour(
            lanes=False, upgrades=(Refusal(status=503, message="Later."),)
        ),
    )


def test_a_json_script(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(JSON)
    reply = ScriptReply(items=("a", "b"), on_steer="pending")
    assert load_script(path) == Script(otherwise=reply)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.toml", b"rules = [", "a.toml"),
        ("a.json", b"{", "a.json"),
        pytest.param("a.toml", b"a = " + DEEP, "nested too deeply", id="deep TOML"),
        ("a.json", b"\xff", "a.json"),
        ("a.toml", b"\xff", "a.toml"),
        ("a.json", b'{"rulez": []}', "rulez"),
        ("a.json", b'{"otherwise": {"faults": [{"do": "explode"}]}}', "explode"),
        ("a.json", b'{"otherwise": {"faults": [{"do": "cut", "att": 3}]}}', "att"),
    ],
)
def test_a_script_that_does_not_fit(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=said):
        load_script(path)


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml"):
        load_script(tmp_path / "nowhere.toml")


def test_what_a_script_says_about_the_server() -> None:
    config = GatewayConfig(token="t", max_age_s=5.0, requests_per_minute=7)
    assert with_behaviour(config, ServerBehaviour()) == config
    manners = ServerBehaviour(
        lanes=False, steering=False, max_age_s=1.0, requests_per_minute=2
    )
    changed = with_behaviour(config, manners)
    assert (changed.has_lanes, changed.can_steer) == (False, False)
    assert (changed.max_age_s, changed.requests_per_minute) == (1.0, 2)


def test_a_token_is_never_shown() -> None:
    assert "secret" not in repr(GatewayConfig(token="secret"))
