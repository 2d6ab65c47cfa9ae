// What a document shows, in terms of its base: the text without what is proposed. Pure.
//
// A piece replaces a range of the base by proposed text. What the user changes outside of
// pieces changes the base; a piece that the user changes becomes part of the base, as it
// is then. The server knows the base alone, so offsets are mapped both ways.

import { Positions, type Position } from "./positions";

/** A change that is proposed and stands in the document; offsets are of the base. */
export interface Piece {
  readonly sessionId: string;
  readonly hunkId: number;
  readonly start: number;
  readonly end: number;
  readonly newText: string;
  /** How much of the end of its range it only covers while it is written, each line in
   * the place of an old one. */
  readonly nCovered?: number;
}

/** Replace `length` units at an offset. */
export interface TextChange {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Which end of a range an offset is: at a piece's border they belong to other sides. */
export type Side = "start" | "end";

/** What a change of the shown text means for the base. */
export interface Changed {
  readonly ledger: Ledger;
  /** In offsets of the base before. */
  readonly change: TextChange;
  /** Pieces that the user has changed: they are part of the base now. */
  readonly adopted: readonly Piece[];
}

/** A piece's place in the shown text. */
export interface Place {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

export class Ledger {
  #shown: string | undefined;
  #shownPositions: Positions | undefined;
  #positions: Positions | undefined;

  /** @param pieces In order and disjoint. */
  constructor(
    readonly base: string,
    readonly pieces: readonly Piece[],
  ) {}

  /** The text as it is shown. */
  get shown(): string {
    return (this.#shown ??= this.show());
  }

  /** The lines of the shown text. */
  get shownPositions(): Positions {
    return (this.#shownPositions ??= new Positions(this.shown));
  }

  /** The lines of the base. */
  get positions(): Positions {
    return (this.#positions ??= new Positions(this.base));
  }

  /** The same base with other pieces. */
  with(pieces: readonly Piece[]): Ledger {
    const next = new Ledger(this.base, pieces);
    next.#positions = this.#positions;
    return next;
  }

  private show(): string {
    let [text, at] = ["", 0];
    for (const { start, end, newText } of this.pieces) {
      text += this.base.slice(at, start) + newText;
      at = end;
    }
    return text + this.base.slice(at);
  }

  /** The same base, shown as another text: with one piece that is of no session. */
  showing(text: string): Ledger {
    const { base } = this;
    const most = Math.min(base.length, text.length);
    let start = 0;
    while (start < most && base[start] === text[start]) {
      start++;
    }
    let n = 0;
    while (n < most - start && base.at(-1 - n) === text.at(-1 - n)) {
      n++;
    }
    const newText = text.slice(start, text.length - n);
    const end = base.length - n;
    const isSame = start === end && newText === "";
    return this.with(isSame ? [] : [{ sessionId: "", hunkId: 0, start, end, newText }]);
  }

  /** Where the pieces stand in the shown text. */
  get places(): readonly Place[] {
    let shift = 0;
    return this.pieces.map((piece) => {
      const start = piece.start + shift;
      shift += growth(piece);
      return { piece, start, end: start + piece.newText.length };
    });
  }

  /** The pieces of the shown text that take the proposed ones back. */
  get turned(): readonly Piece[] {
    return this.places.map(({ piece, start, end }) => ({
      ...piece,
      start,
      end,
      newText: this.base.slice(piece.start, piece.end),
    }));
  }

  /** Where an offset of the base is shown; inside of what is replaced, the piece's end
   * of that side. */
  toShown(offset: number, side: Side): number {
    let shift = 0;
    for (const { start, end, newText } of this.pieces) {
      const isBefore = side === "end" && offset === start;
      if (offset < start || isBefore) {
        break;
      }
      if (offset < end) {
        return start + shift + (side === "start" ? 0 : newText.length);
      }
      shift += newText.length - (end - start);
    }
    return offset + shift;
  }

  /** The same, of a position. */
  placeShown(position: Position, side: Side): Position {
    const offset = this.toShown(this.positions.offsetAt(position), side);
    return this.shownPositions.positionAt(offset);
  }

  /** The base's offset of a place in the shown text; inside of what is proposed, the end
   * of that side of what it replaces. */
  toBase(offset: number, side: Side): number {
    let shift = 0;
    for (const { piece, start, end } of this.places) {
      if (offset < start || (offset === start && start < end)) {
        break;
      }
      if (offset < end) {
        return side === "start" ? piece.start : piece.end;
      }
      shift += growth(piece);
    }
    return offset - shift;
  }

  /** The same, of a position. */
  placeBase(position: Position, side: Side): Position {
    const offset = this.toBase(this.shownPositions.offsetAt(position), side);
    return this.positions.positionAt(offset);
  }

  /** Take over what the user changed in the shown text. What a piece only covers stays in
   * the base, unless the change brings it back, as an undo does. */
  change(change: TextChange, isUndo = false): Changed {
    const { places, shown } = this;
    const to = change.offset + change.length;
    const is = places.map((place) => isTouched(place, change, shown));
    const touched = places.slice(
      is.includes(true) ? is.indexOf(true) : places.length,
      is.lastIndexOf(true) + 1,
    );
    const low = Math.min(change.offset, touched[0]?.start ?? change.offset);
    const high = Math.max(to, touched.at(-1)?.end ?? to);
    const after = places.filter(
      (place) => !touched.includes(place) && isAfter(place, low, change),
    );
    const before = places.filter(
      (place) => !touched.includes(place) && !after.includes(place),
    );
    const shiftBefore = sum(before.map(({ piece }) => growth(piece)));
    const shiftTouched = sum(touched.map(({ piece }) => growth(piece)));
    const offset = low - shiftBefore;
    const length = high - shiftBefore - shiftTouched - offset;
    const text = shown.slice(low, change.offset) + change.text + shown.slice(to, high);
    const old = this.base.slice(offset, offset + length);
    const hidden = isUndo || text === old ? [] : this.hidden(touched, change);
    const kept = hidden.map(({ piece }) => this.covered(piece)).join("");
    const moved = old.endsWith(kept)
      ? { offset, length: length - kept.length, text }
      : { offset, length, text: text + kept };
    const by = moved.text.length - moved.length;
    let at = offset + text.length;
    const pieces = [
      ...before.map(({ piece }) => piece),
      ...hidden.map(({ piece }) => {
        const start = at;
        at += piece.nCovered ?? 0;
        return { ...piece, start, end: at, newText: "" };
      }),
      ...after.map(({ piece }) => movedBy(piece, by)),
    ];
    return {
      ledger: new Ledger(applied(this.base, moved), pieces),
      change: moved,
      adopted: touched.map(({ piece }) => piece),
    };
  }

  /** Those of changed pieces whose covered text is not in the change. */
  private hidden(touched: readonly Place[], change: TextChange): readonly Place[] {
    const { offset, length, text } = change;
    return touched.filter(({ piece, start, end }) => {
      const isReplaced = offset <= start && end <= offset + length;
      const isBack = isReplaced && text.includes(this.covered(piece));
      return (piece.nCovered ?? 0) > 0 && !isBack;
    });
  }

  private covered({ end, nCovered = 0 }: Piece): string {
    return this.base.slice(end - nCovered, end);
  }

  /** Make some pieces part of the base: the shown text stays as it is.
   *
   * @returns The changes of the base, the last place first. */
  settle(accepted: readonly Piece[]): { ledger: Ledger; changes: TextChange[] } {
    const pieces: Piece[] = [];
    const changes: TextChange[] = [];
    let [base, by] = [this.base, 0];
    for (const piece of this.pieces) {
      if (accepted.includes(piece)) {
        const { start, end, newText } = piece;
        const change = { offset: start, length: end - start, text: newText };
        changes.unshift(change);
        base = applied(base, { ...change, offset: start + by });
        by += growth(piece);
      } else {
        pieces.push(movedBy(piece, by));
      }
    }
    return { ledger: new Ledger(base, pieces), changes };
  }

  /** The least changes of the shown text that make it show other pieces. */
  changesTo(wanted: readonly Piece[]): TextChange[] {
    const next = this.with(wanted);
    return clusters([...this.pieces, ...wanted])
      .map(({ start, end }) => {
        const old = this.shownPart(start, end);
        const fresh = next.shownPart(start, end);
        return { ...old, fresh: fresh.text };
      })
      .map(({ from, text, fresh }) => trimmed(from, text, fresh))
      .filter(({ length, text }) => length > 0 || text !== "");
  }

  /** The shown text of a range of the base, whose borders are not inside of a piece; the
   * pieces at its borders are in it. */
  private shownPart(start: number, end: number): { from: number; text: string } {
    let [shift, text, at] = [0, "", start];
    for (const piece of this.pieces) {
      if (piece.start >= start && piece.end <= end) {
        text += this.base.slice(at, piece.start) + piece.newText;
        at = piece.end;
      } else if (piece.end <= start) {
        shift += growth(piece);
      }
    }
    return { from: start + shift, text: text + this.base.slice(at, end) };
  }
}

/** Apply a change to a text. */
export function applied(
  text: string,
  { offset, length, text: by }: TextChange,
): string {
  return text.slice(0, offset) + by + text.slice(offset + length);
}

/** Where a piece is proposed and where a change is made share text, or a line. */
function isTouched({ start, end }: Place, change: TextChange, shown: string): boolean {
  const { offset, length } = change;
  const to = offset + length;
  const isOver = start < to && offset < end;
  if (isOver || start === end) {
    return isOver;
  }
  if (to === start) {
    // Text in front of a piece's first line belongs to that line, unless it ends its own.
    return isLineOpen(change.text === "" ? shown.slice(0, offset) : change.text);
  }
  return offset === end && isLineOpen(shown.slice(start, end));
}

function isLineOpen(text: string): boolean {
  return text !== "" && !/[\r\n]$/.test(text);
}

function isAfter({ start, end }: Place, low: number, change: TextChange): boolean {
  // What is typed where lines went stands after them.
  return start > low || (start === low && end > start && change.offset <= start);
}

interface Cluster {
  readonly start: number;
  readonly end: number;
}

/** The ranges that pieces cover together, in order; those that touch are one. */
function clusters(pieces: readonly Piece[]): Cluster[] {
  const joined: Cluster[] = [];
  for (const { start, end } of [...pieces].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) {
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    } else {
      joined.push({ start, end });
    }
  }
  return joined;
}

/** Leave out the whole lines that two texts begin and end with. */
function trimmed(from: number, old: string, fresh: string): TextChange {
  let head = 0;
  while (head < Math.min(old.length, fresh.length) && old[head] === fresh[head]) {
    head++;
  }
  head = old === fresh ? head : old.slice(0, head).lastIndexOf("\n") + 1;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old.at(-1 - tail) === fresh.at(-1 - tail)) {
    tail++;
  }
  const cut = old.slice(old.length - tail).indexOf("\n");
  tail = cut < 0 ? 0 : tail - cut - 1;
  const text = fresh.slice(head, fresh.length - tail);
  return { offset: from + head, length: old.length - head - tail, text };
}

function growth({ start, end, newText }: Piece): number {
  return newText.length - (end - start);
}

function movedBy(piece: Piece, by: number): Piece {
  return { ...piece, start: piece.start + by, end: piece.end + by };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
