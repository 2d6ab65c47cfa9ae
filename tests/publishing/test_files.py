"""The files for package registries: written from one place, and readable."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PUBLISHING = ROOT / "publishing"
VSCODE = ROOT / "editors" / "vscode"


def load(name: str) -> ModuleType:
    """Load a script of the folder."""
    spec = importlib.util.spec_from_file_location(name, PUBLISHING / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITTEN = dict(load("write").files())
PROJECT = tomllib.loads((PUBLISHING / "project.toml").read_text())
PACKAGE = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_what_is_there_is_what_is_written(path: Path) -> None:
    """`python publishing/write.py` changes nothing."""
    assert path.read_text(encoding="utf-8") == WRITTEN[path]


def test_no_other_file_names_the_repository() -> None:
    """So that there is one place to change."""
    owner = PROJECT["repository"].rpartition("/")[0]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    sources = (ROOT / "server").rglob("*.py")
    assert [path for path in (*pages, *sources) if owner in path.read_text()] == []


def test_the_mason_entry() -> None:
    """Of this version, with the program that the plugin starts."""
    text = (PUBLISHING / "mason/packages/redline-ls/package.yaml").read_text()
    fields = dict(re.findall(r"^(\w+): (.+)$", text, re.MULTILINE))
    assert fields["name"] == PACKAGE["name"]
    assert f"id: pkg:pypi/{PACKAGE['name']}@{PACKAGE['version']}" in text
    program = re.search(r"bin:\n  (\w+): pypi:(\w+)", text)
    assert program is not None
    assert set(program.groups()) <= set(PACKAGE["scripts"])
    assert "lspconfig: redline" in text
    assert (ROOT / "editors/neovim/lsp/redline.lua").is_file()


def test_the_homebrew_formula() -> None:
    """It is a class with the formula's name, and runs a Python that is supported."""
    text = (PUBLISHING / "homebrew/redline-ls.rb").read_text()
    assert text.count("\n  def ") + text.count(" do\n") + 1 == text.count("end\n")
    assert "class RedlineLs < Formula" in text
    python = re.search(r'"python@(3\.\d+)"', text)
    assert python is not None
    classifiers = PACKAGE["classifiers"]
    assert f"Programming Language :: Python :: {python[1]}" in classifiers
    is_released = bool(PROJECT["sdist_sha256"])
    assert ("sha256" in text, 'head "' in text) == (is_released, not is_released)


def test_the_emacs_recipe() -> None:
    """Its files exist, and the main one has the headers that package.el needs."""
    text = (PUBLISHING / "melpa/recipes/redline").read_text()
    (pattern,) = re.findall(r':files \("(.+)"\)', text)
    names = {path.name for path in ROOT.glob(pattern)}
    assert {"redline.el", "redline-preview.el", "redline-complete.el"} <= names
    head = (ROOT / "editors/emacs/redline.el").read_text().splitlines()
    assert re.match(r";;; redline\.el --- .+ -\*- lexical-binding: t; -\*-", head[0])
    assert f";; Version: {PACKAGE['version']}" in head
    assert any(line.startswith(";; Package-Requires: ((emacs ") for line in head)


def test_the_zed_extension() -> None:
    """Manifest and crate agree, and the library exists."""
    zed = PUBLISHING / "zed"
    manifest = tomllib.loads((zed / "extension.toml").read_text())
    crate = tomllib.loads((zed / "Cargo.toml").read_text())
    assert manifest["schema_version"] == 1
    assert manifest["version"] == crate["package"]["version"] == PACKAGE["version"]
    assert crate["lib"]["crate-type"] == ["cdylib"]
    source = (zed / crate["lib"]["path"]).read_text()
    assert "zed::register_extension!(Redline);" in source
    assert (zed / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_the_vscode_manifest() -> None:
    """What `vsce package` needs without options."""
    manifest = json.loads((VSCODE / "package.json").read_text())
    assert manifest["scripts"]["package"] == "vsce package"
    assert manifest["scripts"]["vscode:prepublish"]
    assert manifest["version"] == PACKAGE["version"]
    page = (VSCODE / "README.md").read_text()
    pictures = re.findall(r"!\[.+?\]\((\S+?)\)", page)
    assert pictures
    patterns = re.findall(r"^!(.+)", (VSCODE / ".vscodeignore").read_text(), re.M)
    packed = {
        str(path.relative_to(VSCODE)): path.stat().st_size
        for pattern in patterns
        for path in VSCODE.glob(pattern.replace("/**", "/**/*"))
        if path.is_file() and "media" in path.parts
    }
    assert set(pictures) <= set(packed)
    assert {"README.md", "CHANGELOG.md", "LICENSE"} <= set(patterns)
    # The package may have 2.5 MB, and the server and the bundle take 2.2.
    assert sum(packed.values()) < 300_000
    assert {"## Telemetry and privacy", "## Beside Copilot"} <= set(page.splitlines())


def test_the_plugin_links_to_the_pages(tmp_path: Path) -> None:
    """They are in the repository, and not in the release."""
    load("neovim").release(tmp_path / "plugin")
    changelog = (tmp_path / "plugin" / "CHANGELOG.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", changelog)
    assert any(link.endswith("/docs/explanation/trust.md") for link in links)
    assert [link for link in links if not link.startswith("https:")] == []


def test_where_vscode_loads_the_extension() -> None:
    """Beside the files, never in a browser: it starts a process, which reads a disk."""
    manifest = json.loads((VSCODE / "package.json").read_text())
    assert "main" in manifest
    assert "browser" not in manifest, "VS Code for the Web loads what names one"
    assert manifest["extensionKind"] == ["workspace"]
    virtual = manifest["capabilities"]["virtualWorkspaces"]
    assert virtual["supported"] is False
    assert virtual["description"]
