"""The oldest version of a language or its library that a project runs on.

It is read from the manifests above a file. If they name several versions, as projects
with several targets do, the one is meant that allows most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from redline.checks.names.added_names import Version
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.type_names import SCRIPTS

_JAVA = re.compile(
    r"<(?:maven\.compiler\.(?:release|source|target)|release|source|java\.version)>"
    r"\s*+(?:1\.)?(\d++)\s*+<"
    r"|(?:sourceCompatibility|targetCompatibility)\s*+=?\s*+[\"']?"
    r"(?:JavaVersion\.VERSION_)?(?:1[._])?(\d++)"
    r"|JavaLanguageVersion\.of\((\d++)\)|jvmToolchain\((\d++)\)"
    r"|\brelease(?:\.set\(|\s*+=\s*+)(\d++)"
)
_GO = re.compile(r"^go[ \t]++(\d++)\.(\d++)", re.MULTILINE)
_RUST = re.compile(r"^rust-version[ \t]*+=[ \t]*+\"(\d++)\.(\d++)", re.MULTILINE)
_EDITION = re.compile(r"^edition[ \t]*+=[ \t]*+\"(\d{4})", re.MULTILINE)
_CPP = re.compile(
    r"CMAKE_CXX_STANDARD\s++(\d\w)|\bcxx_std_(\d\w)|-std=(?:c|gnu)\+\+(\d\w)"
    r"|cpp_std=(?:c|gnu|vc)\+\+(\d\w)"
)
_BUILD_FILES = (
    r"CMakeLists\.txt|[Mm]akefile|meson\.build|BUILD(?:\.bazel)?|.*\.pro|configure.*"
    r"|\.bazelrc|xmake\.lua|SConstruct|compile_flags\.txt"
)
_C = re.compile(
    r"CMAKE_C_STANDARD\s++(\d\w)|\bc_std_(\d\w)|-std=(?:c|gnu)(\d\w)\b"
    r"|\bc_std=(?:c|gnu)(\d\w)"
)
_C_YEARS = {"89": 1990, "90": 1990, "99": 1999, "9x": 1999, "11": 2011, "1x": 2011}
_C_YEARS |= {"17": 2017, "18": 2017, "23": 2023, "2x": 2023, "2y": 2026}
_TYPESCRIPT = re.compile(
    r"\"typescript\"\s*+:\s*+\"(?P<sign>[~^]?)v?(?P<major>\d)(?:\.(?P<minor>\d))?[\w.]*+\""
)
_COMPILED = re.compile(
    r"\"(?:@babel/core|babel-core|typescript|webpack|vite|rollup|esbuild|parcel|tsup|next"
    r"|@swc/core|react-scripts|browserslist)\""
)
"""Packages that write sources for older versions."""
_KOTLIN = re.compile(
    r"(?:\bkotlin\([^()]*+\)|org\.jetbrains\.kotlin[\w.-]*+[\"']\)?)\s*+version\s*+[\"'(]++"
    r"(\d)\.(\d)|kotlin[._]?[vV]ersion\s*+[=>]\s*+[\"']?(\d)\.(\d)"
    r"|kotlin-gradle-plugin:(\d)\.(\d)"
)
_SWIFT = re.compile(r"swift-tools-version:\s*+(\d)\.(\d++)")
_DART = re.compile(r"^[ \t]*+sdk:\s*+[\"']?[\^>=]*+(\d)\.(\d++)", re.MULTILINE)
_CPP_DRAFTS = {"0x": 11, "1y": 14, "1z": 17, "2a": 20, "2b": 23, "2c": 26}
_FRAMEWORK = re.compile(
    r"<TargetFrameworks?>[^<]*+</TargetFrameworks?>|<LangVersion>[^<]*+</LangVersion>"
)
_NET = re.compile(
    r"\bnet(?P<new>\d{1,2})\.\d|\b(?P<old>net(?:coreapp|standard|\d{2,3}))"
)
_LANGUAGE = re.compile(r"<LangVersion>\s*+(\d++)")
_PHP = re.compile(r"\"php\"\s*+:\s*+\"[^\"\d]*+(\d++)\.(\d++)")
_RUBY = re.compile(
    r"required_ruby_version\s*+=\s*+[\[\"'>=~ ]++(\d++)\.(\d++)"
    r"|^ruby[ \t]*+[(\"'>=~ ]++(\d++)\.(\d++)|\A(?:ruby-)?(\d++)\.(\d++)",
    re.MULTILINE,
)
_TARGET = re.compile(r"\"target\"\s*+:\s*+\"es(\d++|next)", re.IGNORECASE)
_LIB = re.compile(r"\"lib\"\s*+:\s*+\[([^\[\]]*+)\]", re.IGNORECASE)
_LIB_YEAR = re.compile(r"\bes(\d++|next)", re.IGNORECASE)
_NODE = re.compile(r"\"node\"\s*+:\s*+\"[^\"\d]*+(\d++)")
_NODE_YEARS = {10: 2018, 12: 2019, 14: 2020, 16: 2021, 18: 2022, 20: 2023, 22: 2024}
"""The last year of ECMAScript whose library a version of Node has as a whole."""
_ANY = (9999,)


def project_version(language: Language, project: ProjectFiles) -> Version | None:
    """Return the version that the project of a file runs on; None if it is not said.

    It is a version of Java, Go, Rust or PHP, a year of ECMAScript for scripts, a
    standard of C++, and a version of .NET for C#.
    """
    reader = _READERS.get(language)
    return None if reader is None else reader(project)


def grammar_version(language: Language | str, project: ProjectFiles) -> Version | None:
    """Return the version that decides about the grammar, as `newer_forms` counts it.

    Args:
        language: The language; one without a grammar by its LSP id.
        project: The files around a file.
    """
    reader = _GRAMMARS.get(language)
    if reader is not None:
        return reader(project)
    return (
        project_version(language, project) if isinstance(language, Language) else None
    )


def node_version(project: ProjectFiles) -> Version | None:
    """Return the oldest version of Node that the nearest `package.json` names."""
    return _newest(_numbers(_NODE, project.manifests(r"package\.json")[:1]))


def _csharp_grammar(project: ProjectFiles) -> Version | None:
    """Return the version of C# itself, by its own setting or that of .NET's."""
    texts = project.manifests(_CSHARP_FILES)
    if any("<LangVersion>" in text for text in texts):
        numbers = [int(one) for text in texts for one in _LANGUAGE.findall(text)]
        n_set = sum(text.count("<LangVersion>") for text in texts)
        # `latest` and the like are no numbers.
        return (max(numbers),) if len(numbers) == n_set else None
    framework = _csharp(project)
    if framework is None:
        return None
    # https://learn.microsoft.com/dotnet/csharp/language-reference/configure-language-version
    return (framework[0] + 4,) if framework[0] >= _FIRST_NET else (8,)


_FIRST_NET = 5
_CSHARP_FILES = r".*\.csproj|Directory\.Build\.props"


def _newest(found: Iterable[Version]) -> Version | None:
    return max(found, default=None)


def _numbers(pattern: re.Pattern[str], texts: Iterable[str]) -> Iterable[Version]:
    for text in texts:
        for found in pattern.finditer(text):
            yield tuple(int(one) for one in found.groups() if one)


def _java(project: ProjectFiles) -> Version | None:
    files = r"pom\.xml|build\.gradle(?:\.kts)?"
    return _newest(_numbers(_JAVA, project.manifests(files)))


def _go(project: ProjectFiles) -> Version | None:
    return _newest(_numbers(_GO, project.manifests(r"go\.mod")[:1]))


def _rust(project: ProjectFiles) -> Version | None:
    return _newest(_numbers(_RUST, project.manifests(r"Cargo\.toml")))


def _cpp(project: ProjectFiles) -> Version | None:
    texts = project.manifests(_BUILD_FILES)
    words = [one for text in texts for groups in _CPP.findall(text) for one in groups]
    return _newest(
        (_CPP_DRAFTS.get(one) or int(one),)
        for one in words
        if one and (one.isdigit() or one in _CPP_DRAFTS) and one != "98"
    )


def _csharp(project: ProjectFiles) -> Version | None:
    """Return the version of .NET; those before 5 are 4."""
    texts = project.manifests(_CSHARP_FILES)
    targets = [one for text in texts for one in _FRAMEWORK.findall(text)]
    return _newest(
        (int(found["new"]) if found["new"] else _FIRST_NET - 1,)
        for target in targets
        for found in _NET.finditer(target)
    )


def _php(project: ProjectFiles) -> Version | None:
    texts = project.manifests(r"composer\.json")
    if any("symfony/polyfill" in text for text in texts):
        return None
    return _newest(_numbers(_PHP, texts[:1]))


def _ruby(project: ProjectFiles) -> Version | None:
    texts = project.manifests(r"Gemfile|.*\.gemspec|\.ruby-version")
    return _newest(_numbers(_RUBY, texts))


def _script(project: ProjectFiles) -> Version | None:
    if any("core-js" in text for text in project.manifests(r"package\.json")):
        return None
    for text in project.manifests(r"tsconfig\.json|jsconfig\.json"):
        if lib := _LIB.search(text):
            return _newest(map(_year, _LIB_YEAR.findall(lib[1])))
        if target := _TARGET.search(text):
            return _year(target[1])
    found = _newest(_numbers(_NODE, project.manifests(r"package\.json")[:1]))
    if found is None:
        return None
    # An odd version of Node has at least what the even one before it has.
    return (
        (_NODE_YEARS[even],)
        if (even := found[0] + found[0] % 2) in _NODE_YEARS
        else None
    )


def _typescript(project: ProjectFiles) -> Version | None:
    """Return the newest TypeScript that `package.json` allows."""
    for text in project.manifests(r"package\.json"):
        if found := _TYPESCRIPT.search(text):
            major, minor = int(found["major"]), int(found["minor"] or 9)
            # The last of each major version but the newest is `.9`.
            return (major, 9 if found["sign"] == "^" else minor)
    return None


def _node_grammar(project: ProjectFiles) -> Version | None:
    """Return the version of Node, if nothing compiles the sources for it."""
    texts = project.manifests(r"package\.json")
    return None if any(map(_COMPILED.search, texts)) else node_version(project)


def _c(project: ProjectFiles) -> Version | None:
    texts = project.manifests(_BUILD_FILES)
    words = [one for text in texts for groups in _C.findall(text) for one in groups]
    return _newest((_C_YEARS[one],) for one in words if one in _C_YEARS)


def _rust_grammar(project: ProjectFiles) -> Version | None:
    """Return the version of Rust, below the one of `if let` chains before 2024."""
    editions = _numbers(_EDITION, project.manifests(r"Cargo\.toml"))
    is_old = max(editions, default=_ANY) < (2024,)
    return min(_rust(project) or _ANY, (1, 87)) if is_old else _rust(project)


def _kotlin(project: ProjectFiles) -> Version | None:
    files = r"build\.gradle(?:\.kts)?|pom\.xml|gradle\.properties|settings\.gradle.*"
    return _newest(_numbers(_KOTLIN, project.manifests(files)))


def _swift(project: ProjectFiles) -> Version | None:
    return _newest(_numbers(_SWIFT, project.manifests(r"Package\.swift")[:1]))


def _dart(project: ProjectFiles) -> Version | None:
    return _newest(_numbers(_DART, project.manifests(r"pubspec\.yaml")[:1]))


def _year(word: str) -> Version:
    if not word.isdigit():
        return _ANY
    return (int(word) + 2009,) if int(word) < 2009 else (int(word),)


_READERS: Mapping[Language, Callable[[ProjectFiles], Version | None]] = {
    Language.JAVA: _java,
    Language.GO: _go,
    Language.RUST: _rust,
    Language.CPP: _cpp,
    Language.CSHARP: _csharp,
    Language.PHP: _php,
    Language.RUBY: _ruby,
    **dict.fromkeys(SCRIPTS, _script),
}
_GRAMMARS: Mapping[Language | str, Callable[[ProjectFiles], Version | None]] = {
    Language.C: _c,
    Language.CSHARP: _csharp_grammar,
    Language.JAVASCRIPT: _node_grammar,
    Language.RUST: _rust_grammar,
    Language.TYPESCRIPT: _typescript,
    Language.TSX: _typescript,
    "dart": _dart,
    "kotlin": _kotlin,
    "swift": _swift,
}
