// The box that asks for an instruction.

import * as vscode from "vscode";

export interface Question {
  readonly title: string;
  readonly placeholder: string;
  /** What to offer to change; empty for nothing. */
  readonly value: string;
  /** Whether what is typed is tried out; undefined: that is not offered. */
  readonly isLive: boolean | undefined;
  /** Gets the text each time it changes, while it is live. */
  readonly onTyped: (text: string) => void;
  /** Remembers that the user wants it live, or no longer. */
  readonly onLive: (isLive: boolean) => void;
}

/** Ask; undefined: the user thought better of it. */
export async function ask(question: Question): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  let isLive = question.isLive ?? false;
  box.title = question.title;
  box.placeholder = question.placeholder;
  box.value = question.value;
  box.ignoreFocusOut = true;
  const show = (): void => {
    box.prompt = isLive
      ? "The preview follows what you type"
      : "You see the result before your file changes";
    box.buttons = question.isLive === undefined ? [] : [liveButton(isLive)];
  };
  show();
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
      box.dispose();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
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
