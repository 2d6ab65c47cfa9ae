// What an edit is asked for with: its range, its arguments, and what was selected.

import * as vscode from "vscode";

import type { EditArguments } from "../protocol";

/** What was selected: a selection would hide the colours of what is painted. */
export class Focus {
  readonly #selections: readonly vscode.Selection[];
  isCleared = false;

  constructor(
    private readonly editor: vscode.TextEditor,
    private readonly place: vscode.Position,
  ) {
    this.#selections = editor.selections;
  }

  clear(): void {
    if (!this.isCleared) {
      this.isCleared = true;
      this.editor.selection = new vscode.Selection(this.place, this.place);
    }
  }

  restore(): void {
    this.editor.selections = this.#selections;
  }
}

export interface EditRequest {
  readonly command: "edit" | "variations";
  readonly uri: string;
  readonly range: EditArguments["range"];
  readonly sessionId: string;
}

export function argumentsOf(request: EditRequest, instruction: string): EditArguments {
  const { uri, range, sessionId } = request;
  const found = vscode.workspace
    .getConfiguration("redline")
    .inspect<string>("edit.apply");
  const isChosen = [
    found?.globalValue,
    found?.workspaceValue,
    found?.workspaceFolderValue,
  ].some((value) => value !== undefined);
  // `edit.apply` decides if it is set; else an edit is shown before it is applied.
  const apply = isChosen ? {} : ({ apply: "preview" } as const);
  return { uri, range, instruction, sessionId, ...apply };
}
