"""Loads the settings: reads, merges and checks every source.

Sources, later ones win, setting by setting: the defaults; the user's `config.toml`, or
the file named on the command line; each workspace folder's `redline.toml`, within its
rights; what the editor sent. Nothing that a user writes raises an error here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Self

from msgspec import Struct
from msgspec.structs import replace

from redline.files import Stamp, stamp_of
from redline.settings.flatten import flatten
from redline.settings.merge import merge
from redline.settings.slow_disks import in_time
from redline.settings.source import SettingProblem, Source, SourceKind
from redline.settings.toml_file import FileState, TomlFile, read_toml, unusable
from redline.settings.tree import Settings
from redline.settings.trusted import is_absolute, look_up_trust, remember_trust

WORKSPACE_FILE = "redline.toml"
"""The settings file in the root of a workspace folder."""

EDITOR = "editor"
"""The name of the editor as a source."""

logger = logging.getLogger(__name__)


class SettingsFile(Struct, frozen=True, kw_only=True):
    """A file that may hold settings; it need not exist."""

    path: Path
    role: Literal["user", "workspace"]
    state: FileState
    is_trusted: bool
    """Whether it may set everything that the user's own file may, except trust."""

    @property
    def may_want_models(self) -> bool:
        """Whether it was not read, and might configure models."""
        return self.state == "late" or (self.state == "unusable" and self.is_trusted)


class Loaded(Struct, frozen=True, kw_only=True):
    """The settings in force, with their origins and problems."""

    settings: Settings
    origins: Mapping[str, str]
    """For each dotted key of `settings`: `path:line`, `editor` or `default`."""
    problems: tuple[SettingProblem, ...]
    files: tuple[SettingsFile, ...]
    """In reading order."""
    wants_models: bool
    """Whether any authorized source configures models or tiers, even incorrectly, or
    such a file cannot be read: then no other model is chosen, since code might go where
    the user does not want it."""

    @classmethod
    def unreadable(cls, error: Exception) -> Self:
        """Return the defaults without a model, for settings that raised an error."""
        problem = SettingProblem(
            key="",
            source=EDITOR,
            message=f"the settings could not be read ({type(error).__name__}), so the"
            " defaults apply and no model is used; the log has the error",
        )
        return cls(
            settings=Settings(),
            origins={},
            problems=(problem,),
            files=(),
            wants_models=True,
        )


def user_config_file() -> Path:
    """Return the path of the user's own settings file."""
    # Imported late: not needed with --config, and it takes 20 ms.
    from platformdirs import user_config_path

    return user_config_path("redline") / "config.toml"


def stamps_of_files(
    *, config: Path | None, workspaces: Sequence[Path]
) -> Mapping[Path, Stamp | None]:
    """Return values that change with the files that `load` reads; None: the file is
    missing, or its disk does not answer."""
    files = (config or user_config_file(), *(x / WORKSPACE_FILE for x in workspaces))
    return {path: _stamp(path) for path in files}


def _stamp(path: Path) -> Stamp | None:
    try:
        return in_time(str(path), lambda: stamp_of(path))
    except TimeoutError:
        return None


def load(
    *,
    config: Path | None = None,
    workspaces: Sequence[Path] = (),
    editor: Sequence[object] = (),
) -> Loaded:
    """Read and merge all settings. Never raises.

    Args:
        config: A file to read instead of the user's `config.toml`.
        workspaces: The roots of the workspace folders.
        editor: What the editor sent, decoded from JSON, oldest first.
    """
    try:
        return _load(config, workspaces, editor)
    except Exception as error:
        logger.exception("the settings could not be read")
        return Loaded.unreadable(error)


def _load(
    config: Path | None, workspaces: Sequence[Path], editor: Sequence[object]
) -> Loaded:
    own = config or user_config_file()
    user = _in_time(own, lambda: read_toml(own))
    if config is not None and user.state == "absent":
        user = _missing(user)
    trusted, trust_problems = _trusted_folders(user)
    files, sources = [_settings_file(user, "user")], [_source(user, "user")]
    problems = [*trust_problems]
    for root in workspaces:
        kind, file = _workspace_file(root, trusted)
        if kind == "workspace" and len(workspaces) > 1:
            file = _left_out(file)
        files.append(_settings_file(file, kind))
        sources.append(_source(file, kind))
        problems += [file.problem] if file.problem else []
    for sent in editor:
        if isinstance(sent, Mapping):
            sources.append(_editor_source(sent))
        elif sent is not None:
            problems.append(_not_an_object())
    merged = merge(sources)
    for root, found in zip(workspaces, files[1:], strict=True):
        if found.state != "late":
            remember_trust(root, merged.settings.trust.workspaces)
    return Loaded(
        settings=merged.settings,
        origins=merged.origins,
        problems=(*problems, *merged.problems),
        files=tuple(files),
        wants_models=any(source.wants_models() for source in sources)
        or any(file.may_want_models for file in files),
    )


def _workspace_file(root: Path, trusted: Sequence[str]) -> tuple[SourceKind, TomlFile]:
    """Read the settings of a workspace folder, and say which rights they have."""
    path = root / WORKSPACE_FILE
    kinds: list[SourceKind] = []

    def read() -> TomlFile:
        is_trusted = look_up_trust(root, trusted)
        kinds.append("trusted workspace" if is_trusted else "workspace")
        return read_toml(path, roots=(root,))

    file = _in_time(path, read)
    return kinds[0] if kinds else "workspace", file


def _in_time(path: Path, read: Callable[[], TomlFile]) -> TomlFile:
    try:
        return in_time(str(path), read)
    except TimeoutError:
        return replace(unusable(path, "its disk does not answer"), state="late")


def _left_out(file: TomlFile) -> TomlFile:
    """Leave out a stranger's settings, which would count for all folders."""
    if file.state == "absent":
        return file
    problem = SettingProblem(
        key="",
        source=str(file.path),
        message="these settings are not used while other folders are open, because"
        " they would apply there, too; to use them, list the folder in"
        " `trust.workspaces` of your own settings",
    )
    return replace(file, values={}, problem=problem)


def _missing(file: TomlFile) -> TomlFile:
    """Return a file that was named and does not exist as unusable."""
    problem = SettingProblem(
        key="", source=str(file.path), message="this settings file does not exist"
    )
    return replace(file, state="unusable", problem=problem)


def _source(file: TomlFile, kind: SourceKind) -> Source:
    return Source(
        kind=kind, name=str(file.path), values=flatten(file.values), lines=file.lines
    )


def _settings_file(file: TomlFile, kind: SourceKind) -> SettingsFile:
    return SettingsFile(
        path=file.path,
        role="user" if kind == "user" else "workspace",
        state=file.state,
        is_trusted=kind != "workspace",
    )


def _editor_source(sent: Mapping[str, object]) -> Source:
    # Some editors send the section under its name, some only its contents.
    section = sent.get("redline")
    values = section if isinstance(section, Mapping) else sent
    return Source(kind="editor", name=EDITOR, values=flatten(values))


def _not_an_object() -> SettingProblem:
    return SettingProblem(
        key="", source=EDITOR, message="expected an object with settings"
    )


def _trusted_folders(user: TomlFile) -> tuple[list[str], list[SettingProblem]]:
    """Read the user's trust list, which decides what else is read.

    Returns:
        The entries, and the problems: the file's own, and relative entries, which
        would depend on the server's working directory.
    """
    problems = [user.problem] if user.problem else []
    source = _source(user, "user")
    folders = []
    for folder in merge([source]).settings.trust.workspaces:
        if (why := _why_not_trusted(folder)) is None:
            folders.append(folder)
            continue
        problems.append(
            SettingProblem(
                key="trust.workspaces",
                source=source.name,
                message=f"`{folder}` {why}: it is not trusted",
                line=source.line_of("trust.workspaces"),
            )
        )
    return folders, problems


def _why_not_trusted(entry: str) -> str | None:
    if not is_absolute(entry):
        return "is not an absolute path"
    try:
        in_time(entry, lambda: look_up_trust(Path(entry), [entry]))
    except TimeoutError:
        return "is on a disk that does not answer"
    return None
