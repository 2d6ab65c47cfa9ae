import { expect, test } from "vitest";

import { joined, selected, wordsOf } from "../src/edit/target";

const at = (line: number, character: number) => ({ line, character });

test.each([
  [at(2, 3), at(4, 1), at(4, Number.MAX_SAFE_INTEGER), "lines 3 to 5"],
  [at(2, 3), at(5, 0), at(5, 0), "lines 3 to 5"],
  [at(2, 3), at(2, 6), at(2, Number.MAX_SAFE_INTEGER), "line 3"],
  [at(2, 0), at(3, 0), at(3, 0), "line 3"],
])("a selection from %o to %o is whole lines", (start, end, newEnd, words) => {
  const lines = selected({ start, end });
  expect(lines).toEqual({ start: at(2, 0), end: newEnd });
  expect(wordsOf(lines, null)).toBe(words);
});

test("a definition has a name, and a place is for new lines", () => {
  const lines = { start: at(3, 0), end: at(9, 0) };
  expect(wordsOf(lines, "Shop.total")).toBe("Shop.total, lines 4 to 9");
  expect(wordsOf({ start: at(3, 0), end: at(3, 0) }, null)).toBe("new lines at line 4");
});

test("several selections are several ranges, and one definition is one", () => {
  const one = (first: number, last: number) => {
    const lines = { start: at(first, 0), end: at(last, 0) };
    return { range: lines, shown: lines, words: wordsOf(lines, null) };
  };
  expect(joined([one(7, 9), one(1, 3), one(7, 9)])).toEqual({
    ...one(1, 3),
    words: "2 ranges",
    several: [one(1, 3), one(7, 9)],
  });
  expect(joined([one(1, 3), one(1, 3)])).toEqual({ ...one(1, 3), several: [] });
});
