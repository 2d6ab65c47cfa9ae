"""Whether usage can be kept: the part of `redline doctor` that looks at its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from redline.assist.usage.usage_log import file_of
from redline.errors import StoreError
from redline.settings.tree import StoreSettings
from redline.store.probe import probe_file


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageFileReport:
    """Where usage is kept."""

    path: str
    """The file, or the one that will be begun."""
    state: Literal["writable", "new", "not writable", "off"]
    """`new`: it is not there yet, and can be; `off`: the settings say so."""
    note: str
    """What is wrong, or why another file is used; empty: nothing."""


def check_usage_file(settings: StoreSettings) -> UsageFileReport:
    """Look at the file that the settings name."""
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
