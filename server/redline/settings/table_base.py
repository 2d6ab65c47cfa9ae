"""The base of the settings' structs."""

from __future__ import annotations

import msgspec


class SettingsTable(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """A table of settings; msgspec does not inherit `kw_only`."""
