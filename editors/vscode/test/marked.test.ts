import { expect, test } from "vitest";

import { Marked } from "../src/edit/marked";

test("an editor without marks needs no message that there are none", () => {
  expect(new Marked().isNews({}, "came", 0)).toBe(false);
});

test("marks are sent each time, and cleared once", () => {
  const editor = {};
  const marked = new Marked();
  const sent = [2, 2, 0, 0, 1].map((n) => marked.isNews(editor, "came", n));
  expect(sent).toEqual([true, true, true, false, true]);
});

test("what one editor has of one kind says nothing about others", () => {
  const [one, other] = [{}, {}];
  const marked = new Marked();
  marked.isNews(one, "came", 1);
  expect(marked.isNews(other, "came", 0)).toBe(false);
  expect(marked.isNews(one, "gone", 0)).toBe(false);
  expect(marked.isNews(one, "came", 0)).toBe(true);
});
