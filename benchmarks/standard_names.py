"""`python -m benchmarks.standard_names`: write what the standard libraries contain.

Reads the names from what the toolchains on this machine say of themselves: the type
declarations of the npm package `typescript` in `editors/vscode`, Node's own modules,
the pages of `rust-docs`, and the classes of the JDK by reflection. The result is the
file that `checks/names/standard_names.py` reads. Go is not in it: the user's own Go is
read.
"""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from redline.syntax.word_set import word_set

ROOT = Path(__file__).parents[1]
FILE = ROOT / "server" / "redline" / "checks" / "names" / "standard.xz"
TYPESCRIPT = ROOT / "editors" / "vscode" / "node_modules" / "typescript" / "lib"

_RUST = word_set(
    "String str char Vec slice array Option Result HashMap HashSet BTreeMap"
    " BTreeSet VecDeque BinaryHeap Path PathBuf File OpenOptions Duration"
    " Instant SystemTime Mutex RwLock Cell RefCell OsString OsStr Command"
    " Ordering bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32"
    " f64"
)
"""Types of Rust's `std` that are listed."""

_JAVA = re.compile(
    r"java\.(?:lang|util|util\.(?:function|stream|concurrent|concurrent\.atomic|regex)|io"
    r"|nio\.file|time|math)\.[A-Z]\w*"
)
_JAVA_SOURCE = """
import java.lang.module.*;
import java.lang.reflect.*;
import java.net.URI;
import java.nio.file.*;
import java.util.*;


public class Names {
  static final int SEEN = Modifier.PUBLIC | Modifier.PROTECTED;

  public static void main(String[] arguments) throws Exception {
    FileSystem files = FileSystems.getFileSystem(URI.create("jrt:/"));
    for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
      String name = module.descriptor().name();
      if (!name.startsWith("java.")) continue;
      Set<String> exported = new HashSet<>();
      for (var one : module.descriptor().exports())
        if (!one.isQualified()) exported.add(one.source());
      Path root = files.getPath("/modules/" + name);
      try (var found = Files.walk(root)) {
        for (Path path : (Iterable<Path>) found::iterator) {
          String file = root.relativize(path).toString();
          if (!file.endsWith(".class") || !file.contains("/")) continue;
          String type = file.substring(0, file.length() - 6).replace('/', '.');
          if (exported.contains(type.substring(0, type.lastIndexOf('.')))) print(type);
        }
      }
    }
  }

  static void print(String type) {
    Class<?> found;
    try {
      found = Class.forName(type, false, ClassLoader.getPlatformClassLoader());
    } catch (Throwable error) {
      return;
    }
    if (!Modifier.isPublic(found.getModifiers())) return;
    StringBuilder line = new StringBuilder(type);
    Class<?> base = found.getSuperclass();
    if (base != null) line.append(":" + base.getName());
    for (Class<?> one : found.getInterfaces()) line.append(":" + one.getName());
    Set<String> names = new TreeSet<>();
    for (Method one : found.getMethods())
      if (one.getDeclaringClass() != Object.class) names.add(one.getName());
    for (Method one : found.getDeclaredMethods())
      if ((one.getModifiers() & SEEN) != 0) names.add(one.getName());
    for (Field one : found.getDeclaredFields())
      if ((one.getModifiers() & SEEN) != 0) names.add(one.getName());
    for (Class<?> one : found.getDeclaredClasses())
      if ((one.getModifiers() & SEEN) != 0) names.add(one.getSimpleName());
    System.out.println(line + " " + String.join(" ", names));
  }
}
"""

_Types = Mapping[str, set[str]]


def main() -> int:
    """Write the file; return 0."""
    sections = {
        "script": sorted(_lines(_script_types())),
        "script globals": sorted(_script_globals()),
        "node": sorted(_lines(_node_modules())),
        "rust": sorted(_lines(_rust_types())),
        **_java(),
    }
    for name, lines in sections.items():
        size = len(compressed("\n".join(lines)))
        print(f"{name}: {len(lines)} lines, {size} bytes compressed alone")
    text = "".join(
        f"= {name}\n" + "".join(f"{line}\n" for line in lines)
        for name, lines in sections.items()
    )
    FILE.write_bytes(compressed(text))
    print(f"{FILE.relative_to(ROOT)}: {FILE.stat().st_size} bytes")
    return 0


def compressed(text: str) -> bytes:
    """Pack a file of names."""
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)


def _lines(types: _Types) -> Iterator[str]:
    return (f"{name} {' '.join(sorted(names))}" for name, names in types.items())


def _script_types() -> _Types:
    """Return the members of the types of ECMAScript, with those of their bases."""
    members: dict[str, set[str]] = defaultdict(set)
    bases: dict[str, set[str]] = defaultdict(set)
    header = re.compile(
        r"(?:declare )?(?:interface|class) (\w+)[^{]*?(?: extends (.*))?\{"
    )
    member = re.compile(r" {4}(?:readonly |get |set )*([A-Za-z_$][\w$]*)\??[(<:]")
    for path in sorted(TYPESCRIPT.glob("lib.es*.d.ts")):
        current = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if found := header.match(line):
                current = found[1]
                bases[current] |= set(re.findall(r"\b[A-Z]\w+", found[2] or ""))
            elif line.startswith("}"):
                current = ""
            elif current and (found := member.match(line)):
                members[current].add(found[1])
    return {
        name: set().union(names, *(members.get(base, set()) for base in bases[name]))
        for name, names in members.items()
        if names and not name.startswith(("Intl", "Segment"))
    }


def _script_globals() -> set[str]:
    """Return the functions that every file can call."""
    text = "".join(
        path.read_text(encoding="utf-8") for path in TYPESCRIPT.glob("lib.*.d.ts")
    )
    return set(re.findall(r"^declare function (\w+)", text, re.MULTILINE))


def _node_modules() -> _Types:
    script = (
        "const out = {}; for (const m of require('module').builtinModules)"
        " if (!m.startsWith('_')) out[m] = Object.keys(require(m));"
        " console.log(JSON.stringify(out))"
    )
    words = ["node", "--no-deprecation", "-e", script]
    found = json.loads(run(words))
    return {name: set(filter(_is_usual, names)) for name, names in found.items()}


def _rust_types() -> _Types:
    """Return the members of types by their last name; `*` has those of all types."""
    pages = (
        Path(run(["rustc", "--print", "sysroot"]).strip()) / "share/doc/rust/html/std"
    )
    types: dict[str, set[str]] = defaultdict(set)
    member = re.compile(
        r'id="(?:method|tymethod|associatedconstant|variant|structfield)\.(\w+?)(?:-\d+)?"'
    )
    traits: set[str] = set()
    for page in sorted(pages.rglob("*.html")):
        found = re.match(r"(struct|enum|trait|primitive)\.(\w+)\.html", page.name)
        if found is None:
            continue
        names = set(member.findall(page.read_text(encoding="utf-8")))
        if found[1] == "trait":
            traits |= names
        elif found[2] in _RUST:
            types[found[2]] |= names
    own = {name: names - traits for name, names in types.items()}
    return {**{name: names for name, names in own.items() if names}, "*": traits}


def _java() -> Mapping[str, list[str]]:
    """Return the packages, and the classes of the usual ones with their members."""
    lines = java_classes()
    types = [line.split(" ")[0].split(":")[0] for line in lines]
    members = {line.split(" ")[0].split(":")[0]: line.split(" ")[1:] for line in lines}
    kept = [
        _own(line, members)
        for line, name in zip(lines, types, strict=True)
        if _JAVA.fullmatch(name)
    ]
    return {
        "java": sorted(kept),
        "java packages": sorted({name.rpartition(".")[0] for name in types}),
    }


def java_classes() -> list[str]:
    """Return a line for each public class of the JDK: name, bases, members."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "Names.java")
        source.write_text(_JAVA_SOURCE)
        return run(["java", str(source)]).splitlines()


def _own(line: str, members: Mapping[str, list[str]]) -> str:
    """Leave out constants, and what the bases of a type have as well."""
    head, *names = line.split(" ")
    kind, *bases = head.split(":")
    bases = [one for one in bases if one != "java.lang.Object" and _JAVA.fullmatch(one)]
    known = {name for base in bases for name in members.get(base, ())} | set(
        members["java.lang.Object"] if kind != "java.lang.Object" else ()
    )
    kept = [name for name in names if _is_usual(name) and name not in known]
    # Most names are of the commonest packages, so that these are shortened.
    short = ":".join((kind, *(one.rpartition(".")[2] for one in bases)))
    return " ".join((short, *kept))


def _is_usual(name: str) -> bool:
    """Whether a name is no constant and not internal: those are not checked."""
    return not name.isupper() and not name.startswith("_") and "$" not in name


def run(words: list[str], text: str = "") -> str:
    """Return the output of a program that reads a text."""
    ended = subprocess.run(
        words, input=text, check=True, stdout=subprocess.PIPE, text=True
    )
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main())
