// Paints previews into the editors that show their documents.

import { performance } from "node:perf_hooks";

import * as vscode from "vscode";

import { Folds } from "./folds";
import { layout, type Lines, type Marks, type Row } from "./layout";
import type { Preview } from "./preview";
import type { Sessions } from "./sessions";

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** How a row of a card lies: over the line it hangs on, opaque, in the editor's font. */
const ROW_CSS =
  "none; position: absolute; z-index: 5; white-space: pre; height: 1lh; line-height: 1lh; box-sizing: border-box; pointer-events: none; padding: 0 0.5ch;";

/** The card's colour: the theme's for inserted lines, on what hides the code below. */
const CARD_CSS =
  "background: linear-gradient(var(--vscode-diffEditor-insertedLineBackground, transparent), var(--vscode-diffEditor-insertedLineBackground, transparent)), var(--vscode-editor-background);" +
  " border-left: 3px solid var(--vscode-editorGutter-addedBackground);";

const EDGE =
  "1px solid var(--vscode-diffEditor-insertedTextBorder, var(--vscode-editorWidget-border, transparent));";

/** The border that high contrast themes draw around words in place of a background. */
const outline = (change: "inserted" | "removed"): string =>
  `1px dashed var(--vscode-diffEditor-${change}TextBorder, transparent)`;

/** New words are opaque: they would take on the colour of words that go beside them. */
const INSERTED_CSS =
  "background: linear-gradient(var(--vscode-diffEditor-insertedTextBackground, transparent), var(--vscode-diffEditor-insertedTextBackground, transparent)), var(--vscode-editor-background);" +
  ` outline: ${outline("inserted")}; outline-offset: -1px;`;

type Kind =
  "region" | "removed" | "struck" | "removedParts" | "inserted" | "rows" | "places";

export class Painter implements vscode.Disposable {
  readonly #types: Readonly<Record<Kind, vscode.TextEditorDecorationType>> = types();
  readonly #painted = new Set<string>();
  readonly #folds = new Folds();
  readonly #disposables: vscode.Disposable[];

  /** Since it was last told: how often it painted, and how long that took. */
  #work = { n: 0, totalMs: 0, mostMs: 0 };

  constructor(
    private readonly sessions: Sessions,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.#disposables = [
      sessions.onChanged(({ uri }) => {
        this.paint(uri);
      }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const uri of new Set(
          editors.map(({ document }) => document.uri.toString()),
        )) {
          this.paint(uri);
        }
      }),
      sessions.onEnded(() => {
        this.tellWork();
      }),
      ...Object.values(this.#types),
    ];
  }

  dispose(): void {
    for (const each of this.#disposables) {
      each.dispose();
    }
  }

  private tellWork(): void {
    const { n, totalMs, mostMs } = this.#work;
    if (n > 0) {
      const mean = (totalMs / n).toFixed(2);
      this.output.info(
        `painted ${n} times, ${mean} ms each, ${mostMs.toFixed(2)} ms at most`,
      );
    }
    this.#work = { n: 0, totalMs: 0, mostMs: 0 };
  }

  private paint(uri: string): void {
    const previews = this.sessions.of(uri);
    if (previews.length === 0 && !this.#painted.delete(uri)) {
      return;
    }
    const began = performance.now();
    for (const editor of vscode.window.visibleTextEditors) {
      // One inside a comparison has no column of its own: there the other side shows it.
      if (editor.document.uri.toString() === uri && editor.viewColumn !== undefined) {
        this.paintEditor(editor, previews);
      }
    }
    if (previews.length > 0) {
      this.#painted.add(uri);
    } else {
      this.#folds.forget(uri);
    }
    const tookMs = performance.now() - began;
    this.#work.n++;
    this.#work.totalMs += tookMs;
    this.#work.mostMs = Math.max(this.#work.mostMs, tookMs);
  }

  private paintEditor(editor: vscode.TextEditor, previews: readonly Preview[]): void {
    const { document } = editor;
    // A message on an older version: another one on this version is on its way. Until
    // then the editor itself moves what is painted.
    if (previews.some((preview) => preview.version !== document.version)) {
      return;
    }
    const marks = layout(
      previews.flatMap((preview) => preview.hunks),
      linesOf(editor),
    );
    editor.setDecorations(this.#types.region, previews.map(regionOf));
    this.paintMarks(editor, marks);
    this.#folds.open(editor, marks);
  }

  private paintMarks(editor: vscode.TextEditor, marks: Marks): void {
    const wholeLine = (line: number): vscode.Range =>
      new vscode.Range(line, 0, line, 0);
    const last = editor.document.lineCount - 1;
    const removed = marks.removed.map((line) => editor.document.lineAt(line));
    editor.setDecorations(
      this.#types.removed,
      removed.map(({ range }) => range),
    );
    editor.setDecorations(
      this.#types.struck,
      removed.map(({ range, firstNonWhitespaceCharacterIndex: first }) =>
        range.with(range.start.with({ character: first })),
      ),
    );
    editor.setDecorations(
      this.#types.removedParts,
      marks.removedParts.map(
        (at) => new vscode.Range(at.line, at.start, at.line, at.end),
      ),
    );
    editor.setDecorations(
      this.#types.inserted,
      marks.inserted.map(({ line, character, text }) => ({
        range: new vscode.Range(line, character, line, character),
        renderOptions: { before: { contentText: text } },
      })),
    );
    editor.setDecorations(
      this.#types.places,
      marks.places.filter((line) => line <= last).map(wholeLine),
    );
    editor.setDecorations(this.#types.rows, marks.rows.map(decorationOf));
  }
}

function types(): Record<Kind, vscode.TextEditorDecorationType> {
  const make = vscode.window.createTextEditorDecorationType;
  const closed = vscode.DecorationRangeBehavior.ClosedClosed;
  return {
    region: make({
      isWholeLine: true,
      borderColor: color("editorGutter.modifiedBackground"),
      borderStyle: "solid",
      borderWidth: "0 0 0 2px",
      rangeBehavior: closed,
    }),
    removed: make({
      isWholeLine: true,
      backgroundColor: color("diffEditor.removedLineBackground"),
      overviewRulerColor: color("editorOverviewRuler.deletedForeground"),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      rangeBehavior: closed,
    }),
    struck: make({ textDecoration: "line-through", rangeBehavior: closed }),
    removedParts: make({
      backgroundColor: color("diffEditor.removedTextBackground"),
      outline: outline("removed"),
      textDecoration: "line-through",
      rangeBehavior: closed,
    }),
    inserted: make({
      before: {
        color: color("editor.foreground"),
        textDecoration: `none; white-space: pre; ${INSERTED_CSS}`,
      },
      overviewRulerColor: color("editorOverviewRuler.addedForeground"),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      rangeBehavior: closed,
    }),
    rows: make({
      before: { color: color("editor.foreground") },
      overviewRulerColor: color("editorOverviewRuler.addedForeground"),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      rangeBehavior: closed,
    }),
    places: make({
      isWholeLine: true,
      borderColor: color("editorGutter.addedBackground"),
      borderStyle: "dashed",
      borderWidth: "1px 0 0 0",
      rangeBehavior: closed,
    }),
  };
}

/** A row as a decoration. Only numbers of the layout go into its style: the model's text
 * is content, which the editor escapes. */
function decorationOf(row: Row): vscode.DecorationOptions {
  const place = `left: ${row.left}ch; top: ${row.below}lh; min-width: ${row.width}ch;`;
  const edges =
    (row.isFirst ? ` border-top: ${EDGE}` : "") +
    (row.isLast ? ` border-bottom: ${EDGE}` : "");
  return {
    range: new vscode.Range(row.line, 0, row.line, 0),
    renderOptions: {
      before: {
        contentText: row.text === "" ? " " : row.text,
        textDecoration: `${ROW_CSS} ${CARD_CSS} ${place}${edges}`,
      },
    },
  };
}

function regionOf({ range }: Preview): vscode.Range {
  const last = Math.max(
    range.start.line,
    range.end.line - (range.end.character === 0 ? 1 : 0),
  );
  return new vscode.Range(range.start.line, 0, last, 0);
}

function linesOf(editor: vscode.TextEditor): Lines {
  const { document, options } = editor;
  return {
    count: document.lineCount,
    at: (line) => document.lineAt(line).text,
    tabSize: typeof options.tabSize === "number" ? options.tabSize : 4,
  };
}
