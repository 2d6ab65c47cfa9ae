import { expect, test } from "vitest";

import type { Finding, ReviewStatus } from "../src/protocol-reviews";
import { childrenOf, idOf, lookOf, progressOf, reviewItems } from "../src/review/items";
import { iconOf, lineMarks, SEVERITIES } from "../src/review/gutter";
import { textOf } from "../src/review/report";
import { Rows } from "../src/rows";

const REVIEW: ReviewStatus = {
  reviewId: "r1",
  state: "done",
  scope: "prices.py",
  step: "",
  percentage: 100,
  findings: 1,
  dropped: 0,
  message: "",
  hasModel: true,
  cost: 0.031,
  createdAt: 1,
  endedAt: 2,
  sameAs: null,
  leftOut: [],
  partial: false,
  live: false,
};

const FINDING: Finding = {
  id: "f1",
  reviewId: "r1",
  uri: "file:///prices.py",
  file: "prices.py",
  range: { start: { line: 3, character: 0 }, end: { line: 4, character: 0 } },
  severity: "high",
  category: "correctness",
  title: "An empty list has no last item",
  explanation: "It raises.",
  rule: null,
  confidence: 0.9,
  evidence: [],
  quote: "return 1",
  fix: "return 2",
  state: "open",
};

const found = (id: string, more: Partial<Finding>): Finding => ({
  ...FINDING,
  id,
  ...more,
});

test("the newest review comes first, its worst finding on top, and what was dismissed not at all", () => {
  const second = { ...REVIEW, reviewId: "r2" };
  const findings = [
    found("low", { severity: "low" }),
    found("fixed", { state: "fixed", severity: "critical" }),
    found("late", {
      range: { start: { line: 9, character: 0 }, end: { line: 9, character: 1 } },
    }),
    FINDING,
    found("gone", { state: "dismissed" }),
  ];
  const items = reviewItems({ reviews: [REVIEW, second], findings });
  expect(items.map(({ review }) => review.reviewId)).toEqual(["r2", "r1"]);
  expect(items[1]?.findings.map(({ id }) => id)).toEqual([
    "f1",
    "late",
    "low",
    "fixed",
  ]);
});

test.each([
  [{}, "Review of prices.py", "1 finding · $0.03", "review-over"],
  [
    { state: "reviewing", percentage: 40, step: "reading" },
    "Review of prices.py",
    "running",
    "review-running",
  ],
  [
    { state: "failed", message: "The key was refused." },
    "Review of prices.py",
    "The key was refused.",
    "review-over",
  ],
  [{ state: "cancelled", cost: null, scope: "" }, "Review", "cancelled", "review-over"],
] as const)("a review with %j", (more, label, description, context) => {
  const look = lookOf({
    kind: "review",
    review: { ...REVIEW, ...more },
    findings: [FINDING],
  });
  expect([look.label, look.description, look.context]).toEqual([
    label,
    description,
    context,
  ]);
});

test("the row of a running review is not drawn again with each percent", () => {
  const rows = new Rows({ idOf, lookOf, childrenOf });
  const list = (more: Partial<ReviewStatus>, findings: readonly Finding[] = []) =>
    reviewItems({ reviews: [{ ...REVIEW, ...more }], findings });
  rows.update(list({ state: "reviewing", percentage: 20 }));
  rows.children();
  expect(rows.update(list({ state: "verifying", percentage: 70 }))).toEqual([]);
  const found = list({ state: "verifying", percentage: 80 }, [FINDING]);
  expect(rows.update(found)?.map(idOf)).toEqual(["r1"]);
  expect(rows.update(list({}, [FINDING]))?.map(idOf)).toEqual(["r1"]);
});

test("how far a review is stands in the view's title", () => {
  const running = { ...REVIEW, state: "reviewing", percentage: 40 } as const;
  expect(progressOf([{ ...running, step: "reading" }, REVIEW])).toBe("40 % reading");
  expect(progressOf([running])).toBe("40 % reviewing");
  expect(progressOf([REVIEW])).toBe("");
});

test("what is not complete does not look good, whatever was found", () => {
  const review = { ...REVIEW, cost: 0, partial: true };
  const look = lookOf({ kind: "review", review, findings: [] });
  expect([look.description, look.icon]).toEqual([
    "not complete, nothing found",
    "warning",
  ]);
});

test("nothing found is said, and looks good", () => {
  const look = lookOf({ kind: "review", review: { ...REVIEW, cost: 0 }, findings: [] });
  expect([look.description, look.icon]).toEqual(["nothing found", "pass"]);
});

test.each([
  [{}, "prices.py:4 · high", "finding-fixable"],
  [{ fix: undefined }, "prices.py:4 · high", "finding-open"],
  [{ state: "stale" }, "prices.py:4 · high, stale", "finding-stale"],
] as const)("a finding with %j", (more, description, context) => {
  const look = lookOf({ kind: "finding", finding: { ...FINDING, ...more } });
  expect([look.description, look.context]).toEqual([description, context]);
  expect(look.spoken).toContain(
    "high correctness: An empty list has no last item, prices.py, line 4",
  );
});

test("a line has the mark of its worst open finding, with the titles of all", () => {
  const findings = [
    found("low", { severity: "low", title: "A" }),
    found("high", { title: "B" }),
    found("fixed", { severity: "critical", state: "fixed" }),
    found("other", { severity: "critical", uri: "file:///other.py" }),
  ];
  expect(lineMarks(findings, "file:///prices.py")).toEqual([
    { line: 3, severity: "high", titles: ["B", "A"] },
  ]);
});

test("each severity has a colour and a shape of its own", () => {
  const parts = (pattern: RegExp) =>
    new Set(SEVERITIES.map((severity) => pattern.exec(iconOf(severity))?.[1]));
  expect(parts(/<path d="([^"]+)"/).size).toBe(SEVERITIES.length);
  expect(parts(/fill="([^"]+)"/).size).toBe(SEVERITIES.length);
  const icons = SEVERITIES.map(
    (severity) => lookOf({ kind: "finding", finding: { ...FINDING, severity } }).icon,
  );
  expect(icons).toEqual(SEVERITIES);
});

test("a report that is there no more says so on its page; other failures stay", async () => {
  expect(await textOf(() => Promise.resolve("# Review"))).toBe("# Review");
  const gone = Object.assign(new Error("There is none."), {
    data: { cause: "unknown-review" },
  });
  expect(await textOf(() => Promise.reject(gone))).toContain("no longer kept");
  const lost = new Error("The connection was closed.");
  await expect(textOf(() => Promise.reject(lost))).rejects.toBe(lost);
});
