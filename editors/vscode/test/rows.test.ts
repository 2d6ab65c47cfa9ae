import { expect, test } from "vitest";

import { Rows } from "../src/rows";

interface Item {
  readonly id: string;
  readonly look: string;
  readonly under: readonly Item[];
}

const item = (id: string, look = "", under: readonly Item[] = []): Item => ({
  id,
  look,
  under,
});

/** Rows of which the editor has all. */
function shown(...items: readonly Item[]): Rows<Item> {
  const rows = new Rows<Item>({
    idOf: ({ id }) => id,
    lookOf: ({ look }) => look,
    childrenOf: ({ under }) => under,
  });
  rows.update(items);
  rows.children().forEach((row) => rows.children(row));
  return rows;
}

const ids = (items: readonly Item[] | undefined): readonly string[] | undefined =>
  items?.map(({ id }) => id);

test("only the rows that look different are drawn again", () => {
  const rows = shown(item("a", "", [item("b"), item("c")]));
  expect(rows.update([item("a", "", [item("b"), item("c")])])).toEqual([]);
  const changed = item("a", "", [item("b"), item("c", "other")]);
  expect(ids(rows.update([changed]))).toEqual(["c"]);
});

test("a row with other rows under it is drawn again, and all if the top is another", () => {
  const rows = shown(item("a", "", [item("b")]));
  expect(ids(rows.update([item("a", "", [item("b"), item("c")])]))).toEqual(["a"]);
  expect(rows.update([item("d"), item("a")])).toBeUndefined();
});

test("the editor keeps its object of a row, which stands for what it is by now", () => {
  const rows = shown(item("a"));
  const [known] = rows.children();
  rows.update([item("a", "other")]);
  expect(rows.children()[0]).toBe(known);
  expect(known && rows.current(known).look).toBe("other");
});
