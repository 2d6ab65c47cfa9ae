// Reports to the server that its ghost text is not wanted.
//
// VS Code does not inform published extensions of it, so Escape is a key of our own where
// the last answer of ours had a text; it hides the ghost text as VS Code's own key does.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { notifications } from "../protocol";
import type { InlineDismissedArguments } from "../protocol-next-edits";

export class Dismissal {
  #hasCompletion = false;

  constructor(private readonly client: () => LanguageClient | undefined) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, () => unknown>> = {
    "redline.dismissCompletion": () => this.dismiss(),
  };

  /** Follow an answer to the editor; without one, what was shown may still be there. */
  answered(given: Answer): Answer {
    if (given !== undefined && given !== null) {
      const { length } = Array.isArray(given) ? given : given.items;
      this.set(length > 0);
    }
    return given;
  }

  private async dismiss(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const client = this.client();
    await vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
    if (document !== undefined && client !== undefined) {
      const uri = client.code2ProtocolConverter.asUri(document.uri);
      const dismissed: InlineDismissedArguments = { uri };
      await client.sendNotification(notifications.inlineDismissed, dismissed);
    }
  }

  private set(hasCompletion: boolean): void {
    if (hasCompletion !== this.#hasCompletion) {
      this.#hasCompletion = hasCompletion;
      void vscode.commands.executeCommand(
        "setContext",
        "redline.hasCompletion",
        hasCompletion,
      );
    }
  }
}

type Answer =
  vscode.InlineCompletionItem[] | vscode.InlineCompletionList | null | undefined;
