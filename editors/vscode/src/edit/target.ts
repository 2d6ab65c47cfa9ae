// What an instruction is about: whole lines. Pure.

import type { Position } from "./positions";

interface Lines {
  readonly start: Position;
  readonly end: Position;
}

export interface Target {
  /** In the base. */
  readonly range: Lines;
  readonly shown: Lines;
  /** For people: `lines 3 to 9`. */
  readonly words: string;
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
