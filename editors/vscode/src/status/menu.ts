// What a click on the status bar offers, and the commands behind it.

import * as vscode from "vscode";

import { send } from "../server/commands";
import type { Keys } from "../server/keys";
import { doctorWords, run } from "../server/run";
import type { Server } from "../server/server";
import { withClient } from "../server/with-client";
import { tellFailure } from "../edit/tell";
import { lastPromptPage } from "./page";
import type { Pages } from "./pages";
import type { StatusBar } from "./bar";
import type { Status } from "../protocol-status";
import { countsOf } from "./completion-choices";
import { hasModel } from "./words";

type Entry = vscode.QuickPickItem & { readonly command: string };

export class Menu {
  constructor(
    private readonly server: Server,
    private readonly bar: StatusBar,
    private readonly keys: Keys,
    private readonly output: vscode.LogOutputChannel,
    private readonly pages: Pages,
    /** The editor's settings that the server receives. */
    private readonly settings: () => Readonly<Record<string, unknown>>,
  ) {}

  /** The commands of this part, by name. */
  readonly commands: Readonly<Record<string, () => unknown>> = {
    "redline.menu": () => this.show(),
    "redline.restart": () => this.server.restart(),
    "redline.install": () => this.server.install(),
    "redline.showLog": () => {
      this.output.show();
    },
    "redline.doctor": () => this.doctor(),
    "redline.showLastPrompt": () => this.lastPrompt(),
    "redline.setApiKey": () => this.setKey(),
  };

  private async show(): Promise<void> {
    const chosen = await vscode.window.showQuickPick(this.entries(), {
      title: "Redline",
    });
    if (chosen !== undefined) {
      await vscode.commands.executeCommand(chosen.command);
    }
  }

  private entries(): readonly Entry[] {
    const { status } = this.bar;
    const { program } = this.server;
    const edits = status?.sessions.length ?? 0;
    const needsModel = status !== undefined && !hasModel(status);
    const completions = completionsEntry(status);
    const stop: Entry = {
      label: "$(debug-stop) Stop",
      description: `edits of Redline: ${edits}`,
      command: "redline.stopAll",
    };
    const install: Entry = {
      label: "$(cloud-download) Install the server",
      description: "into an environment of the extension's own",
      command: "redline.install",
    };
    const setKey: Entry = {
      label: "$(key) Set an API key…",
      description: needsModel ? "so that a model answers, not built-in rules" : "",
      command: "redline.setApiKey",
    };
    const restart = [restartEntry(program)];
    // Enter chooses the first entry: it must not end a server that runs.
    const [first, last] =
      this.server.client === undefined ? [restart, []] : [[], restart];
    return [
      ...(edits > 0 ? [stop] : []),
      ...(needsModel ? [setKey] : []),
      ...(program === undefined ? [install] : []),
      ...first,
      completions,
      { label: "$(output) Show the log", command: "redline.showLog" },
      {
        label: "$(pulse) Doctor",
        description: "what is configured, and whether the models answer",
        command: "redline.doctor",
      },
      {
        label: "$(mail) Show the last prompt",
        description: "exactly what a model was sent",
        command: "redline.showLastPrompt",
      },
      ...(needsModel ? [] : [setKey]),
      { label: "$(gear) Settings", command: "redline.openSettings" },
      ...last,
    ];
  }

  private async doctor(): Promise<void> {
    const { program } = this.server;
    if (program === undefined) {
      await tellFailure(new Error("No Redline server was found."), "restart");
      return;
    }
    const environment = {
      ...process.env,
      ...(await this.keys.environment()),
      NO_COLOR: "1",
    };
    const ended = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: "Redline looks at its settings",
        cancellable: true,
      },
      (_, cancel) =>
        run({
          words: doctorWords(program, folder(), this.settings()),
          environment,
          cancel,
        }),
    );
    if (ended.output !== "") {
      await this.pages.show("Redline Doctor", ended.output);
    }
  }

  private async lastPrompt(): Promise<void> {
    await withClient(this.server, async (client) => {
      const page = lastPromptPage(await send(client, "lastPrompt", {}));
      await this.pages.show("Redline's Last Prompt.md", page);
    });
  }

  private async setKey(): Promise<void> {
    if (await this.keys.ask()) {
      await this.server.restart();
    }
  }
}

function restartEntry(program: string | undefined): Entry {
  return {
    label: "$(debug-restart) Restart",
    description: program ?? "no server was found",
    command: "redline.restart",
  };
}

function completionsEntry(status: Status | undefined): Entry {
  return {
    label: "$(sparkle) Completions and next edits…",
    description: countsOf(status?.completions),
    command: "redline.completions",
  };
}

/** The folder of the file that is worked on, or the window's first. */
function folder(): string | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const own = uri && vscode.workspace.getWorkspaceFolder(uri);
  return (own ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
}
