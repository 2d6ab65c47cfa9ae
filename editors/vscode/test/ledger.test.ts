import { expect, test } from "vitest";

import {
  afterAccepting,
  afterAdopting,
  afterTyping,
  disjoint,
} from "../src/edit/base-edits";
import { applied, Ledger, type Piece, type TextChange } from "../src/edit/ledger";
import { Positions } from "../src/edit/positions";

const N_RUNS = 400;

/** A number below n, always the same ones for a seed. */
function randomFrom(seed: number): (n: number) => number {
  let state = seed + 1;
  return (n) => {
    state = (state * 48271) % 2147483647;
    return state % n;
  };
}

const LINES = ["a\n", "bb\n", "\n", "  c = d\n", "é😀\n"];

function textOf(below: (n: number) => number, most: number): string {
  return Array.from({ length: below(most) }, () => LINES[below(LINES.length)]).join("");
}

/** Whole lines of a base, replaced by others, with a line between two pieces. */
function piecesOf(base: string, below: (n: number) => number): readonly Piece[] {
  const positions = new Positions(base);
  const nLines = base.split("\n").length;
  const pieces: Piece[] = [];
  for (let line = below(3); line < nLines; line += 2 + below(4)) {
    const start = positions.offsetAt({ line, character: 0 });
    const end = positions.offsetAt({ line: line + below(2), character: 0 });
    const newText = textOf(below, 4);
    if (newText !== base.slice(start, end)) {
      const nCovered = below(2) === 0 ? end - start : 0;
      const hunkId = pieces.length;
      pieces.push({ sessionId: "one", hunkId, start, end, newText, nCovered });
    }
  }
  return disjoint(pieces);
}

function ledgerOf(below: (n: number) => number): Ledger {
  const base = textOf(below, 20);
  return new Ledger(base, piecesOf(base, below));
}

function changeOf(text: string, below: (n: number) => number): TextChange {
  const offset = below(text.length + 1);
  const length = below(3) === 0 ? below(text.length - offset + 1) : 0;
  return { offset, length, text: ["x", "\n", "new\n", ""][below(4)] ?? "" };
}

const applyAll = (text: string, changes: readonly TextChange[]): string =>
  changes.toReversed().reduce(applied, text);

test("what the user types is shown, and its change of the base is the whole of it", () => {
  for (let seed = 0; seed < N_RUNS; seed++) {
    const below = randomFrom(seed);
    let ledger = ledgerOf(below);
    for (let n = 0; n < 5; n++) {
      const change = changeOf(ledger.shown, below);
      const next = ledger.change(change);
      expect(next.ledger.shown).toBe(applied(ledger.shown, change));
      expect(next.ledger.base).toBe(applied(ledger.base, next.change));
      const ids = new Set(next.adopted.map(({ hunkId }) => hunkId));
      const others = next.ledger.pieces.filter(({ hunkId }) => !ids.has(hunkId));
      expect(others.length + ids.size).toBe(ledger.pieces.length);
      ledger = next.ledger;
    }
  }
});

test("other pieces are written by changes of the shown text alone", () => {
  for (let seed = 0; seed < N_RUNS; seed++) {
    const below = randomFrom(seed);
    const ledger = ledgerOf(below);
    const wanted = piecesOf(ledger.base, below);
    const changes = ledger.changesTo(wanted);
    expect(applyAll(ledger.shown, changes)).toBe(ledger.with(wanted).shown);
    expect(applyAll(ledger.shown, ledger.changesTo([]))).toBe(ledger.base);
    expect(ledger.changesTo(ledger.pieces)).toEqual([]);
  }
});

test("accepting changes the base and nothing that is shown", () => {
  for (let seed = 0; seed < N_RUNS; seed++) {
    const below = randomFrom(seed);
    const ledger = ledgerOf(below);
    const chosen = ledger.pieces.filter(() => below(2) === 0);
    const after = afterAccepting(ledger, chosen);
    expect(after.ledger.shown).toBe(ledger.shown);
    expect(after.ledger.pieces.length).toBe(ledger.pieces.length - chosen.length);
    expect(sent(ledger.base, after.changes)).toBe(after.ledger.base);
  }
});

test("the server gets the base, whatever is typed", () => {
  for (let seed = 0; seed < N_RUNS; seed++) {
    const below = randomFrom(seed);
    const ledger = ledgerOf(below);
    const after = afterTyping(ledger, [changeOf(ledger.shown, below)]);
    expect(sent(ledger.base, after.changes)).toBe(after.ledger.base);
  }
});

test("adopting what is shown changes the base and nothing that is shown", () => {
  for (let seed = 0; seed < N_RUNS; seed++) {
    const below = randomFrom(seed);
    const { base, pieces } = ledgerOf(below);
    // Some of the pieces are known, and the others are taken from the shown text.
    const isKnown = pieces.map(() => below(2) === 0);
    const shown = new Ledger(base, pieces);
    const others = pieces.filter((_, at) => isKnown[at] !== true);
    const known = shown.settle(others).ledger;
    const turned = shown.places
      .filter(({ piece }) => others.includes(piece))
      .map(({ piece, start, end }) => {
        const newText = base.slice(piece.start, piece.end);
        return { ...piece, sessionId: "two", start, end, newText };
      });
    const after = afterAdopting(known, turned);
    expect(after.ledger.shown).toBe(shown.shown);
    expect(after.ledger.base).toBe(base);
    expect(after.adopted.map(({ start, end }) => [start, end])).toEqual(
      others.map(({ start, end }) => [start, end]),
    );
    expect(sent(known.base, after.changes)).toBe(base);
  }
});

test("lines that went are adopted in front of a piece", () => {
  const known: Piece = { sessionId: "s", hunkId: 0, start: 0, end: 2, newText: "x\n" };
  const turned: Piece = { sessionId: "t", hunkId: 0, start: 0, end: 0, newText: "a\n" };
  const { ledger } = afterAdopting(new Ledger("b\nc\n", [known]), [turned]);
  expect([ledger.base, ledger.shown]).toEqual(["a\nb\nc\n", "x\nc\n"]);
});

test("places outside of pieces are the same both ways", () => {
  for (let seed = 0; seed < N_RUNS; seed++) {
    const ledger = ledgerOf(randomFrom(seed));
    for (let offset = 0; offset < ledger.base.length; offset++) {
      if (ledger.pieces.every(({ start, end }) => offset < start || offset >= end)) {
        const shown = ledger.toShown(offset, "start");
        expect(ledger.shown[shown]).toBe(ledger.base[offset]);
        expect(ledger.toBase(shown, "start")).toBe(offset);
      }
    }
  }
});

const BASE = "one\ntwo\nthree\nfour\n";
const PIECES: readonly Piece[] = [
  { sessionId: "s", hunkId: 0, start: 4, end: 8, newText: "zwei\n" },
  { sessionId: "s", hunkId: 1, start: 14, end: 19, newText: "" },
];

test.each([
  ["inside a piece", { offset: 6, length: 0, text: "!" }, [0]],
  ["before its first character", { offset: 4, length: 0, text: "!" }, [0]],
  ["a line before it", { offset: 4, length: 0, text: "new\n" }, []],
  ["at the end of its line", { offset: 8, length: 0, text: "!" }, [0]],
  ["after its line", { offset: 9, length: 0, text: "!" }, []],
  ["over it", { offset: 2, length: 9, text: "" }, [0]],
])("typing %s makes what it touches the user's", (_name, change, expected) => {
  const ledger = new Ledger(BASE, PIECES);
  expect(ledger.shown).toBe("one\nzwei\nthree\n");
  expect(ledger.change(change).adopted.map(({ hunkId }) => hunkId)).toEqual(expected);
});

/** New lines that are written over `two` and `three`. */
const OPEN: Piece = {
  sessionId: "s",
  hunkId: 0,
  start: 4,
  end: 14,
  newText: "zwei\ndrei\n",
  nCovered: 10,
};

test.each([
  ["inside the new lines", { offset: 6, length: 0, text: "!" }, "one\nzw!ei\ndrei\n"],
  ["over the first", { offset: 4, length: 5, text: "" }, "one\ndrei\n"],
  ["over all of them", { offset: 4, length: 10, text: "x\n" }, "one\nx\n"],
  ["a new line", { offset: 9, length: 0, text: "\n" }, "one\nzwei\n\ndrei\n"],
])("typing %s keeps the lines that they cover", (_name, change, above) => {
  const after = afterTyping(new Ledger(BASE, [OPEN]), [change]);
  expect(after.ledger.shown).toBe(`${above}four\n`);
  expect(after.ledger.base).toBe(`${above}two\nthree\nfour\n`);
  expect(sent(BASE, after.changes)).toBe(after.ledger.base);
  expect(after.ledger.with([]).shown).toBe(after.ledger.base);
});

test("lines that were covered come back once", () => {
  const typed = [
    { offset: 9, length: 5, text: "three\n" },
    { offset: 4, length: 5, text: "two\n" },
  ];
  const undone = afterTyping(new Ledger(BASE, [OPEN]), typed, true);
  expect([undone.ledger.base, undone.ledger.shown]).toEqual([BASE, BASE]);
  const reverted = new Ledger(BASE, [OPEN]).change({
    offset: 0,
    length: 14,
    text: "eins\ntwo\nthree\n",
  });
  const { base, shown } = reverted.ledger;
  expect([base, shown]).toEqual(["eins\ntwo\nthree\nfour\n", base]);
});

test("an undo that takes a piece away leaves the base as it was", () => {
  const ledger = new Ledger(BASE, PIECES.slice(0, 1));
  const { ledger: after, changes } = afterTyping(ledger, [
    { offset: 4, length: 5, text: "two\n" },
  ]);
  expect([after.base, after.pieces, changes]).toEqual([BASE, [], []]);
});

test("a piece that grows is written by its new lines alone", () => {
  const [first] = PIECES;
  const ledger = new Ledger(BASE, first ? [first] : []);
  const grown = first ? [{ ...first, newText: "zwei\ndrei\n" }] : [];
  expect(ledger.changesTo(grown)).toEqual([{ offset: 9, length: 0, text: "drei\n" }]);
});

function sent(
  base: string,
  changes: readonly {
    range: {
      start: { line: number; character: number };
      end: { line: number; character: number };
    };
    text: string;
  }[],
): string {
  return changes.reduce((text, { range, text: by }) => {
    const positions = new Positions(text);
    const offset = positions.offsetAt(range.start);
    return applied(text, {
      offset,
      length: positions.offsetAt(range.end) - offset,
      text: by,
    });
  }, base);
}

test.each([
  ["a\nb\n", "a\nb\nb\n"],
  ["a\nb\n", "a\n"],
  ["aaa\n", "aaaa\n"],
  ["", "a"],
  ["a\nb\n", "a\nb\n"],
])("%j shown as %j is taken back by the changes to no pieces", (base, text) => {
  const ledger = new Ledger(base, []).showing(text);
  expect(ledger.shown).toBe(text);
  expect(ledger.changesTo([]).reduce(applied, text)).toBe(base);
});
