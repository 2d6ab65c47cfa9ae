// Work with the server that runs, if there is one.

import type { LanguageClient } from "vscode-languageclient/node";

import { tellFailure } from "../edit/tell";
import type { Server } from "./server";

/** Do something with the server that runs, and say what failed. */
export async function withClient(
  { client }: Server,
  work: (client: LanguageClient) => Promise<unknown>,
): Promise<void> {
  if (client === undefined) {
    await tellFailure(new Error("Redline's server does not run."), "restart");
    return;
  }
  try {
    await work(client);
  } catch (error) {
    await tellFailure(error);
  }
}
