"""`python -m benchmarks.standard_words`: write the words of the standard libraries.

For a member or function whose owner is not known, the only question is whether any
library has the name. So each language gets one flat list: the names of all methods,
fields and functions that the toolchains on this machine have. The result is the file
that `checks/names/standard_words.py` reads. Constants in capitals and names that begin
with an underscore are not in it.

With names of sections, only these are written again.

It needs `node`, `java`, `rustc` with `rust-docs`, `ruby`, `php` with the extensions of
its distribution, the headers of GCC, and Kotlin's library in Maven's folder.
"""

from __future__ import annotations

import lzma
import re
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import takewhile
from pathlib import Path

from benchmarks.standard_names import ROOT, TYPESCRIPT, java_classes, run
from redline.checks.names.closed_files import C_HEADERS
from redline.checks.names.standard_words import own_words

FILE = ROOT / "server" / "redline" / "checks" / "names" / "words.xz"
_NODE_TYPES = TYPESCRIPT.parents[1] / "@types" / "node"
_WITHOUT_TYPES = ("c", "ruby", "rust", "script")
"""Sections in which only names are looked up that begin with a small letter."""
_EXTENDED = {"cpp": "c", "kotlin": "java"}
"""Sections that are used together with another, whose words they lack."""
_KOTLIN_NAME = re.compile(
    rb"(?!\w*_u2d)[a-z](?:[a-z]|\w\w+)|[A-Z][a-z]{2,}(?:[A-Z][a-z]+)*"
)
"""What is no mangled name and no part of a descriptor."""
_MOST_SHARED = 25
_INCLUDE = Path("/usr/include")

_PROCESSORS = frozenset({"arch", "core_arch"})
"""Folders of Rust's functions that are one instruction each, in thousands."""

_RUBY = """
%w[abbrev base64 benchmark bigdecimal cgi csv date delegate digest English erb etc
fileutils find forwardable io/console ipaddr json logger matrix monitor net/http
observer open3 open-uri openssl optparse ostruct pathname pp pstore prime psych
securerandom set shellwords singleton socket stringio strscan tempfile time timeout
tmpdir tsort uri weakref yaml zlib rexml/document].each do |name|
  begin; require name; rescue LoadError, StandardError; end
end
names = {}
ObjectSpace.each_object(Module) do |one|
  [one.instance_methods, one.private_instance_methods, one.singleton_methods,
   one.private_methods].each { |list| list.each { |name| names[name] = true } }
end
puts names.keys
"""
_PHP = 'foreach (get_defined_functions()["internal"] as $one) echo $one, "\\n";'


def main() -> int:
    """Write the file; return 0."""
    wanted = sys.argv[1:] or list(_SECTIONS)
    old = {name: own_words(name) for name in _SECTIONS if name not in wanted}
    new = {name: set(filter(_is_usual, _SECTIONS[name]())) for name in wanted}
    kept: dict[str, Set[str]] = dict(sorted({**old, **new}.items()))
    for name in _WITHOUT_TYPES:
        kept[name] = {word for word in kept[name] if not word[0].isupper()}
    for name, base in _EXTENDED.items():
        kept[name] = kept[name] - kept[base]
    for name, words in kept.items():
        print(f"{name}: {len(words)} words")
    FILE.write_bytes(packed(kept))
    print(f"{FILE.relative_to(ROOT)}: {FILE.stat().st_size} bytes")
    return 0


def packed(sections: Mapping[str, Iterable[str]]) -> bytes:
    """Return the file: for each section its name, shared beginnings, and the rest.

    A word in order is its beginning, shared with the word before, and the rest; the
    length of a beginning is a letter from `a`, for none, to `z`.
    """
    text = ""
    for name, words in sections.items():
        lengths, ends, last = "", [], ""
        for word in sorted(words):
            pairs = zip(word, last, strict=False)
            shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            shared = min(shared, _MOST_SHARED)
            lengths += chr(ord("a") + shared)
            ends.append(word[shared:])
            last = word
        text += f"= {name}\n{lengths}\n{' '.join(ends)}\n"
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)


def _is_usual(name: str) -> bool:
    is_constant = name.isupper() and len(name) > 1
    return not (is_constant or name.startswith("_")) and name.isascii()


def _c() -> Iterator[str]:
    """Yield the functions and macros with arguments of the headers of C and POSIX."""
    source = "".join(
        f"#include <{one}.h>\n" for one in sorted(C_HEADERS) if _exists(one)
    )
    options = ["-D_GNU_SOURCE", "-std=gnu17", "-x", "c", "-"]
    text = run(["gcc", "-E", "-P", *options], source)
    yield from re.findall(r"\b([A-Za-z]\w*)\s*\(", text)
    macros = run(["gcc", "-E", "-dM", *options], source)
    yield from re.findall(r"#define ([A-Za-z]\w*)", macros)


def _exists(header: str) -> bool:
    places = [_INCLUDE, _INCLUDE / "x86_64-linux-gnu", *_own_headers()]
    return any((place / f"{header}.h").is_file() for place in places)


def _own_headers() -> Iterable[Path]:
    return Path("/usr/lib/gcc").glob("*/*/include")


def _cpp() -> Iterator[str]:
    """Yield every name in the headers of the newest C++ library."""
    newest = max((_INCLUDE / "c++").iterdir(), key=lambda one: int(one.name))
    for path in sorted(newest.rglob("*")):
        is_own = "ext" not in path.parts and "pb_ds" not in str(path)
        if is_own and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            yield from re.findall(r"\b[a-z][a-z0-9_]*\b", _without_comments(text))


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def _java() -> Iterator[str]:
    for line in java_classes():
        head, *names = line.split(" ")
        yield from names
        yield head.split(":")[0].rpartition(".")[2]


def _kotlin() -> Iterator[str]:
    """Yield the names in the classes and the metadata of Kotlin's library."""
    jars = Path.home().glob(
        ".m2/repository/org/jetbrains/kotlin/kotlin-stdlib/*/kotlin-stdlib-*.jar"
    )
    newest = max(jars, key=lambda jar: tuple(map(int, jar.parent.name.split("."))))
    with zipfile.ZipFile(newest) as archive:
        for name in archive.namelist():
            if name.endswith((".class", ".kotlin_builtins")):
                for word in re.findall(rb"[A-Za-z]\w+", archive.read(name)):
                    if _KOTLIN_NAME.fullmatch(word):
                        yield word.decode()


def _php() -> Iterable[str]:
    return run(["php", "-r", _PHP]).split()


def _ruby() -> Iterable[str]:
    return run(["ruby", "-W0", "-e", _RUBY]).split()


def _rust() -> Iterator[str]:
    """Yield the names of functions, fields, variants and traits' members."""
    sysroot = Path(run(["rustc", "--print", "sysroot"]).strip())
    member = re.compile(
        r'id="(?:method|tymethod|associatedconstant|variant|structfield)\.(\w+?)(?:-\d+)?"'
    )
    for library in ("std", "core", "alloc"):
        for page in sorted((sysroot / "share/doc/rust/html" / library).rglob("*.html")):
            yield from member.findall(page.read_text(encoding="utf-8"))
            found = re.match(r"(?:fn|macro)\.(\w+)\.html", page.name)
            if found and _PROCESSORS.isdisjoint(page.parts):
                yield found[1]


def _script() -> Iterator[str]:
    """Yield the members and functions of ECMAScript, of browsers and of Node."""
    paths = [*TYPESCRIPT.glob("lib.*.d.ts"), *_NODE_TYPES.rglob("*.d.ts")]
    for path in sorted(paths):
        text = _without_comments(path.read_text(encoding="utf-8"))
        yield from re.findall(r"([A-Za-z$][\w$]*)\??\s*[(<:]", text)


_SECTIONS: Mapping[str, Callable[[], Iterable[str]]] = {
    "c": _c,
    "cpp": _cpp,
    "java": _java,
    "kotlin": _kotlin,
    "php": _php,
    "ruby": _ruby,
    "rust": _rust,
    "script": _script,
}


if __name__ == "__main__":
    sys.exit(main())
