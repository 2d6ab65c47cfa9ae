// The server's life: found or installed, started, started again when it dies, ended.

import { rm } from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import { performance } from "node:perf_hooks";

import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";

import { find, NoSuchServerError, type Found } from "./find";
import { HOW_TO_INSTALL } from "./how-to-install";
import { bundledWheel, install, InstallError } from "./install";
import type { Keys } from "./keys";
import { places, pythons } from "./places";
import { RestartBudget } from "./restarts";
import type { ServerState } from "./state";

const LOG = "Show Log";

export class Server implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<ServerState>();
  /** Fires with each new state. */
  readonly onChanged = this.#changed.event;
  readonly #started = new vscode.EventEmitter<LanguageClient>();
  /** Fires before a client starts: the time to listen to it. */
  readonly onClient = this.#started.event;

  #state: ServerState = "absent";
  #client: LanguageClient | undefined;
  #found: Found | undefined;
  #budget = new RestartBudget();
  /** Whether this program has ever answered. */
  #hasRun = false;
  #work: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly keys: Keys,
    private readonly output: vscode.LogOutputChannel,
    private readonly middleware: Middleware,
  ) {}

  get state(): ServerState {
    return this.#state;
  }

  /** The client of the running server; undefined: it is not running. */
  get client(): LanguageClient | undefined {
    return this.#state === "running" ? this.#client : undefined;
  }

  /** The program that is used, once it has been found. */
  get program(): string | undefined {
    return this.#found?.program;
  }

  /** Start it, or start it again; calls queue up. */
  async restart(): Promise<void> {
    this.#work = this.#work.then(async () => {
      this.#budget = new RestartBudget();
      await this.stopClient();
      await this.start();
    });
    await this.#work;
  }

  /** End it; it is not started again. */
  async stop(): Promise<void> {
    this.#work = this.#work.then(() => this.stopClient());
    await this.#work;
  }

  dispose(): void {
    this.#changed.dispose();
    this.#started.dispose();
  }

  private async start(): Promise<void> {
    try {
      this.#found = await this.find();
      if (this.#found === undefined) {
        this.setState("absent");
        void this.offerInstallation();
        return;
      }
      this.output.info(`server: ${this.#found.program} (${this.#found.origin})`);
      await this.startClient(this.#found.program);
    } catch (error) {
      this.setState("dead");
      void this.sayWhy(error);
    }
  }

  private async startClient(program: string): Promise<void> {
    const keys = await this.keys.environment();
    const { createClient } = await import("./client");
    const client = createClient({
      program,
      keys,
      output: this.output,
      extension: this.context.extension,
      onState: (state) => {
        if (client === this.#client) {
          this.follow(state);
        }
      },
      onDied: () => this.died(),
      middleware: this.middleware,
    });
    this.#client = client;
    this.#started.fire(client);
    this.#hasRun = false;
    try {
      await client.start();
      this.#hasRun = true;
    } catch (error) {
      // Of the pipe to it, such as EPIPE: what it said itself is in the log.
      this.output.error(`the server did not start: ${String(error)}`);
      throw new Error(`${program} ended while it started; the log says why.`, {
        cause: error,
      });
    }
  }

  private follow(state: ServerState): void {
    if (state !== "dead" || this.#state !== "absent") {
      this.setState(state);
    }
  }

  private died(): boolean {
    if (!this.#hasRun) {
      // It would end again; what waits for its start says so.
      return false;
    }
    const goesOn = this.#budget.died(performance.now() / 1000);
    this.output.warn(`the server died; ${goesOn ? "starting it again" : "giving up"}`);
    if (!goesOn) {
      void this.sayWhy(
        new Error("It died five times in three minutes and stays down."),
      );
    }
    return goesOn;
  }

  private async stopClient(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined && client.needsStop()) {
      await client.stop().catch((error: unknown) => {
        this.output.warn(`the server did not end in order: ${String(error)}`);
      });
    }
    await client?.dispose().catch(() => undefined);
    this.setState("absent");
  }

  private async find(): Promise<Found | undefined> {
    const folders = vscode.workspace.isTrusted ? vscode.workspace.workspaceFolders : [];
    const surroundings = {
      platform: process.platform,
      home: os.homedir(),
      setting: setting("server.path"),
      folders: (folders ?? []).map((folder) => folder.uri.fsPath),
      activeEnvironment: process.env["VIRTUAL_ENV"],
      ownEnvironment: this.ownEnvironment,
    };
    return await find(places(surroundings), process.env["PATH"]);
  }

  private get ownEnvironment(): string {
    const { version } = this.context.extension.packageJSON as { version: string };
    return path.join(this.context.globalStorageUri.fsPath, `server-${version}`);
  }

  private async offerInstallation(): Promise<void> {
    if ((await bundledWheel(this.context.extensionPath)) === undefined) {
      await this.sayWhy(
        new InstallError(
          `No Redline server was found. Install it ${HOW_TO_INSTALL}, or name one in ` +
            "the setting redline.server.path.",
        ),
      );
      return;
    }
    const yes = "Install";
    const chosen = await vscode.window.showInformationMessage(
      "Redline needs its server, and found none in this workspace's environment or on PATH. " +
        "Install it into an environment of the extension's own?",
      yes,
      "Not Now",
    );
    if (chosen === yes) {
      await this.install();
    }
  }

  /** Install the server that comes with the extension, and start it. */
  async install(): Promise<void> {
    try {
      await vscode.window.withProgress(
        {
          location: vscode.ProgressLocation.Notification,
          title: "Installing Redline",
          cancellable: true,
        },
        (progress, cancel) =>
          install({
            extensionFolder: this.context.extensionPath,
            environment: this.ownEnvironment,
            pythons: pythons(setting("server.python"), process.platform, os.homedir()),
            onStep: (message) => {
              progress.report({ message });
            },
            onLine: (line) => {
              this.output.info(line);
            },
            cancel,
          }),
      );
    } catch (error) {
      await this.sayWhy(error);
      return;
    }
    await this.removeOldEnvironments();
    await this.restart();
  }

  private async removeOldEnvironments(): Promise<void> {
    const storage = this.context.globalStorageUri;
    for (const [name] of await vscode.workspace.fs.readDirectory(storage)) {
      const folder = path.join(storage.fsPath, name);
      if (name.startsWith("server-") && folder !== this.ownEnvironment) {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }

  private async sayWhy(error: unknown): Promise<void> {
    const text = error instanceof Error ? error.message : String(error);
    this.output.error(text);
    const settings = "Open Settings";
    const again = "Restart";
    const isPlain = error instanceof InstallError || error instanceof NoSuchServerError;
    const chosen = await vscode.window.showErrorMessage(
      isPlain ? text : `Redline's server does not run. ${text}`,
      ...(isPlain ? [settings] : [again]),
      LOG,
    );
    if (chosen === LOG) {
      this.output.show();
    } else if (chosen === settings) {
      await vscode.commands.executeCommand(
        "workbench.action.openSettings",
        "redline.server",
      );
    } else if (chosen === again) {
      await this.restart();
    }
  }

  private setState(state: ServerState): void {
    if (state !== this.#state) {
      this.#state = state;
      this.#changed.fire(state);
    }
  }
}

function setting(name: string): string {
  return vscode.workspace.getConfiguration("redline").get<string>(name, "").trim();
}
