// An offer that is stored, so that it can come back. Pure: what it changes, with the lines
// around, so that its place is found in a text that has changed since.

import type { StoredOffer } from "../protocol";
import type { Ledger, Piece } from "./ledger";

/** One change of a stored offer. */
export interface Change {
  /** Where it stood in the base, in UTF-16 units. */
  readonly offset: number;
  readonly old: string;
  readonly newText: string;
  /** The line before it, and the one after. */
  readonly before: string;
  readonly after: string;
}

/** Remember pieces of a document. */
export function remembered(
  { base }: Ledger,
  pieces: readonly Piece[],
): readonly Change[] {
  return pieces.map(({ start, end, newText }) => ({
    offset: start,
    old: base.slice(start, end),
    newText,
    before: base.slice(base.lastIndexOf("\n", start - 2) + 1, start),
    after: base.slice(end, lineEnd(base, end)),
  }));
}

/** Where changes fit into a text: those whose lines are still there. */
export function placed(
  changes: readonly Change[],
  sessionId: string,
  text: string,
): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const [hunkId, change] of changes.entries()) {
    const { old, before, after, newText } = change;
    const at = nearest(text, before + old + after, change.offset - before.length);
    const start =
      at !== undefined
        ? at + before.length
        : old.trim() === ""
          ? undefined
          : nearest(text, old, change.offset);
    const end = (start ?? 0) + old.length;
    if (start !== undefined && pieces.every((each) => start >= each.end)) {
      pieces.push({ sessionId, hunkId, start, end, newText });
    }
  }
  return pieces;
}

/** The lines of the base that pieces change, and the text that they become; undefined:
 * there are no pieces. */
export function offerOf(
  { base, positions }: Ledger,
  pieces: readonly Piece[],
): Omit<StoredOffer, "instruction"> | undefined {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined) {
    return undefined;
  }
  const start = base.slice(0, first.start).lastIndexOf("\n") + 1;
  const isLineStart = last.end === 0 || base[last.end - 1] === "\n";
  const end = isLineStart ? last.end : lineEnd(base, last.end);
  let [newText, at] = ["", start];
  for (const piece of pieces) {
    newText += base.slice(at, piece.start) + piece.newText;
    at = piece.end;
  }
  newText += base.slice(at, end);
  const range = {
    start: positions.positionAt(start),
    end: positions.positionAt(end),
  };
  return { range, newText };
}

/** Where in a text a part stands, closest to an offset. */
function nearest(text: string, part: string, offset: number): number | undefined {
  if (part === "") {
    return text === "" ? 0 : undefined;
  }
  const before = text.lastIndexOf(part, Math.max(0, offset));
  const after = text.indexOf(part, Math.max(0, offset));
  const found = [before, after].filter((at) => at >= 0);
  return found.sort((a, b) => Math.abs(a - offset) - Math.abs(b - offset))[0];
}

function lineEnd(text: string, offset: number): number {
  const at = text.indexOf("\n", offset);
  return at < 0 ? text.length : at + 1;
}
