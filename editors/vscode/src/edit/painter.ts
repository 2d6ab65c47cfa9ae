// Marks what is proposed in the editors that show it: lines that came, words in them, and
// what went.

import { performance } from "node:perf_hooks";

import * as vscode from "vscode";

import type { Buffers } from "./buffers";
import { Folds } from "./folds";
import type { Ledger } from "./ledger";
import { marksOf, spotsOf, type Gone, type Marks } from "./marks";
import type { Preview } from "./preview";
import type { Sessions } from "./sessions";
import { decorationTypes, type Kind } from "./styles";
import { visible } from "./visible";

/** Longer text that went is cut at the end of its line; the hover shows all of it. */
const MOST_GONE = 60;

export class Painter implements vscode.Disposable {
  readonly #types: Readonly<Record<Kind, vscode.TextEditorDecorationType>> =
    decorationTypes();
  /** What is painted, by document; undefined: only where an edit is. */
  readonly #painted = new Map<string, Ledger | undefined>();
  readonly #folds = new Folds();
  readonly #disposables: vscode.Disposable[];

  /** Since it was last logged: how often it painted, and how long that took. */
  #work = { n: 0, totalMs: 0, mostMs: 0 };

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.#disposables = [
      sessions.onChanged(({ uri, isNews }) => {
        if (isNews) {
          this.paint(uri);
        }
      }),
      buffers.onWriting((uri) => {
        this.paintNew(uri);
      }),
      buffers.onWritten((uri) => {
        this.paintNew(uri);
      }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const uri of new Set(
          editors.map(({ document }) => document.uri.toString()),
        )) {
          this.paint(uri);
        }
      }),
      sessions.onEnded(() => {
        this.logWork();
      }),
      ...Object.values(this.#types),
    ];
  }

  dispose(): void {
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private logWork(): void {
    const { n, totalMs, mostMs } = this.#work;
    if (n > 0) {
      const mean = (totalMs / n).toFixed(2);
      this.output.info(
        `painted ${n} times, ${mean} ms each, ${mostMs.toFixed(2)} ms at most`,
      );
    }
    this.#work = { n: 0, totalMs: 0, mostMs: 0 };
  }

  private paintNew(uri: string): void {
    const ledger = this.buffers.coming(uri);
    if (ledger === undefined || ledger !== this.#painted.get(uri)) {
      this.paint(uri);
    }
  }

  private paint(uri: string): void {
    const ledger = this.buffers.coming(uri);
    const previews = this.sessions.of(uri);
    const isEmpty = previews.length === 0 && ledger === undefined;
    if (isEmpty && !this.#painted.delete(uri)) {
      return;
    }
    const began = performance.now();
    const marks = ledger && marksOf(ledger);
    for (const editor of vscode.window.visibleTextEditors) {
      // One inside a comparison has no column of its own: there the other side shows it.
      if (editor.document.uri.toString() === uri && editor.viewColumn !== undefined) {
        this.paintEditor(editor, previews, ledger, marks);
      }
    }
    if (isEmpty) {
      this.#folds.forget(uri);
    } else {
      this.#painted.set(uri, ledger);
    }
    const tookMs = performance.now() - began;
    this.#work.n++;
    this.#work.totalMs += tookMs;
    this.#work.mostMs = Math.max(this.#work.mostMs, tookMs);
  }

  private paintEditor(
    editor: vscode.TextEditor,
    previews: readonly Preview[],
    ledger: Ledger | undefined,
    marks: Marks | undefined,
  ): void {
    const regions = previews.map((preview) => regionOf(ledger, preview));
    editor.setDecorations(this.#types.region, regions);
    const lines = (numbers: readonly number[] = []): vscode.Range[] =>
      numbers.map((line) => new vscode.Range(line, 0, line, 0));
    editor.setDecorations(this.#types.came, lines(marks?.came));
    editor.setDecorations(
      this.#types.words,
      (marks?.words ?? []).map(
        ({ line, start, end }) => new vscode.Range(line, start, line, end),
      ),
    );
    const gone = marks?.gone ?? [];
    const here = gone.filter(({ place }) => place === "here");
    const below = gone.filter(({ place }) => place === "below");
    const above = gone.filter(({ place }) => place === "above");
    editor.setDecorations(
      this.#types.gone,
      ledger === undefined ? [] : gone.map((each) => goneText(editor, ledger, each)),
    );
    editor.setDecorations(this.#types.goneBelow, lines(below.map(({ line }) => line)));
    editor.setDecorations(this.#types.goneAbove, lines(above.map(({ line }) => line)));
    const isOnly = here.filter(({ line }) => !marks?.came.includes(line));
    editor.setDecorations(this.#types.goneHere, lines(isOnly.map(({ line }) => line)));
    if (ledger !== undefined) {
      this.#folds.open(
        editor,
        spotsOf(ledger).map(({ first }) => first),
      );
    }
  }
}

/** The lines that an edit is about, as they are shown. */
function regionOf(
  ledger: Ledger | undefined,
  { range: { start, end } }: Preview,
): vscode.Range {
  const first = (ledger?.placeShown(start, "end") ?? start).line;
  const after = ledger?.placeShown(end, "start") ?? end;
  const last = after.line - (after.character === 0 ? 1 : 0);
  return new vscode.Range(first, 0, Math.max(first, last), 0);
}

/** What went, struck and dim behind the end of its line, where a narrow window may cut it;
 * the hover of the whole line shows it as it was. */
function goneText(
  editor: vscode.TextEditor,
  ledger: Ledger,
  gone: Gone,
): vscode.DecorationOptions {
  const { document, options } = editor;
  const tabSize = typeof options.tabSize === "number" ? options.tabSize : 4;
  const { line, character } = ledger.shownPositions.endOf(gone.line);
  const whole = gone.isWords
    ? gone.lines.join(" … ")
    : (gone.lines.find((line) => line.trim() !== "") ?? "").trim();
  const text = visible(whole, tabSize);
  const cut = text.length > MOST_GONE ? `${text.slice(0, MOST_GONE - 1)}…` : text;
  const n = gone.lines.length;
  const count = gone.isWords || n === 1 ? "" : ` (${n} lines)`;
  return {
    range: new vscode.Range(line, 0, line, character),
    renderOptions: {
      after: { contentText: `${cut === "" ? "blank line" : cut}${count}` },
    },
    hoverMessage: hoverOf(gone, document.languageId),
  };
}

function hoverOf({ lines, isWords }: Gone, language: string): vscode.MarkdownString {
  const words = isWords ? "These words go:" : "These lines go:";
  return new vscode.MarkdownString(words).appendCodeblock(lines.join("\n"), language);
}
