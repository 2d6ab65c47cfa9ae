"""The words of standard libraries: the names of all members and functions of each.

`benchmarks/standard_words.py` writes them. Constants in capitals are not among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from redline.syntax.language import Language
from redline.syntax.type_names import SCRIPTS

_SECTIONS = {
    Language.C: "c",
    Language.CPP: "cpp",
    Language.JAVA: "java",
    Language.PHP: "php",
    Language.RUBY: "ruby",
    Language.RUST: "rust",
    **dict.fromkeys(SCRIPTS, "script"),
}


@cache
def standard_words(language: Language) -> frozenset[str]:
    """Return the words of a language's library; none if they are not known."""
    section = _SECTIONS.get(language, "")
    # C++ can use all of C.
    return own_words(section) | own_words("c" if section == "cpp" else "")


@cache
def kotlin_words() -> frozenset[str]:
    """Return the words of Kotlin's library, and of Java's, which it can use."""
    return own_words("kotlin") | own_words("java")


@cache
def own_words(section: str) -> frozenset[str]:
    """Return the words of a section of the table, without those of another."""
    lengths, ends = _texts().get(section, ("", ""))
    found, last = set(), ""
    for length, end in zip(lengths, ends.split(), strict=True):
        last = last[: ord(length) - ord("a")] + end
        found.add(last)
    return frozenset(found)


@cache
def _texts() -> Mapping[str, tuple[str, str]]:
    try:
        import lzma
    except ImportError:
        # A Python that was built without it: nothing is known, so nothing is reported.
        return {}
    packed = (resources.files(__package__) / "words.xz").read_bytes()
    lines = lzma.decompress(packed).decode("utf-8").splitlines()
    heads = (line.removeprefix("= ") for line in lines[::3])
    return dict(zip(heads, zip(lines[1::3], lines[2::3], strict=True), strict=True))
