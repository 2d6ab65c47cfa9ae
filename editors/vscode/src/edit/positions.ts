// Positions in a text, as the protocol and the editor count them: lines, and UTF-16
// units. Pure.

export interface Position {
  readonly line: number;
  readonly character: number;
}

/** The lines of a text that does not change. */
export class Positions {
  readonly #starts: readonly number[];

  constructor(private readonly text: string) {
    const starts = [0];
    for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
      starts.push(index + end.length);
    }
    this.#starts = starts;
  }

  /** The offset of a position; what is outside of the text is its nearest place. */
  offsetAt({ line, character }: Position): number {
    const start = this.#starts[line];
    if (start === undefined) {
      return line < 0 ? 0 : this.text.length;
    }
    const next = this.#starts[line + 1];
    return Math.min(start + character, next === undefined ? this.text.length : next);
  }

  /** Where the text of a line ends; of one that is not there, that of the last. */
  endOf(line: number): Position {
    const last = Math.min(line, this.#starts.length - 1);
    const text = this.text.slice(this.#starts[last], this.#starts[last + 1]);
    return { line: last, character: text.replace(/[\r\n]+$/, "").length };
  }

  positionAt(offset: number): Position {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return { line: low, character: offset - (this.#starts[low] ?? 0) };
  }
}
