// Debugging of what is selected in a terminal.
//
// No stable API gives an extension the selection of a terminal: it is copied, and the
// text that the clipboard had comes back.

import * as vscode from "vscode";

import { tell } from "../edit/tell";
import { send } from "../server/commands";
import type { Server } from "../server/server";
import { withClient } from "../server/with-client";

const COPY = "workbench.action.terminal.copySelection";

/** Look for the cause of the failure that the selected output shows. */
export async function debugTerminal(server: Server): Promise<void> {
  const text = await selectedText();
  if (text.trim() === "") {
    tell("Select the output of the failure in the terminal first.");
    return;
  }
  await withClient(server, async (client) => {
    await send(client, "debug", { text });
    tell("Looking for the cause of the failure.");
  });
}

async function selectedText(): Promise<string> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  try {
    // Without a selection nothing is copied.
    await clipboard.writeText("");
    await vscode.commands.executeCommand(COPY);
    return await clipboard.readText();
  } finally {
    await clipboard.writeText(before);
  }
}
