// The language client of one server process: what it learns of the editor, and what
// becomes of what it says. The only module that needs the client's library as it is loaded,
// which takes longer than all else: so it is loaded itself once a server starts.

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  type ClientCapabilities,
  type ErrorHandler,
  type LanguageClientOptions,
  type Middleware,
  type StaticFeature,
} from "vscode-languageclient/node";

import type { Capabilities } from "../protocol";
import { ownSettings } from "./own-settings";
import type { ServerState } from "./state";

/** The client's id: of its trace setting, `redline.trace.server`, too. */
const ID = "redline";

export interface ClientPlan {
  readonly program: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly output: vscode.LogOutputChannel;
  readonly extension: vscode.Extension<unknown>;
  /** Called when the client is in another state; `dead`: it does not run. */
  readonly onState: (state: Exclude<ServerState, "absent">) => void;
  /** Says whether a server that died is to be started again. */
  readonly onDied: () => boolean;
  /** Fills in the instruction of a redirect that has none. */
  readonly middleware: Middleware;
}

/** Build the client; it is not started yet. */
export function createClient(plan: ClientPlan): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    outputChannel: plan.output,
    traceOutputChannel: plan.output,
    middleware: {
      ...plan.middleware,
      workspace: {
        ...plan.middleware.workspace,
        configuration: () => [ownSettings(plan.extension)],
      },
    },
    errorHandler: errorHandler(plan.onDied),
    // A server that cannot start says so itself, once, with what to do.
    initializationFailedHandler: () => false,
    // The extension's own message says it.
    connectionOptions: { maxRestartCount: 0 },
    markdown: { isTrusted: false, supportHtml: false },
  };
  const environment = { ...process.env, ...plan.keys };
  const server = {
    command: plan.program,
    args: ["serve", "--stdio"],
    options: { env: environment },
  };
  const client = new Client(ID, "Redline", server, options);
  client.registerFeature(new RedlineCapabilities());
  client.onDidChangeState(({ newState }) => {
    plan.onState(stateOf(newState));
  });
  return client;
}

function stateOf(state: State): Exclude<ServerState, "absent"> {
  switch (state) {
    case State.Running:
      return "running";
    case State.Starting:
      return "starting";
    default:
      return "dead";
  }
}

/** Leaves it to the extension to say once, with what to do, that there is no server. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown, shows?: boolean | "force"): void {
    // What is forced is about the connection alone, not about what a server answered.
    super.error(message, data, shows !== "force" && shows);
  }
}

function errorHandler(onDied: () => boolean): ErrorHandler {
  return {
    // A message that could not be read or written: the connection's end follows if it
    // is lost.
    error: () => ({ action: ErrorAction.Continue, handled: true }),
    closed: () => ({
      action: onDied() ? CloseAction.Restart : CloseAction.DoNotRestart,
      handled: true,
    }),
  };
}

/** Says in `initialize` what the extension can do besides LSP. */
class RedlineCapabilities implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const redline: Required<Capabilities> = {
      preview: true,
      status: true,
      prompt: true,
      reviews: true,
      plan: true,
      tests: true,
      nextEdit: true,
      // An extension cannot have the editor ask again.
      inline: { refresh: false },
    };
    const others = capabilities.experimental as Record<string, unknown> | undefined;
    capabilities.experimental = { ...others, redline };
  }

  initialize(): void {
    // Nothing depends on what the server can do: it knows all of it, or is too old.
  }

  getState(): { kind: "static" } {
    return { kind: "static" };
  }

  clear(): void {
    // It holds nothing.
  }
}
