"""Checks for `redline doctor` whether usage can be stored."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from redline.errors import StoreError
from redline.settings.tree import StoreSettings
from redline.store.database import file_of, probe_file


class UsageFileReport(Struct, frozen=True, kw_only=True):
    """The state of the usage file."""

    path: str
    """The file, or the one that will be created."""
    state: Literal["writable", "new", "not writable", "off"]
    """`new`: it can be created; `off`: disabled by the settings."""
    note: str
    """The problem, or why another file is used; empty: none."""


def check_usage_file(settings: StoreSettings) -> UsageFileReport:
    """Check the file that the settings name."""
    path = file_of(settings)
    if not settings.enabled:
        return UsageFileReport(path=str(path), state="off", note="")
    try:
        probed = probe_file(path)
    except StoreError as error:
        return UsageFileReport(path=str(path), state="not writable", note=str(error))
    return UsageFileReport(
        path=str(probed.path),
        state="writable" if probed.is_there else "new",
        note=" ".join(f"{why} It is left as it is." for why in probed.skipped),
    )
