"""The lists of `redline models` as values and as text; see `docs/reference/cli.md`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from redline.cli.reports.shown_values import shown_text
from redline.errors import InvalidArgumentsError, ModelError
from redline.keys_in_use import without_known_keys
from redline.models.discovery import discover
from redline.models.formats.wire_format import OfferedModel
from redline.models.offer import list_offered
from redline.printable import printable, printable_line
from redline.settings.known_models import known_model
from redline.settings.load import Loaded
from redline.settings.providers import PROVIDERS, provider_named
from redline.settings.tree import LimitSettings, ModelSettings

MAX_NAME_CHARS = 256
"""Longest name of a model that is shown; the longest ones are paths of files."""


class ModelRow(Struct, frozen=True, kw_only=True):
    name: str
    context_tokens: int | None
    """None: neither the provider nor the table says."""
    max_output_tokens: int | None
    input_price: float | None
    """US dollars for a million tokens, from the table of known models."""
    output_price: float | None
    sees: bool | None
    fills: bool | None


class ProviderOffer(Struct, frozen=True, kw_only=True):
    place: str
    """The provider's name in the settings, the url, or both."""
    models: tuple[ModelRow, ...] = ()
    problem: str = ""
    """Why there is no list, or not the whole one."""


async def offers_of_settings(
    loaded: Loaded, environ: Mapping[str, str]
) -> Sequence[ProviderOffer]:
    """Ask the servers of all models that are configured or found, each once.

    Raises:
        InvalidArgumentsError: If there is no model.
    """
    settings = (await discover(loaded, environ)).settings
    places: dict[tuple[str | None, str], tuple[str, ModelSettings]] = {}
    for label, model in settings.models.items():
        places.setdefault(_server(model), (label, model))
    if not places:
        raise InvalidArgumentsError(
            "No model is configured or found.",
            remedy="Name a provider with --provider.",
        )
    return await asyncio.gather(
        *(
            _offer(_place(*server), label, model, settings.limits, environ)
            for server, (label, model) in places.items()
        )
    )


async def offers_of_provider(
    name: str, environ: Mapping[str, str]
) -> Sequence[ProviderOffer]:
    """Ask one provider, with its key from the environment.

    Raises:
        InvalidArgumentsError: If there is no such provider.
    """
    provider = provider_named(name)
    if provider is None:
        known = ", ".join(each.id for each in PROVIDERS)
        raise InvalidArgumentsError(
            f"There is no provider {name}.", remedy=f"Name one of {known}."
        )
    settings = provider.settings("-", env=provider.found_env(environ))
    return [await _offer(name, name, settings, LimitSettings(), environ)]


def _server(model: ModelSettings) -> tuple[str | None, str]:
    """Return a model's provider and its address, empty if it is the provider's own."""
    provider = provider_named(model.provider)
    is_usual = provider is not None and model.url in provider.endpoints.values()
    return model.provider, "" if is_usual else model.url


def _place(provider: str | None, url: str) -> str:
    address = shown_text(url)
    return f"{provider} at {address}" if provider and url else provider or address


async def _offer(
    place: str,
    label: str,
    settings: ModelSettings,
    limits: LimitSettings,
    environ: Mapping[str, str],
) -> ProviderOffer:
    try:
        offered = await list_offered(label, settings, limits, environ=environ)
    except ModelError as error:
        return ProviderOffer(place=place, problem=f"{error} {error.remedy}".strip())
    if offered is None or not offered.models:
        return ProviderOffer(place=place, problem="It gives no list of models.")
    rows = [
        _row(model) for model in offered.models if len(model.name) <= MAX_NAME_CHARS
    ]
    problem = "" if offered.is_whole else "The list is too long to be read to its end."
    return ProviderOffer(place=place, models=tuple(rows), problem=problem)


def _row(model: OfferedModel) -> ModelRow:
    known = known_model(model.name)
    return ModelRow(
        # A name is text of the server, which has just been sent the key.
        name=printable_line(without_known_keys(model.name)),
        context_tokens=model.context_tokens
        or (known.context_tokens if known else None),
        max_output_tokens=model.max_output_tokens,
        input_price=known.input_price if known else None,
        output_price=known.output_price if known else None,
        sees=model.sees,
        fills=model.fills,
    )


def plain_page(offers: Sequence[ProviderOffer]) -> str:
    """Return the lists for people, one model a line."""
    lines: list[str] = []
    for offer in offers:
        lines.append(f"{offer.place}:")
        if offer.problem:
            lines.append(f"  {offer.problem}")
        width = max((len(row.name) for row in offer.models), default=0)
        lines += (_line(row, width) for row in offer.models)
    return "".join(f"{printable(line)}\n" for line in lines)


def _line(row: ModelRow, width: int) -> str:
    return f"  {row.name:<{width}}  {', '.join(_facts(row))}".rstrip()


def _facts(row: ModelRow) -> Iterator[str]:
    if row.context_tokens is not None:
        yield f"{row.context_tokens:,} tokens"
    if row.input_price is not None and row.output_price is not None:
        yield f"${row.input_price:g} in, ${row.output_price:g} out"
    if row.sees:
        yield "sees images"
    if row.fills:
        yield "fills in the middle"
