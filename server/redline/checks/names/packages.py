"""`phantom-import` in languages other than Python: modules that do not exist.

A module that an edit imports must be in the language's standard library, in the
workspace, or declared by a manifest. Without a manifest, only the first two are known,
and packages of others are not reported.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.go_installation import has_package
from redline.checks.names.imported import ImportedModule, imported_modules
from redline.checks.names.ruby_libraries import RUBY_LIBRARIES
from redline.checks.names.standard_names import standard_names
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.checks.requested_changes import will_declare
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

RULE = "phantom-import"

_SCRIPT_ENDS = tuple(
    word_set(".ts .tsx .mts .cts .d.ts .js .jsx .mjs .cjs .json .vue .svelte .node")
)
_COMMON = word_set(
    "com org net io dev app gov edu github gitlab code commons common core"
    " main api util utils java javax jakarta"
)
"""Segments of package names that say nothing about whose package it is."""

_PROVIDED = re.compile(
    r"javax|jakarta|sun|com\.sun|jdk|android|androidx|kotlin|scala|groovy|org\.w3c"
    r"|org\.xml|org\.ietf|netscape"
)
"""Java packages that platforms provide besides the JDK."""


def check_packages(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report imports of modules, and of names of modules, that do not exist."""
    before, after = candidate.tree_before, candidate.tree_after
    judge = None if after is None else _JUDGES.get(after.language)
    if judge is None or project is None or before is None or after is None:
        return
    if after.errors or project.file is None:
        return
    known = {one for _, one in imported_modules(before, candidate.text_before)}
    modules = {one.module for one in known}
    for line, one in imported_modules(after, candidate.text_after):
        if one in known or will_declare(candidate.instruction):
            continue
        message = judge(one, project, candidate)
        if message is None or (one.module in modules and not one.names):
            continue
        known.add(one)
        place = candidate.line_in_region(line)
        yield Problem(rule=RULE, message=message, line=place)


def _script(
    one: ImportedModule, project: ProjectFiles, candidate: CheckedEdit
) -> str | None:
    module = one.module
    if module.startswith("."):
        return _relative_script(one, project)
    if (name := module.removeprefix("node:")) in standard_names("node"):
        return _missing_of_node(name, one)
    if module.startswith("node:"):
        return f"Node has no module `{module}`."
    if re.match(r"[#~/$@]/|[#~$/]|\w+:", module) or "?" in module:
        return None
    parts = module.split("/")
    package = "/".join(parts[: 2 if module.startswith("@") else 1])
    found = project.placed_manifests("package.json")
    if not found or project.manifests(r"deno\.jsonc?|import_map\.json"):
        return None
    if any(_declares_script(text, package) for _, text in found):
        return None
    if _is_mapped(project, parts[0]) or _is_in_node_modules(project, package):
        return None
    if project.is_found(rf'"name":\s*"{re.escape(package)}"', ("package.json",)):
        return None
    used = rf"(?:from|import|require\()\s*[\"']{re.escape(package)}[\"'/]"
    if project.is_found(used, _SCRIPT_ENDS[:9]):
        return None
    return f"No package.json above this file declares the package `{package}`."


def _declares_script(text: str, package: str) -> bool:
    try:
        manifest = json.loads(text)
    except ValueError:
        return True
    if not isinstance(manifest, dict):
        return True
    if manifest.get("name") == package:
        return True
    names = {package, "@types/" + package.lstrip("@").replace("/", "__")}
    return any(
        bool(names & set(value))
        for key, value in manifest.items()
        if key.lower().endswith("dependencies") and isinstance(value, dict | list)
    )


def _is_mapped(project: ProjectFiles, first: str) -> bool:
    """Whether a configuration gives the name another meaning."""
    texts = project.manifests(
        r"(?:ts|js)config.*\.json|(?:vite|webpack|jest|rollup|vitest|babel|next)"
        r"\.config\.\w+|\.babelrc"
    )
    if any(f'"{first}' in text or f"'{first}" in text for text in texts):
        return True
    # With a `baseUrl`, folders of the workspace are modules.
    return any("baseUrl" in text for text in texts) and any(
        first in {os.path.splitext(name)[0] for name in project.names(folder / inner)}
        for folder in project.folders_above
        for inner in (".", "src")
    )


def _is_in_node_modules(project: ProjectFiles, package: str) -> bool:
    scope, _, name = package.rpartition("/")
    return any(
        name in project.names(folder / "node_modules" / scope)
        for folder in project.folders_above
    )


def _missing_of_node(name: str, one: ImportedModule) -> str | None:
    members = standard_names("node")[name].members
    for wanted in one.names:
        is_type = wanted.startswith("type ") or wanted[:1].isupper()
        if not is_type and wanted not in members and wanted != "default":
            return f"Node's module `{name}` has no `{wanted}`."
    return None


def _relative_script(one: ImportedModule, project: ProjectFiles) -> str | None:
    if project.file is None:
        return None
    target = project.file.parent / one.module.partition("?")[0]
    folder = type(target)(os.path.normpath(target))
    names = project.names(folder.parent)
    stem = re.sub(r"\.[mc]?jsx?$", "", folder.name)
    endings = {"", *_SCRIPT_ENDS}
    found = {folder.name + end for end in endings} | {stem + end for end in endings}
    present = sorted(found & names)
    if not present:
        if project.file.parent == folder.parent and not names:
            return None
        # What a build writes is not in the workspace.
        is_built = re.search(r"generated|\bdist\b|\bbuild\b|_pb$|\.g$", one.module)
        return None if is_built else f"There is no module `{one.module}` here."
    file = next((one for one in present if one.endswith(_SCRIPT_ENDS)), None)
    text = project.text(folder.parent / file) if file else None
    if text is None or re.search(r"export\s+\*|module\.exports|export\s*=", text):
        return None
    for wanted in one.names:
        name = wanted.removeprefix("type ")
        if name != "default" and not re.search(
            rf"(?<![\w$]){re.escape(name)}(?![\w$])", text
        ):
            return f"`{one.module}` exports no `{name}`."
    return None


def _go(
    one: ImportedModule, project: ProjectFiles, candidate: CheckedEdit
) -> str | None:
    path = one.module
    found = project.placed_manifests(r"go\.mod")
    for folder, text in found:
        name = re.search(r"^module\s+\"?([^\s\"]+)", text, re.MULTILINE)
        if name and (path == name[1] or path.startswith(name[1] + "/")):
            inner = folder / path.removeprefix(name[1]).lstrip("/")
            if any(file.endswith(".go") for file in project.names(inner)):
                return None
            return f"The module has no package `{path}`."
    first = path.partition("/")[0]
    if "." not in first:
        if path == "C" or has_package(path) is not False or not found:
            return None
        return f"Go's standard library has no package `{path}`."
    texts = project.manifests(r"go\.(?:mod|work)")
    if not found or any(path.startswith(tuple(_required(text))) for text in texts):
        return None
    return f"No go.mod requires a module with the package `{path}`."


def _required(text: str) -> list[str]:
    names = re.findall(
        r"^\s*(?:require\s+|replace\s+)?([\w.-]+\.[\w./~-]+)", text, re.M
    )
    return names or ["\0"]


def _rust(
    one: ImportedModule, project: ProjectFiles, candidate: CheckedEdit
) -> str | None:
    root = one.module
    if root in _RUST_ROOTS or len(root) < 2:
        return None
    texts = project.manifests(r"Cargo\.toml")
    name = root.replace("_", "[-_]")
    if not texts or any(re.search(rf"\b{name}\b", text) for text in texts):
        return None
    text = re.sub(rf"\buse {root}::[^;]{{0,300}}+;", "", candidate.text_after)
    bound = (
        rf"\b(?:mod|crate|as|enum|trait|struct|type)\s+{root}\b|[{{,:]\s*{root}\s*(?:[,;}}]"
        rf"|$|as\b)|::{root};|\buse {root};"
    )
    if re.search(bound, text, re.MULTILINE) or root in _RUST_PRIMITIVES:
        return None
    # All names of something else may include it; those of a crate do not.
    globs = re.findall(r"(?<![\w:])(\w*+)(?:::\w++)*+::(?:\*|\{[^{};*]*+\*)", text)
    if any(one not in (root, "std", "core", "alloc") for one in globs):
        return None
    if project.is_found(rf"\b(?:mod|extern crate) {root}\b|\buse {root}::", (".rs",)):
        return None
    return f"No Cargo.toml above this file has the crate `{root}`."


_RUST_ROOTS = word_set("std core alloc proc_macro test crate self super macro_rules")
_RUST_PRIMITIVES = word_set(
    "str char bool slice array u8 u16 u32 u64 u128 usize i8 i16 i32 i64"
    " i128 isize f32 f64 mem fmt io ptr"
) - {"mem", "fmt", "io", "ptr"}


def _java(
    one: ImportedModule, project: ProjectFiles, candidate: CheckedEdit
) -> str | None:
    package, _, name = one.module.rpartition(".")
    if one.whole == "*":
        package, name = one.module, ""
    types = standard_names("java")
    if package in standard_names("java packages"):
        is_listed = any(key.rpartition(".")[0] == package for key in _usual(types))
        if name and is_listed and f"{package}.{name}" not in types:
            return f"`{package}` has no class `{name}`."
        return None
    if package.startswith("java."):
        outer = package.rpartition(".")
        is_nested = outer[2][:1].isupper()
        return None if is_nested else f"The JDK has no package `{package}`."
    if _PROVIDED.match(package):
        return None
    texts = project.manifests(
        r"pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|libs\.versions\.toml"
        r"|gradle\.lockfile|BUILD(?:\.bazel)?|ivy\.xml"
    )
    segments = [one for one in package.split(".") if one[:1].islower()]
    telling = [one for one in segments if one not in _COMMON and len(one) > 2]
    libraries = list(map(_libraries, texts))
    if not texts or any(one in text for text in libraries for one in telling):
        return None
    start = re.escape(".".join(segments[:2]))
    if project.is_found(rf"(?:package|import(?: static)?) {start}\b", (".java", ".kt")):
        return None
    return f"No build file above this file declares a library with `{package}`."


_NO_LIBRARY = re.compile(
    r"https?://[^\s\"'<>]++|^plugins[ \t]*+\{[^{}]*+\}"
    r"|^[ \t]*+(?:id|apply plugin:)[ (]++[\"'][\w.-]++[\"'].*+$",
    re.MULTILINE,
)
_NO_LIBRARIES = ("build", "plugins", "scm", "licenses", "repositories")
"""Parts of build files, and of a pom.xml, that name other things than libraries."""


def _libraries(text: str) -> str:
    """Return a build file without what names no library."""
    for tag in _NO_LIBRARIES:
        head, *parts = text.split(f"<{tag}>")
        text = head + "".join(part.partition(f"</{tag}>")[2] for part in parts)
    return _NO_LIBRARY.sub("", text)


def _usual(types: object) -> frozenset[str]:
    return frozenset(types)  # type: ignore[call-overload, no-any-return] # its keys


def _csharp(
    one: ImportedModule, project: ProjectFiles, candidate: CheckedEdit
) -> str | None:
    first = one.module.partition(".")[0]
    texts = project.manifests(
        r".*\.csproj|Directory\.(?:Packages|Build)\.props|packages\.config"
    )
    if not texts or first in ("System", "Microsoft", "Windows", "Mono", "UnityEngine"):
        return None
    if any(re.search(rf"\b{first}\b", text, re.I) for text in texts):
        return None
    if re.search(rf"\bnamespace {first}\b", candidate.text_before):
        return None
    if project.is_found(rf"\b(?:namespace|using) {first}\b", (".cs",)):
        return None
    return f"No project file above this file references a package with `{one.module}`."


def _php(
    one: ImportedModule, project: ProjectFiles, candidate: CheckedEdit
) -> str | None:
    first, separator, _ = one.module.partition("\\")
    texts = project.manifests(r"composer\.(?:json|lock)")
    if not texts or not separator:
        return None
    if any(re.search(rf"\b{re.escape(first)}", text, re.I) for text in texts):
        return None
    if project.is_found(rf"\b(?:namespace|use) \\?{re.escape(first)}\b", (".php",)):
        return None
    return f"No composer.json above this file requires a package with `{one.module}`."


def _ruby(
    one: ImportedModule, project: ProjectFiles, candidate: CheckedEdit
) -> str | None:
    first = one.module.partition("/")[0]
    locks = project.manifests(r"Gemfile\.lock|gems\.locked")
    # A lock file has all gems, but their files may have other names.
    plain = re.sub(r"[-_]", "", first).lower()
    if not locks or one.module in RUBY_LIBRARIES or first in RUBY_LIBRARIES:
        return None
    if any(plain in re.sub(r"[-_]", "", text).lower() for text in locks):
        return None
    places = {
        name.partition(".")[0]
        for folder in project.folders_above
        for inner in (".", "lib", "app", "spec", "test", "ext")
        for name in project.names(folder / inner)
    }
    required = rf"\brequire[ (]+[\"']{re.escape(first)}[\"'/]"
    if first in places or project.is_found(required, (".rb", ".rake", ".gemspec")):
        return None
    return f"Gemfile.lock has no gem with `{one.module}`."


_Judge = Callable[[ImportedModule, ProjectFiles, CheckedEdit], "str | None"]

_JUDGES: dict[Language, _Judge] = {
    Language.JAVASCRIPT: _script,
    Language.TYPESCRIPT: _script,
    Language.TSX: _script,
    Language.GO: _go,
    Language.RUST: _rust,
    Language.JAVA: _java,
    Language.CSHARP: _csharp,
    Language.PHP: _php,
    Language.RUBY: _ruby,
}
