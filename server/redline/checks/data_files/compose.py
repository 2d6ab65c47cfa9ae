"""Services, volumes and networks that a Compose file uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.data_files.named_use import NamedUse
from redline.checks.data_files.yaml_entries import YamlEntry, yaml_entries

_SECTIONS = ("services", "volumes", "networks", "secrets", "configs")
_VOLUME = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*+):/")
_CONDITIONS = frozenset(
    {"service_started", "service_healthy", "service_completed_successfully"}
)


def compose_uses(text: str) -> Iterator[NamedUse]:
    """Yield the uses in a file whose services all say what they run."""
    entries = yaml_entries(text)
    if any(one.path == () and one.key == "include" for one in entries):
        return
    names = {
        section: {one.key for one in entries if one.path == (section,)}
        for section in _SECTIONS
    }
    running = {
        one.path[1]
        for one in entries
        if len(one.path) == 2 and one.key in ("image", "build")
    }
    if not names["services"] or names["services"] - running:
        return
    names["networks"] |= {"default"}
    for one in entries:
        yield from _uses(one, names)


def _uses(one: YamlEntry, names: dict[str, set[str]]) -> Iterator[NamedUse]:
    match one.path:
        case ["services", _] if one.key in ("depends_on", "networks"):
            section = "services" if one.key == "depends_on" else "networks"
            if one.value:
                yield from _named(one, section, names, one.values)
        case ["services", _, ("depends_on" | "networks") as field, *rest]:
            section = "services" if field == "depends_on" else "networks"
            if not rest:
                yield from _named(one, section, names, [one.key])
            elif rest[0].startswith("-") and not one.key:
                yield from _named(one, section, names, one.values)
            elif one.key == "condition" and field == "depends_on":
                yield _condition(one)
        case ["services", _, "volumes", _] if not one.key:
            found = _VOLUME.match(one.value.strip("\"'"))
            if found:
                yield from _named(one, "volumes", names, [found["name"]])


def _named(
    one: YamlEntry, section: str, names: dict[str, set[str]], used: list[str]
) -> Iterator[NamedUse]:
    for name in used:
        if "$" not in name:
            yield NamedUse(
                name=f"{section} {name}",
                line=one.line,
                is_known=name in names[section],
                message=f"`{section}` has no `{name}`.",
            )


def _condition(one: YamlEntry) -> NamedUse:
    return NamedUse(
        name=f"condition {one.value}",
        line=one.line,
        is_known=one.value in _CONDITIONS or "$" in one.value,
        message=f"`depends_on` has no condition `{one.value}`.",
    )
