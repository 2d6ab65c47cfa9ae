// An offer that is stored, so that it can come back. Pure: what it changes, with the lines
// around, so that its place is found in a text that has changed since.

import { createHash } from "node:crypto";

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

/** Lines of the base that an edit may change, with lines around. */
export interface Region {
  /** Where they stood in the base, in UTF-16 units. */
  readonly offset: number;
  readonly old: string;
  readonly before: string;
  readonly after: string;
  /** How much text stood behind them. */
  readonly nBehind: number;
}

/** What is stored of an edit. */
export interface Trace {
  readonly changes: readonly Change[];
  /** The digest of the text that showed it, and the lines that it may change. */
  readonly shown?: string;
  readonly region?: Region;
  /** Whether it was still being written. */
  readonly isWriting: boolean;
}

/** How a document stands as it is looked at. */
export interface Look {
  readonly text: string;
  readonly isDirty: boolean;
  /** Whether it has not changed since it was opened. */
  readonly isFresh: boolean;
}

/** Lines on each side by which a region is found. */
const MOST_AROUND = 3;

/** What a text shows of an edit already, as pieces that take it back: the editor restores
 * what was not saved, and an auto-save writes it to disk. Either may be older than what is
 * stored, if the window died while the edit was written. A document that has changed since
 * it was opened shows nothing of it: the user may have typed the same text. */
export function shownAlready(
  { changes, shown, region, isWriting }: Trace,
  sessionId: string,
  { text, isDirty, isFresh }: Look,
): readonly Piece[] {
  if (!isFresh) {
    return [];
  }
  const found = turnedBack(changes, sessionId, text);
  const isAll = found.length === changes.length;
  if (isAll && (isDirty || shown === digest(text))) {
    return found;
  }
  return isDirty || isWriting ? shownInPart(changes, region, sessionId, text) : [];
}

function shownInPart(
  changes: readonly Change[],
  region: Region | undefined,
  sessionId: string,
  text: string,
): readonly Piece[] {
  const isBase = placed(changes, sessionId, text).length === changes.length;
  const piece =
    isBase || region === undefined
      ? undefined
      : regionTurnedBack(region, changes, sessionId, text);
  return piece === undefined ? [] : [piece];
}

/** A short name of a text. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
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
    before: base.slice(lineStart(base, start - 1), start),
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

/** The same changes, as pieces that take them back from a text that shows them. */
export function turnedBack(
  changes: readonly Change[],
  sessionId: string,
  text: string,
): readonly Piece[] {
  let by = 0;
  const turned = changes.map((change) => {
    const { offset, old, newText } = change;
    const moved = { ...change, offset: offset + by, old: newText, newText: old };
    by += newText.length - old.length;
    return moved;
  });
  return placed(turned, sessionId, text);
}

/** Remember the lines between two offsets of a document. */
export function regionOf({ base }: Ledger, from: number, to: number): Region {
  const start = lineStart(base, from);
  const isLineStart = to > start && base[to - 1] === "\n";
  const end = isLineStart ? to : lineEnd(base, to);
  let [first, last] = [start, end];
  for (let n = 0; n < MOST_AROUND; n++) {
    first = lineStart(base, first - 1);
    last = lineEnd(base, last);
  }
  return {
    offset: start,
    old: base.slice(start, end),
    before: base.slice(first, start),
    after: base.slice(end, last),
    nBehind: base.length - end,
  };
}

/** The piece that takes back what a text shows in a region; undefined: it shows no line of
 * the changes there, or the lines around are gone. */
export function regionTurnedBack(
  region: Region,
  changes: readonly Change[],
  sessionId: string,
  text: string,
): Piece | undefined {
  const found = rangeOf(region, text);
  if (found === undefined) {
    return undefined;
  }
  const shown = linesOf(text.slice(...found));
  const base = linesOf(region.old);
  const written = changes.flatMap(({ newText }) => linesOf(newText));
  const own = written.filter((line) => line.trim() !== "" && !base.includes(line));
  if (!shown.some((line) => own.includes(line))) {
    return undefined;
  }
  const most = Math.min(shown.length, base.length);
  let [nFirst, nLast] = [0, 0];
  while (nFirst < most && shown[nFirst] === base[nFirst]) {
    nFirst++;
  }
  while (nLast < most - nFirst && shown.at(-1 - nLast) === base.at(-1 - nLast)) {
    nLast++;
  }
  const start = found[0] + length(shown.slice(0, nFirst));
  const end = found[1] - length(shown.slice(shown.length - nLast));
  const newText = base.slice(nFirst, base.length - nLast).join("");
  return { sessionId, hunkId: 0, start, end, newText };
}

/** Where a region is in a text, by the lines around it. */
function rangeOf(
  { offset, before, after, nBehind }: Region,
  text: string,
): [number, number] | undefined {
  const at = before === "" ? offset : nearest(text, before, offset - before.length);
  const to = after === "" ? text.length : nearest(text, after, text.length - nBehind);
  const from = at === undefined ? Infinity : at + before.length;
  return to === undefined || from > to ? undefined : [from, to];
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
  const start = lineStart(base, first.start);
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

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function length(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

/** Where the line of an offset begins; 0 if it is before the text. */
function lineStart(text: string, offset: number): number {
  return text.slice(0, Math.max(0, offset)).lastIndexOf("\n") + 1;
}

function lineEnd(text: string, offset: number): number {
  const at = text.indexOf("\n", offset);
  return at < 0 ? text.length : at + 1;
}
