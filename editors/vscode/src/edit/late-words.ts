// Leaves the words that went out of the first paint of an edit. Each of them is a rule of
// style, for which the browser styles its page again: the text would be on the screen
// later by as much. Pure.

/** How long they wait, in milliseconds. */
const WORDS_MS = 50;

export class LateWords {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  /** @param paint Called for a document whose words are still to be painted. */
  constructor(private readonly paint: (uri: string) => void) {}

  /** Whether they are left out of a paint of a document. */
  areLeftOut(uri: string, isFirst: boolean): boolean {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
    if (isFirst) {
      const timer = setTimeout(() => {
        this.paint(uri);
      }, WORDS_MS);
      this.#timers.set(uri, timer);
    }
    return isFirst;
  }

  dispose(): void {
    for (const timer of this.#timers.values()) {
      clearTimeout(timer);
    }
  }
}
