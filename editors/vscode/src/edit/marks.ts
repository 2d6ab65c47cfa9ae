// What is marked in a document that shows proposals. Pure: from the ledger to lines and
// parts of lines, which `painter.ts` turns into decorations.

import type { Ledger, Piece, Place } from "./ledger";
import { wordChanges } from "./words";

/** Hunks longer than this are not compared line by line. */
const MOST_COMPARED = 60;

/** Part of a shown line, in UTF-16 units. */
export interface Part {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** What went, at the end of a shown line. */
export interface Gone {
  readonly line: number;
  /** Words of a line that changed, or whole lines. */
  readonly lines: readonly string[];
  readonly isWords: boolean;
  /** Whether nothing came in its place: the lines stood below this one, or above it. */
  readonly place: "here" | "below" | "above";
}

export interface Marks {
  /** Shown lines that came. */
  readonly came: readonly number[];
  /** Words that came in a line that changed a little. */
  readonly words: readonly Part[];
  readonly gone: readonly Gone[];
}

/** A piece's lines in the shown text. */
export interface Spot {
  readonly piece: Piece;
  readonly first: number;
  /** After its last line; the first one if it only takes lines away. */
  readonly end: number;
  /** Whether it begins with the end of the line before it: the last of a text. */
  readonly isBehind: boolean;
}

/** The lines of the pieces, in order. */
export function spotsOf(ledger: Ledger): readonly Spot[] {
  const positions = ledger.shownPositions;
  return ledger.places.map(({ piece, start, end }: Place) => {
    const from = positions.positionAt(start);
    const to = positions.positionAt(end);
    // A piece at the end of a text begins behind its last line.
    const isBehind = from.character > 0 && /^[\r\n]/.test(piece.newText);
    const first = from.line + (isBehind ? 1 : 0);
    const last = to.character > 0 && end > start ? to.line + 1 : to.line;
    return { piece, first, end: last, isBehind };
  });
}

/** The piece that a line is marked for: its lines, or the line beside what went. */
export function markedAt(ledger: Ledger, line: number): Piece | undefined {
  const spots = spotsOf(ledger);
  const came = spots.find(({ first, end }) => line >= first && line < end);
  const isBesideGone = ({ first, end }: Spot): boolean =>
    first === end && line === Math.max(0, first - 1);
  return (came ?? spots.find(isBesideGone))?.piece;
}

/** Say what is marked. */
export function marksOf(ledger: Ledger): Marks {
  const found: Found = { came: [], words: [], gone: [] };
  for (const { piece, first, isBehind } of spotsOf(ledger)) {
    const fresh = isBehind ? piece.newText.replace(/^\r?\n/, "") : piece.newText;
    const old = linesOf(ledger.base.slice(piece.start, piece.end));
    const isOpen = (piece.nCovered ?? 0) > 0;
    const all = isOpen ? inPlace(old, linesOf(fresh)) : pairs(old, linesOf(fresh));
    addMarks(found, first, all);
  }
  return found;
}

interface Found {
  readonly came: number[];
  readonly words: Part[];
  readonly gone: Gone[];
}

/** What went at one line of a piece, as it is found line by line. */
class Sheet {
  readonly #gone = new Map<number, { lines: string[]; words: string[] | undefined }>();
  #waiting: string[] = [];
  #hasCome = false;

  constructor(
    private readonly found: Found,
    private line: number,
  ) {}

  add({ old, fresh }: Pair): void {
    if (fresh === undefined) {
      this.#waiting.push(old ?? "");
      return;
    }
    if (old === fresh) {
      this.close();
    } else {
      this.come(old, fresh);
    }
    this.line++;
  }

  /** What went stood below the line before this one. */
  close(): void {
    if (this.#waiting.length > 0) {
      this.go(Math.max(0, this.line - 1), this.#waiting, undefined);
      this.#waiting = [];
    }
  }

  finish(): void {
    const isFirst = this.line === 0;
    this.close();
    for (const [line, { lines, words }] of this.#gone) {
      const place = this.#hasCome ? "here" : isFirst ? "above" : "below";
      const isWords = words !== undefined;
      this.found.gone.push({ line, lines: words ?? lines, isWords, place });
    }
  }

  private come(old: string | undefined, fresh: string): void {
    this.#hasCome = true;
    this.found.came.push(this.line);
    const words = old === undefined ? undefined : this.addWords(old, fresh);
    if (this.#waiting.length > 0) {
      const lines = old === undefined ? this.#waiting : [...this.#waiting, old];
      this.go(this.line, lines, undefined);
    } else if (old !== undefined && words === undefined) {
      this.go(this.line, [old], undefined);
    } else if (words !== undefined && words.length > 0) {
      // Of punctuation alone, such as a struck ":", nobody could read what went.
      this.go(this.line, [old ?? ""], words.every(isReadable) ? words : undefined);
    }
    this.#waiting = [];
  }

  private go(line: number, lines: string[], words: string[] | undefined): void {
    const before = this.#gone.get(line);
    const all = [...(before?.lines ?? []), ...lines];
    this.#gone.set(line, { lines: all, words: before ? undefined : words });
  }

  /** Mark the words that came, and return those that went; undefined: the lines have too
   * little in common. */
  private addWords(old: string, fresh: string): string[] | undefined {
    const gone: string[] = [];
    const changes = wordChanges(old, fresh);
    let shift = 0;
    for (const { start, end, added } of changes ?? []) {
      // A line that only moved in is marked as a whole.
      const isIndent = start === 0 && added.trim() === "";
      if (added !== "" && !isIndent) {
        const from = start + shift;
        const { line } = this;
        this.found.words.push({ line, start: from, end: from + added.length });
      }
      if (old.slice(start, end).trim() !== "") {
        gone.push(old.slice(start, end).trim());
      }
      shift += added.length - (end - start);
    }
    return changes && gone;
  }
}

const isReadable = (words: string): boolean => /[\p{L}\p{N}]/u.test(words);

function addMarks(found: Found, first: number, all: Iterable<Pair>): void {
  const sheet = new Sheet(found, first);
  for (const pair of all) {
    sheet.add(pair);
  }
  sheet.finish();
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

interface Pair {
  readonly old?: string;
  readonly fresh?: string;
}

/** Match lines by their order: so what is beside a line stays while others come. */
function inPlace(old: readonly string[], fresh: readonly string[]): readonly Pair[] {
  const both = (line: string, at: number): Pair => {
    const before = old[at];
    return { fresh: line, ...(before === undefined ? {} : { old: before }) };
  };
  return fresh.map(both);
}

/** Match lines that resemble each other, in order; what is left goes before it comes. */
function* pairs(old: readonly string[], fresh: readonly string[]): Generator<Pair> {
  const isLong = old.length > MOST_COMPARED || fresh.length > MOST_COMPARED;
  let j = 0;
  const waiting: string[] = [];
  for (const line of isLong ? [] : old) {
    const match = fresh.findIndex((each, at) => at >= j && resembles(line, each));
    if (match < 0) {
      waiting.push(line);
      continue;
    }
    yield* waiting.splice(0).map((each) => ({ old: each }));
    yield* fresh.slice(j, match).map((each) => ({ fresh: each }));
    yield { old: line, fresh: fresh[match] ?? "" };
    j = match + 1;
  }
  yield* (isLong ? old : waiting).map((each) => ({ old: each }));
  yield* fresh.slice(j).map((each) => ({ fresh: each }));
}

function resembles(old: string, fresh: string): boolean {
  return old === fresh || (old.trim() !== "" && wordChanges(old, fresh) !== undefined);
}
