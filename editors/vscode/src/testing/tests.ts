// Test runs: starts one from the editor, says how it ended, and shows its output. The
// lenses and the diagnostics come from the server.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import type { Buffers } from "../edit/buffers";
import { tell } from "../edit/tell";
import { notifications } from "../protocol";
import type { TestRunStatus } from "../protocol-tests";
import { send } from "../server/commands";
import type { Server } from "../server/server";
import { withClient } from "../server/with-client";

const DEBUG = "Debug";
const OUTPUT = "Show Output";

export class Tests implements vscode.Disposable {
  readonly #output = vscode.window.createOutputChannel("Redline Tests");

  constructor(
    private readonly server: Server,
    private readonly buffers: Buffers,
  ) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, () => unknown>> = {
    "redline.runTestHere": () => this.run(true),
    "redline.runTestsOfFile": () => this.run(false),
    "redline.showTestOutput": () => this.show(),
  };

  /** Listen to a new server. */
  attach(client: LanguageClient): void {
    client.onNotification(notifications.tests, (run: TestRunStatus) => {
      void this.changed(client, run);
    });
  }

  dispose(): void {
    this.#output.dispose();
  }

  private async run(isHere: boolean): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      tell("Open a file with tests first.");
      return;
    }
    await withClient(this.server, async (client) => {
      const uri = editor.document.uri.toString();
      const { active } = editor.selection;
      const position = this.buffers.place(uri, active, "start", "base");
      await send(client, "runTests", isHere ? { uri, position } : { uri });
    });
  }

  /** Show what the last run has printed; `runId`: that of another run. */
  private async show(runId?: string): Promise<void> {
    await withClient(this.server, async (client) => {
      const { runs } = await send(client, "testRuns", {});
      const shown = runId ?? runs.at(-1)?.runId;
      if (shown === undefined) {
        tell("No test was run yet.");
        return;
      }
      const { output } = await send(client, "testOutput", { runId: shown });
      this.#output.replace(output);
      this.#output.show(true);
    });
  }

  /** Say how a run ended: one that passed quietly, others with what can be done. */
  private async changed(client: LanguageClient, run: TestRunStatus): Promise<void> {
    const { state, message, runId } = run;
    if (state === "passed" || state === "cancelled") {
      tell(message);
    }
    if (state !== "failed" && state !== "error" && state !== "timeout") {
      return;
    }
    const [first] = run.failures;
    const entries = first === undefined ? [OUTPUT] : [DEBUG, OUTPUT];
    const text = `Redline: ${message}`;
    const chosen = await vscode.window.showWarningMessage(text, ...entries);
    if (chosen === OUTPUT) {
      await this.show(runId);
    } else if (chosen === DEBUG && first !== undefined) {
      await withClient(this.server, () => send(client, "debug", { failure: first.id }));
    }
  }
}
