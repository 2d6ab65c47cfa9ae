// Unfolds what hides a change: nobody can judge what is not shown.

import * as vscode from "vscode";

/** Regions around a line that are opened: more than anybody nests. */
const LEVELS = 100;

export class Folds {
  /** Lines that were opened already, by document: what is folded again stays folded. */
  readonly #opened = new Map<string, Set<number>>();

  /** Open the regions that hide lines. Only in the active editor: the command has no
   * other; another one is opened once it is active and painted again. */
  open(editor: vscode.TextEditor, lines: readonly number[]): void {
    if (editor !== vscode.window.activeTextEditor) {
      return;
    }
    const uri = editor.document.uri.toString();
    const opened = this.#opened.get(uri) ?? new Set();
    this.#opened.set(uri, opened);
    const fresh = lines.filter((line) => !opened.has(line));
    for (const line of fresh) {
      opened.add(line);
    }
    const isShown = (line: number): boolean =>
      editor.visibleRanges.some(
        ({ start, end }) => line >= start.line && line <= end.line,
      );
    const selectionLines = fresh.filter((line) => !isShown(line));
    if (selectionLines.length > 0) {
      const given = { levels: LEVELS, direction: "up", selectionLines };
      void vscode.commands.executeCommand("editor.unfold", given);
    }
  }

  /** Forget a document in which nothing is painted any more. */
  forget(uri: string): void {
    this.#opened.delete(uri);
  }
}
