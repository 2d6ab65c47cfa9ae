"""`python -m benchmarks.released_versions FOLDER`: many edits that people made.

Downloads pairs of released versions of packages in six languages into a folder, with
the registries' own clients (pip, npm, go, cargo, mvn), and checks functions that differ
between the two as `benchmarks.human_edits` does, in a workspace with the newer version.
Nothing of them is built or run. Each problem that is reported is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from benchmarks.human_edits import HumanEdit, accusations, edits_between
from redline.checks.python.environment import PythonEnvironment

N_OF_PACKAGE = 120
"""Most edits of one package, so that none decides the rate."""

PACKAGES = {
    "python": (
        ("click", "8.0.4", "8.1.7"),
        ("httpx", "0.23.0", "0.27.2"),
        ("jinja2", "3.0.3", "3.1.4"),
        ("requests", "2.27.1", "2.32.3"),
        ("rich", "12.6.0", "13.9.4"),
        ("werkzeug", "2.2.3", "3.0.4"),
    ),
    "javascript": (
        ("commander", "9.5.0", "12.1.0"),
        ("eslint", "8.20.0", "8.57.1"),
        ("express", "4.17.1", "4.21.0"),
        ("fastify", "4.5.0", "4.28.1"),
        ("mocha", "9.2.2", "10.7.3"),
        ("webpack", "5.70.0", "5.94.0"),
    ),
    "typescript": (
        ("@tanstack/query-core", "5.0.0", "5.59.0"),
        ("effect", "3.0.0", "3.8.0"),
        ("rxjs", "7.0.0", "7.8.1"),
        ("viem", "2.0.0", "2.21.0"),
    ),
    "go": (
        ("github.com/gin-gonic/gin", "v1.7.7", "v1.10.0"),
        ("github.com/prometheus/client_golang", "v1.12.2", "v1.20.4"),
        ("github.com/spf13/cobra", "v1.2.1", "v1.8.1"),
        ("go.etcd.io/bbolt", "v1.3.6", "v1.3.11"),
        ("golang.org/x/net", "v0.10.0", "v0.30.0"),
    ),
    "rust": (
        ("axum", "0.6.20", "0.7.6"),
        ("clap_builder", "4.2.0", "4.5.18"),
        ("hyper", "0.14.20", "1.4.1"),
        ("regex-automata", "0.3.0", "0.4.7"),
        ("tokio", "1.20.0", "1.38.0"),
    ),
    "java": (
        ("com.google.code.gson:gson", "2.8.9", "2.10.1"),
        ("com.fasterxml.jackson.core:jackson-databind", "2.14.3", "2.17.2"),
        ("org.apache.commons:commons-lang3", "3.12.0", "3.17.0"),
        ("org.jsoup:jsoup", "1.15.4", "1.18.1"),
    ),
}
"""Packages and two of their versions, by language."""


def main() -> int:
    """Download what is missing, check, and print each false alarm and the rates."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.released_versions")
    parser.add_argument("folder", type=Path, help="where downloads are kept")
    parser.add_argument("--language", choices=PACKAGES, action="append")
    parser.add_argument("--narrow", action="store_true", help="see human_edits")
    parser.add_argument("--instruction", default="", help="see human_edits")
    arguments = parser.parse_args()
    n_edits: Counter[str] = Counter()
    n_accused: Counter[str] = Counter()
    for language in arguments.language or PACKAGES:
        for package, old, new in PACKAGES[language]:
            roots = [
                fetched(arguments.folder, language, package, one) for one in (old, new)
            ]
            edits = list(islice(_spread(edits_between(*roots)), N_OF_PACKAGE))
            environment = PythonEnvironment([roots[1]])
            n_edits[language] += len(edits)
            judged = accusations(
                edits,
                environment,
                is_narrow=arguments.narrow,
                instruction=arguments.instruction,
            )
            for edit, problems in judged:
                n_accused[language] += 1
                for problem in problems:
                    place = f"{package} {edit.path} {edit.name}"
                    print(f"{place}: {problem.rule}: {problem.message}")
    for language, count in n_edits.items():
        print(f"{language}: {n_accused[language]} of {count} edits wrongly accused")
    print(f"all: {n_accused.total()} of {n_edits.total()}")
    return 0


def fetched(folder: Path, language: str, package: str, version: str) -> Path:
    """Return the folder with the sources of a package, downloaded if necessary.

    Raises:
        CalledProcessError: If the registry's client fails.
    """
    place = folder.absolute() / language / f"{package.replace('/', '+')}@{version}"
    if not (place / ".complete").exists():
        place.mkdir(parents=True, exist_ok=True)
        _CLIENTS[language](place, package, version)
        (place / ".complete").touch()
    return place


def _spread(edits: Iterable[HumanEdit]) -> list[HumanEdit]:
    """Order edits so that those of one file are apart: the first of each, and so on."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, HumanEdit]] = []
    for edit in edits:
        ranked.append((seen[edit.path], edit))
        seen[edit.path] += 1
    return [edit for _, edit in sorted(ranked, key=lambda one: one[0])]


def _pip(place: Path, package: str, version: str) -> None:
    words = ("-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "-q")
    _run([sys.executable, *words, "-d", str(place), f"{package}=={version}"])
    _unzip(place, place.glob("*.whl"))


def _npm(place: Path, package: str, version: str) -> None:
    _run(["npm", "pack", "--silent", f"{package}@{version}"], at=place)
    for archive in place.glob("*.tgz"):
        with tarfile.open(archive) as opened:
            opened.extractall(place, filter="data")
        archive.unlink()


def _go(place: Path, package: str, version: str) -> None:
    answer = _run(["go", "mod", "download", "-json", f"{package}@{version}"], at=place)
    archive = Path(json.loads(answer)["Zip"])
    with zipfile.ZipFile(archive) as opened:
        prefix = f"{package}@{version}/"
        for member in opened.infolist():
            member.filename = member.filename.removeprefix(prefix)
            opened.extract(member, place)


def _cargo(place: Path, package: str, version: str) -> None:
    (place / "src").mkdir(exist_ok=True)
    (place / "src" / "lib.rs").touch()
    (place / "Cargo.toml").write_text(
        '[package]\nname = "fetched"\nversion = "0.0.0"\nedition = "2021"\n'
        f'[dependencies]\n{package} = {{version = "={version}", '
        "default-features = false}\n"
    )
    _run(["cargo", "vendor", "--quiet", "vendored"], at=place)
    kept = place / "vendored" / package
    for name in ("src", "Cargo.toml", "Cargo.lock"):
        _run(["rm", "-rf", name], at=place)
    for child in kept.iterdir():
        child.rename(place / child.name)
    _run(["rm", "-rf", "vendored"], at=place)


def _mvn(place: Path, package: str, version: str) -> None:
    copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
    artifact = f"-Dartifact={package}:{version}:jar:sources"
    _run(["mvn", "-q", "-B", copy, artifact, f"-DoutputDirectory={place}"], at=place)
    _unzip(place, place.glob("*.jar"))


_CLIENTS: dict[str, Callable[[Path, str, str], None]] = {
    "python": _pip,
    "javascript": _npm,
    "typescript": _npm,
    "go": _go,
    "rust": _cargo,
    "java": _mvn,
}


def _run(words: list[str], *, at: Path | None = None) -> str:
    ended = subprocess.run(words, cwd=at, check=True, stdout=subprocess.PIPE, text=True)
    return ended.stdout


def _unzip(place: Path, archives: Iterable[Path]) -> None:
    for archive in list(archives):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(place)
        archive.unlink()


if __name__ == "__main__":
    sys.exit(main())
