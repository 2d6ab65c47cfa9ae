// How a next edit is drawn: what goes, what comes, and the key that takes it. Pure.

import type { Position } from "../edit/positions";
import { visible } from "../edit/visible";
import { wordChanges } from "../edit/words";
import type { Offer, Step } from "./offer";

/** Longer text is cut; the hover shows all of it. */
const MOST_INSERTED = 80;
const MOST_HINTED = 40;

/** So many columns are in sight in a window of 700 pixels without the side bar. */
const NARROW = 76;

/** What the key takes besides its letters, in columns. */
const AROUND_KEY = 4;

/** Part of a line that goes, in UTF-16 units. */
export interface Gone {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Text that is painted at a place, and is not in the document. */
export interface Painted {
  readonly at: Position;
  readonly text: string;
}

export interface Drawing {
  readonly gone: readonly Gone[];
  readonly came: readonly Painted[];
  /** The key, and where it leads if the edit is elsewhere; at the end of a line. */
  readonly key: { readonly line: number; readonly key: string; readonly text: string };
  /** Beside the cursor's line, where it is in sight however narrow the editor is. */
  readonly arrow: Direction | undefined;
}

/** What a drawing depends on. */
export interface View {
  /** A line of the document. */
  readonly line: (number: number) => string;
  readonly cursor: Position;
  readonly isInSight: boolean;
  readonly step: Step;
  /** The key as the user knows it. */
  readonly key: string;
  readonly tabSize: number;
}

/** Where an edit is that is elsewhere, from the cursor. */
export type Direction = "up" | "down" | "away";

/** Say what is drawn of an edit. */
export function drawingOf(offer: Offer, view: View): Drawing {
  const isPlace = offer.kind === "jump";
  const change =
    isPlace || !view.isInSight ? { gone: [], came: [] } : changeOf(offer, view);
  const isHere = view.step === "accept";
  const line = isHere ? keyLineOf(offer) : view.cursor.line;
  const hints = isHere
    ? [joined(isPlace ? plain(offer.why) : "", moreOf(offer)), ""]
    : hintsOf(offer, view);
  const room = roomBehind(line, change.came, view);
  const text = hints.find(({ length }) => length <= room) ?? hints.at(-1) ?? "";
  const arrow = isHere ? undefined : directionOf(offer, view);
  return { ...change, key: { line, key: view.key, text }, arrow };
}

function directionOf({ range, elsewhere }: Offer, { cursor }: View): Direction {
  if (elsewhere !== undefined) {
    return "away";
  }
  return range.start.line < cursor.line ? "up" : "down";
}

/** How many columns of a hint are in sight in a narrow window. */
function roomBehind(line: number, came: readonly Painted[], view: View): number {
  const painted = came.filter(({ at }) => at.line === line).map(({ text }) => text);
  const shown = visible(view.line(line), view.tabSize) + painted.join("");
  return NARROW - shown.length - view.key.length - AROUND_KEY;
}

/** Say an edit in words, for screen readers. */
export function wordsFor(offer: Offer): string {
  const place =
    offer.elsewhere === undefined
      ? `line ${offer.range.start.line + 1}`
      : placeIn(offer, offer.elsewhere);
  if (offer.kind === "jump") {
    return `Redline points to ${place}: ${plain(offer.why)}.`;
  }
  const [from, to] = [offer.old, offer.text].map((text) => short(text, MOST_INSERTED));
  const what =
    from === ""
      ? `insert ${to}`
      : to === ""
        ? `remove ${from}`
        : `${from} becomes ${to}`;
  return `Redline proposes a next edit in ${place}: ${what}.`;
}

/** The lines that an edit touches, without and with it, for a hover. */
export function hoverOf(
  offer: Offer,
  line: (number: number) => string,
): readonly [string, string] {
  const { start, end } = offer.range;
  const head = line(start.line).slice(0, start.character);
  const tail = line(end.line).slice(end.character);
  return [`${head}${offer.old}${tail}`, `${head}${offer.text}${tail}`];
}

type Part = Pick<Drawing, "gone" | "came">;

function changeOf(offer: Offer, view: View): Part {
  const { start, end } = offer.range;
  if (start.line === end.line && !offer.text.includes("\n")) {
    return inLine(offer, view);
  }
  const isNewLine = isLineInsertion(offer);
  const above = start.line - 1;
  const text = asOneLine(offer.text, isNewLine && above < 0, view.tabSize);
  const at =
    isNewLine && above >= 0 ? { line: above, character: view.line(above).length } : end;
  return { gone: goneLines(offer, view), came: text === "" ? [] : [{ at, text }] };
}

/** What goes of each line, without its indentation. */
function goneLines({ range: { start, end } }: Offer, view: View): Gone[] {
  const lines = Array.from({ length: end.line - start.line + 1 }, (_, at) => {
    const line = start.line + at;
    const text = view.line(line);
    const from = Math.max(text.search(/\S|$/), at === 0 ? start.character : 0);
    return { line, start: from, end: line === end.line ? end.character : text.length };
  });
  return lines.filter((each) => each.end > each.start);
}

/** Strike and insert words, or all of it if the two have little in common. */
function inLine({ range, text }: Offer, view: View): Part {
  const { line, character } = range.start;
  const old = view.line(line).slice(character, range.end.character);
  const whole = { start: 0, end: old.length, added: text };
  const parts = (old === "" || text === "" ? undefined : wordChanges(old, text)) ?? [
    whole,
  ];
  const gone = parts
    .filter(({ start, end }) => end > start)
    .map(({ start, end }) => ({
      line,
      start: character + start,
      end: character + end,
    }));
  const came = parts
    .filter(({ added }) => added !== "")
    .map(({ end, added }) => ({
      at: { line, character: character + end },
      text: cut(visible(added, view.tabSize), MOST_INSERTED),
    }));
  return { gone, came };
}

/** The line behind which the key stands: the last one that something is painted in. */
function keyLineOf(offer: Offer): number {
  const { start, end } = offer.range;
  if (isLineInsertion(offer)) {
    return Math.max(0, start.line - 1);
  }
  return end.character === 0 ? Math.max(start.line, end.line - 1) : end.line;
}

/** Whole lines that come before a line. */
function isLineInsertion({ kind, range, text }: Offer): boolean {
  const { start, end } = range;
  const isEmpty = start.line === end.line && start.character === end.character;
  return kind === "edit" && isEmpty && start.character === 0 && text.endsWith("\n");
}

/** New lines in one: painted text cannot be higher than its line. */
function asOneLine(text: string, isAtStart: boolean, tabSize: number): string {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  const shown = cut(visible(first.trim(), tabSize), MOST_INSERTED);
  const more = lines.length > 1 ? ` (${lines.length} lines)` : "";
  if (shown === "") {
    return "";
  }
  return isAtStart ? `${shown}${more} ⏎ ` : `⏎ ${shown}${more}`;
}

/** Where an edit is that is elsewhere, and what it does if that is out of sight; shorter
 * and shorter. */
function hintsOf(offer: Offer, view: View): readonly string[] {
  const { line } = offer.range.start;
  const arrow = directionOf(offer, view) === "up" ? "↑" : "↓";
  const { elsewhere } = offer;
  const what =
    offer.kind === "jump"
      ? plain(offer.why)
      : view.isInSight
        ? ""
        : [offer.old, offer.text]
            .map((text) => short(text, MOST_HINTED / 2))
            .filter((text, at) => text !== "" || at === 1)
            .join(" → ");
  const [place, shorter] =
    elsewhere === undefined
      ? [`${arrow} line ${line + 1}`, `${arrow} ${line + 1}`]
      : [`→ ${placeIn(offer, elsewhere)}`, `→ ${placeIn(offer, fileName(elsewhere))}`];
  const whole = what === "" ? place : `${place}: ${what}`;
  return [joined(whole, moreOf(offer)), whole, place, shorter];
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function placeIn({ range }: Offer, path: string): string {
  return `${visible(path, 1)}:${range.start.line + 1}`;
}

function moreOf({ left }: Offer): string {
  return left === 0 ? "" : `${left} more`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

function plain(text: string): string {
  return visible(text.replaceAll("`", ""), 1);
}

function short(text: string, most: number): string {
  return cut(visible(text.split(/\s+/).join(" ").trim(), 1), most);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
