// The next edit that is offered, and what the user's changes and moves mean for it. Pure.

import type { Position } from "../edit/positions";
import type { NextEditItem } from "../protocol-next-edits";

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A next edit, at its place in the shown text. */
export type Offer = Pick<
  NextEditItem,
  "id" | "kind" | "range" | "old" | "text" | "cursor" | "why" | "left"
> & {
  /** The path of the file that it is in, as the user sees it, unless it is this one. */
  readonly elsewhere?: string;
};

/** A change of the document, as the editor reports it. */
export interface Change {
  readonly range: Range;
  readonly text: string;
}

/** What a change means: it is part of the edit, elsewhere, or in its way. */
export type Meaning = "agrees" | "elsewhere" | "contradicts";

export interface Followed {
  readonly meaning: Meaning;
  /** At its new place; undefined: it does not fit any more. */
  readonly offer: Offer | undefined;
}

/** What accepting does now. */
export type Step = "go" | "accept";

/** So many lines from the cursor an edit is made without going there first. */
const NEAR_LINES = 2;

/** Follow one change of the text. */
export function followed(offer: Offer, change: Change): Followed {
  if (offer.elsewhere !== undefined) {
    return { meaning: "elsewhere", offer };
  }
  const { start, end } = offer.range;
  const isTyped = isEqual(change.range.start, change.range.end);
  if (isEqual(start, end) && isTyped && isEqual(change.range.start, start)) {
    return typedAlong(offer, change.text);
  }
  const isSameLine =
    change.range.start.line <= end.line && change.range.end.line >= start.line;
  const meaning = isSameLine ? "agrees" : "elsewhere";
  if (isBefore(end, change.range.start)) {
    return { meaning, offer };
  }
  if (!isBefore(start, change.range.end) || isEqual(start, change.range.end)) {
    return { meaning, offer: moved(offer, change) };
  }
  return { meaning: "contradicts", offer: undefined };
}

/** Whether accepting goes to the edit first. */
export function stepOf({ range }: Offer, cursor: Position, isInSight: boolean): Step {
  const isNear =
    cursor.line >= range.start.line - NEAR_LINES &&
    cursor.line <= range.end.line + NEAR_LINES;
  return isNear && isInSight ? "accept" : "go";
}

/**
 * Whether Tab is ours. Not where it indents: with a selection, or in the blanks before a
 * line's text, unless the edit is on that line.
 */
export function takesTab(
  { range, elsewhere }: Offer,
  cursor: Position,
  line: string,
  isSelection: boolean,
): boolean {
  if (isSelection) {
    return false;
  }
  const isOnLine =
    elsewhere === undefined &&
    cursor.line >= range.start.line &&
    cursor.line <= range.end.line;
  return isOnLine || line.slice(0, cursor.character).trim() !== "";
}

/** Whether the place of an edit is on the screen. */
export function isInSight(
  { range, elsewhere }: Offer,
  visible: readonly Range[],
): boolean {
  return (
    elsewhere === undefined &&
    visible.some(
      ({ start, end }) =>
        range.start.line >= start.line && range.start.line <= end.line,
    )
  );
}

/** The last line of what a change leaves. */
export function lastLine({ range, text }: Change): number {
  return range.start.line + lineEnds(text);
}

function typedAlong(offer: Offer, typed: string): Followed {
  if (!offer.text.startsWith(typed) || offer.text === typed) {
    return { meaning: "contradicts", offer: undefined };
  }
  const { start } = offer.range;
  const at = after(start, start, { range: offer.range, text: typed });
  const text = offer.text.slice(typed.length);
  return {
    meaning: "agrees",
    offer: { ...offer, range: { start: at, end: at }, text },
  };
}

function moved(offer: Offer, change: Change): Offer {
  const move = (position: Position): Position =>
    after(position, change.range.end, change);
  const { start, end } = offer.range;
  return {
    ...offer,
    range: { start: move(start), end: move(end) },
    cursor: move(offer.cursor),
  };
}

/** Where a position behind the old end of a change is after it. */
function after(position: Position, oldEnd: Position, change: Change): Position {
  const { start } = change.range;
  const n = lineEnds(change.text);
  const tail = change.text.slice(
    Math.max(change.text.lastIndexOf("\n"), change.text.lastIndexOf("\r")) + 1,
  );
  const line = position.line + start.line + n - oldEnd.line;
  if (position.line > oldEnd.line) {
    return { line, character: position.character };
  }
  const newEnd = tail.length + (n === 0 ? start.character : 0);
  return { line, character: position.character - oldEnd.character + newEnd };
}

function lineEnds(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}

function isEqual(a: Position, b: Position): boolean {
  return a.line === b.line && a.character === b.character;
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
