"""Writes the files for package registries from `project.toml` and `pyproject.toml`.

    python publishing/write.py

A test compares what it would write with what is there.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any  # Decoded TOML and JSON.
from urllib.parse import urlsplit

HERE = Path(__file__).parent
ROOT = HERE.parent
TARGETS = {
    "redline-ls.rb.in": "homebrew/redline-ls.rb",
    "package.yaml.in": "mason/packages/redline-ls/package.yaml",
    "redline.in": "melpa/recipes/redline",
    "how-to-install.ts.in": "../editors/vscode/src/server/how-to-install.ts",
    "extension.toml.in": "zed/extension.toml",
    "Cargo.toml.in": "zed/Cargo.toml",
}
"""By template, the file that is written from it."""


def files() -> Iterator[tuple[Path, str]]:
    """Return each file and its content."""
    values = _values()
    for template, target in TARGETS.items():
        text = (HERE / "templates" / template).read_text(encoding="utf-8")
        yield (HERE / target).resolve(), Template(text).substitute(values)
    manifest = ROOT / "editors" / "vscode" / "package.json"
    yield manifest, _manifest(manifest.read_text(encoding="utf-8"), values)
    distribution = ROOT / "pyproject.toml"
    yield distribution, _urls(distribution.read_text(encoding="utf-8"), values)


def _values() -> dict[str, str]:
    """Return what the templates name."""
    project = tomllib.loads((HERE / "project.toml").read_text(encoding="utf-8"))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    version, name = package["project"]["version"], package["project"]["name"]
    return {
        **project,
        "slug": urlsplit(project["repository"]).path.strip("/"),
        "name": name,
        "version": version,
        "description": package["project"]["description"],
        "source": _source(project, name, version),
        "how_to_install": _how_to_install(project, name),
    }


def _how_to_install(project: dict[str, Any], name: str) -> str:
    """Return how a user installs the server today, as the end of a sentence."""
    if project["sdist_sha256"]:
        return f"with `pipx install {name}`"
    return "with `pipx install .` in the folder of Redline's source"


def _source(project: dict[str, Any], name: str, version: str) -> str:
    """Return where the Homebrew formula gets the source from."""
    digest = project["sdist_sha256"]
    if not digest:
        return f'head "{project["repository"]}.git", branch: "main"'
    file = f"{name.replace('-', '_')}-{version}.tar.gz"
    url = f"https://files.pythonhosted.org/packages/source/{name[0]}/{name}/{file}"
    return f'url "{url}"\n  sha256 "{digest}"'


def _manifest(text: str, values: dict[str, str]) -> str:
    """Return the manifest of the VS Code extension with its addresses."""
    manifest = json.loads(text)
    repository = values["repository"]
    places = {
        "publisher": values["publisher"],
        "repository": {
            "type": "git",
            "url": f"{repository}.git",
            "directory": "editors/vscode",
        },
        "bugs": {"url": f"{repository}/issues"},
        "homepage": f"{repository}#readme",
    }
    for name in places:
        manifest.pop(name, None)
    head = {name: manifest.pop(name) for name in list(manifest)[:4]}
    return json.dumps(head | places | manifest, indent=2, ensure_ascii=False) + "\n"


def _urls(text: str, values: dict[str, str]) -> str:
    """Return pyproject.toml with the addresses of the project."""
    repository = values["repository"]
    table = (
        "[project.urls]\n"
        f'Homepage = "{repository}"\n'
        f'Issues = "{repository}/issues"\n'
        f'Changelog = "{repository}/blob/main/CHANGELOG.md"\n\n'
    )
    without = re.sub(r"\[project\.urls\]\n(?:\w+ = .*\n)+\n", "", text)
    return without.replace(
        "[project.optional-dependencies]", f"{table}[project.optional-dependencies]", 1
    )


if __name__ == "__main__":
    for path, content in files():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
