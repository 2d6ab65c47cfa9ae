// The text of a document with a preview's changes made. Pure.

import type { Hunk } from "../protocol";

/** Turns a position into an offset, in UTF-16 units. */
export type OffsetAt = (position: Hunk["range"]["start"]) => number;

/** Apply hunks, which do not overlap, to a text. */
export function resultOf(
  text: string,
  hunks: readonly Hunk[],
  offsetAt: OffsetAt,
): string {
  let result = "";
  let at = 0;
  for (const { range, newText } of hunks) {
    result += text.slice(at, offsetAt(range.start)) + newText;
    at = offsetAt(range.end);
  }
  return result + text.slice(at);
}
