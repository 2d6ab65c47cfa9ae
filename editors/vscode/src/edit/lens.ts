// Code lenses: what can be done with an edit, where it is.

import * as vscode from "vscode";

import { lensesOf } from "./choices";
import type { Sessions } from "./sessions";

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #listener: vscode.Disposable;

  constructor(private readonly sessions: Sessions) {
    this.#listener = sessions.onChanged(({ isNews }) => {
      if (isNews) {
        this.#changed.fire();
      }
    });
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.sessions.of(document.uri.toString()).flatMap((preview) =>
      lensesOf(preview).map(({ line, title, tooltip, command, given }) => {
        const at = Math.min(line, document.lineCount - 1);
        const range = new vscode.Range(at, 0, at, 0);
        return new vscode.CodeLens(range, {
          title,
          tooltip,
          command,
          arguments: [...given],
        });
      }),
    );
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}
