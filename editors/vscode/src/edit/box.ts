// The box that asks for an instruction.

import * as vscode from "vscode";

import { HistoryWalk, withInstruction } from "./history";

export interface Question {
  readonly title: string;
  /** A better title, once it is known. */
  readonly laterTitle?: Promise<string>;
  readonly placeholder: string;
  /** Whether what is typed is tried out; undefined: that is not offered. */
  readonly isLive: boolean | undefined;
  /** Gets the text each time it changes, while it is live. */
  readonly onTyped: (text: string) => void;
  /** Gets the text when the user pauses; returns a line to show below it, may be empty. */
  readonly hintFor?: (text: string) => Promise<string>;
  /** Remembers that the user wants it live, or no longer. */
  readonly onLive: (isLive: boolean) => void;
}

const HISTORY = "redline.instructions";

/** Decides when the arrow keys walk through the history. */
const IS_OPEN = "redline.isAsking";

/** Of a user who reads what was typed; an unfinished instruction is often vague. */
const PAUSE_MS = 400;

export class InstructionBox {
  /** What was typed and could not be carried out: the next box begins with it. */
  #unfinished = "";
  #step: ((by: "older" | "newer") => void) | undefined;

  constructor(private readonly state: vscode.Memento) {}

  readonly commands: Readonly<Record<string, () => void>> = {
    "redline.olderInstruction": () => this.#step?.("older"),
    "redline.newerInstruction": () => this.#step?.("newer"),
  };

  /** Begin the next box with an instruction that failed; empty: with nothing. */
  beginWith(instruction: string): void {
    this.#unfinished = instruction;
  }

  /** Ask; undefined: the user closed it. */
  async ask(question: Question): Promise<string | undefined> {
    const box = vscode.window.createInputBox();
    box.title = question.title;
    box.placeholder = question.placeholder;
    box.value = this.#unfinished;
    box.ignoreFocusOut = true;
    void question.laterTitle?.then(
      (title) => {
        box.title = title;
      },
      () => undefined,
    );
    const { history } = this;
    const walk = new HistoryWalk(history);
    this.#step = (by) => {
      box.value = walk.step(by, box.value) ?? box.value;
    };
    void vscode.commands.executeCommand("setContext", IS_OPEN, true);
    try {
      const instruction = await answer(box, question);
      if (instruction !== undefined) {
        void this.state.update(HISTORY, withInstruction(history, instruction));
      }
      return instruction;
    } finally {
      box.dispose();
      this.#step = undefined;
      void vscode.commands.executeCommand("setContext", IS_OPEN, false);
    }
  }

  private get history(): readonly string[] {
    return this.state.get<readonly string[]>(HISTORY, []);
  }
}

async function answer(
  box: vscode.InputBox,
  question: Question,
): Promise<string | undefined> {
  let isLive = question.isLive ?? false;
  const show = (): void => {
    box.prompt = isLive
      ? "The preview follows what you type"
      : "You see the result before your file changes";
    box.buttons = question.isLive === undefined ? [] : [liveButton(isLive)];
  };
  show();
  const hint = async (text: string): Promise<void> => {
    show();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (text !== box.value || text.trim() === "") {
      return;
    }
    const words = await question.hintFor?.(text);
    if (text !== box.value) {
      return;
    }
    if (words !== undefined && words !== "") {
      box.prompt = words;
    }
  };
  return await new Promise((resolve) => {
    box.onDidTriggerButton(() => {
      isLive = !isLive;
      question.onLive(isLive);
      show();
      if (isLive && box.value.trim() !== "") {
        question.onTyped(box.value);
      }
    });
    box.onDidChangeValue((text) => {
      box.validationMessage = undefined;
      void hint(text).catch(() => undefined);
      if (isLive) {
        question.onTyped(text);
      }
    });
    box.onDidAccept(() => {
      if (box.value.trim() === "") {
        box.validationMessage = "Say what to do, such as: add type hints";
        return;
      }
      resolve(box.value);
    });
    box.onDidHide(() => {
      resolve(undefined);
    });
    box.show();
  });
}

function liveButton(isLive: boolean): vscode.QuickInputButton {
  return isLive
    ? {
        iconPath: new vscode.ThemeIcon("eye"),
        tooltip: "Live preview is on: click to carry out only what you confirm",
      }
    : {
        iconPath: new vscode.ThemeIcon("eye-closed"),
        tooltip: "Live preview is off: click to see the result while you type",
      };
}
