// What an instruction is about: the lines of a selection, or the cursor's own. Pure.

/** A position of the editor. */
interface Place {
  readonly line: number;
  readonly character: number;
}

export interface Target {
  readonly start: Place;
  readonly end: Place;
  /** For people: `lines 3 to 9`. */
  readonly words: string;
}

/**
 * Return the range to edit.
 *
 * @param start The selection's start.
 * @param end The selection's end; at the start where nothing is selected.
 * @param lineText The text of the line that the selection starts in.
 */
export function target(start: Place, end: Place, lineText: string): Target {
  const isEmpty = start.line === end.line && start.character === end.character;
  if (isEmpty && lineText.trim() === "") {
    const place = { line: start.line, character: 0 };
    return { start: place, end: place, words: `new lines at line ${start.line + 1}` };
  }
  const isUpToLine = end.character === 0 && end.line > start.line;
  const last = isUpToLine ? end.line - 1 : end.line;
  const words =
    last === start.line ? `line ${last + 1}` : `lines ${start.line + 1} to ${last + 1}`;
  return {
    start: { line: start.line, character: 0 },
    end: isUpToLine ? end : { line: last, character: Number.MAX_SAFE_INTEGER },
    words,
  };
}
