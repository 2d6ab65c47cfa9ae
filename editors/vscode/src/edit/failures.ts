// Requests to the server that may fail, and the one sentence that says why.

import type { LanguageClient } from "vscode-languageclient/node";

import type { Server } from "../server/server";
import type { Sessions } from "./sessions";
import { tellFailure } from "./tell";

export class Failures {
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
  ) {}

  /** Do some work that needs the server; returns whether it was done. */
  async withClient(
    work: (client: LanguageClient) => Promise<unknown>,
  ): Promise<boolean> {
    const { client } = this.server;
    if (client === undefined) {
      void tellFailure(new Error("Redline's server does not run."), "restart");
      return false;
    }
    try {
      await work(client);
      return true;
    } catch (error) {
      void this.fail(error);
      return false;
    }
  }

  /** Say why something failed, in the server's own words, with what can be done. */
  async fail(error: unknown): Promise<void> {
    // It starts again by itself; if it gives up, it says so.
    const hasStopped = this.server.client === undefined;
    await tellFailure(
      hasStopped
        ? new Error(
            `Redline's server stopped and is started again. ${this.leftWords()}`,
          )
        : error,
    );
  }

  /** Say what became of what a server that is gone has written. */
  private leftWords(): string {
    return this.sessions.all.some(({ isLocal }) => isLocal)
      ? "What was written is still offered."
      : "The file is as it was.";
  }
}
