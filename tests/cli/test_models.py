"""`redline models` lists what providers offer; the doctor tries what is configured."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from tests.models.formats import FORMATS
from tests.models.plain_server import Act, serving

from redline.cli.doctor.diagnosis import diagnose
from redline.cli.main import main
from redline.cli.reports.offered_models import offers_of_settings, plain_page
from redline.models.offer import MAX_PAGES
from redline.printable import json_page
from redline.settings.load import load

LIST = Act(
    pieces=[
        b'{"data":[{"id":"glm-5","max_model_len":4096},'
        b'{"id":"other","capabilities":{"vision":true,"completion_fim":true}}]}'
    ]
)
NO_INPUT = Act(status=400, pieces=[b'{"error":{"message":"Missing messages."}}'])
CHAT = FORMATS["chat-completions"]


def write(tmp_path: Path, base: str, name: str = "glm-5") -> Path:
    path = tmp_path / "config.toml"
    path.write_text(
        f'[models.m]\nprovider = "vllm"\nurl = "{base}/v1/chat/completions"\n'
        f'name = "{name}"\n'
    )
    return path


async def test_the_list_has_windows_prices_and_abilities(tmp_path: Path) -> None:
    async with serving(LIST) as server:
        loaded = load(config=write(tmp_path, server.base))
        page = plain_page(await offers_of_settings(loaded, {}))
    assert page == (
        f"vllm at {server.base}/v1/chat/completions:\n"
        "  glm-5  4,096 tokens, $1 in, $3.2 out\n"
        "  other  sees images, fills in the middle\n"
    )
    assert server.asked[0].line.startswith("GET /v1/models ")


def page(api: str, number: int, *, is_last: bool) -> Act:
    """Write one page of a list, as a provider writes it."""
    if api == "anthropic":
        more = {"has_more": not is_last, "last_id": f"model {number}&"}
        body = {"data": [{"id": f"model-{number}"}], **more}
    else:
        more = {} if is_last else {"nextPageToken": f"model {number}&"}
        body = {"models": [{"name": f"models/model-{number}"}], **more}
    return Act(pieces=[json.dumps(body).encode()])


def write_paged(tmp_path: Path, base: str, api: str) -> Path:
    path = tmp_path / "config.toml"
    end = "messages" if api == "anthropic" else "v1beta"
    path.write_text(
        f'[models.m]\napi = "{api}"\nurl = "{base}/v1/{end}"\nname = "model-0"\n'
    )
    return path


@pytest.mark.parametrize(
    ("api", "field"), [("anthropic", "after_id"), ("gemini", "pageToken")]
)
async def test_all_pages_of_a_list_are_read(
    tmp_path: Path, api: str, field: str
) -> None:
    acts = [page(api, number, is_last=number == 2) for number in range(3)]
    async with serving(*acts) as server:
        loaded = load(config=write_paged(tmp_path, server.base, api))
        (offer,) = await offers_of_settings(loaded, {})
    assert [row.name for row in offer.models] == ["model-0", "model-1", "model-2"]
    assert not offer.problem
    targets = [urlsplit(each.line.split()[1]) for each in server.asked]
    assert len({target.path for target in targets}) == 1
    queries = [dict(parse_qsl(target.query)) for target in targets]
    assert [query.pop(field, None) for query in queries] == [
        None,
        "model 0&",
        "model 1&",
    ]
    assert queries[1] == queries[2] == queries[0]


async def test_a_list_without_an_end_is_cut(tmp_path: Path) -> None:
    """The models that were read are shown."""
    acts = [page("gemini", number, is_last=False) for number in range(MAX_PAGES + 5)]
    async with serving(*acts) as server:
        loaded = load(config=write_paged(tmp_path, server.base, "gemini"))
        (offer,) = await offers_of_settings(loaded, {})
    assert len(server.asked) == len(offer.models) == MAX_PAGES
    assert "too long to be read to its end" in offer.problem


async def test_a_page_that_comes_again_is_the_last(tmp_path: Path) -> None:
    """From a server that does not know the field of the next page."""
    async with serving(page("anthropic", 0, is_last=False)) as server:
        loaded = load(config=write_paged(tmp_path, server.base, "anthropic"))
        (offer,) = await offers_of_settings(loaded, {})
    assert [row.name for row in offer.models] == ["model-0"]
    assert len(server.asked) == 2


async def test_a_page_that_is_refused_is_reported(tmp_path: Path) -> None:
    acts = [page("gemini", 0, is_last=False), Act(status=500)]
    async with serving(*acts) as server:
        loaded = load(config=write_paged(tmp_path, server.base, "gemini"))
        (offer,) = await offers_of_settings(loaded, {})
    assert "failed" in offer.problem
    assert not offer.models


async def test_two_servers_of_one_kind_are_both_asked(tmp_path: Path) -> None:
    async with serving(LIST) as server, serving(LIST) as other:
        path = write(tmp_path, server.base)
        second = write(tmp_path, other.base).read_text().replace("models.m", "models.n")
        path.write_text(write(tmp_path, server.base).read_text() + second)
        offers = await offers_of_settings(load(config=path), {})
    assert [offer.place for offer in offers] == [
        f"vllm at {base}/v1/chat/completions" for base in (server.base, other.base)
    ]


async def test_the_names_of_a_hostile_server_hold_no_key_and_are_one_line(
    tmp_path: Path,
) -> None:
    """In the JSON, too; a name of any length is not shown."""
    key = "sk-hostile-0123456789abcdef"
    names = [key, f"x{key}", "two\nlines", "\x1b[2Jred", "n" * 1_000, "glm-5"]
    body = json.dumps({"data": [{"id": name} for name in names]}).encode()
    async with serving(Act(pieces=[body])) as server:
        config = write(tmp_path, server.base)
        config.write_text(config.read_text() + 'key = { env = "HOSTILE" }\n')
        offers = await offers_of_settings(load(config=config), {"HOSTILE": key})
    for page in (plain_page(offers), json_page(offers)):
        assert "hostile" not in page
        assert "nnnn" not in page
        assert "two lines" in page
        assert "[redacted]" in page
        assert "\x1b" not in page
        assert "glm-5" in page


async def test_a_provider_that_refuses_is_reported(tmp_path: Path) -> None:
    async with serving(Act(status=401)) as server:
        loaded = load(config=write(tmp_path, server.base))
        (offer,) = await offers_of_settings(loaded, {})
    assert "m (glm-5 at vLLM) refused the key" in offer.problem


def test_a_missing_key_and_a_wrong_name_are_explained(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["models", "--provider", "groq", "--json"]) == 1
    (offer,) = json.loads(capsys.readouterr().out)
    assert "GROQ_API_KEY" in offer["problem"]
    assert main(["models", "--provider", "minimax"]) == 1
    assert "no list of models" in capsys.readouterr().out
    assert main(["models", "--provider", "grok"]) != 0
    assert "Name one of openai, anthropic" in capsys.readouterr().err


async def test_the_doctor_sends_one_real_request_if_asked(tmp_path: Path) -> None:
    acts = (LIST, NO_INPUT, Act(pieces=CHAT.answer))
    async with serving(*acts) as server:
        config = write(tmp_path, server.base)
        report = await diagnose(
            config=config, workspace=tmp_path, environ={}, tries=True
        )
    (model,) = report.models
    assert model.tried.startswith("completed: first text after ")
    assert model.untried == ()
    assert (model.provider, model.input_price) == ("vLLM", 1.0)
    assert {"stream", "stop", "schema", "cache"} <= set(model.can)
    assert len(server.asked) == 3
    assert json.loads(server.asked[2].body)["messages"][-1]["content"] == "Say ready."


async def test_a_trial_that_fails_is_a_problem(tmp_path: Path) -> None:
    acts = (LIST, NO_INPUT, Act(status=500))
    async with serving(*acts) as server:
        config = write(tmp_path, server.base, "other")
        report = await diagnose(
            config=config, workspace=tmp_path, environ={}, tries=True
        )
    assert "m (other at vLLM) failed" in report.problems[-1].message
    assert "32,000 tokens are assumed" in report.models[0].note


async def test_a_key_that_no_model_uses_is_proposed(tmp_path: Path) -> None:
    """For the tiers that its provider is best at."""
    async with serving(LIST, NO_INPUT) as server:
        report = await diagnose(
            config=write(tmp_path, server.base),
            workspace=tmp_path,
            environ={"CEREBRAS_API_KEY": "c", "ANTHROPIC_API_KEY": "a"},
        )
    assert report.advice == (
        "CEREBRAS_API_KEY is set, and no model uses it; it could fill the tier fast "
        '(`provider = "cerebras"`, `name = "gpt-oss-120b"`). '
        "ANTHROPIC_API_KEY is set, and no model uses it; it could fill the tier "
        'standard (`provider = "anthropic"`, `name = "claude-sonnet-5-5"`) and deep '
        '(`provider = "anthropic"`, `name = "claude-opus-5-5"`).'
    )


async def test_a_refused_address_is_shown_without_its_secrets(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        "".join(
            f'[models.{label}]\napi = "chat-completions"\nurl = "{url}"\nname = "n"\n'
            for label, url in {
                "user": "http://me:hunter2@127.0.0.1:1/v1/chat/completions",
                "query": "http://127.0.0.1:1/v1/chat/completions?api_key=hunter2",
                "fragment": "http://127.0.0.1:1/v1/chat/completions#hunter2",
                "key": "sk-proj-hunter2",
            }.items()
        )
    )
    offers = await offers_of_settings(load(config=tmp_path / "config.toml"), {})
    assert len(offers) == 4
    assert "hunter2" not in json_page(offers)
    assert "hunter2" not in plain_page(offers)
