// What the selections of an editor are about: a range for each of them.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { send } from "../server/commands";
import type { Buffers } from "./buffers";
import { joined, selected, wordsOf, type OneTarget, type Target } from "./target";

/** What an edit works on, in the base: the selected lines, or what the server says. */
export async function targetOf(
  client: LanguageClient,
  buffers: Buffers,
  editor: vscode.TextEditor,
): Promise<Target> {
  const { document, selections } = editor;
  return joined(
    await Promise.all(
      selections.map((each) => oneTarget(client, buffers, document, each)),
    ),
  );
}

async function oneTarget(
  client: LanguageClient,
  buffers: Buffers,
  document: vscode.TextDocument,
  selection: vscode.Selection,
): Promise<OneTarget> {
  const uri = document.uri.toString();
  if (selection.isEmpty) {
    const position = buffers.place(uri, selection.active, "start", "base");
    const { range, name } = await send(client, "editTarget", { uri, position });
    const shown = {
      start: buffers.place(uri, range.start, "start", "shown"),
      end: buffers.place(uri, range.end, "end", "shown"),
    };
    return { range, shown, words: wordsOf(shown, name) };
  }
  const lines = selected(selection);
  const { start, end } = document.validateRange(
    new vscode.Range(
      lines.start.line,
      lines.start.character,
      lines.end.line,
      lines.end.character,
    ),
  );
  return {
    range: {
      start: buffers.place(uri, start, "start", "base"),
      end: buffers.place(uri, end, "end", "base"),
    },
    shown: { start, end },
    words: wordsOf({ start, end }, null),
  };
}
