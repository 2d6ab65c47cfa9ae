"""The changes of imports above a range, in each language."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from tests.checks.conftest import MakeCandidate

from redline.checks.import_changes.import_changes import import_changes
from redline.checks.python.environment import PythonEnvironment
from redline.text.line_diff import apply_hunks

NONE = "none"
"""The imports of the reply have no certain place."""


@pytest.mark.parametrize(
    ("language", "before", "new", "reply_imports", "expected"),
    [
        # Python: what is in front of the reply, in its block and in order.
        (
            "python",
            '"""Doc."""\n\nimport os\nimport sys\n\nfrom lib import a\n\n\n'
            "x = os, sys, a\n»\nx = 1\n«\n",
            "x = json.dumps(b, c)\n",
            "import json\nfrom lib import b\nfrom other import c",
            '"""Doc."""\n\nimport json\nimport os\nimport sys\n\n'
            "from lib import a, b\nfrom other import c\n\n\n",
        ),
        # It is there already, or not used.
        (
            "python",
            "import os\nfrom a import (b,\n    c)\nx = os, b, c\n»\nx = 1\n«\n",
            "x = os, b\n",
            "import os\nfrom a import b, c\nimport unused",
            "import os\nfrom a import (b,\n    c)\n",
        ),
        # Blocks of their own.
        (
            "python",
            "import lib\n\nx = lib\n»\nx = 1\n«\n",
            "x = json, re\n",
            "import re\nimport json",
            "import json\nimport re\n\nimport lib\n\n",
        ),
        (
            "python",
            "import os\n\nx = os\n»\nx = 1\n«\n",
            "x = B\n",
            "from .here import B",
            "import os\n\nfrom .here import B\n\n",
        ),
        # There are none yet.
        (
            "python",
            '#!/bin/python\n"""Doc."""\n\n\ndef g(): ...\n»\nx = 1\n«\n',
            "x = json\n",
            "import json",
            '#!/bin/python\n"""Doc."""\n\nimport json\n\n\n',
        ),
        (
            "python",
            "def g(): ...\n»\nx = 1\n«\n",
            "x = json\n",
            "import json",
            "import json\n\n\n",
        ),
        (
            "python",
            "from __future__ import annotations\n\n\ndef g(): ...\n»\nx = 1\n«\n",
            "x = json\n",
            "from __future__ import annotations\nimport json",
            "from __future__ import annotations\n\nimport json\n\n\n",
        ),
        # What the new code needs, without a word of the reply.
        (
            "python",
            "import os\nx = os\n»\nx = 1\n«\n",
            "x: Optional[Path] = json.loads('')\ny: TextIO\nz = foo\n",
            "",
            "import json\nimport os\nfrom pathlib import Path\n"
            "from typing import Optional, TextIO\n",
        ),
        # A module that is also a name of the file, or its own value.
        (
            "python",
            "import os\nx = os\n»\nx = 1\n«\n",
            "x = json\n",
            "",
            "import os\n",
        ),
        # What only the old code used goes.
        (
            "python",
            "import os\nimport re\n\nimport lib\n\nfrom a import b, c\nx = c\n"
            "»\nx = re, lib, b, os\n«\n",
            "x = os\n",
            "",
            "import os\n\nfrom a import c\n",
        ),
        (
            "python",
            "from a import (\n    b,\n    c,\n)\nx = c\n»\nx = b\n«\n",
            "x = 1\n",
            "",
            "from a import (\n    c,\n)\n",
        ),
        # It may be used after all.
        (
            "python",
            "import re  # noqa: F401\nimport os\n__all__ = ['os']\n"
            "try:\n    import json\nexcept ImportError: pass\n»\nx = re, os, json\n«\n",
            "x = 1\n",
            "",
            "import re  # noqa: F401\nimport os\n",
        ),
        # A change and a removal of one block are one change.
        (
            "python",
            "import os\nx = 2\n»\nx = os\n«\n",
            "x = re\n",
            "import re",
            "import re\n",
        ),
        # The only wish was an import.
        (
            "python",
            "import os\nx = os\n»\nx = 1\n«\n",
            "x = 1\n",
            "import json",
            "import json\nimport os\n",
        ),
        # No certain place: the range is above the imports, or the file does not parse.
        ("python", "# a\n»\nx = 1\n«\nimport os\n", "x = re\n", "import re", NONE),
        ("python", "x = (\n»\nx = 1\n«\n", "x = re\n", "import re", NONE),
        # TypeScript and JavaScript.
        (
            "typescript",
            "import { a, c } from \"x\";\nimport * as d from 'y';\nd(a, c);\n"
            "»\nf(d);\n«\n",
            "f(b, new E());\n",
            "import {b} from 'x';\nimport E, { type F } from './e';\nimport \"side\";",
            "import { a, b, c } from \"x\";\nimport * as d from 'y';\n"
            "import E, { type F } from './e';\nimport \"side\";\n",
        ),
        (
            "typescriptreact",
            'import React from "react";\nimport {\n  a,\n  b,\n} from "x";\nb;\n'
            "»\nf(a, React);\n«\n",
            "f(<p />);\n",
            "",
            'import React from "react";\nimport {\n  b,\n} from "x";\n',
        ),
        (
            "javascript",
            "// @ts-check\n'use strict';\n\nf();\n»\ng();\n«\n",
            "g(a);\n",
            "import a from 'a';",
            "// @ts-check\n'use strict';\n\nimport a from 'a';\n\n",
        ),
        # Go.
        (
            "go",
            'package p\n\nimport (\n\t"fmt"\n\t"os"\n\n\t"x.org/y"\n)\n\n'
            "var a = y.Z + os.A\n»\nvar b = fmt.Sprint()\n«\n",
            "var b = strings.ToUpper(y.Z)\n",
            "",
            'package p\n\nimport (\n\t"os"\n\t"strings"\n\n\t"x.org/y"\n)\n\n',
        ),
        (
            "go",
            "package p\n\nfunc f() {}\n»\nvar b = 1\n«\n",
            "var b = a.B(json.C)\n",
            'import (\n\t"encoding/json"\n\ta "x.org/y"\n)',
            'package p\n\nimport "encoding/json"\nimport a "x.org/y"\n\n',
        ),
        # A variable has the package's name.
        (
            "go",
            "package p\n\nfunc f(time T) { time.Go() }\n»\nvar b = 1\n«\n",
            "var b = time.Now()\n",
            "",
            "package p\n\n",
        ),
        # Rust: a trait is used without its name, so nothing goes.
        (
            "rust",
            "use std::io::Read;\n\nuse crate::a;\n\nfn f() {}\n»\nfn g(x: Read) {}\n"
            "«\n",
            "fn g(x: HashMap<B, C>) {}\n",
            "use crate::{\n    B,\n    C,\n};",
            "use std::collections::HashMap;\nuse std::io::Read;\n\n"
            "use crate::a;\nuse crate::{\n    B,\n    C,\n};\n\n",
        ),
        (
            "rust",
            "struct HashMap;\n»\nfn g() {}\n«\n",
            "fn g(x: HashMap) {}\n",
            "",
            "",
        ),
        # Java.
        (
            "java",
            "package p;\n\nimport java.util.Map;\nimport org.a.B;\n\n"
            "class A {\n    Map a;\n»\n    B b;\n«\n}\n",
            "    List<String> b = new ArrayList<>();\n",
            "",
            "package p;\n\nimport java.util.ArrayList;\nimport java.util.List;\n"
            "import java.util.Map;\n\n",
        ),
        # Only the names change, not the module or the rest of the line.
        (
            "python",
            "from datetime import datetime\nx = datetime\n»\nx = 1\n«\n",
            "x = timedelta(1)\n",
            "",
            "from datetime import datetime, timedelta\n",
        ),
        (
            "python",
            "from dataclasses import dataclass\nx = dataclass\n»\nx = 1\n«\n",
            "x = field()\n",
            "from dataclasses import field",
            "from dataclasses import dataclass, field\n",
        ),
        (
            "python",
            "from a_b import a, b  # a, b\nx = b\n»\nx = a\n«\n",
            "x = 1\n",
            "",
            "from a_b import b  # a, b\n",
        ),
        (
            "typescript",
            'import { foo } from "./foo";\nfoo();\n»\nf();\n«\n',
            "bar();\n",
            'import { bar } from "./foo";',
            'import { bar, foo } from "./foo";\n',
        ),
        # Names that are added and removed at once.
        (
            "python",
            "from typing import Optional\n\nx = 1\n»\ny: Optional[int]\n«\n",
            "y: Any\n",
            "",
            "from typing import Any\n\n",
        ),
        (
            "python",
            "import os\n\nx = 1\n»\nx = os.a\n«\n",
            "x = re.A\n",
            "",
            "import re\n\n",
        ),
        (
            "python",
            "import os\n\nimport re\n\nx = os\n»\nx = re.A\n«\n",
            "x = sys\n",
            "import sys",
            "import os\n\nimport sys\n\n",
        ),
        (
            "python",
            "import os\n\nimport lib\n\nx = os\n»\nx = lib.a\n«\n",
            "x = other.b\n",
            "import other",
            "import os\n\nimport other\n\n",
        ),
        (
            "python",
            "import os\n»\n\nx = os.a\n«\n",
            "\nx = 1\n",
            "",
            "",
        ),
        (
            "python",
            "from typing import Union\n\nx = Union\n»\nx = 1\n«\n",
            "x: Any\ny: TextIO\n",
            "from typing import Any",
            "from typing import Any, TextIO, Union\n\n",
        ),
        (
            "typescript",
            'import {\n  a,\n} from "x";\na();\n»\nf();\n«\n',
            "f(a, b);\n",
            'import { a, b } from "x";',
            'import {\n  a,\n} from "x";\nimport { b } from "x";\n',
        ),
        # What binds a name that is bound, or none that the text has.
        (
            "python",
            "import importlib\nx = importlib\n»\nx = 1\n«\n",
            "x = importlib.metadata\n",
            "import importlib.metadata",
            "import importlib\nimport importlib.metadata\n",
        ),
        (
            "rust",
            "use std::fmt;\nuse std::io::Write;\n\nfn f() {}\n»\nfn g() {}\n«\n",
            "fn g(x: impl Display) { x.read(); }\n",
            "use std::fmt::{self, Display};\nuse std::io::Read;\nuse std::io::Write;",
            "use std::fmt;\nuse std::fmt::Display;\nuse std::io::Read;\n"
            "use std::io::Write;\n\n",
        ),
        # An attribute, or a comment that is code, stays with its statement.
        (
            "rust",
            "#[cfg(unix)]\nuse b::B;\nuse c::C;\n\nfn f() {}\n»\nfn g() {}\n«\n",
            "fn g() { A }\n",
            "use a::A;",
            "#[cfg(unix)]\nuse b::B;\nuse a::A;\nuse c::C;\n\n",
        ),
        (
            "go",
            'package p\n\n// int a;\nimport "C"\n\nvar a = 1\n»\nvar b = C.a\n«\n',
            "var b = fmt.Sprint()\n",
            "",
            'package p\n\n// int a;\nimport "C"\n\n',
        ),
        # More than a statement on its line, which is not read.
        (
            "javascript",
            'import a from "a"; setup();\nimport { b } from "b"; f();\n\n»\na(b);\n«\n',
            "c();\n",
            "",
            'import a from "a"; setup();\nimport { b } from "b"; f();\n\n',
        ),
        (
            "javascript",
            'import b from "b";\nb();\n»\na();\n«\n',
            "c();\n",
            'import c from "c"; import d from "d";',
            NONE,
        ),
        (
            "java",
            "import a.B; import a.C;\nimport a.D; // D\n\nclass A {\n»\n"
            "B b; D d;\n«\n}\n",
            "int b;\n",
            "",
            "import a.B; import a.C;\n\n",
        ),
        # Import attributes are a part of the statement.
        (
            "javascript",
            'import d from "./d.json" with { type: "json" };\n'
            'import e from "e";\ne();\n»\nf(d);\n«\n',
            "f(g);\n",
            'import g from "./g.json" with { type: "json" };',
            'import e from "e";\nimport g from "./g.json" with { type: "json" };\n',
        ),
        # Lines that stay first in a script.
        (
            "javascript",
            "#!/usr/bin/env node\nf();\n»\ng();\n«\n",
            "g(a);\n",
            "import a from 'a';",
            "#!/usr/bin/env node\n\nimport a from 'a';\n\n",
        ),
        (
            "typescriptreact",
            "/*\nText.\n*/\n'use client';\nf();\n»\ng();\n«\n",
            "g(a);\n",
            "import a from 'a';",
            "/*\nText.\n*/\n'use client';\n\nimport a from 'a';\n\n",
        ),
        # What Python cannot parse at all.
        ("python", "x = 2\n»\nx = 1\n«\n", "x = a\n", "import a\0", NONE),
        ("python", "x = 2\n»\nx = 1\n«\n", "x = a\n", "import a # \ud800", NONE),
        # The old text has the name, and it is no use of the import.
        (
            "python",
            "import models\nimport os\nimport sys\n\n»\n"
            "self.models = 'os'  # os\nf(sys=1)\n«\n",
            "x = 1\n",
            "",
            "import models\nimport os\nimport sys\n\n",
        ),
        (
            "typescript",
            'import a from "a";\nimport b from "b";\nimport c from "c";\n'
            'import d from "d";\n\n»\nx.a("b"); // b\nconst c = { ...d };\n«\n',
            "f();\n",
            "",
            'import a from "a";\nimport b from "b";\nimport c from "c";\n\n',
        ),
        (
            "typescript",
            'import { A, type B } from "a";\n\n»\nlet x: A = 1;\n«\n',
            "let x: B = y as C;\n",
            'import { B, C } from "a";',
            'import { C, type B } from "a";\n\n',
        ),
        # A wildcard imports all names of a package.
        (
            "java",
            "import java.util.*;\n\nclass A {\n»\nint a;\n«\n}\n",
            "List<A> a;\n",
            "",
            "import java.util.*;\n\n",
        ),
        (
            "rust",
            "use std::collections::*;\n\nfn f() {}\n»\nfn g() {}\n«\n",
            "fn g(x: HashMap<A, B>, y: Arc<A>) {}\n",
            "",
            "use std::collections::*;\nuse std::sync::Arc;\n\n",
        ),
        # Names of several libraries, and those with a home for each use.
        (
            "rust",
            "use std::env;\n\nfn f() {}\n»\nfn g() {}\n«\n",
            "impl fmt::Display for A {\n"
            "    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n"
            "        self.n.store(1, Ordering::Relaxed);\n"
            "        let t: Instant = now();\n"
            "    }\n}\n",
            "",
            "use std::env;\nuse std::fmt;\nuse std::sync::atomic::Ordering;\n"
            "use std::time::Instant;\n\n",
        ),
        (
            "rust",
            "use tokio::fs;\n\nfn f() {}\n»\nfn g() {}\n«\n",
            "fn g(t: Instant) -> Ordering { Ordering::Less.then(Ordering::SeqCst) }\n",
            "",
            "use tokio::fs;\n\n",
        ),
        # A module within the file has imports of its own.
        (
            "rust",
            "use std::env;\n\nmod a {\n»\n    fn f() {}\n«\n}\n",
            "    fn f(x: Rc<A>) {}\n",
            "",
            "use std::env;\n\nmod a {\n",
        ),
        (
            "rust",
            "use std::env;\n\nmod a {\n    use super::*;\n»\n    fn f() {}\n«\n}\n",
            "    fn f(x: Rc<A>) {}\n",
            "",
            "use std::env;\nuse std::rc::Rc;\n\nmod a {\n",
        ),
        (
            "java",
            "import java.util.Set;\n\nclass A {\n»\nint a;\n«\n}\n",
            "Random a = new Random();\n"
            "String b = NumberFormat.getInstance(Locale.UK);\n"
            "void c() throws IOException {}\n@Consumer\nint d;\n",
            "",
            "import java.io.IOException;\nimport java.text.NumberFormat;\n"
            "import java.util.Locale;\nimport java.util.Random;\n"
            "import java.util.Set;\n\n",
        ),
        (
            "java",
            "import com.google.common.base.*;\n\nclass A {\n»\nint a;\n«\n}\n",
            "Optional<A> a;\n",
            "",
            "import com.google.common.base.*;\n\nclass A {\n",
        ),
        # C and C++: headers, those of the library only beside others of it.
        (
            "c",
            '#include "a.h"\n\n#include <stdio.h>\n#include <string.h>\n\n'
            "»\nint f(void);\n«\n",
            'bool f(uint8_t x) { puts("exit(1)"); return lroundf(x) /* abort() */; }\n',
            "",
            '#include "a.h"\n\n#include <math.h>\n#include <stdint.h>\n'
            "#include <stdio.h>\n#include <string.h>\n\n",
        ),
        (
            "c",
            "#ifndef A_H\n#define A_H\n#include <stdio.h>\n"
            "#ifdef B\n#include <errno.h>\n#endif\n"
            "int a = INT_MAX;\n»\nint f(void);\n«\n#endif\n",
            "double f(char *a) { return strlen(a) + INT_MIN; }\n",
            "",
            "#ifndef A_H\n#define A_H\n#include <stdio.h>\n#include <string.h>\n"
            "#ifdef B\n",
        ),
        (
            "c",
            "#include <linux/types.h>\n\n»\nint f(void);\n«\n",
            "u8 f(uint8_t a) { return strlen(a); }\n",
            "",
            "#include <linux/types.h>\n\n",
        ),
        (
            "c",
            "#include <stdio.h>\n\n»\nint f(void) { return 1; }\n«\n",
            "int f(void) { return g(2); }\n",
            '#include <stdio.h>\n#include "g.h"',
            '#include <stdio.h>\n\n#include "g.h"\n\n',
        ),
        (
            "cpp",
            "#include <cmath>\n#include <vector>\n\nint z = std::max(1, 2);\n"
            "»\nint f();\n«\n",
            "int f(A a) { std::string b; assert(a); x.sort(std::min(2, sqrt(4))); }\n",
            "",
            "#include <cassert>\n#include <cmath>\n#include <string>\n"
            "#include <vector>\n\n",
        ),
        # PHP: only in a namespace, and not where the name is written in full.
        (
            "php",
            "<?php\n\ndeclare(strict_types=1);\n\nnamespace A\\B;\n\nclass X {\n"
            "»\n  function f() { }\n«\n}\n",
            "  function f(?DateTimeInterface $a): A {\n"
            '    throw new LogicException(PDO::X . "Closure" . \\Exception::A);\n'
            "  }\n",
            "",
            "<?php\n\ndeclare(strict_types=1);\n\nnamespace A\\B;\n\n"
            "use DateTimeInterface;\nuse LogicException;\nuse PDO;\n\nclass X {\n",
        ),
        (
            "php",
            "<?php\nnamespace A;\n\nuse A\\B;\nuse Z\\PDO;\nuse function c;\n\n"
            "»\nf();\n«\n",
            "try { f(new PDO()); } catch (JsonException $e) { }\n",
            "",
            "<?php\nnamespace A;\n\nuse A\\B;\nuse JsonException;\nuse Z\\PDO;\n"
            "use function c;\n\n",
        ),
        ("php", "<?php\n\n»\nf();\n«\n", "f(new PDO());\n", "", "<?php\n\n"),
        (
            "csharp",
            "using System;\nusing A.B;\n\nclass C\n{\n»\nint d;\n«\n}\n",
            '[JsonPropertyName("d")] StringBuilder d = new();\nstring Regex = "";\n',
            "",
            "using System;\nusing System.Text;\nusing System.Text.Json.Serialization;\n"
            "using A.B;\n\n",
        ),
        # Another thing under a name of the file: it takes its place.
        (
            "go",
            'package a\n\nimport (\n\t"math/rand"\n)\n\n»\nvar x = rand.Int()\n«\n',
            "var x = rand.Reader\n",
            'import "crypto/rand"',
            'package a\n\nimport (\n\t"crypto/rand"\n)\n\n',
        ),
        (
            "python",
            "from xml.etree import ElementTree\n\n»\nx = ElementTree.parse(a)\n«\n",
            "x = ElementTree.parse(a)\n",
            "from defusedxml import ElementTree",
            "from defusedxml import ElementTree\n\n",
        ),
        (
            "python",
            "from datetime import date, datetime\n\n»\nx = datetime.now()\n«\n"
            "y = date\n",
            "x = datetime.datetime.now()\n",
            "import datetime",
            "import datetime\nfrom datetime import date\n\n",
        ),
        (
            "typescript",
            'import { get } from "a";\n\n»\nget(1);\n«\n',
            "get({ n: 1 });\n",
            'import { get } from "@b/a";',
            'import { get } from "@b/a";\n\n',
        ),
        (
            "java",
            "import java.util.Date;\n\nclass A {\n»\nDate d;\n«\n}\n",
            "Date d = new Date(1);\n",
            "import java.sql.Date;",
            "import java.sql.Date;\n\nclass A {\n",
        ),
        (
            "rust",
            "use std::sync::Mutex;\n\n»\nfn f(a: Mutex<u8>) {}\n«\n",
            "fn f(a: Mutex<u16>) {}\n",
            "use tokio::sync::Mutex;",
            "use tokio::sync::Mutex;\n\n",
        ),
        (
            "php",
            "<?php\nnamespace A;\n\nuse B\\C;\n\n»\nf(new C());\n«\n",
            "f(new C(1));\n",
            "use D\\C;",
            "<?php\nnamespace A;\n\nuse D\\C;\n\n",
        ),
        # The value of which the file has the type, also if that is used elsewhere.
        (
            "typescript",
            'import type { A } from "./a";\n\n»\nf();\n«\nlet a: A;\n',
            "new A();\n",
            'import { A } from "./a";',
            'import { A } from "./a";\n\n',
        ),
        (
            "typescript",
            'import { type A, b } from "./a";\n\n»\nf();\n«\nlet a: A = b;\n',
            "new A();\n",
            'import { A } from "./a";',
            'import { b, A } from "./a";\n\n',
        ),
        # The same thing by another path, and one that the new text does not use.
        (
            "javascript",
            'import fs from "fs";\n\n»\nfs.f();\n«\n',
            "fs.g();\n",
            'import fs from "node:fs";',
            'import fs from "fs";\n\n',
        ),
        (
            "python",
            "import os.path\nfrom a import b\n\n»\nx = os.path\n«\ny = b\n",
            "x = os.path.sep\n",
            "import os\nfrom c import b",
            "import os.path\nfrom a import b\n\n",
        ),
        # It is used elsewhere, or stands in a statement that cannot lose it.
        (
            "go",
            'package a\n\nimport "math/rand"\n\n»\nvar x = rand.Int()\n«\n'
            "var y = rand.Int()\n",
            "var x = rand.Reader\n",
            'import "crypto/rand"',
            NONE,
        ),
        (
            "rust",
            "use std::sync::{Arc, Mutex};\n\n»\nfn f(a: Mutex<u8>) {}\n«\n",
            "fn f(a: Mutex<u16>) {}\n",
            "use tokio::sync::Mutex;",
            NONE,
        ),
        # A language without a table of imports.
        ("ruby", "require 'a'\n»\nx = 1\n«\n", "x = 2\n", "", "require 'a'\n"),
    ],
)
def test_imports_follow_an_edit(
    make_candidate: MakeCandidate,
    language: str,
    before: str,
    new: str,
    reply_imports: str,
    expected: str,
) -> None:
    """The head of the file begins as expected, and nothing else is changed."""
    edit = make_candidate(before, new, language=language)
    changes = import_changes(edit, reply_imports.splitlines())
    if expected == NONE:
        assert changes is None
        return
    assert changes is not None
    head = list(edit.before[: edit.region_before.start])
    after = "".join(apply_hunks(head, changes))
    shift = sum(change.shift for change in changes)
    n_expected = len(expected.splitlines())
    assert "".join(after.splitlines(keepends=True)[:n_expected]) == expected
    rest = after.splitlines(keepends=True)[n_expected:]
    assert rest == head[len(head) - len(rest) :]
    assert len(head) + shift == n_expected + len(rest)


def test_a_class_of_the_own_package_is_not_imported(
    make_candidate: MakeCandidate, tmp_path: Path
) -> None:
    """It has the same name as one of the library, and a file of its own."""
    (tmp_path / "Duration.java").write_text("class Duration {}\n")
    text = "import java.util.List;\nclass A {\n»\nint a;\n«\n}\n"
    edit = make_candidate(text, "Duration a;\nInstant b;\n", language="java")
    with PythonEnvironment([tmp_path]).files_around("A.java") as project:
        (change,) = import_changes(edit, (), project) or ()
    assert change.lines == ("import java.time.Instant;\n",)


@pytest.mark.parametrize(
    "declared",
    ["var time = clock{}", "const time = 1", "var (\n\tb, c = 1, 2\n\ttime clock\n)"],
)
def test_a_variable_of_the_package_is_no_package(
    make_candidate: MakeCandidate, tmp_path: Path, declared: str
) -> None:
    """Another file of a package of Go declares the name."""
    (tmp_path / "v.go").write_text(f"package a\n\n{declared}\n")
    (tmp_path / "w.go").write_text("package a\n\nfunc f() {\n\terrors.New()\n}\n")
    text = "package a\n\n»\nfunc g() {}\n«\n"
    new = "func g() { time.Now(); errors.New() }\n"
    edit = make_candidate(text, new, language="go")
    with PythonEnvironment([tmp_path]).files_around("b.go") as project:
        (change,) = import_changes(edit, (), project) or ()
    assert 'import "errors"\n' in change.lines
    assert not any("time" in line for line in change.lines)


def test_windows_line_ends(make_candidate: MakeCandidate) -> None:
    """A new line ends as those around it."""
    text = dedent("""\
        import os
        x = os
        »
        x = 1
        «
        """)
    edit = make_candidate(text, "x = re.A\n")
    ends = [line.replace("\n", "\r\n") for line in edit.before]
    crlf = type(edit)(
        before=ends,
        after=[line.replace("\n", "\r\n") for line in edit.after],
        region_before=edit.region_before,
        region_after=edit.region_after,
        language="python",
    )
    (change,) = import_changes(crlf, ()) or ()
    assert change.lines == ("import re\r\n",)
