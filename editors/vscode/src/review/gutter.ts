// The marks of findings beside their lines: each severity has a colour and a shape. Pure.

import type { Finding } from "../protocol-reviews";

type Severity = Finding["severity"];

/** From the worst. */
export const SEVERITIES = ["critical", "high", "medium", "low"] as const;

/** An octagon, a diamond, a triangle and a circle, with a sign in each. */
const SHAPES: Readonly<Record<Severity, readonly [string, string, string, string]>> = {
  critical: [
    "M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2Z",
    "#d1242f",
    "m5.4 6.5 1.1-1.1L8 6.9l1.5-1.5 1.1 1.1L9.1 8l1.5 1.5-1.1 1.1L8 9.1l-1.5 1.5-1.1-1.1L6.9 8Z",
    "#fff",
  ],
  high: [
    "M8 .6 15.4 8 8 15.4.6 8Z",
    "#e8710a",
    "M7.3 4.2h1.4v4.6H7.3zM7.3 10h1.4v1.5H7.3z",
    "#1b1f27",
  ],
  medium: [
    "M8 2.2 14.6 13.6H1.4Z",
    "#e5a50a",
    "M7.3 6h1.4v4H7.3zM7.3 11h1.4v1.4H7.3z",
    "#1b1f27",
  ],
  low: [
    "M8 1.4a6.6 6.6 0 1 0 .01 0Z",
    "#3b8eea",
    "M7.3 4.3h1.4v1.4H7.3zM7.3 6.8h1.4v4.8H7.3z",
    "#fff",
  ],
};

/** The icon of a severity, as SVG. */
export function iconOf(severity: Severity): string {
  const [shape, color, sign, signColor] = SHAPES[severity];
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
    `<path d="${shape}" fill="${color}"/><path d="${sign}" fill="${signColor}"/></svg>`
  );
}

/** One mark of a line: of its worst finding, with the titles of all of them. */
export interface LineMark {
  readonly line: number;
  readonly severity: Severity;
  readonly titles: readonly string[];
}

/** The marks of a file's open findings. */
export function lineMarks(
  findings: readonly Finding[],
  uri: string,
): readonly LineMark[] {
  const marks = new Map<number, LineMark>();
  for (const severity of SEVERITIES) {
    for (const { range, title } of findings.filter(
      (one) => one.severity === severity && one.state === "open" && one.uri === uri,
    )) {
      const { line } = range.start;
      const before = marks.get(line) ?? { line, severity, titles: [] };
      marks.set(line, { ...before, titles: [...before.titles, title] });
    }
  }
  return [...marks.values()];
}
