// Where a preview's changes are painted. Pure: from hunks and the lines of the document
// to marks, which `painter.ts` turns into decorations.
//
// An extension cannot make room between lines. So a line that changes a little shows the
// change in itself, word by word. Other new lines stand in a card: beside the code if
// that fits into `BESIDE_COLUMNS`, so that nothing is hidden; else over blank lines close
// by; else over the lines that follow, or those before if another change is there, or
// further below. Each row of a card hangs on the line it is painted over, so that it stays
// when the editor scrolls. Nobody can scroll to what stands beyond the widest line, so a
// card never begins or ends there.

import type { Hunk } from "../protocol";
import { broken, columns, visible } from "./visible";
import { wordChanges } from "./words";

/** The least width of an editor that a card may count on, in columns: that of a window
 * of 1280 pixels with a side bar, at the default font size. */
export const BESIDE_COLUMNS = 100;

const GAP_COLUMNS = 3;

/** A card without room at its place stands at most this many lines below it. */
const MOST_BELOW = 20;

/** Blank lines at most this far from its place are close enough for a card. */
const CLOSE_LINES = 2;

/** Hunks longer than this are not compared line by line. */
const MOST_COMPARED = 40;

/** The document, as the layout needs it. */
export interface Lines {
  readonly count: number;
  at(line: number): string;
  readonly tabSize: number;
}

/** Part of a line: from one UTF-16 unit up to another. */
export interface Part {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export interface Insertion {
  readonly line: number;
  readonly character: number;
  readonly text: string;
}

/** One row of a card. */
export interface Row {
  /** The line that it hangs on. */
  readonly line: number;
  /** Rows below that line; above 0 only past the end of the document. */
  readonly below: number;
  /** The column that the card begins in. */
  readonly left: number;
  readonly width: number;
  readonly text: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export interface Marks {
  /** Whole lines that go. */
  readonly removed: readonly number[];
  /** Words that go. */
  readonly removedParts: readonly Part[];
  /** Words that come, painted into the line. */
  readonly inserted: readonly Insertion[];
  readonly rows: readonly Row[];
  /** Lines above which a card's lines come. */
  readonly places: readonly number[];
}

interface Card {
  /** The line of its first row beside, the lines that go before it included. */
  readonly top: number;
  /** The line above which its lines come. */
  readonly place: number;
  readonly texts: readonly string[];
  readonly isReplacing: boolean;
}

/** Lay out the hunks of one document. */
export function layout(hunks: readonly Hunk[], lines: Lines): Marks {
  const sheet = new Sheet(lines);
  for (const hunk of hunks) {
    sheet.add(hunk);
  }
  return sheet.finish();
}

class Sheet {
  readonly #removed: number[] = [];
  readonly #parts: Part[] = [];
  readonly #inserted: Insertion[] = [];
  readonly #cards: Card[] = [];

  constructor(private readonly lines: Lines) {}

  add(hunk: Hunk): void {
    const { first, old, fresh } = wholeLines(hunk, this.lines);
    let line = first;
    let [removed, added]: [number[], string[]] = [[], []];
    const close = (): void => {
      this.#removed.push(...removed);
      if (added.length > 0) {
        const isReplacing = removed.length > 0;
        const top = isReplacing ? (removed[0] ?? line) : line;
        this.#cards.push({ top, place: line, texts: added, isReplacing });
      }
      [removed, added] = [[], []];
    };
    for (const pair of pairs(old, fresh)) {
      if (pair.old !== undefined && pair.fresh !== undefined) {
        close();
        this.change(line, pair.old, pair.fresh);
        line++;
      } else if (pair.old !== undefined) {
        removed.push(line++);
      } else {
        added.push(pair.fresh ?? "");
      }
    }
    close();
  }

  finish(): Marks {
    const taken = new Set(this.#removed);
    for (const { line } of [...this.#parts, ...this.#inserted]) {
      taken.add(line);
    }
    const places: number[] = [];
    const rows: Row[] = [];
    const carded = new Set<number>();
    for (const card of this.#cards) {
      const laid = this.lay(card, taken, carded);
      for (const row of laid) {
        taken.add(row.line + row.below);
        carded.add(row.line + row.below);
      }
      rows.push(...laid);
      if (!card.isReplacing) {
        places.push(card.place);
      }
    }
    return {
      removed: this.#removed,
      removedParts: this.#parts,
      inserted: this.#inserted,
      rows,
      places,
    };
  }

  private change(line: number, old: string, fresh: string): void {
    for (const { start, end, added } of wordChanges(old, fresh) ?? []) {
      if (end > start) {
        this.#parts.push({ line, start, end });
      }
      if (added !== "") {
        const text = visible(added, this.lines.tabSize);
        this.#inserted.push({ line, character: end, text });
      }
    }
  }

  /**
   * Lay a card.
   *
   * @param taken Lines with a change, or with a card.
   * @param carded Lines with a card.
   */
  private lay(
    card: Card,
    taken: ReadonlySet<number>,
    carded: ReadonlySet<number>,
  ): readonly Row[] {
    const { tabSize } = this.lines;
    const texts = card.texts.flatMap((text) =>
      broken(visible(text, tabSize), BESIDE_COLUMNS),
    );
    const width = Math.max(...texts.map((text) => columns(text, tabSize))) + 1;
    const { top, left } = this.placeOf(
      card,
      texts.length,
      width,
      (line) => taken.has(line),
      (line) => carded.has(line),
    );
    const covered = left > 0 ? 0 : this.widest(top, top + texts.length);
    const last = Math.min(this.lines.count - 1, this.firstLong(top));
    return texts.map((text, index) => ({
      line: Math.min(top + index, last),
      below: Math.max(0, top + index - last),
      left,
      width: Math.max(width, covered + 1) + 1,
      text,
      isFirst: index === 0,
      isLast: index === texts.length - 1,
    }));
  }

  /** The line and the column that a card begins in. */
  private placeOf(
    { top, place }: Card,
    nRows: number,
    width: number,
    isTaken: (line: number) => boolean,
    isCarded: (line: number) => boolean,
  ): { readonly top: number; readonly left: number } {
    const from = (start: number): readonly number[] =>
      Array.from({ length: nRows }, (_, at) => start + at);
    const edge = this.widest(top, top + nRows) + GAP_COLUMNS;
    if (edge + width <= BESIDE_COLUMNS && !from(top).some(isCarded)) {
      return { top, left: edge };
    }
    const isFree = (start: number): boolean => start >= 0 && !from(start).some(isTaken);
    const isBlank = (line: number): boolean =>
      line < this.lines.count && this.lines.at(line).trim() === "";
    const above = place - nRows;
    const close = Array.from({ length: CLOSE_LINES + 1 }, (_, at) => [
      place + at,
      above - at,
    ]).flat();
    const further = Array.from({ length: MOST_BELOW }, (_, at) => place + 1 + at);
    const over =
      close.find((start) => isFree(start) && from(start).every(isBlank)) ??
      [place, above, ...further].find(isFree);
    // With changes all around, it hides the end of lines rather than stands outside.
    return over === undefined
      ? { top, left: Math.max(0, Math.min(edge, BESIDE_COLUMNS - width)) }
      : { top: over, left: 0 };
  }

  /** The first line from one on that may be wrapped: what follows it is not a row below
   * it then, so the rows of a card hang on it together. */
  private firstLong(from: number): number {
    let line = from;
    while (line < this.lines.count && !this.isLong(line)) {
      line++;
    }
    return line;
  }

  private isLong(line: number): boolean {
    return columns(this.lines.at(line), this.lines.tabSize) > BESIDE_COLUMNS;
  }

  /** The columns of the widest of some lines, with what is painted into them. */
  private widest(from: number, to: number): number {
    let widest = 0;
    for (let line = from; line < Math.min(to, this.lines.count); line++) {
      let width = columns(this.lines.at(line), this.lines.tabSize);
      for (const each of this.#inserted) {
        width += each.line === line ? each.text.length : 0;
      }
      widest = Math.max(widest, width);
    }
    return widest;
  }
}

interface Whole {
  readonly first: number;
  readonly old: readonly string[];
  readonly fresh: readonly string[];
}

/** The whole lines that a hunk replaces, and those that it puts there; equal ones at
 * the start, as where a line is added to the last one, are no change. */
function wholeLines(hunk: Hunk, lines: Lines): Whole {
  const { start } = hunk.range;
  const old: string[] = [];
  for (let line = start.line; line < Math.min(pastLine(hunk), lines.count); line++) {
    old.push(lines.at(line));
  }
  const fresh = freshLines(hunk, lines);
  const nSame = old.findIndex((line, at) => line !== fresh[at]);
  const skip = nSame < 0 ? Math.min(old.length, fresh.length) : nSame;
  return { first: start.line + skip, old: old.slice(skip), fresh: fresh.slice(skip) };
}

/** The line after the last one that a hunk touches. */
function pastLine({ range: { start, end } }: Hunk): number {
  const isUpToLine =
    end.character === 0 && (end.line > start.line || start.character === 0);
  return isUpToLine ? end.line : end.line + 1;
}

function freshLines(hunk: Hunk, lines: Lines): readonly string[] {
  const { start, end } = hunk.range;
  const textOf = (line: number): string => (line < lines.count ? lines.at(line) : "");
  const before = textOf(start.line).slice(0, start.character);
  const after = pastLine(hunk) > end.line ? textOf(end.line).slice(end.character) : "";
  const fresh = (before + hunk.newText + after).split(/\r\n|\r|\n/);
  // What ends with a line's end, or is nothing, has no line after it.
  return fresh.at(-1) === "" ? fresh.slice(0, -1) : fresh;
}

interface Pair {
  readonly old?: string;
  readonly fresh?: string;
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
