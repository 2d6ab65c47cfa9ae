import { expect, test } from "vitest";

import { Ledger, type Piece } from "../src/edit/ledger";
import { offerOf, placed, remembered } from "../src/edit/returning";

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
