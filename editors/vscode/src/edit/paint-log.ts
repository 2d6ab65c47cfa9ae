// How often something was painted, and how long that took, for the log. Pure.

export class PaintLog {
  #n = 0;
  #totalMs = 0;
  #mostMs = 0;
  /** When text that was being written was painted, in milliseconds of some clock. */
  #writing: number[] = [];

  /** Count a paint. */
  painted(beganMs: number, endedMs: number, isWritten: boolean): void {
    const tookMs = endedMs - beganMs;
    this.#n++;
    this.#totalMs += tookMs;
    this.#mostMs = Math.max(this.#mostMs, tookMs);
    if (isWritten) {
      this.#writing.push(beganMs);
    }
  }

  /** Say what was counted; undefined: nothing. */
  words(): string | undefined {
    const [first, last] = [this.#writing[0] ?? 0, this.#writing.at(-1) ?? 0];
    const nGaps = this.#writing.length - 1;
    const rate = last > first ? (1000 * nGaps) / (last - first) : 0;
    return this.#n === 0
      ? undefined
      : `painted ${this.#n} times, ${(this.#totalMs / this.#n).toFixed(2)} ms each, ` +
          `${this.#mostMs.toFixed(2)} ms at most; ` +
          `${rate.toFixed(1)} times a second while it was written`;
  }
}
