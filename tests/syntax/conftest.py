"""One small file of each language, with its errors where there are any."""

from __future__ import annotations

from textwrap import dedent

import pytest

from redline.syntax.language import Language

_SAMPLES = {
    Language.PYTHON: """\
        import a
        from b import (
            c,
        )
        @d
        async def f(x):  # why
            g(x).h()
        class A(B):
            def m(self): pass
        """,
    Language.JAVASCRIPT: """\
        import a from 'b';
        const q = require('z');
        export function f(x) {
          g(x); a.b(); new C();
        }
        export default class A extends B {
          m() {}
          static s = () => {};
        }
        const h = async (x) => x;
        module.exports.z = function () {};
        """,
    Language.TYPESCRIPT: """\
        import a from 'b';
        interface I { m(): void }
        type T = string;
        export enum E { A }
        export abstract class A<T> {
          private m(x: T): void {}
          abstract q(): void;
        }
        namespace N { export function f() {} }
        declare function z(): void;
        """,
    Language.TSX: """\
        export const App = (props: P) => <b onClick={() => go(props)}>it's</b>;
        """,
    Language.JAVA: """\
        import b.c;
        @Bean
        class A<T> extends B {
          A() { foo(); }
          <T> void m(int a) { this.b.c(); new D(); }
          enum E { X }
          interface I { void q(); }
          record R(int x) {}
        }
        """,
    Language.C: """\
        #include <a.h>
        #define F(x) x
        struct A { int x; };
        typedef struct { int y; } B;
        static int *f(int a) {
          g(a); p->q(1); return 0;
        }
        int h(void);
        """,
    Language.CPP: """\
        namespace n {
        template <class T>
        class A : B {
         public:
          A();
          int m() const { f(); a.b(); X::y(); }
        };
        }
        int n::A::q(int x) { return 1; }
        """,
    Language.CSHARP: """\
        using System;
        namespace N {
        public class A : B {
          public int P { get; set; }
          public A() {}
          void M(int x) { F(); a.B(); new C(); }
          struct S {}
        }
        }
        """,
    Language.GO: """\
        package a
        import (
          "c"
        )
        type A struct { x int }
        type I interface { M() }
        func (a *A) M(x int) error { f(); a.b(); return nil }
        func G[T any]() {}
        """,
    Language.RUST: """\
        use a::b;
        struct A<T> { x: T }
        trait T { fn q(&self); }
        impl<T> Foo for A<T> {
          fn m(&self) -> i32 { f(); a.b(); X::y(); println!("x") }
        }
        macro_rules! z { () => {} }
        """,
    Language.RUBY: """\
        require 'a'
        module M
          class A < B
            def m(x)
              foo(x)
              a.b
            end
            def self.s; end
          end
        end
        """,
    Language.PHP: """\
        <?php
        use A\\B;
        require 'x.php';
        function f($x) { g($x); $a->b(); X::y(); new Z(); }
        trait T { function m() {} }
        """,
    Language.BASH: """\
        source a.sh
        g() {
          x "$1"
        }
        """,
}


@pytest.fixture(params=Language)
def language(request: pytest.FixtureRequest) -> Language:
    """Each language in turn."""
    return Language(request.param)


@pytest.fixture
def sample(language: Language) -> str:
    """A small file of the language; right, and without a comment before line 5."""
    return dedent(_SAMPLES[language])
