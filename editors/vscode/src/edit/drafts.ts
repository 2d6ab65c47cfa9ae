// The drafts of an instruction that is tried out while it is typed. Pure.

/** Sends drafts once it is known what they are about, and none after the user left. */
export class Drafts<Request, Draft> {
  #isOver = false;

  constructor(
    private readonly request: Promise<Request>,
    private readonly send: (request: Request, draft: Draft) => Promise<void>,
  ) {}

  async add(draft: Draft): Promise<void> {
    const request = await this.request;
    if (!this.#isOver) {
      await this.send(request, draft);
    }
  }

  /** Send no more: a draft that waits would begin an edit that nobody ends. */
  end(): void {
    this.#isOver = true;
  }
}
