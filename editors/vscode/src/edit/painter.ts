// Marks what is proposed in the editors that show it: lines that came, words in them, and
// what went.

import { performance } from "node:perf_hooks";
import { isDeepStrictEqual } from "node:util";

import * as vscode from "vscode";

import type { Buffers } from "./buffers";
import { Folds } from "./folds";
import { LateWords } from "./late-words";
import type { Ledger } from "./ledger";
import { Marked } from "./marked";
import { marksOf, spotsOf, type Gone, type Marks } from "./marks";
import { PaintLog } from "./paint-log";
import type { Preview } from "./preview";
import type { Sessions } from "./sessions";
import { decorationTypes, type Kind } from "./styles";
import { visible } from "./visible";

/** Longer text that went is cut at the end of its line; the hover shows all of it. */
const MOST_GONE = 60;

/** What is painted in a document. */
interface Painted {
  /** Undefined: no change, only where an edit is. */
  readonly ledger: Ledger | undefined;
  /** Of the edits. */
  readonly ranges: readonly Preview["range"][];
}

type Places = vscode.Range[] | vscode.DecorationOptions[];

export class Painter implements vscode.Disposable {
  readonly #types: Readonly<Record<Kind, vscode.TextEditorDecorationType>> =
    decorationTypes();
  /** What is painted, by document. */
  readonly #painted = new Map<string, Painted>();
  readonly #marked = new Marked<vscode.TextEditor, Kind>();
  readonly #folds = new Folds();
  readonly #lateWords = new LateWords((uri) => {
    this.paint(uri);
  });
  readonly #disposables: vscode.Disposable[];

  /** Of what was painted since it was last logged. */
  #log = new PaintLog();

  constructor(
    private readonly sessions: Sessions,
    private readonly buffers: Buffers,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.#disposables = [
      sessions.onChanged(({ uri, isNews }) => {
        if (isNews) {
          this.paintNew(uri);
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
    this.#lateWords.dispose();
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private logWork(): void {
    const words = this.#log.words();
    if (words !== undefined) {
      this.output.info(words);
    }
    this.#log = new PaintLog();
  }

  private paintNew(uri: string): void {
    const painted = this.#painted.get(uri);
    const { ledger, ranges } = this.wanted(uri);
    if (painted?.ledger !== ledger || !isDeepStrictEqual(painted?.ranges, ranges)) {
      this.paint(uri);
    }
  }

  private wanted(uri: string): Painted {
    const ranges = this.sessions.of(uri).map(({ range }) => range);
    return { ledger: this.buffers.coming(uri), ranges };
  }

  private paint(uri: string): void {
    const wanted = this.wanted(uri);
    const { ledger, ranges } = wanted;
    const isEmpty = ranges.length === 0 && ledger === undefined;
    if (isEmpty && !this.#painted.delete(uri)) {
      return;
    }
    const began = performance.now();
    const areLate = this.#lateWords.areLeftOut(uri, this.isFirst(wanted, uri));
    const marks = ledger && marksOf(ledger);
    for (const editor of vscode.window.visibleTextEditors) {
      // One inside a comparison has no column of its own: there the other side shows it.
      if (editor.document.uri.toString() === uri && editor.viewColumn !== undefined) {
        this.paintEditor(editor, wanted, marks, areLate);
      }
    }
    if (isEmpty) {
      this.#folds.forget(uri);
    } else {
      this.#painted.set(uri, wanted);
    }
    this.#log.painted(began, performance.now(), this.isWritten(wanted, uri));
  }

  /** Whether it is the first text of what is written in a document. */
  private isFirst(wanted: Painted, uri: string): boolean {
    const hasText = this.#painted.get(uri)?.ledger !== undefined;
    return !hasText && this.isWritten(wanted, uri);
  }

  private isWritten({ ledger }: Painted, uri: string): boolean {
    const isAny = this.sessions.of(uri).some(({ stage }) => stage === "writing");
    return ledger !== undefined && isAny;
  }

  private paintEditor(
    editor: vscode.TextEditor,
    { ledger, ranges }: Painted,
    marks: Marks | undefined,
    areWordsLate: boolean,
  ): void {
    const mark = (kind: Kind, places: Places): void => {
      if (this.#marked.isNews(editor, kind, places.length)) {
        editor.setDecorations(this.#types[kind], places);
      }
    };
    mark(
      "region",
      ranges.map((range) => regionOf(ledger, range)),
    );
    const lines = (numbers: readonly number[] = []): vscode.Range[] =>
      numbers.map((line) => new vscode.Range(line, 0, line, 0));
    mark("came", lines(marks?.came));
    mark(
      "words",
      (marks?.words ?? []).map(
        ({ line, start, end }) => new vscode.Range(line, start, line, end),
      ),
    );
    const gone = marks?.gone ?? [];
    const here = gone.filter(({ place }) => place === "here");
    const below = gone.filter(({ place }) => place === "below");
    const above = gone.filter(({ place }) => place === "above");
    const isWithout = ledger === undefined || areWordsLate;
    mark("gone", isWithout ? [] : gone.map((each) => goneText(editor, ledger, each)));
    mark("goneBelow", lines(below.map(({ line }) => line)));
    mark("goneAbove", lines(above.map(({ line }) => line)));
    const isOnly = here.filter(({ line }) => !marks?.came.includes(line));
    mark("goneHere", lines(isOnly.map(({ line }) => line)));
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
  { start, end }: Preview["range"],
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
