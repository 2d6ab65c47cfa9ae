// How the extension says things: quietly in the status bar, or, where something failed,
// once as a message with what can be done about it.

import * as vscode from "vscode";

/** How long a quiet word stands, in milliseconds. */
const QUIET_MS = 5000;

/** Say something that nobody has to react to; disposing of it takes it away earlier. */
export function tell(text: string): vscode.Disposable {
  return vscode.window.setStatusBarMessage(`$(wand) Redline: ${text}`, QUIET_MS);
}

const SET_KEY = ["Set API Key…", "redline.setApiKey"] as const;
const DOCTOR = ["Run Doctor", "redline.doctor"] as const;

/** What can be done about a cause: a button and its command. */
const REMEDIES: Readonly<Record<string, readonly [string, string]>> = {
  authentication: SET_KEY,
  "key-missing": SET_KEY,
  "no-model": SET_KEY,
  "model-unavailable": DOCTOR,
  "model-rejected": DOCTOR,
  restart: ["Restart Redline", "redline.restart"],
};

/** Say what is to be known, with what can be done about a cause, if there is one. */
export async function tellNews(text: string, cause: string | undefined): Promise<void> {
  const remedy = cause === undefined ? undefined : REMEDIES[cause];
  const buttons = remedy === undefined ? [] : [remedy[0]];
  const chosen = await vscode.window.showInformationMessage(text, ...buttons);
  if (chosen !== undefined && remedy !== undefined) {
    await vscode.commands.executeCommand(remedy[1]);
  }
}

/** The cause of a failure, as the server names it. */
function causeOf(error: unknown): string | undefined {
  const data = error instanceof Error && "data" in error ? error.data : undefined;
  return (data as { readonly cause?: string } | undefined)?.cause;
}

/** Say what failed, with what can be done. */
export async function tellFailure(
  error: unknown,
  cause = causeOf(error),
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
