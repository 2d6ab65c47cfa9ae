"""Where modules are looked for, and what is seen of changes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.folders import OpenFiles
from redline.checks.python.module_files import Absence, Module
from redline.checks.python.search_path import absolute_path

SITE = "lib/python3.12/site-packages"
INSTALLED = {
    f"{SITE}/web.py": "",
    f"{SITE}/web-1.0.dist-info/METADATA": "",
}
VENV = {"pyvenv.cfg": "home = /nowhere/bin\n", **INSTALLED}


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def find(
    environment: PythonEnvironment, name: str, *, path: str = "main.py"
) -> Module | Absence:
    with environment.seen_from(path) as surroundings:
        return surroundings.find(name)


def is_found(
    environment: PythonEnvironment, name: str, *, path: str = "main.py"
) -> bool:
    return isinstance(find(environment, name, path=path), Module)


@pytest.mark.parametrize("name", [".venv", "venv", "env", ".env"])
def test_an_environment_in_the_workspace(tmp_path: Path, name: str) -> None:
    """By the names that editors look for."""
    write(tmp_path / name, VENV)
    environment = PythonEnvironment([tmp_path])
    assert is_found(environment, "web")
    assert find(environment, "wobble") is Absence.MISSING


def test_a_folder_of_that_name_need_not_be_one(tmp_path: Path) -> None:
    """Without `pyvenv.cfg` it is a folder like others."""
    write(tmp_path / "env", INSTALLED)
    assert find(PythonEnvironment([tmp_path]), "wobble") is Absence.UNKNOWN


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_an_active_environment(tmp_path: Path, variable: str) -> None:
    """As the editor was started in it."""
    outside, workspace = tmp_path / "outside", tmp_path / "workspace"
    write(workspace, {"main.py": ""})
    files = VENV if variable == "VIRTUAL_ENV" else INSTALLED
    write(outside, {**files, "conda-meta/history": ""})
    environment = PythonEnvironment([workspace], variables={variable: str(outside)})
    assert is_found(environment, "web")
    gone = {variable: str(tmp_path / "gone")}
    none = PythonEnvironment([workspace], variables=gone)
    assert find(none, "web") is Absence.UNKNOWN


@pytest.mark.parametrize("place", ["", "bin/python", "Scripts/python.exe"])
def test_a_chosen_environment(tmp_path: Path, place: str) -> None:
    """By its folder or its interpreter; it wins over others."""
    write(tmp_path / "chosen", VENV)
    write(tmp_path / ".venv", {"pyvenv.cfg": "", f"{SITE}/other.py": ""})
    environment = PythonEnvironment([tmp_path], configured=tmp_path / "chosen" / place)
    assert is_found(environment, "web")
    assert find(environment, "other") is Absence.MISSING


def test_the_nearest_environment(tmp_path: Path) -> None:
    """Each project of a workspace may have its own."""
    write(tmp_path / ".venv", VENV)
    write(tmp_path / "inner" / ".venv", VENV | {f"{SITE}/near.py": ""})
    environment = PythonEnvironment([tmp_path])
    assert is_found(environment, "near", path="inner/main.py")
    assert find(environment, "near") is Absence.MISSING


def test_the_layout_of_windows(tmp_path: Path) -> None:
    """`Lib` holds both the library and what is installed."""
    files = {name.replace("lib/python3.12", "Lib"): "" for name in INSTALLED}
    write(tmp_path / ".venv", {"pyvenv.cfg": f"home = {tmp_path / 'base'}\n", **files})
    write(tmp_path / "base", {"Lib/os.py": "", "Lib/json/__init__.py": ""})
    environment = PythonEnvironment([tmp_path])
    assert is_found(environment, "web")
    assert find(environment, "json.wobble") is Absence.MISSING


@pytest.mark.parametrize("installed", [(), ("pip-24.0", "setuptools-1", "wheel-1")])
def test_an_empty_environment_says_nothing(
    tmp_path: Path, installed: tuple[str, ...]
) -> None:
    """What the project needs is not installed yet."""
    files = {f"{SITE}/{name}.dist-info/METADATA": "" for name in installed}
    write(tmp_path / ".venv", {"pyvenv.cfg": "", f"{SITE}/pip.py": "", **files})
    assert find(PythonEnvironment([tmp_path]), "wobble") is Absence.UNKNOWN


def test_without_site_packages_there_is_none(tmp_path: Path) -> None:
    """A broken environment is as good as none."""
    write(tmp_path / ".venv", {"pyvenv.cfg": ""})
    assert find(PythonEnvironment([tmp_path]), "wobble") is Absence.UNKNOWN


def test_system_packages(tmp_path: Path) -> None:
    """An environment may see those of the interpreter it was made from."""
    base = tmp_path / "base"
    write(base, {
        "lib/python3.12/os.py": "",
        "lib/python3.12/site-packages/of_base.py": "",
        "lib/python3/dist-packages/of_debian.py": "",
    })  # fmt: skip
    config = f"home = {base / 'bin'}\ninclude-system-site-packages = "
    write(tmp_path / ".venv", VENV | {"pyvenv.cfg": config + "true\n"})
    environment = PythonEnvironment([tmp_path])
    assert is_found(environment, "of_base")
    assert is_found(environment, "of_debian")
    write(tmp_path / ".venv", {"pyvenv.cfg": config + "false\n"})
    # Both are in the workspace here, too: a walk would find them.
    with PythonEnvironment([tmp_path]).seen_from("main.py") as surroundings:
        assert not surroundings.top_level_names() & {"of_base", "of_debian"}


def test_the_python_path(tmp_path: Path) -> None:
    """What it names can be imported."""
    write(tmp_path / "more", {"extra.py": ""})
    write(tmp_path / "workspace" / ".venv", VENV)
    variables = {"PYTHONPATH": os.pathsep.join(["", str(tmp_path / "more")])}
    environment = PythonEnvironment([tmp_path / "workspace"], variables=variables)
    assert is_found(environment, "extra")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"a.pth": "# a comment\n\n{elsewhere}\n"}, Module),
        ({"a.pth": "../../../../../elsewhere\n"}, Module),
        ({"a.pth": "/does/not/exist\n"}, Absence.MISSING),
        ({"a.pth": "import os; __import__('_distutils_hack')\n"}, Absence.MISSING),
        ({"a.pth": "import _own_hook\n"}, Absence.UNKNOWN),
        ({"a.pth": "old.egg\n", "old.egg": "a zip file"}, Absence.UNKNOWN),
        (
            {
                "a.pth": "import __editable___edited_finder; it.install()\n",
                "__editable___edited_finder.py": "MAPPING = {'edited': "
                "'{elsewhere}/edited'}\n",
            },
            Module,
        ),
        (
            {
                "a.pth": "import __editable___edited_finder; it.install()\n",
                "__editable___edited_finder.py": "MAPPING: dict[str, str] = {'edited': "
                "'{elsewhere}/edited.py'}\n",
            },
            Module,
        ),
        (
            {"a.pth": "import __editable___edited_finder; it.install()\n"},
            Absence.UNKNOWN,
        ),
        (
            {
                "a.pth": "import __editable___edited_finder; it.install()\n",
                "__editable___edited_finder.py": "MAPPING = {name(): 1}\n",
            },
            Absence.UNKNOWN,
        ),
    ],
)
def test_path_files(
    tmp_path: Path, files: dict[str, str], found: type[Module] | Absence
) -> None:
    """They add folders and editable installs; what they hide leaves all open."""
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, {"edited.py": "", "edited/__init__.py": ""})
    site = {
        f"{SITE}/{name}": text.replace("{elsewhere}", str(elsewhere))
        for name, text in files.items()
    }
    workspace = tmp_path / "workspace"
    write(workspace / ".venv", VENV | site)
    result = find(PythonEnvironment([workspace]), "edited")
    if isinstance(found, Absence):
        assert result is found
    else:
        assert isinstance(result, Module)
        assert result.own_sources or result.installed_sources


def test_an_editable_install_of_the_workspace_is_its_own(tmp_path: Path) -> None:
    """One source, whichever way it is found."""
    write(tmp_path, {"code/shop.py": "", "main.py": ""})
    path_file = {f"{SITE}/shop.pth": str(tmp_path / "code")}
    write(tmp_path / ".venv", VENV | path_file)
    found = find(PythonEnvironment([tmp_path]), "shop")
    assert isinstance(found, Module)
    assert found.own_sources == (tmp_path / "code" / "shop.py",)


def test_what_changes_on_the_disk_is_seen(tmp_path: Path) -> None:
    """A module that was written, installed or deleted since."""
    write(tmp_path, {"main.py": "", "helper.py": "old = 1\n"})
    write(tmp_path / ".venv", VENV)
    environment = PythonEnvironment([tmp_path])
    for place in ("deeply/hidden", f".venv/{SITE}", ""):
        assert find(environment, "wobble") is Absence.MISSING
        write(tmp_path / place, {"wobble.py": ""})
        assert find(environment, "wobble") is not Absence.MISSING
        (tmp_path / place / "wobble.py").unlink()
    source = tmp_path / "helper.py"
    for text in ("old = 1\n", "new = 1\nnewer = 2\n"):
        source.write_text(text, encoding="utf-8")
        with environment.seen_from("main.py") as surroundings:
            contents = surroundings.contents(source)
        assert contents is not None
        assert ("new" in contents.names) == ("new" in text)


def test_a_listing_is_kept_while_nothing_changes(tmp_path: Path) -> None:
    """And dropped with the folder."""
    write(tmp_path / "old", {"a.py": ""})
    os.utime(tmp_path / "old", (1, 1))
    environment = PythonEnvironment([tmp_path / "old"])
    assert is_found(environment, "a")
    (tmp_path / "old" / "a.py").rename(tmp_path / "old" / "b.py")
    os.utime(tmp_path / "old", (1, 1))
    assert is_found(environment, "a")
    assert find(environment, "b") is Absence.UNKNOWN
    os.utime(tmp_path / "old", (2, 2))
    assert is_found(environment, "b")
    assert find(environment, "a") is Absence.UNKNOWN


def test_what_is_open_in_the_editor_counts(tmp_path: Path) -> None:
    """Its text may be newer than the file."""
    write(tmp_path, {"helper.py": "old = 1\n"})
    opened = OpenFiles({tmp_path / "helper.py": ["new = 1\n"]})
    environment = PythonEnvironment([tmp_path], open_files=lambda: opened)
    for _ in range(2):
        with environment.seen_from("main.py") as surroundings:
            contents = surroundings.contents(tmp_path / "helper.py")
            assert contents is not None
            assert set(contents.names) == {"new"}
            assert surroundings.contents(tmp_path / "gone.py") is None


def test_a_file_that_is_not_saved_yet_is_found(tmp_path: Path) -> None:
    """As one that a step of a plan creates; it is gone with its document."""
    write(tmp_path, {"shop/__init__.py": "", "shop/cart.py": ""})
    texts = {tmp_path / path: ["a = 1\n"] for path in ("shop/new.py", "shop/in/b.py")}
    opened = OpenFiles(texts)
    environment = PythonEnvironment([tmp_path], open_files=lambda: opened)
    names = ("shop.new", "shop.in.b", "shop.cart")
    assert [is_found(environment, name) for name in names] == [True] * 3
    assert find(environment, "shop.gone") is Absence.MISSING
    opened = OpenFiles()
    assert [is_found(environment, name) for name in names] == [False, False, True]


def test_reading_is_bounded(tmp_path: Path) -> None:
    """A source that is too long, or one too many, is not read."""
    long = "a = 1\n" + "#\n" * 200_000
    half = "a = 1\n" + "#\n" * 90_000
    names = {"long.py": long, "one.py": half, "two.py": half, "bad.py": "a = 1\0"}
    write(tmp_path, names)
    (tmp_path / "latin.py").write_bytes(b"a = '\xe9'\n")
    environment = PythonEnvironment([tmp_path])
    with environment.seen_from("main.py") as surroundings:
        for name, is_read in (
            ("long", False), ("latin", False), ("bad", False),
            ("one", True), ("two", False),
        ):  # fmt: skip
            contents = surroundings.contents(tmp_path / f"{name}.py")
            assert (contents is not None) == is_read, name
    with environment.seen_from("main.py") as surroundings:
        assert surroundings.contents(tmp_path / "two.py") is not None


@pytest.mark.parametrize(
    ("text", "name", "is_there"),
    [
        ("requests>=2", "requests", True),
        ("python-dateutil", "dateutil", True),
        ("PyYAML", "yaml", True),
        ("google_cloud.storage", "google", True),
        ("opencv-python-headless", "cv2", True),
        ("Pillow", "PIL", True),
        ("requests-mock", "mock", True),
        ("requestsish", "requests", False),
        ("", "requests", False),
    ],
)
def test_what_a_project_declares(
    tmp_path: Path, text: str, name: str, is_there: bool
) -> None:
    """By the package's name, which need not be the module's."""
    for file in ("pyproject.toml", "requirements-dev.txt", "requirements/base.txt"):
        folder = tmp_path / file.replace("/", "-")
        write(folder, {file: text, "main.py": ""})
        with PythonEnvironment([folder]).seen_from("main.py") as surroundings:
            assert surroundings.is_declared(name) == is_there


def test_a_walk_ends_at_links_and_environments(tmp_path: Path) -> None:
    """It follows none, and looks into none."""
    outside = tmp_path / "outside"
    write(outside, {"wobble.py": ""})
    workspace = tmp_path / "workspace"
    write(workspace / "kept" / "old-env", {"pyvenv.cfg": "", "wobble.py": ""})
    write(workspace / ".hidden", {"wobble.py": ""})
    write(workspace / "node_modules", {"wobble.py": ""})
    write(workspace / ".venv", VENV)
    (workspace / "link").symlink_to(outside)
    (workspace / "loop").symlink_to(workspace)
    assert find(PythonEnvironment([workspace]), "wobble") is Absence.MISSING


def test_a_folder_with_a_name_that_no_system_has(tmp_path: Path) -> None:
    """Nothing is known of its files, and nothing is raised."""
    assert absolute_path([tmp_path / ("a" * 300)], "b/c.py") is None
