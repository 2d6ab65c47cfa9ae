"""Checks for `redline doctor` the file in which usage, reviews and plans are stored."""

from __future__ import annotations

from contextlib import closing
from os.path import realpath
from typing import Literal

from msgspec import Struct

from redline.errors import StoreError
from redline.settings.tree import StoreSettings
from redline.store.database import file_of, open_for_reading, probe_file, translated
from redline.store.review_rows import RowReader, read_n_unfinished


class UsageFileReport(Struct, frozen=True, kw_only=True):
    path: str
    """The file, or the one that will be created."""
    state: Literal["writable", "new", "not writable", "off"]
    """`new`: it can be created; `off`: disabled by the settings."""
    note: str
    """The problem, or why another file is used, or what the default file holds; empty:
    none."""


def check_usage_file(settings: StoreSettings) -> UsageFileReport:
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
        note=" ".join(
            [
                *(f"{why} It is left as it is." for why in probed.skipped),
                *_left_in_default(settings),
            ]
        ),
    )


def _left_in_default(settings: StoreSettings) -> list[str]:
    """Name the default file if another one is used, and it has work to go on with."""
    default = file_of(StoreSettings())
    # `Path.resolve` raises an error for a link to itself.
    if realpath(file_of(settings)) == realpath(default):
        return []
    try:
        opened = open_for_reading(default)
        with translated(opened.path), closing(opened.connection) as connection:
            n_unfinished = read_n_unfinished(RowReader(connection, lambda: None))
    except StoreError:
        # It is missing, or of another version of Redline.
        return []
    if not (n := sum(n_unfinished.values())):
        return []
    return [
        f"{opened.path} holds reviews or plans that have not ended ({n}). Only a "
        "Redline whose `store.file` names that file, or nothing, goes on with them."
    ]
