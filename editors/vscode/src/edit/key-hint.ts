// The keys for an offer, and why it is held back if it is, behind the cursor's line while
// the cursor is in it.

import * as vscode from "vscode";

import type { Buffers } from "./buffers";
import { PREVIEW_SCHEME } from "./preview";
import type { Sessions } from "./sessions";
import { keyWords } from "./standing";
import { keyHintType } from "./styles";

interface Hint {
  readonly editor: vscode.TextEditor;
  readonly at: vscode.Position;
  readonly text: string;
}

export class KeyHint implements vscode.Disposable {
  readonly #type = keyHintType();
  readonly #disposables: readonly vscode.Disposable[];
  /** The editor that shows one. */
  #editor: vscode.TextEditor | undefined;

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
  ) {
    const show = (): void => {
      this.show(this.wanted());
    };
    this.#disposables = [
      sessions.onChanged(show),
      buffers.onWritten(show),
      vscode.window.onDidChangeActiveTextEditor(show),
      vscode.window.onDidChangeTextEditorSelection(show),
    ];
  }

  dispose(): void {
    this.#type.dispose();
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private wanted(): Hint | undefined {
    const editor = vscode.window.activeTextEditor;
    if (editor?.selection.isEmpty !== true) {
      return undefined;
    }
    const { document, selection } = editor;
    const preview = this.sessions.under(editor);
    const isWaiting = preview !== undefined && preview.stage !== "writing";
    if (!isWaiting || document.uri.scheme === PREVIEW_SCHEME) {
      return undefined;
    }
    const pieces = this.buffers.ledger(preview.uri)?.pieces ?? [];
    const own = pieces.filter(({ sessionId }) => sessionId === preview.sessionId);
    const at = document.lineAt(selection.active.line).range.end;
    const text = keyWords(preview, own.length);
    return own.length === 0 ? undefined : { editor, at, text };
  }

  private show(hint: Hint | undefined): void {
    const before = this.#editor;
    this.#editor = hint?.editor;
    if (before !== hint?.editor) {
      before?.setDecorations(this.#type, []);
    }
    hint?.editor.setDecorations(this.#type, [
      {
        range: new vscode.Range(hint.at, hint.at),
        renderOptions: { after: { contentText: hint.text } },
      },
    ]);
  }
}
