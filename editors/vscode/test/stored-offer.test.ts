import { expect, test } from "vitest";

import { Ledger, type Piece } from "../src/edit/ledger";
import {
  digest,
  offerOf,
  placed,
  regionOf,
  regionTurnedBack,
  remembered,
  shownAlready,
  turnedBack,
} from "../src/edit/stored-offer";

const BASE = "one\ntwo\nthree\nfour\n";
const PIECES: readonly Piece[] = [
  { sessionId: "s", hunkId: 3, start: 4, end: 8, newText: "zwei\n" },
  { sessionId: "s", hunkId: 5, start: 14, end: 14, newText: "neu\n" },
];
const CHANGES = remembered(new Ledger(BASE, PIECES), PIECES);

const shownIn = (text: string) => new Ledger(text, placed(CHANGES, "r", text)).shown;

test("changes come back to where they were", () => {
  expect(shownIn(BASE)).toBe("one\nzwei\nthree\nneu\nfour\n");
});

test("changes find their place in a text that has grown", () => {
  expect(shownIn(`zero\n${BASE}`)).toBe("zero\none\nzwei\nthree\nneu\nfour\n");
});

test("a change whose lines are gone stays away, and others come back", () => {
  expect(shownIn("one\nthree\nfour\n")).toBe("one\nthree\nneu\nfour\n");
  expect(shownIn("something else\n")).toBe("something else\n");
});

test("of two places the closer one is taken", () => {
  const text = `${BASE}${BASE}`;
  expect(shownIn(text)).toBe(`one\nzwei\nthree\nneu\nfour\n${BASE}`);
});

test.each([
  [
    "changes and lines between them",
    BASE,
    PIECES,
    [1, 0],
    [3, 0],
    "zwei\nthree\nneu\n",
  ],
  [
    "new lines at a line's start",
    "\na\n",
    [{ sessionId: "s", hunkId: 0, start: 1, end: 1, newText: "b\n" }],
    [1, 0],
    [1, 0],
    "b\n",
  ],
  [
    "new lines behind a last line without an end",
    "a\nb",
    [{ sessionId: "s", hunkId: 0, start: 3, end: 3, newText: "\nc" }],
    [1, 0],
    [1, 1],
    "b\nc",
  ],
  [
    "lines that go",
    "a\nb\nc\n",
    [{ sessionId: "s", hunkId: 0, start: 0, end: 4, newText: "" }],
    [0, 0],
    [2, 0],
    "",
  ],
] as const)(
  "%s are an offer of whole lines",
  (_, base, pieces, start, end, newText) => {
    const at = ([line, character]: readonly [number, number]) => ({ line, character });
    const offer = offerOf(new Ledger(base, pieces), pieces);
    expect(offer).toEqual({ range: { start: at(start), end: at(end) }, newText });
  },
);

test("changes that a text shows already are taken back", () => {
  const { shown } = new Ledger(BASE, PIECES);
  const turned = turnedBack(CHANGES, "r", `zero\n${shown}`);
  expect(new Ledger(`zero\n${shown}`, turned).shown).toBe(`zero\n${BASE}`);
});

const LINES = "1\n2\n3\n4\n5\n6\n7\n8\n";

/** What an edit changes that writes a text into `LINES`. */
function changesOf(shown: string) {
  const ledger = new Ledger(LINES, []).showing(shown);
  return remembered(ledger, ledger.pieces);
}

test.each([
  ["a part that is older or newer", "1\n2\ndrei\n", 4, 8, "4\n5\n6\n7\n8\n"],
  ["a line more", "1\n2\n3\n3a\n", 4, 8, "4\n5\n6\n7\n8\n"],
  ["fewer lines", "1\n2\ndrei\n", 4, 12, "7\n8\n"],
  ["the whole text", "eins\n", 0, 16, ""],
  ["the start", "eins\n2\n", 0, 4, "3\n4\n5\n6\n7\n8\n"],
  ["what was typed below since", "1\n2\ndrei\n", 4, 6, "4\n5\n6\n7\nmine\n8\n"],
])("a region shows %s", (_, shown, from, to, rest) => {
  const region = regionOf(new Ledger(LINES, []), from, to);
  const text = shown + rest;
  const changes = changesOf(`${shown}more\n${rest.replace("mine\n", "")}`);
  const piece = regionTurnedBack(region, changes, "r", text);
  const base = new Ledger(text, piece === undefined ? [] : [piece]).shown;
  expect(base).toBe(rest.includes("mine") ? LINES.replace("8", "mine\n8") : LINES);
});

test.each([
  ["its second line", 1, 3],
  ["its first line", 0, 1],
])("a text begins with an empty line, and a region with %s", (_, from, to) => {
  const base = "\na\nb\n";
  const region = regionOf(new Ledger(base, []), from, to);
  expect([region.before, region.old]).toEqual([
    base.slice(0, from),
    base.slice(from, to),
  ]);
  const written = { sessionId: "s", hunkId: 0, start: from, end: to, newText: "new\n" };
  const changes = remembered(new Ledger(base, []), [written]);
  expect(changes[0]?.before).toBe(base.slice(0, from));
  // As it was stored before.
  const stored = { ...region, before: "" };
  const text = `${base.slice(0, from)}new\n${base.slice(to)}`;
  for (const each of [region, stored]) {
    const piece = regionTurnedBack(each, changes, "r", text);
    expect(new Ledger(text, piece === undefined ? [] : [piece]).shown).toBe(base);
  }
});

test("a region that shows its own lines, or is gone, has no piece", () => {
  const region = regionOf(new Ledger(LINES, []), 4, 8);
  const changes = changesOf("1\n2\ndrei\n5\n6\n7\n8\n");
  for (const text of [LINES, "something else\n"]) {
    expect(regionTurnedBack(region, changes, "r", text)).toBeUndefined();
  }
});

test("lines of somebody else in a region are no part of an offer", () => {
  const region = regionOf(new Ledger(LINES, []), 4, 8);
  const changes = changesOf("1\n2\ndrei\n\n5\n6\n7\n8\n");
  const text = "1\n2\nmy own\n\nand more\n5\n6\n7\n8\n";
  expect(regionTurnedBack(region, changes, "r", text)).toBeUndefined();
});

const SHOWN = "1\n2\ndrei\nvier\n5\n6\n7\n8\n";
const TRACE = {
  changes: changesOf(SHOWN),
  shown: digest(SHOWN),
  region: regionOf(new Ledger(LINES, []), 4, 8),
  isWriting: false,
};
const LESS = SHOWN.replace("vier\n", "");
const OTHER = SHOWN.replace("8", "9");

test.each([
  ["that was saved with it", SHOWN, false, true, false, LINES],
  ["that was restored with it", OTHER, true, true, false, LINES.replace("8", "9")],
  ["that was restored with a part of it", LESS, true, true, false, LINES],
  ["that was saved while it was written", LESS, false, true, true, LINES],
  ["that has changed since", LESS, false, true, false, LESS],
  ["that the user has typed alike", SHOWN, true, false, false, SHOWN],
  ["that the user has typed alike and saved", SHOWN, false, false, false, SHOWN],
  ["that the user has typed alike beside others", OTHER, true, false, false, OTHER],
  ["that the user has typed in part", LESS, true, false, true, LESS],
])(
  "an offer stands in a text %s, or not",
  (_, text, isDirty, isFresh, isWriting, base) => {
    const trace = { ...TRACE, isWriting };
    const turned = shownAlready(trace, "r", { text, isDirty, isFresh });
    expect(new Ledger(text, turned).shown).toBe(base);
  },
);
