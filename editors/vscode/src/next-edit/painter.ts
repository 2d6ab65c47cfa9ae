// Paints a next edit: what goes is struck through, what comes has the colour of inserted
// text, and the key that takes it looks like a key.

import * as vscode from "vscode";

import { svgUri } from "../svg";
import type { Direction, Drawing, Painted } from "./drawing";

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** `textDecoration` is the one place for further style. */
const CAME_CSS = "none; white-space: pre; border-radius: 2px;";
const KEY_CSS =
  "none; white-space: pre; border-radius: 3px; margin: 0 0 0 2ch; padding: 0 0.6ch; " +
  "font-size: 0.85em; opacity: 0.9;";
const HINT_CSS = "none; white-space: pre; margin-left: 1ch;";

/** Degrees by which an arrow that points down is turned. */
const TURNS: Readonly<Record<Direction, number>> = { down: 0, up: 180, away: 270 };

const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;

export class Painter implements vscode.Disposable {
  readonly #gone = vscode.window.createTextEditorDecorationType({
    backgroundColor: color("diffEditor.removedTextBackground"),
    border: "1px dashed transparent",
    borderColor: color("diffEditor.removedTextBorder"),
    textDecoration: "line-through",
    opacity: "0.75",
    overviewRulerColor: color("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior,
  });
  readonly #came = vscode.window.createTextEditorDecorationType({
    overviewRulerColor: color("editorOverviewRuler.addedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    after: {
      color: color("editor.foreground"),
      backgroundColor: color("diffEditor.insertedTextBackground"),
      border: "1px dashed transparent",
      borderColor: color("diffEditor.insertedTextBorder"),
      textDecoration: CAME_CSS,
    },
    rangeBehavior,
  });
  // Later types stand further right at the same place.
  readonly #key = vscode.window.createTextEditorDecorationType({
    after: {
      color: color("keybindingLabel.foreground"),
      backgroundColor: color("keybindingLabel.background"),
      border: "1px solid transparent",
      borderColor: color("keybindingLabel.border"),
      textDecoration: KEY_CSS,
    },
    rangeBehavior,
  });
  readonly #hint = vscode.window.createTextEditorDecorationType({
    after: { color: color("descriptionForeground"), textDecoration: HINT_CSS },
    rangeBehavior,
  });
  readonly #arrows: Readonly<Record<Direction, vscode.TextEditorDecorationType>> = {
    down: arrowType("down"),
    up: arrowType("up"),
    away: arrowType("away"),
  };
  readonly #types = [
    this.#gone,
    this.#came,
    this.#key,
    this.#hint,
    ...Object.values(this.#arrows),
  ];

  paint(
    editor: vscode.TextEditor,
    drawing: Drawing,
    hover: vscode.MarkdownString,
  ): void {
    editor.setDecorations(
      this.#gone,
      drawing.gone.map(({ line, start, end }) => ({
        range: new vscode.Range(line, start, line, end),
        hoverMessage: hover,
      })),
    );
    editor.setDecorations(
      this.#came,
      drawing.came.map((each) => ({ ...painted(each), hoverMessage: hover })),
    );
    const { line, key, text } = drawing.key;
    const at = { line, character: editor.document.lineAt(line).text.length };
    // A hint may be too short to say all.
    const withHover = (hint: string): vscode.DecorationOptions => ({
      ...painted({ at, text: hint }),
      hoverMessage: hover,
    });
    editor.setDecorations(this.#key, [withHover(key)]);
    editor.setDecorations(this.#hint, text === "" ? [] : [withHover(text)]);
    for (const [direction, type] of Object.entries(this.#arrows)) {
      const isHere = direction === drawing.arrow;
      editor.setDecorations(type, isHere ? [new vscode.Range(line, 0, line, 0)] : []);
    }
  }

  clear(editor: vscode.TextEditor): void {
    for (const type of this.#types) {
      editor.setDecorations(type, []);
    }
  }

  dispose(): void {
    for (const type of this.#types) {
      type.dispose();
    }
  }
}

function arrowType(direction: Direction): vscode.TextEditorDecorationType {
  const arrow =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#3b8eea" ' +
    `transform="rotate(${TURNS[direction]} 8 8)" ` +
    'd="M7 2h2v7.5l2.8-2.8 1.4 1.4L8 13.3 2.8 8.1l1.4-1.4L7 9.5Z"/></svg>';
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: svgUri(arrow),
    gutterIconSize: "80%",
  });
}

function painted({ at: { line, character }, text }: Painted): vscode.DecorationOptions {
  return {
    range: new vscode.Range(line, character, line, character),
    renderOptions: { after: { contentText: text } },
  };
}
