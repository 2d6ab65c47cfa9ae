"""`python -m benchmarks.added_names FOLDER`: write which version added which name.

Reads what the toolchains on this machine say of the versions of their libraries: the
signatures of old releases in the JDK, the lists of Go's interfaces, the pages of
`rust-docs`, the declarations of the npm package `typescript`, and the stubs of Python.
Mypy's own stubs have no Python before 3.11, so those of mypy 1.4.1 are read, too:
FOLDER is where its wheel is unpacked. The result is the file that
`checks/names/added_names.py` reads.
"""

from __future__ import annotations

import ast
import re
import struct
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from benchmarks.standard_names import ROOT, TYPESCRIPT, compressed, run

FILE = ROOT / "server" / "redline" / "checks" / "names" / "added.xz"

Version = tuple[int, ...]
Added = Mapping[str, Version]

_HOME = """
class Home {
  public static void main(String[] a) {
    System.out.println(System.getProperty("java.home"));
  }
}
"""
_OLDEST_RUST, _OLDEST_GO = (1, 40), (1, 13)
_NEWEST_JAVA = 24
_NEXT_SCRIPT = (2026,)
"""Of what TypeScript 5 declares in `lib.esnext`."""


def main() -> int:
    """Write the file; return 0."""
    sections: Mapping[str, Added] = {
        "java": _java(),
        "go": _go(),
        "rust": _rust(),
        "script": _script(),
        "python": _python(Path(sys.argv[1])),
    }
    text = ""
    for name, added in sections.items():
        print(f"{name}: {len(added)} names")
        by_version: dict[Version, list[str]] = defaultdict(list)
        for one, version in added.items():
            by_version[version].append(one)
        text += f"= {name}\n"
        for version, names in sorted(by_version.items()):
            text += f"{'.'.join(map(str, version))} {' '.join(sorted(names))}\n"
    FILE.write_bytes(compressed(text))
    print(f"{FILE.relative_to(ROOT)}: {FILE.stat().st_size} bytes")
    return 0


def _oldest(found: Iterable[tuple[str, Version]]) -> dict[str, Version]:
    oldest: dict[str, Version] = {}
    for name, version in found:
        oldest[name] = min(version, oldest.get(name, version))
    return oldest


def _java() -> Added:
    """Return types, `Type.member` of usual packages, and `.member` of any type."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "Home.java")
        source.write_text(_HOME)
        home = Path(run(["java", str(source)]).strip())
    found: list[tuple[str, Version]] = []
    usual = re.compile(
        r"java/(?:lang|util|util/(?:function|stream|concurrent|regex)|io|nio/file|time)/"
        r"(?P<name>[A-Z]\w*)"
    )
    with zipfile.ZipFile(home / "lib" / "ct.sym") as archive:
        for name in archive.namelist():
            releases, _, inner = name.partition("/")
            path = inner.partition("/")[2].removesuffix(".sig")
            if not name.endswith(".sig") or not path.startswith("java/"):
                continue
            version = (min(int(one, 36) for one in releases),)
            found.append((path.replace("/", ".").replace("$", "."), version))
            kind = usual.fullmatch(path)
            for member, is_static in _members(archive.read(name)):
                if not is_static:
                    found.append((f".{member}", version))
                if kind:
                    found.append((f"{kind['name']}.{member}", version))
    # Members of a type move to its bases.
    added = {
        name: version
        for name, version in _oldest(found).items()
        if 8 < version[0] <= _NEWEST_JAVA and not name.rpartition(".")[2].isupper()
    }
    return {
        name: version
        for name, version in added.items()
        # A type that is new has new members only.
        if not re.match(r"[A-Z]", name)
        or not any(f"{p}.{name.partition('.')[0]}" in added for p in _PACKAGES)
    }


_PACKAGES = ("java.lang", "java.util", "java.util.stream", "java.io", "java.time")


def _members(code: bytes) -> Iterator[tuple[str, bool]]:
    """Yield the public members of a class file: their names, and if they are static."""
    texts: dict[int, str] = {}
    n_constants, at, index = struct.unpack_from(">H", code, 8)[0], 10, 1
    sizes = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3}
    sizes |= {16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
    while index < n_constants:
        tag = code[at]
        if tag == 1:
            length = struct.unpack_from(">H", code, at + 1)[0]
            texts[index] = code[at + 3 : at + 3 + length].decode("utf-8", "replace")
            at += 3 + length
        else:
            at += 1 + sizes[tag]
        index += 2 if tag in (5, 6) else 1
    n_interfaces = struct.unpack_from(">H", code, at + 6)[0]
    at += 8 + 2 * n_interfaces
    for _ in range(2):  # Fields, then methods.
        n_members = struct.unpack_from(">H", code, at)[0]
        at += 2
        for _ in range(n_members):
            flags, name, _, n_attributes = struct.unpack_from(">4H", code, at)
            at += 8
            for _ in range(n_attributes):
                at += 6 + struct.unpack_from(">I", code, at + 2)[0]
            if flags & 0x5 and texts[name][0] != "<":
                yield texts[name], bool(flags & 0x8)


def _go() -> Added:
    """Return packages, `package.Name` and `package.Type.Name`."""
    folder = Path(run(["go", "env", "GOROOT"]).strip()) / "api"
    found: list[tuple[str, Version]] = []
    form = re.compile(
        r"pkg (?P<package>[\w./]+)(?: \([\w-]+\))?, (?:(?:func|type|var|const)"
        r" (?P<name>\w+)|method \(\*?(?P<type>\w+)(?:\[[^]]*\])?\) (?P<method>\w+))"
    )
    for path in folder.glob("go1*.txt"):
        number = re.fullmatch(r"go1(?:\.(\d+))?\.txt", path.name)
        version = (1, int(number[1] or 0)) if number else (0,)
        for line in path.read_text().splitlines():
            if one := form.match(line):
                found.append((one["package"], version))
                name = one["name"] or f"{one['type']}.{one['method']}"
                found.append((f"{one['package']}.{name}", version))
    oldest = _oldest(found)
    return {
        name: version
        for name, version in oldest.items()
        if version >= _OLDEST_GO
        and (
            (name in oldest and oldest.get(name.partition(".")[0]) != version)
            or "." not in name
        )
    }


def _rust() -> Added:
    """Return `.member` of any type, and items by their last name."""
    pages = (
        Path(run(["rustc", "--print", "sysroot"]).strip()) / "share/doc/rust/html/std"
    )
    member = re.compile(
        r'id="(?:method|tymethod)\.(\w+?)(?:-\d+)?" class="method(?: trait-impl)?">'
        r'(?:<span class="rightside">(?:<span class="since" title="Stable since Rust'
        r" version (\d+)\.(\d+))?)?"
    )
    since = re.compile(
        r'<span class="since" title="Stable since Rust version (\d+)\.(\d+)'
    )
    found: list[tuple[str, Version]] = []
    for page in sorted(pages.rglob("*.html")):
        kind = re.match(r"(struct|enum|trait|primitive|fn)\.(\w+)\.html", page.name)
        if kind is None:
            continue
        text = page.read_text(encoding="utf-8")
        head = text.partition('id="main-content"')[2].partition("<pre")[0]
        own = since.search(head)
        if own and kind[1] == "fn":
            name = f"{page.parent.name}::{kind[2]}"
            found.append((name, (int(own[1]), int(own[2]))))
        elif own and kind[1] != "primitive":
            found.append((kind[2], (int(own[1]), int(own[2]))))
        for name, major, minor in member.findall(text):
            if major:  # Others are not stable.
                found.append((f".{name}", (int(major), int(minor))))
    return {
        name: version
        for name, version in _oldest(found).items()
        if version >= _OLDEST_RUST
    }


def _script() -> Added:
    """Return `.member` of any type, and `Type.member` of constructors, by year."""
    found: list[tuple[str, Version]] = []
    header = re.compile(r"(?:declare )?(?:interface|class) (\w+)")
    member = re.compile(r" {4}([A-Za-z_$][\w$]*)\??[(<]")
    for path in sorted(TYPESCRIPT.glob("lib.*.d.ts")):
        if path.name.startswith("lib.webworker"):
            continue
        year = re.match(r"lib\.es(20\d\d)\b", path.name)
        version: Version = (int(year[1]),) if year else (2015,)
        if path.name.startswith("lib.esnext"):
            version = _NEXT_SCRIPT
        current = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if one := header.match(line):
                current = one[1]
            elif line.startswith("}"):
                current = ""
            elif current in _OF_STACKS:
                continue
            elif current and (one := member.match(line)):
                is_static = current.endswith("Constructor") or current in _STATIC
                owner = current.removesuffix("Constructor") if is_static else ""
                found.append((f"{owner}.{one[1]}", version))
    return {
        name: version for name, version in _oldest(found).items() if version > (2016,)
    }


_OF_STACKS = frozenset({"DisposableStack", "AsyncDisposableStack"})
"""Types whose members, such as `use`, many other types have, too."""
_STATIC = frozenset({"Math", "JSON", "Reflect", "Atomics", "Intl"})


def _python(old: Path) -> Added:
    """Return modules, `module.name`, and `.member` of built-in types."""
    import mypy

    folders = [old / "mypy" / "typeshed" / "stdlib"]
    folders.append(Path(mypy.__file__).parent / "typeshed" / "stdlib")
    older, newer = (_oldest(_of_stubs(folder)) for folder in folders)
    # What the newer stubs have without a condition is older than what they support.
    added = {**{name: one for name, one in newer.items() if one > (3, 0)}, **older}
    return {name: version for name, version in added.items() if version > (3, 7)}


def _of_stubs(folder: Path) -> Iterator[tuple[str, Version]]:
    for line in (folder / "VERSIONS").read_text().splitlines():
        if one := re.match(r"([a-z][\w.]*): 3\.(\d+)-", line):
            yield one[1], (3, int(one[2]))
    for path in sorted(folder.rglob("*.pyi")):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        module = module.removesuffix(".__init__")
        if not any(part.startswith("_") for part in module.split(".")):
            for name, version in _bound(folder, module, _body(path), (0,)):
                yield f"{module}.{name}", version
    for node in _body(folder / "builtins.pyi"):
        if isinstance(node, ast.ClassDef):
            for name, version in _bound(folder, "", node.body, (0,)):
                yield f".{name}", version


def _body(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text(encoding="utf-8")).body


def _bound(
    folder: Path, module: str, nodes: Iterable[ast.stmt], version: Version
) -> Iterator[tuple[str, Version]]:
    """Yield the names that statements bind, and from which version on."""
    for node in nodes:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                newer = re.fullmatch(
                    r"sys\.version_info >= \(3, (\d+)\)", ast.unparse(test)
                )
                inner = (3, int(newer[1])) if newer else version
                yield from _bound(folder, module, body, max(inner, version))
                yield from _bound(folder, module, orelse, version)
            case ast.ImportFrom(module=str(of), names=[ast.alias(name="*")], level=1):
                path = folder.joinpath(*module.split("."), *of.split("."))
                if path.with_suffix(".pyi").is_file():
                    inside = _body(path.with_suffix(".pyi"))
                    for name, own in _bound(folder, module, inside, version):
                        if not name.startswith("_"):
                            yield name, own
            case _:
                yield from ((name, version) for name in _names(node))


def _names(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.ImportFrom(names=aliases) | ast.Import(names=aliases):
            yield from (one.name for one in aliases if one.asname == one.name)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=[ast.Name(id=name)]):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name


if __name__ == "__main__":
    sys.exit(main())
