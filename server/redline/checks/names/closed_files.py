"""Whether a file can use nothing but its language's library and the workspace.

Such a file is *closed*. It imports no other package, and no package from which names
may come without an import is declared by a manifest.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import SUFFIXES
from redline.checks.names.imported import imported_modules
from redline.checks.names.ruby_libraries import RUBY_LIBRARIES
from redline.checks.names.standard_names import standard_names
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

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

_PHP_REQUIRED = re.compile(r"\"([\w.-]++/[\w.-]++)\"\s*+:")
_PHP_NAMESPACED = re.compile(
    r"(?:psr|symfony|monolog|guzzlehttp|doctrine|twig|league|ramsey|nesbot|phpunit|vlucas"
    r"|nikic|slim|phpstan|friendsofphp|squizlabs|vimeo|phpmailer|php-di|laminas|respect"
    r"|webmozart|brick|moneyphp|firebase|predis|pimple|aws|nyholm|sebastian|mockery|rector"
    r"|lcobucci|infection|phpspec|behat|composer|ergebnis|psalm|phpseclib|web-token)/"
)
"""Packages that define no function without a namespace."""

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

_RUBY_PATCHES = re.compile(
    r"active_?support|\brails\b|action(?:pack|_controller)|active_?record|\bhanami"
    r"|\bfacets\b|core_ext|\brefine\b|\bchef\b|\bpuppet\b"
)

_LOMBOK = re.compile(r"@(?:Data|Getter|Value|Builder)\b")
"""Annotations with which methods are generated."""

_TEST_OBJECTS = re.compile(r"\b(?:expect|describe|cy|jQuery|assert|should)\b|\$\(")


def is_closed(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether a file is closed; no file of another language is."""
    check = _CLOSED.get(candidate.grammar)
    return check is not None and check(candidate, project)


def may_patch(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether a package may add members to the types of the language."""
    if candidate.grammar is Language.RUBY:
        manifests = project.manifests(r"Gemfile(?:\.lock)?|.*\.gemspec|gems\.rb")
        return any(map(_RUBY_PATCHES.search, manifests)) or project.is_found(
            _RUBY_PATCHES.pattern, SUFFIXES[Language.RUBY]
        )
    if candidate.grammar is Language.JAVA:
        return _LOMBOK.search(candidate.text_after) is not None or project.is_found(
            r"import lombok\b", (".java",)
        )
    if candidate.grammar is Language.RUST:
        return "paste!" in candidate.text_after
    return _TEST_OBJECTS.search(candidate.text_after) is not None


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
    return not may_patch(candidate, project)


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
    required = {name for text in packages for name in _PHP_REQUIRED.findall(text)}
    has_others = not all(map(_PHP_NAMESPACED.match, required))
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

_CLOSED: dict[Language | None, _Closed] = {
    Language.C: _is_closed_c,
    Language.CPP: _is_closed_c,
    Language.JAVA: _is_closed_java,
    Language.PHP: _is_closed_php,
    Language.RUBY: _is_closed_ruby,
    Language.RUST: _is_closed_rust,
    **dict.fromkeys(SCRIPTS, _is_closed_script),
}
