// The box that asks for an instruction: its keys, and the instructions of before.

import type * as vscode from "vscode";

import { HistoryWalk, withInstruction } from "./history";
import { NO_INSTRUCTION, type Instruction } from "./images";
import { giveKeys, OpenBox, type Question } from "./open-box";

const HISTORY = "redline.instructions";

/** What an instruction is for: a new edit, or one that is there. */
export type Purpose = "edit" | "redirect";

export class InstructionBox {
  /** What was typed and could not be carried out: the next box for it begins with it. */
  readonly #unfinished = new Map<Purpose, Instruction>();
  #open: OpenBox | undefined;
  #walk = new HistoryWalk([]);

  constructor(private readonly state: vscode.Memento) {}

  readonly commands: Readonly<Record<string, () => unknown>> = {
    "redline.olderInstruction": () => {
      this.step("older");
    },
    "redline.newerInstruction": () => {
      this.step("newer");
    },
    "redline.completeInstruction": () => this.#open?.choose(),
    "redline.closeCompletions": () => this.#open?.closeChoices(),
  };

  /** Begin the next box with an instruction that failed, or with none. */
  beginWith(purpose: Purpose, instruction: Instruction): void {
    this.#unfinished.set(purpose, instruction);
  }

  /** Ask; undefined: the user closed it. */
  async ask(purpose: Purpose, question: Question): Promise<Instruction | undefined> {
    const { history } = this;
    // A dialog of an open box lets another one be opened: what was typed goes there.
    if (this.#open !== undefined) {
      this.#unfinished.set(purpose, this.#open.leave());
    }
    const box = new OpenBox(question, this.#unfinished.get(purpose) ?? NO_INSTRUCTION);
    this.#open = box;
    this.#walk = new HistoryWalk(history);
    try {
      const instruction = await box.answer();
      if (instruction !== undefined) {
        void this.state.update(HISTORY, withInstruction(history, instruction.text));
      }
      return instruction;
    } finally {
      box.dispose();
      // Another box may have taken its place.
      if (this.#open === box) {
        this.#open = undefined;
        giveKeys({ isAsking: false, isCompleting: false });
      }
    }
  }

  private step(by: "older" | "newer"): void {
    const box = this.#open;
    if (box !== undefined) {
      box.replace(this.#walk.step(by, box.text) ?? box.text);
    }
  }

  private get history(): readonly string[] {
    return this.state.get<readonly string[]>(HISTORY, []);
  }
}
