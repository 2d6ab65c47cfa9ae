// The box that asks for an instruction: its keys, and the instructions of before.

import * as vscode from "vscode";

import { HistoryWalk, withInstruction } from "./history";
import { NO_INSTRUCTION, type Instruction } from "./images";
import { OpenBox, type Question } from "./open-box";

const HISTORY = "redline.instructions";

/** Decides when the arrow keys walk through the history. */
const IS_OPEN = "redline.isAsking";

export class InstructionBox {
  /** What was typed and could not be carried out: the next box begins with it. */
  #unfinished = NO_INSTRUCTION;
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
  beginWith(instruction: Instruction): void {
    this.#unfinished = instruction;
  }

  /** Ask; undefined: the user closed it. */
  async ask(question: Question): Promise<Instruction | undefined> {
    const { history } = this;
    const box = new OpenBox(question, this.#unfinished);
    this.#open = box;
    this.#walk = new HistoryWalk(history);
    void vscode.commands.executeCommand("setContext", IS_OPEN, true);
    try {
      const instruction = await box.answer();
      if (instruction !== undefined) {
        void this.state.update(HISTORY, withInstruction(history, instruction.text));
      }
      return instruction;
    } finally {
      box.dispose();
      this.#open = undefined;
      void vscode.commands.executeCommand("setContext", IS_OPEN, false);
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
