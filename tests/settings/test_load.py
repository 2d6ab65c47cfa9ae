"""The settings in force come from real files and the editor, in their order."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from redline.settings import slow_disks
from redline.settings.edit_settings import EditSettings
from redline.settings.load import Loaded, load, user_config_file
from redline.settings.slow_disks import late_read
from redline.settings.tree import Settings
from redline.settings.trusted import is_trusted

SPARK = """
[models.spark]
api = "responses-http"
url = "https://h/v1"
name = "m"
"""

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file below the test's folder and return its path."""

    def write_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write_file


def problem_keys(loaded: Loaded) -> list[str]:
    return [problem.key for problem in loaded.problems]


def test_the_users_file_lies_where_the_system_keeps_such_files(
    monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    path = write("redline/config.toml", "edit.apply = 'preview'")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(path.parent.parent))

    assert user_config_file() == path
    assert load().settings.edit.apply == "preview"


def test_no_file_is_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    loaded = load(workspaces=[tmp_path])

    assert loaded.settings == Settings()
    assert not loaded.problems
    assert [(file.role, file.state) for file in loaded.files] == [
        ("user", "absent"),
        ("workspace", "absent"),
    ]
    assert not loaded.wants_models


def test_a_file_that_was_named_must_exist(tmp_path: Path) -> None:
    loaded = load(config=tmp_path / "mine.toml")

    assert "does not exist" in str(loaded.problems[0])
    assert loaded.wants_models


def test_workspaces_win_over_the_user_and_the_editor_over_all(write: Write) -> None:
    config = write("c.toml", "[edit]\napply='preview'\non_stop='keep'\n")
    config.write_text(
        f"{config.read_text()}[trust]\nworkspaces=['{config.parent.as_posix()}']\n"
    )
    first = write("a/redline.toml", "[edit]\nrewrite_lines=1\npaints_per_s=1\n")
    second = write("b/redline.toml", "[edit]\nrewrite_lines=2\n")

    loaded = load(
        config=config,
        workspaces=[first.parent, second.parent],
        editor=[{"edit": {"on_stop": "drop"}}, None, {"edit.paints_per_s": 9}],
    )

    edit = loaded.settings.edit
    assert not loaded.problems
    assert (edit.apply, edit.on_stop) == ("preview", "drop")
    assert (edit.rewrite_lines, edit.paints_per_s) == (2, 9)
    assert loaded.origins["edit.apply"] == f"{config}:2"
    assert loaded.origins["edit.rewrite_lines"] == f"{second}:2"
    assert loaded.origins["edit.on_stop"] == "editor"


def test_a_stranger_has_no_say_in_other_folders(write: Write) -> None:
    """With several folders only trusted files count; each other one is reported."""
    stranger = write("a/redline.toml", "[edit]\ncandidates=9\n")
    own = write("b/redline.toml", "[edit]\nrewrite_lines=2\n")
    trust = f"[trust]\nworkspaces=['{own.parent.as_posix()}']\n"
    config = write("c.toml", trust)
    alone = load(config=config, workspaces=[stranger.parent])
    assert alone.settings.edit.candidates == 9

    empty = config.parent / "empty"
    for workspaces in ([stranger, own], [own, stranger], [stranger, empty / "x"]):
        folders = [each.parent for each in workspaces]
        loaded = load(config=config, workspaces=folders)
        assert loaded.settings.edit.candidates == EditSettings().candidates
        is_own = loaded.settings.edit.rewrite_lines == 2
        assert is_own == (own in workspaces)
        (problem,) = loaded.problems
        assert problem.source == str(stranger)
        assert "while other folders are open" in problem.message
        assert stranger in [file.path for file in loaded.files]


@pytest.mark.parametrize("sent", [{"redline": {"edit": {"apply": "preview"}}}])
def test_an_editor_may_name_the_section(sent: object, write: Write) -> None:
    loaded = load(config=write("c.toml", ""), editor=[sent])

    assert loaded.settings.edit.apply == "preview"
    assert not loaded.problems


@pytest.mark.parametrize("sent", [3, "x", ["edit"], True])
def test_an_editor_that_sends_no_object_is_a_problem(
    sent: object, write: Write
) -> None:
    loaded = load(config=write("c.toml", ""), editor=[sent])

    assert loaded.settings == Settings()
    assert [problem.source for problem in loaded.problems] == ["editor"]


def test_a_problem_names_its_file_and_line(write: Write) -> None:
    config = write("c.toml", "[edit]\n\napply = 'x'\n")

    (problem,) = load(config=config).problems

    assert str(problem) == (
        f"{config}:3: edit.apply: expected one of `end`, `stream`, `preview`"
    )


def test_a_file_that_does_not_parse_leaves_the_other_sources(write: Write) -> None:
    config = write("c.toml", "[edit\n")
    workspace = write("w/redline.toml", "edit.apply = 'preview'")

    loaded = load(config=config, workspaces=[workspace.parent])

    assert loaded.settings.edit.apply == "preview"
    assert [problem.line for problem in loaded.problems] == [1]


# Trust.


@pytest.mark.parametrize(
    ("listed", "is_trusted"),
    [
        ("{root}/w", True),
        ("{root}", True),
        ("{root}/w/..", True),
        ("{root}/link", True),
        ("{root}/w/sub", False),
        ("{root}/wider", False),
        ("{root}/other", False),
        ("w", False),
        ("~nobody-by-this-name/w", False),
        ("", False),
    ],
)
def test_a_workspace_sets_models_only_when_the_user_trusts_it(
    listed: str, is_trusted: bool, write: Write, tmp_path: Path
) -> None:
    listed = listed.format(root=tmp_path)
    config = write("c.toml", f"trust.workspaces = ['{listed}']")
    workspace = write("w/redline.toml", SPARK).parent
    (tmp_path / "link").symlink_to(workspace)

    loaded = load(config=config, workspaces=[workspace])

    assert list(loaded.settings.models) == (["spark"] if is_trusted else [])
    assert loaded.files[1].is_trusted == is_trusted
    assert loaded.wants_models == is_trusted
    assert ("models.spark" in problem_keys(loaded)) == (not is_trusted)


def test_who_trusts_a_workspace_is_found_when_the_settings_are_read(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when it is asked: that is on the event loop, and a disk may be slow."""
    config = write("c.toml", f"trust.workspaces = ['{tmp_path}/link']")
    good, other = tmp_path / "good", tmp_path / "other"
    for folder in (good, other):
        folder.mkdir()
    link = tmp_path / "link"
    for folder in (good, other):
        link.unlink(missing_ok=True)
        link.symlink_to(folder)
        loaded = load(config=config, workspaces=[good, other])
        with monkeypatch.context() as patched:
            patched.setattr(os.path, "realpath", _looks_at_a_disk)
            entries = loaded.settings.trust.workspaces
            assert is_trusted(good, entries) == (folder == good)
            assert is_trusted(other, entries) == (folder == other)


def _looks_at_a_disk(path: object) -> NoReturn:
    raise AssertionError(path)


def test_a_workspace_cannot_be_trusted_through_a_link_to_elsewhere(
    write: Write, tmp_path: Path
) -> None:
    config = write("c.toml", f"trust.workspaces = ['{tmp_path}/good']")
    evil = write("evil/redline.toml", SPARK).parent
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "w").symlink_to(evil)

    loaded = load(config=config, workspaces=[tmp_path / "good" / "w"])

    assert loaded.settings.models == {}


@pytest.mark.parametrize("entry", ["w", r"/a\u0000b", r"~a\u0000b/c"])
def test_a_trust_entry_that_is_no_path_is_a_problem(write: Write, entry: str) -> None:
    config = write("c.toml", f'\ntrust.workspaces = ["{entry}"]')

    loaded = load(config=config, workspaces=[config.parent])
    (problem,) = loaded.problems

    assert (problem.key, problem.line) == ("trust.workspaces", 2)


def test_folders_that_are_loops_of_links(write: Write, tmp_path: Path) -> None:
    """They are reported, and the user's settings are in force."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    config = write("c.toml", f"trust.workspaces = ['{loop}']" + SPARK)

    loaded = load(config=config, workspaces=[loop, loop / "in"])

    assert list(loaded.settings.models) == ["spark"]
    assert len(loaded.problems) == 2


def test_an_error_in_reading_is_a_problem_and_no_model_is_chosen() -> None:
    loaded = load(workspaces=[Path("/a\0")])

    assert loaded.settings == Settings()
    assert loaded.wants_models
    (problem,) = loaded.problems
    assert "could not be read (ValueError)" in str(problem)


def test_nobody_is_trusted_by_a_workspace_or_an_editor(write: Write) -> None:
    config = write("c.toml", "")
    workspace = write("w/redline.toml", "trust.workspaces = ['/']" + SPARK)

    loaded = load(
        config=config,
        workspaces=[workspace.parent],
        editor=[{"trust": {"workspaces": ["/"]}}],
    )

    assert loaded.settings == Settings()


# Whether models were asked for.


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("", False),
        ("edit.apply = 'end'", False),
        (SPARK, True),
        ("[models.spark]\nurl = 3", True),
        ("tiers.fast = 'none'", True),
        ("[models", True),
    ],
)
def test_a_broken_configuration_still_asks_for_its_models(
    text: str, wants: bool, write: Write
) -> None:
    assert load(config=write("c.toml", text)).wants_models == wants


def test_an_untrusted_workspace_does_not_ask_for_models(write: Write) -> None:
    config = write("c.toml", "")

    for text in (SPARK, "[models"):
        workspace = write("w/redline.toml", text).parent
        assert not load(config=config, workspaces=[workspace]).wants_models


def test_loading_is_light_to_import() -> None:
    heavy = {"asyncio", "httpx", "websockets", "lsprotocol", "platformdirs", "difflib"}
    code = "import sys, redline.settings.load; print(*sys.modules)"

    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert not heavy & set(process.stdout.split())


class _DeadDisk:
    """A disk that answers once `answers` is set."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers = threading.Event()
        real = os.path.realpath

        def look(path: Any, **keywords: Any) -> Any:
            if str(folder) in str(path):
                self.answers.wait()
            return real(path, **keywords)

        monkeypatch.setattr(slow_disks, "READ_S", 0.05)
        monkeypatch.setattr(os.path, "realpath", look)


def test_a_disk_that_does_not_answer_leaves_the_other_settings(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = write("own/config.toml", "edit.apply = 'preview'")
    folder = write("mounted/redline.toml", "edit.apply = 'end'").parent
    disk = _DeadDisk(folder, monkeypatch)

    def load_all() -> Loaded:
        sent = {"edit": {"candidates": 2}}
        return load(config=own, workspaces=[folder], editor=[sent])

    loaded = load_all()
    n_threads = threading.active_count()
    assert loaded.settings.edit.apply == "preview"
    assert loaded.settings.edit.candidates == 2
    assert loaded.files[-1].state == "late"
    assert loaded.wants_models
    (problem,) = loaded.problems
    assert problem.message.endswith("its disk does not answer")
    # No thread is begun beside the one that waits.
    assert load_all() == loaded
    assert threading.active_count() == n_threads
    late = late_read(str(folder / "redline.toml"))
    assert late is not None
    disk.answers.set()
    late.result()
    assert load_all().settings.edit.apply == "end"


def test_a_trusted_folder_whose_disk_does_not_answer_delays_no_other(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mounted, folder = tmp_path / "mounted", tmp_path / "project"
    write("project/redline.toml", "edit.apply = 'preview'")
    trusted = f"trust.workspaces = ['{mounted}', '{folder}']"
    own = write("own/config.toml", trusted)
    disk = _DeadDisk(mounted, monkeypatch)
    loaded = load(config=own, workspaces=[folder])
    assert loaded.files[-1].is_trusted
    (problem,) = loaded.problems
    assert problem.message.endswith("a disk that does not answer: it is not trusted")
    assert not is_trusted(mounted.parent / "b", loaded.settings.trust.workspaces)
    late = late_read(str(mounted))
    assert late is not None
    disk.answers.set()
    late.result()
    assert not load(config=own, workspaces=[folder]).problems
