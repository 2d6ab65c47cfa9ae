import { expect, test } from "vitest";

import { wordChanges } from "../src/edit/words";

/** Writes a change as people do: `def f(x[+: int+]):`, `[-a-][+b+]`. */
function shown(oldLine: string, newLine: string): string | undefined {
  const changes = wordChanges(oldLine, newLine);
  let [text, at] = ["", 0];
  for (const { start, end, added } of changes ?? []) {
    text += oldLine.slice(at, start);
    text += end > start ? `[-${oldLine.slice(start, end)}-]` : "";
    text += added === "" ? "" : `[+${added}+]`;
    at = end;
  }
  return changes && text + oldLine.slice(at);
}

test.each([
  ["def f(x):", "def f(x: int):", "def f(x[+: int+]):"],
  [
    "def add(a, b):",
    "def add(a: int, b: int) -> int:",
    "def add(a[+: int+], b[+: int+])[+ -> int+]:",
  ],
  ["total = 0", "total = 1", "total = [-0-][+1+]"],
  ["    return x", "        return x", "[-    -][+        +]return x"],
  ["same", "same", "same"],
  ["grüße = 'ä'", "grüße = 'ö'", "grüße = '[-ä-][+ö+]'"],
  ["import os", "class Price:", undefined],
  ["", "new", undefined],
  ["price * price", "cost * cost", "[-price-][+cost+] * [-price-][+cost+]"],
  [
    "if user is None or not user.active:",
    "if account is None or not account.is_active():",
    "if [-user-][+account+] is None or not [-user.active-][+account.is_active()+]:",
  ],
  [
    "def total(self, items, tax):",
    "def total(self, lines, rate):",
    "def total(self, [-items, tax-][+lines, rate+]):",
  ],
  [
    "x = await fetch(url, { method: 'GET' });",
    "y = await get(url, { limit: 10 });",
    undefined,
  ],
  ["})", "}),", "})[+,+]"],
  ["a b c d e f g", "1 b 2 d 3 f 4 g 5", undefined],
])("%j becomes %j by words", (oldLine, newLine, expected) => {
  expect(shown(oldLine, newLine)).toBe(expected);
});

test("making the changes gives the new line", () => {
  const [from, to] = ["x = f(a, b) # sum", "y = f(a, c, d) # a sum"];
  let [text, at] = ["", 0];
  for (const { start, end, added } of wordChanges(from, to) ?? []) {
    text += from.slice(at, start) + added;
    at = end;
  }
  expect(text + from.slice(at)).toBe(to);
});

test("very long lines are not compared", () => {
  expect(wordChanges("a ".repeat(100), "a ".repeat(101))).toBeUndefined();
});
