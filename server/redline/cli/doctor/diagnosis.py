"""The report of `redline doctor` as values; `docs/reference/cli.md` lists the fields.

Sends each configured model only free requests, unless `--try` asks for a real one.
Keys are read, because a model that
needs one cannot be reached without it, but never stored or shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from redline import __version__
from redline.cli.doctor.gateway_check import UNKNOWN_LIMITS, check_gateway
from redline.cli.doctor.trial import Trial, try_model
from redline.cli.doctor.usage_check import UsageFileReport, check_usage_file
from redline.cli.reports.shown_values import shown, without_keys
from redline.errors import (
    AccessRefusedError,
    AuthenticationError,
    KeyMissingError,
    ModelError,
    ModelRejectedError,
    ModelUnavailableError,
)
from redline.log import default_log_file
from redline.models.build import build_model
from redline.models.discovery import discover
from redline.models.interface import Probe
from redline.models.keys import describe_source
from redline.settings.known_models import SAFE_CONTEXT_TOKENS, known_model
from redline.settings.leaves import model_leaves, sections
from redline.settings.load import Loaded, load
from redline.settings.merge import DEFAULT
from redline.settings.provider_keys import key_source, models_of_keys
from redline.settings.providers import PROVIDERS, TEAM_GATEWAY
from redline.settings.source import SettingProblem
from redline.settings.tiers import OPTIONAL_TIERS, resolve_tiers
from redline.settings.tree import KeySource, ModelSettings, Settings
from redline.wire.gateway_user import GatewayUser

SCHEMA = 1
"""Version of the report's fields; adding a field does not change it."""

NO_MODEL = "none found: the built-in rules engine, which is no model, does the work"
NO_USABLE_MODEL = (
    "none of the configured ones can be used: the built-in rules engine, which is no "
    "model, does the work"
)
RULES_NOTE = "The built-in rules engine stands in."

_REMEDIES: Mapping[type[ModelError], str] = {
    AuthenticationError: "Check that the key that `models.{label}.key` names is valid "
    "for this provider.",
    AccessRefusedError: "Check that the key that `models.{label}.key` names may use "
    "this model, and the path in `models.{label}.url`.",
    ModelUnavailableError: "Check `models.{label}.url`, the network and the proxy.",
    ModelRejectedError: "Check `models.{label}.url` and `models.{label}.name`.",
}

_USAGE_REMEDY = (
    "Edits are not affected; let `store.file` name another file, or set "
    "`store.enabled` to false."
)


class FileReport(Struct, frozen=True, kw_only=True):
    """A settings file, read or not."""

    path: str
    role: str
    """`user` or `workspace`."""
    state: str
    """`read`, `absent` or `unusable`."""
    trusted: bool
    """Whether it is trusted to set models, keys and tiers."""


class SettingReport(Struct, frozen=True, kw_only=True):
    """A setting that differs from its default."""

    key: str
    value: object
    origin: str
    """`path:line`, or the source of discovered models."""


class ModelReport(Struct, frozen=True, kw_only=True):
    """A model, and the result of connecting to it."""

    label: str
    name: str
    api: str
    host: str
    key: str
    """Whether there is a key, and its source; never the key."""
    reachable: bool
    handshake_s: float | None
    """Seconds from dialling to a ready connection."""
    provider: str | None
    """The provider's name for people; None: not in the table."""
    context_tokens: int
    input_price: float | None
    """US dollars for a million tokens; None: unknown."""
    output_price: float | None
    can: tuple[str, ...]
    """What it can do, each in a word."""
    note: str
    """What is assumed of it; may be empty."""
    tried: str
    """How it answered one real request; empty: none was made."""
    untried: tuple[str, ...]
    """What was not tested, each in a few words."""
    gateway: GatewayUser | None
    """The user of a team's gateway; None: it is none, or it does not say."""


class TierReport(Struct, frozen=True, kw_only=True):
    """The model that fills a tier."""

    tier: str
    model: str | None
    """None: no model; for `fast`, `standard` and `deep`, the rules engine."""
    note: str
    """Why another tier's model is used; empty: the tier has its own."""


class ProblemReport(Struct, frozen=True, kw_only=True):
    """A problem that the user should fix."""

    place: str
    """A file with line and key, or `model LABEL`."""
    message: str
    remedy: str
    """What to do; empty if the message says it."""


class Report(Struct, frozen=True, kw_only=True):
    schema: int
    version: str
    models_from: str
    """The source of the models, or why there are none."""
    advice: str
    """How to get a model, if none was found; else empty."""
    log_file: str
    usage_file: UsageFileReport
    files: tuple[FileReport, ...]
    settings: tuple[SettingReport, ...]
    models: tuple[ModelReport, ...]
    tiers: tuple[TierReport, ...]
    problems: tuple[ProblemReport, ...]


async def diagnose(
    *,
    config: Path | None,
    workspace: Path,
    environ: Mapping[str, str],
    editor: Mapping[str, object] | None = None,
    tries: bool = False,
) -> Report:
    """Read the settings, find the models, and connect to each of them once.

    Args:
        config: The file to read instead of the user's own.
        workspace: The folder whose `redline.toml` is read.
        environ: The environment, for keys and proxies.
        editor: The section `redline` of an editor's settings.
        tries: Whether each model is sent one real request.
    """
    loaded = load(config=config, workspaces=[workspace], editor=[editor])
    settings, models_from = await _models(loaded, environ)
    usage_file = check_usage_file(settings.store)
    probed = await _probe_all(settings, environ, tries=tries)
    report = Report(
        schema=SCHEMA,
        version=__version__,
        models_from=models_from,
        advice=_advice(loaded)
        if models_from == NO_MODEL
        else _unused_keys(settings, environ),
        log_file=settings.log.file or str(default_log_file()),
        usage_file=usage_file,
        files=tuple(
            FileReport(
                path=str(file.path),
                role=file.role,
                state=file.state,
                trusted=file.is_trusted,
            )
            for file in loaded.files
        ),
        settings=_changed(settings, loaded.origins, models_from),
        models=tuple(model for model, _ in probed),
        tiers=_tiers(settings),
        problems=(
            *map(_setting_problem, loaded.problems),
            *(problem for _, problem in probed if problem is not None),
            *_usage_problems(usage_file),
        ),
    )
    return msgspec.convert(without_keys(msgspec.to_builtins(report)), Report)


async def _models(loaded: Loaded, environ: Mapping[str, str]) -> tuple[Settings, str]:
    if loaded.settings.models:
        return loaded.settings, "from the settings"
    found = await discover(loaded, environ)
    nothing = NO_USABLE_MODEL if loaded.wants_models else NO_MODEL
    return found.settings, found.origin or nothing


async def _probe_all(
    settings: Settings, environ: Mapping[str, str], *, tries: bool
) -> Sequence[tuple[ModelReport, ProblemReport | None]]:
    probes = (
        _probe(label, model, settings, environ, tries=tries)
        for label, model in settings.models.items()
    )
    return await asyncio.gather(*probes)


async def _probe(
    label: str,
    model: ModelSettings,
    settings: Settings,
    environ: Mapping[str, str],
    *,
    tries: bool,
) -> tuple[ModelReport, ProblemReport | None]:
    built = build_model(label, model, settings.limits, environ=environ)
    trial = Trial()
    try:
        probe = await built.probe()
        if tries and probe.error is None:
            trial = await try_model(built)
    finally:
        await built.aclose()
    known = built.describe()
    gateway = await check_gateway(label, model, probe, settings.limits, environ)
    report = ModelReport(
        label=label,
        name=model.name,
        api=model.api,
        host=known.host,
        key=_key_state(key_source(model, environ), probe, environ),
        reachable=probe.reachable,
        handshake_s=probe.handshake_s,
        provider=known.provider,
        context_tokens=known.context_tokens,
        input_price=known.input_price,
        output_price=known.output_price,
        can=known.can,
        note=_assumption(model),
        tried=trial.said,
        untried=_untried(model, probe, trial, gateway),
        gateway=gateway,
    )
    error = probe.error or trial.error
    return report, None if error is None else _model_problem(label, error)


def _untried(
    model: ModelSettings, probe: Probe, trial: Trial, gateway: GatewayUser | None
) -> tuple[str, ...]:
    untried = () if trial.said else probe.untried
    is_silent = model.provider == TEAM_GATEWAY and gateway is None
    is_usable = probe.reachable and probe.error is None
    return (UNKNOWN_LIMITS, *untried) if is_silent and is_usable else untried


def _assumption(model: ModelSettings) -> str:
    is_safe = model.context_tokens == SAFE_CONTEXT_TOKENS
    if model.provider is None or known_model(model.name) or not is_safe:
        return ""
    return f"its window is not known: {SAFE_CONTEXT_TOKENS:,} tokens are assumed"


def _key_state(
    source: KeySource | None, probe: Probe, environ: Mapping[str, str]
) -> str:
    if source is None:
        return describe_source(source)
    if source.env is not None:
        is_set = bool(environ.get(source.env, "").strip())
        state = "set" if is_set else "missing"
    elif isinstance(probe.error, KeyMissingError):
        state = "missing"
    else:
        # Commands and keyrings are read only when connecting to the model.
        state = "set" if probe.reachable else "not checked"
    return f"{state} ({describe_source(source)})"


def _tiers(settings: Settings) -> tuple[TierReport, ...]:
    reports = []
    for tier, choice in resolve_tiers(settings).items():
        is_empty = choice.label is None and tier not in OPTIONAL_TIERS
        note = RULES_NOTE if is_empty else choice.note
        reports.append(TierReport(tier=tier, model=choice.label, note=note))
    return tuple(reports)


def _advice(loaded: Loaded) -> str:
    keys = ", ".join(provider.env[0] for provider in PROVIDERS if provider.tiers)
    return (
        f"Set one of {keys}; or start Ollama, LM Studio, llama-server, "
        f"vLLM or SGLang; or describe a model in {loaded.files[0].path}."
    )


def _unused_keys(settings: Settings, environ: Mapping[str, str]) -> str:
    """Propose tiers for the keys in the environment that no model uses."""
    found = models_of_keys(environ)
    sources = [key_source(model, environ) for model in settings.models.values()]
    used = {source.env for source in sources if source}
    proposals: dict[str, list[str]] = {}
    for tier, model in (found.models if found else {}).items():
        env = model.key.env if model.key else None
        if env is not None and env not in used:
            proposal = f'`provider = "{model.provider}"`, `name = "{model.name}"`'
            proposals.setdefault(env, []).append(f"{tier} ({proposal})")
    return " ".join(
        f"{env} is set, and no model uses it; it could fill the tier "
        f"{' and '.join(tiers)}."
        for env, tiers in proposals.items()
    )


def _changed(
    settings: Settings, origins: Mapping[str, str], models_from: str
) -> tuple[SettingReport, ...]:
    """List the settings that are not defaults, including discovered models."""
    reports = []
    for key, value, default in _leaves(settings):
        origin = origins.get(key, DEFAULT)
        if origin == DEFAULT and value != default:
            origin = models_from
        if origin != DEFAULT:
            report = SettingReport(key=key, value=shown(value), origin=origin)
            reports.append(report)
    return tuple(reports)


def _leaves(settings: Settings) -> Iterator[tuple[str, object, object]]:
    """Yield every setting: dotted key, value, default."""
    for label, model in settings.models.items():
        for name, leaf in model_leaves().items():
            yield f"models.{label}.{name}", getattr(model, name), leaf.default
    for section, leaves in sections().items():
        for name, leaf in leaves.items():
            value = getattr(getattr(settings, section), name)
            yield f"{section}.{name}", value, leaf.default


def _setting_problem(problem: SettingProblem) -> ProblemReport:
    line = "" if problem.line is None else f":{problem.line}"
    key = f" {problem.key}" if problem.key else ""
    return ProblemReport(
        place=f"{problem.source}{line}{key}", message=problem.message, remedy=""
    )


def _usage_problems(report: UsageFileReport) -> Iterator[ProblemReport]:
    if report.state == "not writable":
        yield ProblemReport(
            place=f"usage file {report.path}", message=report.note, remedy=_USAGE_REMEDY
        )


def _model_problem(label: str, error: ModelError) -> ProblemReport:
    remedy = error.remedy
    if remedy == type(error).remedy:
        # The general remedy refers to this command.
        remedy = _REMEDIES.get(type(error), remedy).format(label=label)
    return ProblemReport(place=f"model {label}", message=str(error), remedy=remedy)
