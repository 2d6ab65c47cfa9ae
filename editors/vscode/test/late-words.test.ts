import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { LateWords } from "../src/edit/late-words";

const URI = "file:///prices.py";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function painted(): { words: LateWords; paints: boolean[] } {
  const paints: boolean[] = [];
  const words: LateWords = new LateWords((uri) => {
    paints.push(words.areLeftOut(uri, false));
  });
  return { words, paints };
}

test("words that the first paint leaves out are painted soon after it", () => {
  const { words, paints } = painted();
  expect(words.areLeftOut(URI, true)).toBe(true);
  expect(paints).toEqual([]);
  vi.runAllTimers();
  expect(paints).toEqual([false]);
});

test("a second paint has them, and no third is needed", () => {
  const { words, paints } = painted();
  words.areLeftOut(URI, true);
  expect(words.areLeftOut(URI, false)).toBe(false);
  vi.runAllTimers();
  expect(paints).toEqual([]);
});

test("nothing is painted once the painter is gone", () => {
  const { words, paints } = painted();
  words.areLeftOut(URI, true);
  words.dispose();
  vi.runAllTimers();
  expect(paints).toEqual([]);
});
