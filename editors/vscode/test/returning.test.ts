import { expect, test } from "vitest";

import { Ledger, type Piece } from "../src/edit/ledger";
import { placed, remembered } from "../src/edit/returning";

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
