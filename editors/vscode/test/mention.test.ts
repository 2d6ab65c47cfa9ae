import { expect, test } from "vitest";

import {
  cursorAfter,
  inOrder,
  likeliestFirst,
  mentionAt,
  nameOf,
  promptName,
  withMention,
} from "../src/edit/mention";

test.each([
  ["", "@", 1],
  ["as", "as ", 3],
  ["a", "aa", 2],
  ["use  here", "use @ here", 5],
  ["use @pri", "use @pr", 7],
  ["use @prices.py", "use ", 4],
])("after %j became %j the cursor is at %i", (before, after, expected) => {
  expect(cursorAfter(before, after)).toBe(expected);
});

test.each([
  ["as in @", "as in @|", "@", ""],
  ["a path", "as in @src/pri|", "@", "src/pri"],
  ["a definition", "as in @prices.py#to|", "@", "prices.py#to"],
  ["a path in a text", "as in @pri| does", "@", "pri"],
  ["a part of a path", "as in @pri|ces.py does", "@", "pri"],
  ["quotes", 'as in @"my no|', "@", "my no"],
  ["a tier", "faster #de|", "#", "de"],
  ["a model", "faster #gpt-5.|", "#", "gpt-5."],
  ["a prompt", "/ti|", "/", "ti"],
  ["a prompt in front of more", " /ti|dy the loop", "/", "ti"],
])("%s is a name that is typed", (_, marked, sign, typed) => {
  const cursor = marked.indexOf("|");
  const found = mentionAt(marked.replace("|", ""), cursor);
  expect(found).toMatchObject({ sign, typed });
});

test.each([
  "",
  "plain words",
  "me@home.org",
  "@a.py done",
  "@@",
  "a#b",
  "x = @ y",
  "a /b",
  "/b c",
])("nothing is named at the end of %j", (text) => {
  expect(mentionAt(text, text.length)).toBeUndefined();
});

test.each([
  ["as in @pri|", "@prices.py", "as in @prices.py "],
  ["as in @pri|ces does", "@prices.py", "as in @prices.py does"],
  ['as in @"my|', '@"my notes.md"', 'as in @"my notes.md" '],
  ['as in @"my|no" does', '@"my notes.md"', 'as in @"my notes.md" does'],
  ["like this @im| now", "", "like this now"],
  ["/ti| the loop", "Tidy it:", "Tidy it: the loop"],
])("in %j, %j is put in its place", (marked, chosen, expected) => {
  const cursor = marked.indexOf("|");
  const text = marked.replace("|", "");
  const mention = mentionAt(text, cursor);
  expect(mention && withMention(text, mention, chosen)).toBe(expected);
});

test.each([
  ["src/prices.py", "@src/prices.py"],
  ["my notes.md", '@"my notes.md"'],
  ["odd.", '@"odd."'],
  ["src/prices.py#Invoice.total", "@src/prices.py#Invoice.total"],
  ["a(1).py", '@"a(1).py"'],
])("%j is named so that the server reads it", (path, expected) => {
  expect(nameOf(path)).toBe(expected);
});

test.each([
  ["/tidy", "tidy"],
  ["/tidy the loop", "tidy"],
  ["/two-words.v2 x", "two-words.v2"],
  ["/", undefined],
  ["// a comment goes first", undefined],
  ["/* and this */", undefined],
  ["/usr/bin is wrong", undefined],
  ["use /tidy", undefined],
])("%j begins with the prompt %j", (instruction, name) => {
  expect(promptName(instruction)).toBe(name);
});

const labels = (...all: string[]): readonly { label: string }[] =>
  all.map((label) => ({ label }));

test.each([
  ["att", ["battle.py"], ["Attach an image…", "battle.py"]],
  ["att", ["attachments.py"], ["attachments.py", "Attach an image…"]],
  ["at", ["battle.py"], ["battle.py", "Attach an image…"]],
  ["pri", ["prices.py"], ["prices.py"]],
])("@%s with the files %j lists %j", (typed, files, expected) => {
  const rows = inOrder(typed, labels(...files), labels("Attach an image…"));
  expect(rows.map(({ label }) => label)).toEqual(expected);
});

test("definitions are below files that begin as typed, above those that do not", () => {
  const files = labels("total.py", "stuff_total.py");
  const rows = likeliestFirst("to", files, labels("total", "Invoice.total"));
  const shown = ["total.py", "total", "Invoice.total", "stuff_total.py"];
  expect(rows.map(({ label }) => label)).toEqual(shown);
});
