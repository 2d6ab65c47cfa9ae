"""The LSP language ids that replies are read by.

Editors name the same language differently, and have many for text that is no code. In
code, a sentence at the border of a reply is the model's; in text it is the user's. So
what is not known to be code is read as plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.text.chatter import PROSE_LANGUAGES

_ALIASES = {
    name: canonical
    for canonical, names in {
        "asciidoc": "asciidoctor",
        "bibtex": "bib",
        "gherkin": "feature",
        "git-commit": "gitcommit",
        "html": "blade django-html ejs erb eruby handlebars hbs heex htmlangular"
        " htmldjango jinja jinja2 liquid mustache nunjucks razor twig",
        "markdown": "agent chatagent chatmode djot instructions markdoc mdc pandoc"
        " prompt rmarkdown skill vimwiki",
        "restructuredtext": "rst",
        "tex": "context plaintex",
        "vue": "astro vue-html",
        "xml": "dtd plist svg xaml xhtml xsl xslt",
        "javascriptreact": "jsx",
        "typescriptreact": "tsx",
        "shellscript": "sh bash ksh zsh",
        "csharp": "cs",
        "objective-c": "objc",
        "objective-cpp": "objcpp",
        "sql": "mssql mysql pgsql plpgsql postgres postgresql sqlite",
        "terraform": "tf",
    }.items()
    for name in names.split()
}

_CODE_IDS = """
    abap abl ada agda al angelscript apex apl applescript arduino asm assembly
    autohotkey autoit awk ballerina basic bat batch bazel bicep bison bzl c c3 ceylon
    clojure clojurescript cmake cobol coffee coffeescript commonlisp cpp crystal csh
    csharp css csv cuda cuda-cpp cue cython d dart dhall diff dockercompose dockerfile
    dosbatch dotenv dune edn elisp elixir elm emacs-lisp erlang factor fish forth
    fortran fsharp fstar gdscript gdshader gitattributes gitconfig gitignore gleam glsl
    gn go go.mod gomod gosum gowork graphql groovy gsp hack haml haskell haxe hcl helm
    hjson hlsl idris ignore ini isabelle j jai janet java javascript javascriptreact
    json json5 jsonc jsonl jsonnet jsp julia just kconfig kdl kotlin kusto latte lean
    lean4 less lex lhaskell lisp llvm logo lua luau m4 make makefile mathematica matlab
    mercury mermaid meson metal mips mojo move nasm newlisp nginx nim ninja nix nu
    nushell objective-c objective-cpp ocaml octave odin opam opencl openscad pascal perl
    perl6 php phtml plantuml plsql pony powershell prisma processing prolog promql
    properties proto proto3 pug puppet purescript pyrex python q qml qsharp r racket
    raku reason rego renpy rescript ring robotframework ron ruby rust sas sass scala
    scheme scilab scss sed shaderlab shellscript slim smali smalltalk sml snakemake
    solidity soql sparql sql squirrel standardml starlark stata stylus sugarss
    supercollider surrealql svelte swift systemd systemverilog tablegen tcl tcsh templ
    terraform terraform-vars thrift toml tsql tsv turtle typescript typescriptreact
    typespec v vala vb vba vbscript verilog vhdl vim viml vimscript vlang vue vyper wasm
    wast wat wgsl wit xonsh xquery yacc yaml yang zig
"""
"""Ids of code and data, as VS Code, its common extensions, Vim and Emacs name them."""

_CODE = frozenset(_CODE_IDS.split())


_ELEMENT = re.compile(r"[ \t]*+<(?:[A-Za-z][\w.]*+[\s/>]|/[A-Za-z>]|>)")
"""A line that begins with a tag of JSX."""


def reading_id(language: str, lines: Iterable[str] = ()) -> str:
    """Return the id of the language that replies are read by.

    Args:
        language: The document's LSP language id; may be empty. Vim joins several by
            dots, of which the first that is known counts.
        lines: Lines of the document. JavaScript with elements in it is that of React,
            whatever the editor calls it.
    """
    name = language.lower()
    for part in (name, *name.split(".")):
        found = _ALIASES.get(part, part)
        if found in ("javascript", "typescript") and any(map(_ELEMENT.match, lines)):
            return f"{found}react"
        if found in _CODE or found in PROSE_LANGUAGES or not found:
            return found
    return "plaintext"
