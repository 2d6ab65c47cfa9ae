// What an instruction is about: whole lines. Pure.

import type { Position } from "./positions";

interface Lines {
  readonly start: Position;
  readonly end: Position;
}

export interface OneTarget {
  /** In the base. */
  readonly range: Lines;
  readonly shown: Lines;
  /** For people: `lines 3 to 9`. */
  readonly words: string;
}

/** The first of its ranges, and all of them if there are several. */
export interface Target extends OneTarget {
  readonly several: readonly OneTarget[];
}

/** Join the targets of all selections; cursors in one definition are one target. */
export function joined(targets: readonly OneTarget[]): Target {
  const byPlace = new Map(targets.map((each) => [JSON.stringify(each.range), each]));
  const sorted = [...byPlace.values()].sort(
    (one, other) => one.range.start.line - other.range.start.line,
  );
  const [first] = sorted;
  if (first === undefined) {
    throw new Error("An editor has at least one cursor.");
  }
  return sorted.length === 1
    ? { ...first, several: [] }
    : { ...first, words: `${sorted.length} ranges`, several: sorted };
}

/** Widen a selection to whole lines; the end of the last one may be beyond its text. */
export function selected({ start, end }: Lines): Lines {
  const isUpToLine = end.character === 0 && end.line > start.line;
  return {
    start: { line: start.line, character: 0 },
    end: isUpToLine ? end : { line: end.line, character: Number.MAX_SAFE_INTEGER },
  };
}

/** Say what whole lines are, with the name of the definition that they are. */
export function wordsOf({ start, end }: Lines, name: string | null): string {
  const first = start.line + 1;
  if (start.line === end.line && start.character === end.character) {
    return `new lines at line ${first}`;
  }
  const isUpToLine = end.character === 0 && end.line > start.line;
  const last = isUpToLine ? end.line : end.line + 1;
  const lines = last === first ? `line ${first}` : `lines ${first} to ${last}`;
  return name === null ? lines : `${name}, ${lines}`;
}
