// What the box says about an instruction: what would be sent, and what it leaves open.

import type { Instruction } from "./images";

/** Of a user who reads what was typed; an unfinished instruction is often vague. */
const PAUSE_MS = 400;

/** Of LSP. */
const REQUEST_FAILED = -32803;

export interface About {
  /** What would be sent, in words; may be empty. */
  readonly sent: string;
  /** Further lines. */
  readonly rest: readonly string[];
}

export type Ask = (instruction: Instruction) => Promise<About>;

export class BoxNotes {
  /** As last known: it hardly changes while one types. */
  #sent = "";
  #rest: readonly string[] = [];

  constructor(
    /** Undefined: there is nothing to say. */
    private readonly ask: Ask | undefined,
    /** Returns what is in the box; undefined: nothing to ask about. */
    private readonly current: () => Instruction | undefined,
    private readonly onChanged: () => void,
  ) {}

  /** What would be sent, and the rest. */
  lines(): readonly string[] {
    return this.#sent === "" ? this.#rest : [this.#sent, ...this.#rest];
  }

  /** Say something in place of the rest, until the text changes. */
  say(lines: readonly string[]): void {
    this.#rest = lines;
  }

  /** Forget what was said about another text, and ask when the user pauses. */
  async typed(text: string): Promise<void> {
    this.#rest = [];
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (this.current()?.text === text) {
      await this.refresh();
    }
  }

  /** Ask what would be sent, or why it cannot be. */
  async refresh(): Promise<void> {
    const instruction = this.current();
    if (instruction === undefined || this.ask === undefined) {
      return;
    }
    const { sent, rest } = await this.ask(instruction).catch(failed);
    const now = this.current();
    if (now?.text === instruction.text && now.images === instruction.images) {
      this.#sent = sent;
      this.#rest = rest;
      this.onChanged();
    }
  }
}

/** Why it cannot be sent; an older server only says that it does not know. */
function failed(error: unknown): About {
  const isReason =
    error instanceof Error && "code" in error && error.code === REQUEST_FAILED;
  return { sent: isReason ? error.message : "", rest: [] };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
