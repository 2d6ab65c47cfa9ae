// What happens to the base of a document, as the server is informed of it. Pure.

import { applied, Ledger, type Piece, type TextChange } from "./ledger";
import { Positions, type Position } from "./positions";
import type { Hunk } from "../protocol";

/** A change of the base, as `textDocument/didChange` has it. */
export interface BaseChange {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly text: string;
}

export interface BaseChanged {
  readonly ledger: Ledger;
  /** In order; each is about the text that the one before it left. */
  readonly changes: readonly BaseChange[];
  readonly adopted: readonly Piece[];
}

/** Take over what the user changed; the changes are in order, as the editor has them. */
export function afterTyping(
  ledger: Ledger,
  typed: readonly TextChange[],
  isUndo = false,
): BaseChanged {
  let now = ledger;
  const changes: BaseChange[] = [];
  const adopted: Piece[] = [];
  for (const each of typed) {
    const { base } = now;
    const next = now.change(each, isUndo);
    changes.push(...baseChange(base, next.change));
    adopted.push(...next.adopted);
    now = next.ledger;
  }
  return { ledger: now, changes, adopted };
}

/** Make pieces part of the base. */
export function afterAccepting(
  ledger: Ledger,
  accepted: readonly Piece[],
): BaseChanged {
  const settled = ledger.settle(accepted);
  let { base } = ledger;
  const changes: BaseChange[] = [];
  for (const change of settled.changes) {
    changes.push(...baseChange(base, change));
    base = applied(base, change);
  }
  return { ledger: settled.ledger, changes, adopted: [] };
}

/** Take parts of the shown text for proposals, beside those that are pieces already: what
 * is shown stays as it is.
 *
 * @param turned The pieces of the shown text that take them back. */
export function afterAdopting(ledger: Ledger, turned: readonly Piece[]): BaseChanged {
  const { base, shown: text } = ledger;
  const all = [...ledger.turned, ...turned].sort(inOrder);
  const shown = new Ledger(text, all);
  const pieces = shown.places.map(({ piece, start, end }) => {
    return { ...piece, start, end, newText: text.slice(piece.start, piece.end) };
  });
  const next = new Ledger(shown.shown, pieces);
  const change = { offset: 0, length: base.length, text: next.base };
  const names = new Set(turned.map(({ sessionId }) => sessionId));
  const adopted = pieces.filter(({ sessionId }) => names.has(sessionId));
  return { ledger: next, changes: baseChange(base, change), adopted };
}

/** A hunk as it arrives: an older server does not say what it covers. */
type SentHunk = Omit<Hunk, "covers"> & Partial<Pick<Hunk, "covers">>;

/** The pieces of hunks whose ranges are in a base. */
export function piecesOf(
  sessionId: string,
  hunks: readonly SentHunk[],
  { base, positions }: Ledger,
  lineEnd: string,
): readonly Piece[] {
  const pieces = hunks.map(({ id, range: { start, end }, newText, covers = 0 }) => {
    const to = positions.offsetAt({ ...end, line: end.line + covers });
    return {
      sessionId,
      hunkId: id,
      start: positions.offsetAt(start),
      end: to,
      newText: newText.replace(/\r\n|\r|\n/g, lineEnd),
      nCovered: to - positions.offsetAt(end),
    };
  });
  return pieces.filter(({ start, end, newText }) => base.slice(start, end) !== newText);
}

/** Order pieces; one that overlaps one before it is left out. */
export function disjoint(pieces: readonly Piece[]): readonly Piece[] {
  const chosen: Piece[] = [];
  for (const piece of [...pieces].sort(inOrder)) {
    const last = chosen.at(-1);
    if (last === undefined || piece.start >= last.end) {
      chosen.push(piece);
    }
  }
  return chosen;
}

/** At one place, what is put in front of a range comes before it. */
function inOrder(a: Piece, b: Piece): number {
  return a.start - b.start || a.end - b.end;
}

/** A change as the protocol has it; none if it changes nothing. */
function baseChange(base: string, change: TextChange): BaseChange[] {
  const { offset, length, text } = change;
  if (base.slice(offset, offset + length) === text) {
    return [];
  }
  const positions = new Positions(base);
  const range = {
    start: positions.positionAt(offset),
    end: positions.positionAt(offset + length),
  };
  return [{ range, text }];
}
