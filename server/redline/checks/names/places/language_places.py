"""The rules of a file's language for where its names are declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from redline.checks.names.places.cpp_places import CppPlaces
from redline.checks.names.places.csharp_places import CsharpPlaces
from redline.checks.names.places.go_places import GoPlaces
from redline.checks.names.places.java_places import JavaPlaces
from redline.checks.names.places.php_places import PhpPlaces
from redline.checks.names.places.places import TypePlaces
from redline.checks.names.places.rust_places import RustPlaces
from redline.checks.names.places.script_places import ScriptPlaces
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.tree import Tree

_OF_LANGUAGE: Mapping[
    Language, Callable[[Tree, str, ProjectFiles, Path], TypePlaces]
] = {
    Language.JAVASCRIPT: ScriptPlaces,
    Language.TYPESCRIPT: ScriptPlaces,
    Language.TSX: ScriptPlaces,
    Language.JAVA: JavaPlaces,
    Language.GO: GoPlaces,
    Language.RUST: RustPlaces,
    Language.CSHARP: CsharpPlaces,
    Language.PHP: PhpPlaces,
    Language.CPP: CppPlaces,
}


def places_of(
    tree: Tree, text: str, project: ProjectFiles | None, path: Path | None
) -> TypePlaces:
    """Return what finds the declarations of the names that one file uses."""
    places = _OF_LANGUAGE.get(tree.language)
    if places is None or project is None or path is None:
        return TypePlaces()
    return places(tree, text, project, path)
