// Images of our own, as addresses that decorations and trees take.

import * as vscode from "vscode";

export function svgUri(svg: string): vscode.Uri {
  return vscode.Uri.from({
    scheme: "data",
    path: `image/svg+xml,${encodeURIComponent(svg)}`,
  });
}
