import { expect, test } from "vitest";

import { BESIDE_COLUMNS, layout, type Marks } from "../src/edit/layout";
import type { Hunk } from "../src/protocol";

const CODE = [
  "import math",
  "",
  "def total(prices):",
  "    return sum(prices)",
  "",
  "last = 1",
];

function hunk(start: number, end: number, newText: string, id = 0): Hunk {
  const at = (line: number) => ({ line, character: 0 });
  return { id, range: { start: at(start), end: at(end) }, newText, state: "settled" };
}

function laid(hunks: readonly Hunk[], code: readonly string[] = CODE): Marks {
  return layout(hunks, {
    count: code.length,
    at: (line) => code[line] ?? "",
    tabSize: 4,
  });
}

const places = (marks: Marks) =>
  marks.rows.map(({ line, left, text }) => [line, left, text]);

test("a line that changes a little shows the change in itself", () => {
  const marks = laid([hunk(3, 4, "    return sum(prices, 0.0)\n")]);
  expect(marks.inserted).toEqual([{ line: 3, character: 21, text: ", 0.0" }]);
  expect([marks.removed, marks.rows, marks.places]).toEqual([[], [], []]);
});

test("words that go are struck where they stand", () => {
  const marks = laid([hunk(5, 6, "last = 2\n")]);
  expect(marks.removedParts).toEqual([{ line: 5, start: 7, end: 8 }]);
  expect(marks.inserted).toEqual([{ line: 5, character: 8, text: "2" }]);
});

test("a line that becomes another is struck, and the new one stands beside it", () => {
  const marks = laid([hunk(0, 1, "from decimal import Decimal\n")]);
  expect(marks.removed).toEqual([0]);
  expect(places(marks)).toEqual([[0, 14, "from decimal import Decimal"]]);
});

test("new lines stand beside the code below their place", () => {
  const marks = laid([hunk(3, 3, '    """Add prices."""\n\n')]);
  expect(places(marks)).toEqual([
    [3, 25, '    """Add prices."""'],
    [4, 25, ""],
  ]);
  expect(marks.places).toEqual([3]);
  expect(marks.rows.map(({ isFirst, isLast }) => [isFirst, isLast])).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("what is too wide stands over the lines that follow, and hides them whole", () => {
  const wide = "x".repeat(BESIDE_COLUMNS - 10);
  const marks = laid([hunk(2, 2, `${wide}\n`)], ["a = 1", "b = 2", "total = 3"]);
  expect(places(marks)).toEqual([[2, 0, wide]]);
  const code = ["a = 1", "y".repeat(120)];
  expect(laid([hunk(1, 1, `${wide}\n`)], code).rows[0]?.width).toBe(122);
});

test("a wide card stands over blank lines close by, where it hides nothing", () => {
  const wide = `# ${"long ".repeat(18)}`;
  const code = ["x = 1", "", "", "def total(orders):", "    return 1", "", "y = 2"];
  const edit = [hunk(4, 5, `${wide}\n    return 10\n`)];
  expect(places(laid(edit, code))).toEqual([[5, 0, wide]]);
  const two = [hunk(4, 5, `${wide}\n${wide}\n    return 10\n`)];
  expect(places(laid(two, code)).map(([line]) => line)).toEqual([1, 2]);
});

test("a wide card hides no other change: it stands above its place then", () => {
  const wide = "x".repeat(BESIDE_COLUMNS);
  const code = CODE.filter((line) => line !== "");
  const marks = laid([hunk(2, 3, `${wide}\n    return sum(prices, 0)\n`)], code);
  expect(marks.inserted.map(({ line }) => line)).toEqual([2]);
  expect(places(marks)).toEqual([[1, 0, wide]]);
});

test("where changes are all around, a wide card stands below them", () => {
  const wide = "x".repeat(BESIDE_COLUMNS - 11);
  const around = [hunk(1, 2, ""), hunk(2, 2, `${wide}\n`, 1), hunk(2, 4, "", 2)];
  expect(places(laid(around))).toEqual([[4, 0, wide]]);
});

test("where there is no room at all, a card hides what it must to be seen whole", () => {
  const code = Array.from({ length: 60 }, (_, at) => `line_${at} = ${at}`);
  const wide = "x".repeat(BESIDE_COLUMNS - 11);
  const around = [hunk(0, 20, ""), hunk(20, 20, `${wide}\n`, 1), hunk(20, 60, "", 2)];
  expect(places(laid(around, code))).toEqual([[20, 10, wide]]);
});

test("a card never stands beside another one's rows", () => {
  const code = ["a = 1", "b = 2", "c = 3", "d = 4"];
  const marks = laid([hunk(0, 0, "one\ntwo\n"), hunk(1, 1, "three\n", 1)], code);
  expect(places(marks)).toEqual([
    [0, 8, "one"],
    [1, 8, "two"],
    [2, 0, "three"],
  ]);
});

test("rows over a line that may be wrapped hang on it together", () => {
  const code = ["a = 1", "y".repeat(BESIDE_COLUMNS + 1), "b = 2"];
  const rows = laid([hunk(0, 0, "one\ntwo\nthree\n")], code).rows;
  expect(rows.map(({ line, below }) => [line, below])).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
  ]);
});

test("a line longer than an editor is wide takes several rows", () => {
  const words = "word ".repeat(BESIDE_COLUMNS / 4).trimEnd();
  const marks = laid([hunk(0, 0, `    ${words}\n`)]);
  expect(marks.rows.map(({ text }) => text.slice(0, 8))).toEqual([
    "    word",
    "    ↪ wo",
  ]);
  expect(marks.rows.every(({ text }) => text.length <= BESIDE_COLUMNS)).toBe(true);
  const joined = marks.rows.map(({ text }) => text.trim()).join("");
  expect(joined.replace("↪", "")).toBe(words);
});

test("rows past the end of the document hang on its last line", () => {
  const marks = laid([hunk(6, 6, "a\nb\n")]);
  expect(marks.rows.map(({ line, below }) => [line, below])).toEqual([
    [5, 1],
    [5, 2],
  ]);
});

test("new text at the end of a last line without an end is a line of its own", () => {
  const end = { line: 5, character: 8 };
  const added: Hunk = {
    id: 0,
    range: { start: end, end },
    newText: "\nmore = 2",
    state: "growing",
  };
  const marks = laid([added]);
  expect(marks.removed).toEqual([]);
  expect(marks.rows.map(({ text }) => text)).toEqual(["more = 2"]);
});

test("lines that resemble each other are matched in order, the rest stands between", () => {
  const code = ["a = one", "b = two"];
  const marks = laid([hunk(0, 2, "a = one()\n# between\nb = two()\n")], code);
  expect(marks.inserted.map(({ line, text }) => [line, text])).toEqual([
    [0, "()"],
    [1, "()"],
  ]);
  expect(marks.rows.map(({ text }) => text)).toEqual(["# between"]);
  expect(marks.places).toEqual([1]);
});

test("lines that go leave nothing but themselves", () => {
  const marks = laid([hunk(2, 4, "")]);
  expect(marks.removed).toEqual([2, 3]);
  expect(marks.rows).toEqual([]);
});

test("what deceives the eye is made visible", () => {
  const marks = laid([hunk(1, 2, "a\u202eb\tc\n")]);
  expect(marks.rows.map(({ text }) => text)).toEqual(["a‹U+202E›b  c"]);
});
