// The extension's start: builds the parts and joins them. Nothing else is here.

import * as vscode from "vscode";
import {
  TextDocumentContentRequest,
  type LanguageClient,
  type Middleware,
} from "vscode-languageclient/node";

import { Actions } from "./edit/actions";
import { Compare } from "./edit/compare";
import { Contexts } from "./edit/contexts";
import { Lenses } from "./edit/lens";
import { Painter } from "./edit/painter";
import { Sessions } from "./edit/sessions";
import { commands, REPORT_SCHEME } from "./protocol";
import { ReviewActions } from "./review/actions";
import { textOf } from "./review/report";
import { Reviews } from "./review/reviews";
import { ReviewTree } from "./review/tree";
import { Keys } from "./server/keys";
import { Server } from "./server/server";
import { StatusBar } from "./status/bar";
import { Menu } from "./status/menu";
import { hasModel } from "./status/words";

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel("Redline", { log: true });
  const keys = new Keys(context.secrets, context.globalState);
  const sessions = new Sessions();
  const middleware = middlewareFor(
    () => actions,
    () => server.client,
  );
  const server = new Server(context, keys, output, middleware);
  const bar = new StatusBar(server);
  const compare = new Compare(sessions);
  const isWithoutModel = () => bar.status !== undefined && !hasModel(bar.status);
  const actions = new Actions(server, sessions, compare, isWithoutModel);
  const menu = new Menu(server, bar, keys, output);
  const painter = new Painter(sessions, output);
  const lenses = new Lenses(sessions);
  const reviews = new Reviews();
  const tree = new ReviewTree(reviews, context.extensionUri);
  const reviewing = new ReviewActions(server);
  running = server;

  const all = { ...actions.commands, ...menu.commands, ...reviewing.commands };
  context.subscriptions.push(
    ...[
      output,
      sessions,
      server,
      bar,
      compare,
      painter,
      lenses,
      reviews,
      tree,
      new Contexts(sessions),
    ],
    ...Object.entries(all).map(([name, work]) =>
      vscode.commands.registerCommand(name, work),
    ),
    vscode.commands.registerCommand("redline.openSettings", () =>
      vscode.commands.executeCommand(
        "workbench.action.openSettings",
        "@ext:redline-ls.redline",
      ),
    ),
    vscode.languages.registerCodeLensProvider(
      [{ scheme: "file" }, { scheme: "untitled" }],
      lenses,
    ),
    server.onClient((client) => {
      sessions.attach(client);
      bar.attach(client);
      reviews.attach(client);
    }),
    server.onChanged((state) => {
      if (state === "running") {
        reviews.refreshSoon();
      } else {
        sessions.clear();
      }
    }),
    bar.onStatus((status) => {
      sessions.follow(status);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("redline.server")) {
        void server.restart();
      }
    }),
  );
  void server.restart();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
  running = undefined;
}

/** What the server asks for that the editor can do better than by itself. */
function middlewareFor(
  actions: () => Actions,
  client: () => LanguageClient | undefined,
): Middleware {
  return {
    // A redirect of the light bulb comes without an instruction: it is asked for.
    executeCommand: async (command, given, next): Promise<unknown> => {
      const [first] = given as [{ instruction?: string; sessionId?: string }?];
      if (command !== commands.redirect || first?.instruction !== "") {
        return (await next(command, given)) as unknown;
      }
      const instruction = await actions().instructionFor(first.sessionId);
      return instruction === undefined
        ? undefined
        : ((await next(command, [{ ...first, instruction }])) as unknown);
    },
    // The library would pop up a message for a report that is there no more.
    provideTextDocumentContent: (uri, cancel, next) => {
      const asked = client();
      return asked === undefined
        ? next(uri, cancel)
        : textOf(async () => {
            const params = { uri: asked.code2ProtocolConverter.asUri(uri) };
            const { type } = TextDocumentContentRequest;
            return (await asked.sendRequest(type, params, cancel)).text;
          });
    },
    window: {
      // A report is for reading: it is shown as a page, not as its source.
      showDocument: async (params, cancel, next) => {
        if (!params.uri.startsWith(`${REPORT_SCHEME}:`)) {
          return await next(params, cancel);
        }
        await vscode.commands.executeCommand(
          "markdown.showPreview",
          vscode.Uri.parse(params.uri),
        );
        return { success: true };
      },
    },
  };
}
