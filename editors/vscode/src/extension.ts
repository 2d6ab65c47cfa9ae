// The extension's start: builds the parts and joins them. Nothing else is here.

import * as vscode from "vscode";
import type {
  LanguageClient,
  Middleware,
  TextDocumentContentResult,
} from "vscode-languageclient/node";

import { Dismissal } from "./complete/dismissal";
import { Actions } from "./edit/actions";
import { Announcer } from "./edit/announce";
import { InstructionBox } from "./edit/box";
import { Buffers } from "./edit/buffers";
import { ChangeHover } from "./edit/change-hover";
import { CodeActions } from "./edit/code-actions";
import { Compare } from "./edit/compare";
import { Contexts } from "./edit/contexts";
import { Explanations } from "./edit/explanations";
import { Failures } from "./edit/failures";
import { OfferItem } from "./edit/item";
import { KeyHint } from "./edit/key-hint";
import { Painter } from "./edit/painter";
import { Prompt } from "./edit/prompt";
import { Sessions } from "./edit/sessions";
import { WaitingOffers } from "./edit/waiting-offers";
import { Walk } from "./edit/walk";
import { NextEdits } from "./next-edit/next-edits";
import {
  commands,
  REPORT_SCHEME,
  type ExplainArguments,
  type RedirectResult,
} from "./protocol";
import type { ApplyFixArguments } from "./protocol-reviews";
import { Plans } from "./plan/plans";
import { debugTerminal } from "./plan/terminal";
import { PlanTree } from "./plan/tree";
import { ReviewActions } from "./review/actions";
import { Fixes } from "./review/fixes";
import { textOf } from "./review/report";
import { Reviews } from "./review/reviews";
import { ReviewTree } from "./review/tree";
import { baseText } from "./server/base-text";
import { ownSettings } from "./server/own-settings";
import { Keys } from "./server/keys";
import { Server } from "./server/server";
import { StatusBar } from "./status/bar";
import { CompletionMenu } from "./status/completions";
import { Menu } from "./status/menu";
import { Pages } from "./status/pages";
import { Walkthrough } from "./status/walkthrough";
import { hasModel, isConnected } from "./status/words";
import { Tests } from "./testing/tests";

/** The first function of the sample: its start, and the line after it. */
const SAMPLE_LINES = [3, 0, 8] as const;

/** Ends what runs as the window closes. */
let leave: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel("Redline", { log: true });
  const keys = new Keys(context.secrets, context.globalState);
  const buffers: Buffers = new Buffers((uri) => sessions.of(uri));
  const sessions = new Sessions(buffers);
  const client = (): LanguageClient | undefined => server.client;
  const { workspaceState } = context;
  const waiting = new WaitingOffers(sessions, buffers, workspaceState, client);
  const dismissal = new Dismissal(client);
  const completions: CompletionMenu = new CompletionMenu(() => bar, dismissal);
  const own = middlewareFor(
    () => prompt,
    () => codeActions,
    () => fixes,
    client,
  );
  const base = baseText(buffers);
  const middleware = {
    ...own,
    ...base,
    ...completions.middleware,
    window: own.window,
    workspace: base.workspace,
  } as Middleware;
  const server = new Server(context, keys, output, middleware);
  const bar = new StatusBar(server);
  const compare = new Compare(sessions, buffers);
  const walk = new Walk(sessions, buffers);
  const isWithoutModel = () => bar.status !== undefined && !hasModel(bar.status);
  const failures = new Failures(server, sessions);
  const actions = new Actions(server, sessions, buffers, walk, compare, failures);
  const box = new InstructionBox(context.workspaceState);
  const prompt = new Prompt(sessions, buffers, box, failures, isWithoutModel, client);
  const fixes = new Fixes(buffers, prompt, failures);
  const explanations = new Explanations();
  const codeActions = new CodeActions(client, buffers, prompt, explanations, failures);
  const pages = new Pages();
  const menu = new Menu(server, bar, keys, output, pages, () =>
    ownSettings(context.extension),
  );
  // Before all that shows a change: its keys count as soon as it is on the screen.
  const contexts = new Contexts(sessions, buffers);
  // Text first, before what is said about it elsewhere: its marks are sent along with it.
  const writer = sessions.onChanged(({ uri }) => {
    buffers.sync(uri);
  });
  const painter = new Painter(sessions, buffers, output);
  const nextEdits = new NextEdits(buffers);
  const reviews = new Reviews();
  const tree = new ReviewTree(reviews);
  const reviewing = new ReviewActions(server, fixes);
  const plans = new Plans(server);
  const tests = new Tests(server, buffers);
  const walkthrough = new Walkthrough();
  leave = async () => {
    // The end of the server changes nothing in the documents: they are stored as they are.
    await waiting.leave();
    sessions.dispose();
    server.dispose();
    await server.stop();
  };

  const all = {
    ...actions.commands,
    ...box.commands,
    ...codeActions.commands,
    ...explanations.commands,
    ...prompt.commands,
    ...walk.commands,
    ...menu.commands,
    ...completions.commands,
    ...dismissal.commands,
    ...reviewing.commands,
    ...plans.commands,
    ...tests.commands,
    ...nextEdits.commands,
  };
  context.subscriptions.push(
    ...[
      output,
      sessions,
      server,
      bar,
      compare,
      explanations,
      pages,
      painter,
      walk,
      waiting,
      buffers,
      new OfferItem(sessions, buffers),
      new KeyHint(sessions, buffers),
      new Announcer(sessions, buffers),
      reviews,
      tree,
      tests,
      plans,
      new PlanTree(plans),
      contexts,
      nextEdits,
      walkthrough,
    ],
    ...Object.entries(all).map(([name, work]) =>
      vscode.commands.registerCommand(name, (...given: never[]) =>
        // A menu or button of an editor names its file, which is the active one.
        (given[0] as unknown) instanceof vscode.Uri ? work() : work(...given),
      ),
    ),
    vscode.languages.registerHoverProvider("*", new ChangeHover(buffers)),
    vscode.commands.registerCommand("redline.debugTerminal", () =>
      debugTerminal(server),
    ),
    vscode.commands.registerCommand("redline.trySample", () => openSample(context)),
    vscode.commands.registerCommand("redline.openSettings", () =>
      vscode.commands.executeCommand(
        "workbench.action.openSettings",
        "@ext:redline-ls.redline",
      ),
    ),
    server.onClient((client) => {
      buffers.attach(client);
      sessions.attach(client);
      bar.attach(client);
      reviews.attach(client);
      plans.attach(client);
      tests.attach(client);
      nextEdits.attach(client);
    }),
    server.onChanged((state) => {
      if (state === "running") {
        walkthrough.finish("start");
        reviews.refreshSoon();
        void plans.refresh();
        void waiting.handOver();
      } else {
        sessions.serverGone();
        nextEdits.serverGone();
      }
    }),
    writer,
    sessions.onChanged(({ uri }) => {
      if (sessions.of(uri).some(({ stage }) => stage !== "writing")) {
        walkthrough.finish("edit");
      }
    }),
    sessions.onEnded(({ outcome }) => {
      if (outcome === "accepted" || outcome === "rejected") {
        walkthrough.finish("choose");
      }
    }),
    buffers.onAdopted(({ uri, pieces, isUndone }) => {
      void actions.adopted(uri, pieces, isUndone);
    }),
    bar.onStatus((status) => {
      sessions.follow(status);
      if (isConnected(status)) {
        walkthrough.finish("connect");
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("redline.server")) {
        void server.restart();
      }
    }),
  );
  waiting.returnAll();
  void server.restart();
}

export async function deactivate(): Promise<void> {
  await leave?.();
  leave = undefined;
}

/** Open a copy of the sample, and ask what to do with its first function. */
async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const sample = vscode.Uri.joinPath(
    context.extensionUri,
    "media/walkthrough/sample.py",
  );
  const copy = vscode.Uri.joinPath(context.globalStorageUri, "sample.py");
  await vscode.workspace.fs.copy(sample, copy, { overwrite: true });
  const document = await vscode.workspace.openTextDocument(copy);
  const selection = new vscode.Range(...SAMPLE_LINES, 0);
  await vscode.window.showTextDocument(document, { selection, preview: false });
  await vscode.commands.executeCommand("redline.instruct");
}

/** What the server asks for that the editor can do better than by itself. */
function middlewareFor(
  prompt: () => Prompt,
  codeActions: () => CodeActions,
  fixes: () => Fixes,
  client: () => LanguageClient | undefined,
): Middleware {
  return {
    provideCodeActions: async (document, range, context, cancel, next) =>
      codeActions().offered(
        (await next(document, range, context, cancel)) ?? [],
        range,
        context,
      ),
    resolveCodeAction: (action, cancel) => codeActions().resolve(action, cancel),
    // A redirect of the light bulb comes without an instruction: it is asked for.
    executeCommand: async (command, given, next): Promise<unknown> => {
      if (command === commands.explain) {
        await codeActions().explain(given[0] as ExplainArguments);
        return undefined;
      }
      if (command === commands.applyFix) {
        await fixes().fix(given[0] as ApplyFixArguments);
        return undefined;
      }
      const [first] = given as [{ instruction?: string; sessionId?: string }?];
      if (command !== commands.redirect || first?.instruction !== "") {
        return (await next(command, given)) as unknown;
      }
      return await prompt().redirectBy(
        first.sessionId,
        async (instruction) =>
          (await next(command, [{ ...first, instruction }])) as RedirectResult,
      );
    },
    // The library would pop up a message for a report that is there no more.
    provideTextDocumentContent: (uri, cancel, next) => {
      const asked = client();
      return asked === undefined
        ? next(uri, cancel)
        : textOf(async () => {
            const params = { uri: asked.code2ProtocolConverter.asUri(uri) };
            const answer = await asked.sendRequest<TextDocumentContentResult>(
              "workspace/textDocumentContent",
              params,
              cancel,
            );
            return answer.text;
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
