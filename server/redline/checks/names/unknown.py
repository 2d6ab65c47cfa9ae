"""Called names that no library has, where the type of their owner is not known.

A name is reported only if the edit introduces it as a call, the standard library of
its language has it nowhere, no source of the workspace has it, and the file is
*closed*: it can use nothing but that library and the workspace. A file that imports
other packages, or from whose packages names may come without an import, is not.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import SUFFIXES, is_known
from redline.checks.names.imported import imported_modules
from redline.checks.names.ruby_libraries import RUBY_LIBRARIES
from redline.checks.names.standard_names import standard_names
from redline.checks.names.standard_words import standard_words
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

RULE = "phantom-member"

_MEMBER = {
    **dict.fromkeys((*SCRIPTS, Language.JAVA), r"\.\s*"),
    Language.RUBY: r"&?\.\s*",
    Language.RUST: r"\.\s*",
    Language.CPP: r"(?:\.|->)\s*",
}
"""What stands before a call of a member."""

_BARE = r"(?<![\w.$:>\\@#?!])(?<!new )(?<!function )"
_FUNCTIONS = frozenset({Language.C, Language.PHP})
"""Languages of which functions are judged, and no members."""

C_HEADERS = word_set(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp"
    " signal stdarg stdbool stddef stdint stdio stdlib string tgmath threads time uchar"
    " wchar wctype unistd fcntl pthread dirent dlfcn fnmatch getopt glob grp netdb poll"
    " pwd regex sched search semaphore spawn strings syslog termios utime wordexp"
    " arpa/inet net/if netinet/in sys/ioctl sys/mman sys/poll sys/resource sys/select"
    " sys/socket sys/stat sys/time sys/types sys/uio sys/un sys/utsname sys/wait"
)
"""Headers of C and POSIX, without their suffix."""

_RUBY_REQUIRE = (
    r"\brequire[ \t]*+\(?[ \t]*+[\"'](?!(?:"
    + "|".join(map(re.escape, sorted(RUBY_LIBRARIES)))
    + r")[\"'])"
)
"""Code that loads something else than the standard library."""

PHP_FAMILIES = re.compile(r"(?:array|str|string|preg|json)_")
"""How functions begin that only the language itself has; `is_`, `file_` and `date_` are
also usual in frameworks that call the file from outside the workspace."""

_RUBY_GEM = re.compile(
    r"^[ \t]*+gem\b(?![ \t(]*+[\"'](?:rake|minitest|test-unit|rspec|simplecov|yard"
    r"|rubocop(?:-\w++)?|bundler|debug|irb)[\"'])|^[ \t]*+gemspec\b"
    r"|add_(?:runtime_)?dependency",
    re.MULTILINE,
)
"""A gem that may add methods to any object, which tools do not."""

_TOOL = re.compile(
    r"typescript|tsx|ts-node|tslib|standard|prettier|rimraf|nodemon|husky|lint-staged"
    r"|eslint|eslint-[\w-]+|@eslint/[\w-]+|@typescript-eslint/[\w-]+|typescript-eslint"
    r"|@types/(?:node|mocha|jest)|esbuild|rollup|webpack|webpack-cli|vite|turbo|concurrently"
    r"|@biomejs/biome|c8|nyc|mocha|jest|ts-jest|vitest|ava|tap|tape"
)
"""Packages of which only tests and builds use anything."""

_TEST_OBJECTS = re.compile(r"\b(?:expect|describe|cy|jQuery|assert|should)\b|\$\(")
_PASTED = re.compile(r"(?:\b(\w++)\s{0,20}+)?+##\s{0,20}+(\w*+)")
_ACCESSOR = re.compile(r"(?:get|is|set|with|has)([A-Z]\w*)")


def check_unknown(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report calls of names that nothing has."""
    tree = candidate.tree_after
    if tree is None or project is None or project.file is None:
        return
    if tree.errors and tree.language not in (Language.C, Language.CPP):
        return  # Macros look like errors.
    is_closed = _CLOSED.get(tree.language)
    if is_closed is None or not any(project.folders_above):
        return
    called = {(call.name, call.line) for call in tree.called}
    names = dict(one for one in _introduced(candidate, tree) if one in called)
    if not names or not is_closed(candidate, project):
        return
    for name, line in names.items():
        if _is_explained(name, candidate, project):
            continue
        if not is_known(name, candidate, project, SUFFIXES[tree.language]):
            yield Problem(
                rule=RULE,
                message=(
                    f"Neither the standard library nor the workspace has `{name}`."
                ),
                line=candidate.line_in_region(line),
            )


def _introduced(candidate: CheckedEdit, tree: Tree) -> Iterator[tuple[str, int]]:
    """Yield the names that the edit calls first, and that no library has."""
    words = standard_words(tree.language)
    for line, text in candidate.introduced:
        at = candidate.region_after.start + line
        for found in _calls(tree.language).finditer(text):
            name = found["name"]
            if not words or name in words or name.isupper():
                continue
            if not tree.in_comment_or_string(at, found.start("name")):
                yield name, at


def _calls(language: Language) -> re.Pattern[str]:
    if language in _FUNCTIONS:
        return re.compile(rf"{_BARE}(?P<name>[a-z][a-z0-9_]+)\s*\(")
    call = (
        r"(?=\s*\(|!|\?)?" if language is Language.RUBY else r"(?=\s*(?:<[^<>()]*>)?\()"
    )
    return re.compile(rf"{_MEMBER[language]}(?P<name>[a-z]\w+[?!]?){call}")


def _is_explained(name: str, candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether a name may come from where it is not written as such."""
    if candidate.grammar in (Language.C, Language.CPP):
        return _is_pasted(name, candidate, project)
    accessor = _ACCESSOR.fullmatch(name)
    if candidate.grammar is Language.JAVA and accessor is not None:
        field = accessor[1][0].lower() + accessor[1][1:]
        word = rf"\b{field}\b"
        return re.search(word, candidate.text_after) is not None or project.is_found(
            word, (".java", ".kt")
        )
    return candidate.grammar is Language.PHP and not PHP_FAMILIES.match(name)


def _is_pasted(name: str, candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether a macro may put a name together."""
    if project.is_found("##", (".h", ".hpp", ".inc", ".def")):
        return True
    return any(
        (head and name.startswith(head)) or (tail and name.endswith(tail))
        for head, tail in _PASTED.findall(candidate.text_after)
    )


def _is_closed_java(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    manifests = project.manifests(r"pom\.xml|build\.gradle(?:\.kts)?")
    if any(re.search(r"<dependency>|\bdependencies\b", one) for one in manifests):
        return False
    tree = candidate.tree_after
    modules = (
        {one.module for _, one in imported_modules(tree, candidate.text_after)}
        if tree
        else set()
    )
    for module in modules:
        if module.startswith(("java.", "javax.swing.")):
            continue
        package = re.escape(".".join(p for p in module.split(".") if p[:1].islower()))
        if not project.is_found(rf"package {package}\b", (".java", ".kt")):
            return False
    return not re.search(
        r"@(?:Data|Getter|Value|Builder)\b", candidate.text_after
    ) and (not project.is_found(r"import lombok\b", (".java",)))


def _is_closed_ruby(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    text = candidate.text_after
    if re.search(_RUBY_REQUIRE, text):
        return False
    if re.search(r"method_missing|define_method|class_eval|instance_eval|send\b", text):
        return False
    manifests = project.manifests(r"Gemfile|.*\.gemspec|gems\.rb")
    return not any(map(_RUBY_GEM.search, manifests)) and not project.is_found(
        rf"method_missing|define_method|{_RUBY_REQUIRE}", SUFFIXES[Language.RUBY]
    )


def _is_closed_php(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    packages = project.manifests(r"composer\.json")
    has_others = any(re.search(r'"[\w.-]+/[\w.-]+"\s*:', text) for text in packages)
    return not has_others and not project.is_found(
        r"function_exists|create_function", (".php",)
    )


def _is_closed_c(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    waiting = _included(candidate.text_after)
    if not waiting:
        return False
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen or _is_standard_header(name, candidate):
            continue
        seen.add(name)
        text = _own_header(name, project)
        if text is None:
            return False
        waiting += _included(text)
    return True


def _included(text: str) -> list[str]:
    """Return the headers that a text includes; a macro in place of one as it is."""
    return re.findall(
        r"^[ \t]*#[ \t]*(?:include|import)\b[ \t]*[<\"]?([^>\"\n]+)", text, re.MULTILINE
    )


def _is_standard_header(name: str, candidate: CheckedEdit) -> bool:
    if candidate.grammar is Language.CPP and re.fullmatch(r"\w+", name):
        return True
    return name.removesuffix(".h") in C_HEADERS


def _own_header(name: str, project: ProjectFiles) -> str | None:
    """Return the text of a header of the workspace; None if it is not there."""
    places = (
        Path(folder, inner, name)
        for folder in project.folders_above
        for inner in (".", "include", "src")
    )
    texts = map(project.text, places)
    return next((text for text in texts if text is not None), None)


def _is_closed_script(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    tree = candidate.tree_after
    if tree is None or _TEST_OBJECTS.search(candidate.text_after):
        return False
    modules = [one.module for _, one in imported_modules(tree, candidate.text_after)]
    node = standard_names("node")
    others = [one for one in modules if one.removeprefix("node:") not in node]
    if not all(one.startswith(".") for one in others):
        return False
    return not any(map(_has_packages, project.manifests(r"package\.json")))


def _has_packages(manifest: str) -> bool:
    """Whether a package.json names packages that may give values their members."""
    lists = re.findall(r'"(?:\w+D|d)ependencies"\s*:\s*[{\[]([^}\]]*+)', manifest)
    names = re.findall(r'(?:^|,)\s*"([^"]+)"', ",".join(lists))
    return not all(map(_TOOL.fullmatch, names))


def _is_closed_rust(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    text = candidate.text_after
    roots = set(re.findall(r"\buse (?:::)?(\w+)", text))
    if not roots <= {"std", "core", "alloc", "crate", "super", "self"}:
        return False
    manifests = project.manifests(r"Cargo\.toml")
    return "paste!" not in text and not any(map(_has_crates, manifests))


def _has_crates(manifest: str) -> bool:
    """Whether a Cargo.toml has dependencies of any kind, or cannot be read."""
    try:
        waiting = [tomllib.loads(manifest)]
    except (tomllib.TOMLDecodeError, RecursionError):
        return True
    while waiting:
        for key, value in waiting.pop().items():
            if isinstance(value, dict) and value:
                if key.endswith("dependencies"):
                    return True
                waiting.append(value)
    return False


_Closed = Callable[[CheckedEdit, ProjectFiles], bool]

_CLOSED: dict[Language, _Closed] = {
    Language.C: _is_closed_c,
    Language.CPP: _is_closed_c,
    Language.JAVA: _is_closed_java,
    Language.PHP: _is_closed_php,
    Language.RUBY: _is_closed_ruby,
    Language.RUST: _is_closed_rust,
    **dict.fromkeys(SCRIPTS, _is_closed_script),
}
