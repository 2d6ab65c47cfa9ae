// How often a server that dies is started again. Pure: the clock comes in.

/** The restarts that are allowed, as language clients do it: four in three minutes. */
export const MOST_RESTARTS = 4;
export const WINDOW_S = 180;

export class RestartBudget {
  readonly #deaths: number[] = [];

  /**
   * Note that the server died, and say whether it is to be started again.
   *
   * @param now Seconds of any clock that does not go back.
   */
  died(now: number): boolean {
    this.#deaths.push(now);
    while (this.#deaths[0] !== undefined && now - this.#deaths[0] > WINDOW_S) {
      this.#deaths.shift();
    }
    return this.#deaths.length <= MOST_RESTARTS;
  }
}
