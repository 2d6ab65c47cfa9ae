// The instructions that were given, for the arrow keys of the box. Pure.

/** Instructions that are stored; the oldest ones beyond it are forgotten. */
export const MOST_INSTRUCTIONS = 50;

/** Add an instruction as the newest one, once. */
export function withInstruction(
  history: readonly string[],
  instruction: string,
): readonly string[] {
  const others = history.filter((each) => each !== instruction);
  return [instruction, ...others].slice(0, MOST_INSTRUCTIONS);
}

/** A walk through the history, which begins and ends at what is being typed. */
export class HistoryWalk {
  #at = -1;
  #typed = "";

  constructor(private readonly history: readonly string[]) {}

  /** The instruction before or after the current text; undefined: there is none. */
  step(by: "older" | "newer", text: string): string | undefined {
    if (text !== (this.history[this.#at] ?? this.#typed)) {
      // It was changed: it is what is being typed now.
      [this.#at, this.#typed] = [-1, text];
    }
    const next = this.#at + (by === "older" ? 1 : -1);
    if (next < -1 || next >= this.history.length) {
      return undefined;
    }
    this.#at = next;
    return this.history[next] ?? this.#typed;
  }
}
