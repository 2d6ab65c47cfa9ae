// The editor's settings of this extension, as they are now.

import * as vscode from "vscode";

import { explicitSettings, restrictedKeys, serverKeys } from "./settings";

/** Collect the editor's settings that the server receives. */
export function ownSettings(
  extension: vscode.Extension<unknown>,
): Record<string, unknown> {
  const manifest = extension.packageJSON as Parameters<typeof serverKeys>[0];
  const restricted = restrictedKeys(manifest);
  const configuration = vscode.workspace.getConfiguration("redline");
  return explicitSettings(
    serverKeys(manifest),
    (key) => configuration.inspect(key),
    (key) => vscode.workspace.isTrusted || !restricted.has(key),
  );
}
