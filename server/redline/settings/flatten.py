"""Flattens the settings of a file or an editor to single settings.

Editors send nested objects, dotted keys (`"edit.apply"`), or a mixture; files hold
tables. Each setting becomes one path. Model names are the users' own and may contain
dots, so a dotted key below `models` is read from its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from redline.settings.leaves import KeyPath

_KEY_FIELDS = frozenset({"env", "command", "keyring"})


def flatten(values: Mapping[str, object]) -> dict[KeyPath, object]:
    """Turn nested and dotted keys into paths; null values are left out.

    Args:
        values: The whole tree, as decoded from TOML or JSON.

    Returns:
        Values by path, unchecked; a model's `key` is one value, a table.
    """
    flat: dict[KeyPath, object] = {}
    for path, value in _settings(values):
        before = flat.get(path)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            # `key.env` together with `key.command`: keep both, so that they are
            # refused.
            flat[path] = {**before, **value}
        elif value is not None:
            flat[path] = value
    return flat


def _settings(values: Mapping[str, object]) -> Iterator[tuple[KeyPath, object]]:
    for name, value in values.items():
        section, _, rest = name.partition(".")
        if section == "models":
            yield from _below_models(rest, value)
        elif not rest and isinstance(value, Mapping):
            for key, inner in value.items():
                yield (section, *key.split(".")), inner
        else:
            yield tuple(name.split(".")), value


def _below_models(name: str, value: object) -> Iterator[tuple[KeyPath, object]]:
    """Yield the settings below `models`, or below the given name."""
    if not name and isinstance(value, Mapping):
        for label, entry in value.items():
            yield from _below_models(label, entry)
    elif isinstance(value, Mapping) and not _is_key_table(name, value):
        for field, inner in value.items():
            yield _model_setting(name, field, inner)
    elif (label_and_field := name.rpartition("."))[0]:
        yield _from_end(*label_and_field[::2], value)
    else:
        yield (("models", name) if name else ("models",)), value


def _from_end(label: str, field: str, value: object) -> tuple[KeyPath, object]:
    """Return the setting of `spark.url` or `spark.key.env`, cut at its last dot."""
    if field in _KEY_FIELDS and label.endswith(".key"):
        return _model_setting(label.removesuffix(".key"), f"key.{field}", value)
    return _model_setting(label, field, value)


def _model_setting(label: str, field: str, value: object) -> tuple[KeyPath, object]:
    name, _, key_field = field.partition(".")
    if name == "key" and key_field in _KEY_FIELDS:
        return ("models", label, "key"), None if value is None else {key_field: value}
    return ("models", label, field), value


def _is_key_table(name: str, value: Mapping[str, object]) -> bool:
    return name.endswith(".key") and value.keys() <= _KEY_FIELDS
