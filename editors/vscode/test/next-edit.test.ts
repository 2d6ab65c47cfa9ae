import { expect, test } from "vitest";

import { drawingOf, wordsFor, type View } from "../src/next-edit/drawing";
import {
  followed,
  isInSight,
  stepOf,
  takesTab,
  type Change,
  type Offer,
} from "../src/next-edit/offer";

const range = (line: number, start: number, end: number, endLine = line) => ({
  start: { line, character: start },
  end: { line: endLine, character: end },
});
const offer = (more: Partial<Offer> = {}): Offer => ({
  id: "n1",
  kind: "edit",
  range: range(4, 11, 16),
  old: "total",
  text: "grand_total",
  cursor: { line: 4, character: 22 },
  why: "`total` is now `grand_total`",
  left: 0,
  ...more,
});
const change = (at: ReturnType<typeof range>, text: string): Change => ({
  range: at,
  text,
});

test.each([
  ["a line above goes", change(range(1, 0, 0, 2), ""), "elsewhere", range(3, 11, 16)],
  [
    "lines come above",
    change(range(0, 0, 0), "a\r\nb\n"),
    "elsewhere",
    range(6, 11, 16),
  ],
  ["below", change(range(9, 0, 3), "x"), "elsewhere", range(4, 11, 16)],
  ["before it in its line", change(range(4, 0, 2), "wide"), "agrees", range(4, 13, 18)],
  [
    "a line end right before it",
    change(range(4, 11, 11), "\n"),
    "agrees",
    range(5, 0, 5),
  ],
  ["behind it in its line", change(range(4, 17, 17), "x"), "agrees", range(4, 11, 16)],
])("a change is followed: %s", (_, made, meaning, place) => {
  const result = followed(offer(), made);
  expect(result.meaning).toBe(meaning);
  expect(result.offer?.range).toEqual(place);
});

test.each([
  ["inside of it", change(range(4, 12, 13), "x")],
  ["at its end", change(range(4, 16, 16), "s")],
  ["around it", change(range(3, 0, 0, 6), "")],
])("a change %s withdraws the edit", (_, made) => {
  expect(followed(offer(), made)).toEqual({ meaning: "contradicts", offer: undefined });
});

test("an insertion that is typed gets shorter, and goes when it is done", () => {
  const insertion = offer({ range: range(4, 11, 11), old: "", text: "await " });
  const typed = followed(insertion, change(range(4, 11, 11), "aw"));
  expect(typed.offer).toMatchObject({ range: range(4, 13, 13), text: "ait " });
  expect(followed(insertion, change(range(4, 11, 11), "await ")).offer).toBeUndefined();
  expect(followed(insertion, change(range(4, 11, 11), "x")).meaning).toBe(
    "contradicts",
  );
});

test.each([
  [2, true, "accept"],
  [6, true, "accept"],
  [7, true, "go"],
  [40, false, "go"],
  [4, false, "go"],
] as const)("from line %i, in sight: %s, it is: %s", (line, isSeen, step) => {
  expect(stepOf(offer(), { line, character: 0 }, isSeen)).toBe(step);
});

test.each([
  ["behind text of another line", 1, 5, "    x = 1", false, true],
  ["in the blanks before a line's text", 1, 4, "    x = 1", false, false],
  ["in a blank line", 1, 0, "", false, false],
  ["in the blanks of the edit's own line", 4, 0, "    return total", false, true],
  ["with a selection", 4, 16, "    return total", true, false],
])("Tab %s", (_, line, character, text, isSelection, isOurs) => {
  expect(takesTab(offer(), { line, character }, text, isSelection)).toBe(isOurs);
});

test("an edit is in sight if one of the shown parts has its line", () => {
  const shown = [range(0, 0, 0, 2), range(4, 0, 0, 9)];
  expect(isInSight(offer(), shown)).toBe(true);
  expect(isInSight(offer(), shown.slice(0, 1))).toBe(false);
});

const LINES = ["import os", "", "def cost(rows):", "    total = 0", "    return total"];
const view = (more: Partial<View> = {}): View => ({
  line: (number) => LINES[number] ?? "",
  cursor: { line: 3, character: 13 },
  isInSight: true,
  step: "accept",
  key: "Tab",
  tabSize: 4,
  ...more,
});

test("a word is struck, and the new one stands behind it", () => {
  expect(drawingOf(offer({ left: 2 }), view())).toEqual({
    gone: [{ line: 4, start: 11, end: 16 }],
    came: [{ at: { line: 4, character: 16 }, text: "grand_total" }],
    key: { line: 4, key: "Tab", text: "2 more" },
  });
});

test("of text that is alike only the words that change are marked", () => {
  const wrapped = offer({ range: range(4, 4, 16), text: "return str(total)" });
  expect(drawingOf(wrapped, view())).toMatchObject({
    gone: [],
    came: [
      { at: { line: 4, character: 11 }, text: "str(" },
      { at: { line: 4, character: 16 }, text: ")" },
    ],
  });
});

test("a new line is shown behind the one above it, or before the first one", () => {
  const line = (at: number): Offer =>
    offer({ range: range(at, 0, 0), text: "import re\n" });
  expect(drawingOf(line(1), view())).toMatchObject({
    came: [{ at: { line: 0, character: 9 }, text: "⏎ import re" }],
    key: { line: 0, text: "" },
  });
  expect(drawingOf(line(0), view())).toMatchObject({
    came: [{ at: { line: 0, character: 0 }, text: "import re ⏎ " }],
    key: { line: 0 },
  });
});

test("a line that goes is struck without its indentation", () => {
  const removed = offer({ range: range(3, 0, 0, 4), text: "" });
  expect(drawingOf(removed, view())).toEqual({
    gone: [{ line: 3, start: 4, end: 13 }],
    came: [],
    key: { line: 3, key: "Tab", text: "" },
  });
});

test("a hint leads to an edit that is out of sight, and says what it does", () => {
  const away = view({
    isInSight: false,
    step: "go",
    cursor: { line: 0, character: 9 },
  });
  expect(drawingOf(offer({ left: 1 }), away)).toEqual({
    gone: [],
    came: [],
    arrow: "down",
    key: { line: 0, key: "Tab", text: "↓ line 5: total → grand_total · 1 more" },
  });
  const long = drawingOf(offer({ text: "x".repeat(99) }), away).key.text;
  expect(long).toBe(`↓ line 5: total → ${"x".repeat(19)}…`);
});

test.each([
  [36, "↓ line 5: total → grand_total"],
  [42, "↓ line 5"],
  [64, "↓ 5"],
  [99, "↓ 5"],
])(
  "behind a line of %i columns a hint is as long as there is room",
  (columns, text) => {
    const away = view({
      isInSight: false,
      step: "go",
      cursor: { line: 0, character: 0 },
      line: () => "x".repeat(columns),
    });
    expect(drawingOf(offer({ left: 1 }), away).key.text).toBe(text);
  },
);

test("a hint beside what is painted counts it", () => {
  const wide = (text: string) =>
    drawingOf(offer({ text, left: 2 }), view({ line: () => "    return total" }));
  expect(wide("x".repeat(47)).key.text).toBe("2 more");
  expect(wide("x".repeat(48)).key.text).toBe("");
});

test("a hint leads to an edit in another file, wherever the cursor is", () => {
  const other = offer({ elsewhere: "shop/main.py" });
  const cursor = other.range.start;
  expect(isInSight(other, [range(0, 0, 0, 9)])).toBe(false);
  expect(stepOf(other, cursor, false)).toBe("go");
  const drawing = drawingOf(other, view({ isInSight: false, step: "go", cursor }));
  expect(drawing).toEqual({
    gone: [],
    came: [],
    arrow: "away",
    key: { line: 4, key: "Tab", text: "→ shop/main.py:5: total → grand_total" },
  });
  expect(followed(other, change(range(4, 0, 99), ""))).toEqual({
    meaning: "elsewhere",
    offer: other,
  });
  expect(takesTab(other, { line: 4, character: 2 }, "    return", false)).toBe(false);
  expect(wordsFor(other)).toBe(
    "Redline proposes a next edit in shop/main.py:5: total becomes grand_total.",
  );
});

test("an edit in sight but not near is drawn, and the hint only leads there", () => {
  const drawing = drawingOf(
    offer(),
    view({ step: "go", cursor: { line: 0, character: 0 } }),
  );
  expect(drawing.came).toHaveLength(1);
  expect(drawing.key).toEqual({ line: 0, key: "Tab", text: "↓ line 5" });
});

test("a place without a text says why it is one", () => {
  const place = offer({
    kind: "jump",
    range: range(4, 4, 4),
    text: "",
    why: "`f` has x",
  });
  expect(drawingOf(place, view())).toEqual({
    gone: [],
    came: [],
    key: { line: 4, key: "Tab", text: "f has x" },
  });
  const up = drawingOf(place, view({ step: "go", cursor: { line: 9, character: 0 } }));
  expect(up.key.text).toBe("↑ line 5: f has x");
});

test("what is painted shows hidden characters", () => {
  const hidden = offer({ text: "to\u202etal" });
  expect(drawingOf(hidden, view()).came[0]?.text).toBe("to‹U+202E›tal");
});

test.each([
  [offer(), "Redline proposes a next edit in line 5: total becomes grand_total."],
  [offer({ text: "" }), "Redline proposes a next edit in line 5: remove total."],
  [
    offer({ range: range(1, 0, 0), old: "", text: "import re\n" }),
    "Redline proposes a next edit in line 2: insert import re.",
  ],
  [
    offer({
      kind: "jump",
      range: range(4, 4, 4),
      text: "",
      why: "`f` has a parameter",
    }),
    "Redline points to line 5: f has a parameter.",
  ],
])("an edit in words", (each, words) => {
  expect(wordsFor(each)).toBe(words);
});
