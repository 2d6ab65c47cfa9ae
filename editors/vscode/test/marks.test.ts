import { expect, test } from "vitest";

import { piecesOf } from "../src/edit/base-edits";
import { Ledger, type Piece } from "../src/edit/ledger";
import { markedAt, marksOf, spotsOf } from "../src/edit/marks";
import { Positions } from "../src/edit/positions";
import type { Hunk } from "../src/protocol";

const BASE = "import os\n\ndef total(prices):\n    return sum(prices)\n\nlast = 1\n";

function ledgerOf(old: string, newText: string, base = BASE): Ledger {
  const start = base.indexOf(old);
  const piece: Piece = {
    sessionId: "one",
    hunkId: 0,
    start,
    end: start + old.length,
    newText,
  };
  return new Ledger(base, [piece]);
}

/** Lines below an insertion that it covers while it is written. */
function openOf(covered: string, newText: string): Ledger {
  const start = BASE.indexOf(covered);
  const at = new Positions(BASE).positionAt(start);
  const hunk: Hunk = {
    id: 0,
    range: { start: at, end: at },
    newText,
    state: "growing",
    covers: covered.split("\n").length - 1,
  };
  return new Ledger(BASE, piecesOf("one", [hunk], new Ledger(BASE, []), "\n"));
}

test("a hunk of a server that says nothing about covered lines covers none", () => {
  const at = { line: 3, character: 0 };
  const sent = {
    id: 0,
    range: { start: at, end: at },
    newText: "x\n",
    state: "growing" as const,
  };
  const ledger = new Ledger(BASE, []);
  const [piece] = piecesOf("one", [sent], ledger, "\n");
  expect(piece).toMatchObject({ start: 30, end: 30, nCovered: 0 });
});

const marked = (old: string, newText: string) => marksOf(ledgerOf(old, newText));

test("words that came are marked in their line", () => {
  const marks = marked("    return sum(prices)\n", "    return sum(prices, 0.0)\n");
  expect(marks).toEqual({
    came: [3],
    words: [{ line: 3, start: 21, end: 26 }],
    gone: [],
  });
});

test("words that went stand at the end of their line", () => {
  const { gone } = marked("last = 1\n", "last = 2\n");
  expect(gone).toEqual([{ line: 5, lines: ["1"], isWords: true, place: "here" }]);
});

test("where only punctuation went, the whole line stands at the end", () => {
  const { words, gone } = marked("    return sum(prices)\n", "    return sum prices\n");
  expect(words).toEqual([{ line: 3, start: 14, end: 15 }]);
  expect(gone).toEqual([
    { line: 3, lines: ["    return sum(prices)"], isWords: false, place: "here" },
  ]);
});

test("of a line that moved in, the new blanks are not marked", () => {
  const { came, words } = marked("last = 1\n", "    last = 2\n");
  expect([came, words]).toEqual([[5], [{ line: 5, start: 11, end: 12 }]]);
});

test("a line that became another stands beside it", () => {
  const marks = marked("import os\n", "from decimal import Decimal\n");
  expect([marks.came, marks.words]).toEqual([[0], []]);
  expect(marks.gone).toEqual([
    { line: 0, lines: ["import os"], isWords: false, place: "here" },
  ]);
});

test("lines that went alone stand at the line above, at the first line below", () => {
  const [after] = marked("def total(prices):\n    return sum(prices)\n", "").gone;
  expect(after).toMatchObject({ line: 1, place: "below" });
  expect(after?.lines).toEqual(["def total(prices):", "    return sum(prices)"]);
  const [first] = marked("import os\n", "").gone;
  expect(first).toMatchObject({ line: 0, lines: ["import os"], place: "above" });
});

test("what went for one line is one mark", () => {
  const old = "def total(prices):\n    return sum(prices)\n";
  const { gone } = marked(old, "def total(prices, start): return sum(prices, start)\n");
  expect(gone.length).toBe(1);
});

test("new lines alone take nothing away", () => {
  const marks = marked("", '"""Prices."""\n\n');
  expect(marks).toEqual({ came: [0, 1], words: [], gone: [] });
});

test("lines behind the last one begin on their own line", () => {
  const base = "last = 1";
  const piece = {
    sessionId: "one",
    hunkId: 0,
    start: 8,
    end: 8,
    newText: "\nmore = 2",
  };
  const [spot] = spotsOf(new Ledger(base, [piece]));
  expect([spot?.first, spot?.end]).toEqual([1, 2]);
  expect(marksOf(new Ledger(base, [piece])).came).toEqual([1]);
});

test("while it is written, each old line stands beside the line in its place", () => {
  const lines = ["def total(prices):\n", "    return sum(prices)\n", "\n"];
  const fresh = ["class Prices:\n", '    """All prices."""\n', "    def sum(self):\n"];
  const shown: unknown[] = [];
  for (const n of [1, 2, 3]) {
    const ledger = openOf(lines.slice(0, n).join(""), fresh.slice(0, n).join(""));
    expect(ledger.shown.split("\n")).toHaveLength(BASE.split("\n").length);
    shown.push(marksOf(ledger).gone.map(({ line, lines: [text] }) => [line, text]));
  }
  const beside = [
    [2, "def total(prices):"],
    [3, "    return sum(prices)"],
    [4, ""],
  ];
  expect(shown).toEqual([beside.slice(0, 1), beside.slice(0, 2), beside]);
});

test("a change is found at the lines that came, and beside what went", () => {
  const lines = (ledger: Ledger): readonly number[] =>
    [0, 1, 2, 3, 4, 5].filter((line) => markedAt(ledger, line) !== undefined);
  const old = "    return sum(prices)\n";
  expect(lines(ledgerOf(old, `    """All."""\n${old}`))).toEqual([3, 4]);
  expect(lines(ledgerOf(old, ""))).toEqual([2]);
  expect(lines(ledgerOf("import os\n", ""))).toEqual([0]);
});
