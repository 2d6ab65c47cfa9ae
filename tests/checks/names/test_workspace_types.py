"""`phantom-member` of types that other files of the workspace declare."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.checks.names.conftest import Reported

TYPESCRIPT = {
    "store.ts": """\
import { Gauge } from "./gauge";
export class Store {
  gauges = new Map<string, Gauge>();
  pick(id: string): Gauge | undefined { return this.gauges.get(id); }
  all(): Gauge[] { return [...this.gauges.values()]; }
  async load(id: string): Promise<Gauge> { return this.gauges.get(id)!; }
}
export const store = new Store();
export interface Filter { label: string; since?: number }
export function query(filter: Filter): void {}
export const open = (name: string): Store => new Store();
""",
    "gauge.ts": """\
export interface Unit { symbol: string }
export abstract class Base { describe(): string { return ""; } }
export class Gauge extends Base { unit: Unit = { symbol: "m" }; }
export enum Mode { Slow, Fast }
""",
}
TYPESCRIPT_FILE = """\
import {{ Store, store, open, query }} from "./store";
import {{ Gauge, Mode }} from "./gauge";
export async function f(s: Store, g: Gauge) {{
  {};
}}
"""
JAVA = {
    "src/org/acme/Ship.java": """\
package org.acme;
import java.util.*;
public class Ship extends Asset {
  public String getName() { return ""; }
  public List<Berth> getBerths() { return List.of(); }
  public static Ship of(String name) { return new Ship(); }
}
""",
    "src/org/acme/Asset.java": "package org.acme; class Asset { void retire() {} }\n",
    "src/org/acme/Berth.java": "package org.acme; record Berth(int depth) {}\n",
    "src/org/acme/Zone.java": "package org.acme; enum Zone { NORTH }\n",
}
JAVA_FILE = """\
package org.acme;
import java.util.*;
class Desk {{
  Map<String, Ship> byName = new HashMap<>();
  Ship pick(String name) {{ return byName.get(name); }}
  void f(Ship s, Object o) {{ {}; }}
}}
"""
GO = {
    "go.mod": "module acme.org/port\n\ngo 1.22\n",
    "fleet/fleet.go": """\
package fleet

type Ship struct {
	Name string
	Home *Port
}

func (s *Ship) Captain() *Sailor { return nil }

type Sailor struct{ Rank int }

type Port struct{ City string }

func Load(path string) (*Ship, error) { return nil, nil }
""",
    "desk/types.go": """\
package desk

import "acme.org/port/fleet"

type Base struct{ ID string }

type Desk struct {
	Base
	ships map[string]*fleet.Ship
	notes []Note
}

type Note struct{ Text string }

func (n Note) Short() string { return n.Text }
""",
}
GO_FILE = """\
package desk

import "acme.org/port/fleet"

func (d *Desk) f(s *fleet.Ship, n *Note) {{
	{}
}}
"""
RUST = {
    "Cargo.toml": '[package]\nname = "port"\n',
    "src/fleet.rs": """\
pub struct Ship { pub name: String, pub home: Option<Port> }
pub struct Port { pub depth: u32 }
pub enum Flag { Red, Custom(u8) }
impl Ship {
    pub fn load(path: &str) -> Result<Ship, String> { todo!() }
    pub fn harbour(&self) -> &Port { todo!() }
}
pub struct Fleet { ships: Vec<Ship> }
impl Fleet {
    pub fn find(&self, name: &str) -> Option<&Ship> { None }
}
""",
}
RUST_FILE = """\
use crate::fleet::{{Flag, Fleet, Port, Ship}};

fn f(fleet: &Fleet, s: &Ship, p: Option<&Port>) {{
    {};
}}
"""
CSHARP = {
    "Fleet.cs": """\
using System.Collections.Generic;
using System.Threading.Tasks;
namespace Port.Fleet;
public class Ship : Asset
{
    public string Name { get; init; } = "";
    public Sailor Captain() => new("x");
}
public abstract class Asset { public int Id { get; set; } }
public record Sailor(string Nick);
public interface IRegistry
{
    Ship? Find(string name);
    IReadOnlyList<Ship> All();
    Task<Ship> LoadAsync(string name);
}
""",
}
CSHARP_FILE = """\
using System.Collections.Generic;
using System.Linq;
using Port.Fleet;
namespace Port;
class Desk
{{
    private readonly Dictionary<string, Ship> _byName = new();
    async void F(Ship s, IRegistry r, Sailor c, object o) {{ {}; }}
}}
"""
PHP = {
    "src/Ship.php": """\
<?php
namespace Port;
class Ship extends Asset
{
    public const MAX = 3;
    public function __construct(public readonly string $name) {}
    public static function load(string $path): self { return new self($path); }
    public function captain(): Sailor { return new Sailor(); }
}
""",
    "src/Asset.php": "<?php\nnamespace Port;\nclass Asset { public int $id = 0; }\n",
    "src/Sailor.php": "<?php\nnamespace Port;\nclass Sailor { public $rank; }\n",
}
PHP_FILE = "<?php\nuse Port\\Ship;\nfunction f(Ship $s) {{\n    {};\n}}\n"
CPP = {
    "ship.h": """\
#include <memory>
#include <vector>
struct Sailor { int rank = 0; };
class Asset { public: int id() const { return 1; } };
enum class Flag { Red };
class Ship : public Asset {
 public:
  Sailor& captain();
  const std::vector<Sailor>& crew() const;
  static std::unique_ptr<Ship> load(int n);
};
""",
}
CPP_FILE = """\
#include "ship.h"
void f(Ship& s, std::vector<Ship>& all) {{
  {};
}}
"""
FORMS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "main.ts": (TYPESCRIPT_FILE, TYPESCRIPT),
    "src/org/acme/Desk.java": (JAVA_FILE, JAVA),
    "desk/desk.go": (GO_FILE, GO),
    "src/desk.rs": (RUST_FILE, RUST),
    "Desk.cs": (CSHARP_FILE, CSHARP),
    "desk.php": (PHP_FILE, PHP),
    "desk.cpp": (CPP_FILE, CPP),
}
CASES = [
    ("main.ts", "store.{}", "gone()", "all()"),
    ("main.ts", 'open("x").{}', "gone()", "all()"),
    ("main.ts", "for (const x of s.all()) {{ x.{} }}", "gone()", "describe()"),
    ("main.ts", "s.all().map(x => x.unit.{})", "name", "symbol"),
    ("main.ts", 's.pick("x")?.{}', "gone()", "describe()"),
    ("main.ts", 'const x = await s.load("x"); x.{}', "gone()", "describe()"),
    ("main.ts", "for (const [k, x] of s.gauges) x.{}", "gone()", "describe()"),
    ("main.ts", "const {{ {} }} = g.unit", "scale", "symbol"),
    ("main.ts", "Mode.{}", "Medium", "Fast"),
    ("main.ts", 'query({{ label: "x", {}: 3 }})', "from", "since"),
    ("main.ts", "query({})", "", '{ label: "x" }'),
    ("src/org/acme/Desk.java", "s.{}", "gone()", "retire()"),
    ("src/org/acme/Desk.java", "Ship.of({})", "", '"x"'),
    ("desk/desk.go", "_, _ = fleet.Load({})", '"x", 2', '"x"'),
    ("Desk.cs", "r.Find({})", "", '"x"'),
    ("desk.php", "Ship::load({})", "", "'x'"),
    ("src/org/acme/Desk.java", 'pick("x").{}', "gone()", "getName()"),
    ("src/org/acme/Desk.java", 'var v = pick("x"); v.{}', "gone()", "getName()"),
    ("src/org/acme/Desk.java", "s.getBerths().get(0).{}", "width()", "depth()"),
    ("src/org/acme/Desk.java", "byName.forEach((k, v) -> v.{})", "gone()", "retire()"),
    ("src/org/acme/Desk.java", "if (o instanceof Ship v) v.{}", "gone()", "retire()"),
    ("src/org/acme/Desk.java", "var z = Zone.{}", "EAST", "NORTH"),
    ("desk/desk.go", "_ = n.{}", "Brief()", "Short()"),
    ("desk/desk.go", "_ = d.{}", "Key", "ID"),
    ("desk/desk.go", "_ = d.notes[0].{}", "Body", "Text"),
    ("desk/desk.go", '_ = d.ships["x"].Captain().{}', "Grade", "Rank"),
    ("desk/desk.go", 'x, _ := fleet.Load("x"); _ = x.{}', "Title", "Name"),
    ("desk/desk.go", "_ = s.Home.{}", "Town", "City"),
    ("desk/desk.go", '_, _ = fleet.{}("x")', "Open", "Load"),
    ("src/desk.rs", "s.harbour().{}", "draft", "depth"),
    ("src/desk.rs", 'let x = Ship::load("x").unwrap(); x.{}', "gone()", "harbour()"),
    (
        "src/desk.rs",
        'if let Some(x) = fleet.find("x") {{ x.{} }}',
        "gone()",
        "harbour()",
    ),
    ("src/desk.rs", "p.map(|p| p.{})", "draft", "depth"),
    ("src/desk.rs", "let x = Port {{ {}: 3 }}", "width", "depth"),
    ("src/desk.rs", "let x = Flag::{}", "Blue", "Red"),
    ("Desk.cs", "s.{}", "Gone()", "Captain()"),
    ("Desk.cs", 'var x = r.Find("x")?.{}', "Title", "Name"),
    ("Desk.cs", 'var x = await r.LoadAsync("x"); x.{}', "Gone()", "Captain()"),
    ("Desk.cs", "foreach (var (k, v) in _byName) v.{}", "Gone()", "Captain()"),
    ("Desk.cs", "r.All().Select(x => x.{})", "Title", "Name"),
    ("Desk.cs", 'if (_byName.TryGetValue("x", out var v)) v.{}', "Gone()", "Captain()"),
    ("Desk.cs", 'c = c with {{ {} = "x" }}', "Title", "Nick"),
    ("desk.php", "$s->captain()->{}", "grade", "rank"),
    ("desk.php", "Ship::{}('x')", "read", "load"),
    ("desk.php", "$x = new Ship('x'); $x->{}", "gone()", "captain()"),
    ("desk.php", "$s->{}", "key", "id"),
    ("desk.cpp", "s.captain().{}", "grade", "rank"),
    ("desk.cpp", "auto x = Ship::load(1); x->{}", "gone()", "captain()"),
    ("desk.cpp", "for (auto& x : all) x.{}", "gone()", "captain()"),
    ("desk.cpp", "auto x = Flag::{}", "Blue", "Red"),
]


@pytest.mark.parametrize(("path", "code", "wrong", "right"), CASES)
def test_members(
    reported: Reported, path: str, code: str, wrong: str, right: str
) -> None:
    """The wrong member is reported, and the right one is not."""
    form, files = FORMS[path]
    before = form.format("")

    def found(member: str) -> list[str]:
        after = form.format(code.format(member))
        return reported(path, before, after, rule="phantom-member", files=files)

    assert len(found(wrong)) == 1
    assert found(right) == []


@pytest.mark.parametrize(
    ("path", "code", "more"),
    [
        ("main.ts", "if (g instanceof Mode) g.filter()", {}),
        ("main.ts", "s.gone()", {"more.ts": "interface Store { gone(): void }\n"}),
        ("src/desk.rs", "s.gone()", {"src/more.rs": "trait T { fn gone(&self); }\n"}),
        ("Desk.cs", "s.Gone()", {"More.cs": "static void Gone(this Ship s) {}\n"}),
        (
            "desk/desk.go",
            "n.Gone()",
            {"desk/a.go": "package desk\nfunc (n *Note) Gone() {}"},
        ),
    ],
)
def test_members_from_elsewhere(
    reported: Reported, path: str, code: str, more: Mapping[str, str]
) -> None:
    """Another file may add the member."""
    form, files = FORMS[path]
    before, after = form.format(""), form.format(code)
    given = {**files, **more}
    assert reported(path, before, after, rule="phantom-member", files=given) == []


def test_the_properties_of_a_component(reported: Reported) -> None:
    """Those of its type, and what React adds."""
    files = {"chip.tsx": CHIP}
    form = 'import {{ Chip }} from "./chip";\nexport const a = <Chip label="x"{} />;\n'

    def found(given: str) -> list[str]:
        before, after = form.format(""), form.format(given)
        return reported("a.tsx", before, after, rule="phantom-member", files=files)

    assert found(' tooltip="x"') == ["`ChipProps` has no `tooltip`."]
    assert found(' tone="x" key="a" data-id="b"') == []


CHIP = """\
export interface ChipProps { label: string; tone?: string }
export function Chip({ label }: ChipProps) { return <b>{label}</b>; }
"""
