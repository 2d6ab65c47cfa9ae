// Completions and next edits in the menu: what they did, and turning them on and off.

import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";

import type { Dismissal } from "../complete/dismissal";
import type { StatusBar } from "./bar";
import {
  choicesOf,
  countsOf,
  Pauses,
  type Choice,
  type ChoiceEntry,
} from "./completion-choices";

export class CompletionMenu {
  readonly #pauses = new Pauses();

  constructor(
    private readonly bar: () => StatusBar,
    private readonly dismissal: Dismissal,
  ) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, () => unknown>> = {
    "redline.completions": () => this.show(),
  };

  /** Does not ask the server for what is paused; it then sends nothing in advance. */
  readonly middleware: Middleware = {
    provideInlineCompletionItems: async (document, position, context, cancel, next) =>
      context.triggerKind === vscode.InlineCompletionTriggerKind.Automatic &&
      this.#pauses.has(document.uri.toString(), Date.now())
        ? undefined
        : this.dismissal.answered(await next(document, position, context, cancel)),
  };

  private async show(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const uri = document?.uri.toString();
    const settings = vscode.workspace.getConfiguration("redline", document);
    const entries = choicesOf({
      isOn: settings.get("complete.enabled", true),
      isNextEditOn: settings.get("next_edit.enabled", true),
      off: settings.get<readonly string[]>("complete.off", []),
      language: document?.languageId,
      isPaused: this.#pauses.has(uri, Date.now()),
    });
    const { status } = this.bar();
    const chosen = await vscode.window.showQuickPick<
      vscode.QuickPickItem & ChoiceEntry
    >(entries, {
      title: "Redline: completions and next edits",
      placeHolder: countsOf(status?.completions),
    });
    if (chosen !== undefined) {
      await this.choose(chosen.choice, uri);
    }
  }

  private async choose(choice: Choice, uri: string | undefined): Promise<void> {
    switch (choice.does) {
      case "set": {
        const settings = vscode.workspace.getConfiguration("redline");
        const isHere = settings.inspect(choice.key)?.workspaceValue !== undefined;
        // Where the workspace has a value, another one for the user would change nothing.
        await settings.update(choice.key, choice.value, !isHere);
        break;
      }
      case "pauseHour":
        this.#pauses.pauseHour(Date.now());
        break;
      case "pauseFile":
        this.#pauses.pauseFile(uri ?? "");
        break;
      case "resume":
        this.#pauses.resume(uri);
    }
    if (choice.does !== "resume") {
      await vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
    }
  }
}
