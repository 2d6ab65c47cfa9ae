// How the extension says things: quietly in the status bar, or, where something failed,
// once as a message with what can be done about it.

import * as vscode from "vscode";

/** How long a quiet word stands, in milliseconds. */
const QUIET_MS = 5000;

/** Say something that nobody has to react to. */
export function tell(text: string): void {
  vscode.window.setStatusBarMessage(`$(wand) Redline: ${text}`, QUIET_MS);
}

/** What can be done about a cause: a button and its command. */
const REMEDIES: Readonly<Record<string, readonly [string, string]>> = {
  authentication: ["Set API Key…", "redline.setApiKey"],
  restart: ["Restart Redline", "redline.restart"],
};

/** Say what failed, with what can be done. */
export async function tellFailure(
  error: unknown,
  cause: string | undefined,
): Promise<void> {
  const text = error instanceof Error ? error.message : String(error);
  const remedy = cause === undefined ? undefined : REMEDIES[cause];
  const log = "Show Log";
  const buttons = [...(remedy === undefined ? [] : [remedy[0]]), log];
  const chosen = await vscode.window.showErrorMessage(text, ...buttons);
  if (chosen === log) {
    await vscode.commands.executeCommand("redline.showLog");
  } else if (chosen !== undefined && remedy !== undefined) {
    await vscode.commands.executeCommand(remedy[1]);
  }
}
