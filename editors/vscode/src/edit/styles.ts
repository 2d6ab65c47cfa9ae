// How what is proposed looks: the theme's own colours of differences, and shapes for
// those who see no colours or use a theme of high contrast.

import * as vscode from "vscode";

export type Kind =
  "region" | "came" | "words" | "gone" | "goneHere" | "goneBelow" | "goneAbove";

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** A mark in the margin: its colour is fixed, since an image knows no theme. */
function gutter(shape: string): vscode.Uri {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${shape}</svg>`;
  return vscode.Uri.parse(
    `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`,
  );
}

const PLUS = gutter('<path d="M7 3h2v4h4v2H9v4H7V9H3V7h4z" fill="#2ea043"/>');
const MINUS = gutter('<path d="M3 7h10v2H3z" fill="#e5534b"/>');

/** Behind the end of its line; `textDecoration` is the one place for further style. */
const GONE_CSS =
  "line-through; opacity: 0.75; font-style: italic; white-space: pre; margin-left: 3ch;";

const HINT_CSS = "none; font-size: 0.85em; white-space: pre; margin-left: 3ch;";

/** Beside the lines that an edit is about. */
export const REGION_BORDER = {
  borderColor: color("editorGutter.modifiedBackground"),
  borderStyle: "solid",
  borderWidth: "0 0 0 2px",
};

export function decorationTypes(): Record<Kind, vscode.TextEditorDecorationType> {
  const make = vscode.window.createTextEditorDecorationType;
  const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
  const removed = {
    isWholeLine: true,
    gutterIconPath: MINUS,
    gutterIconSize: "contain",
    borderColor: color("editorGutter.deletedBackground"),
    borderStyle: "dashed",
    overviewRulerColor: color("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior,
  };
  return {
    region: make({ isWholeLine: true, ...REGION_BORDER, rangeBehavior }),
    came: make({
      isWholeLine: true,
      backgroundColor: color("diffEditor.insertedLineBackground"),
      // Themes of high contrast have this colour instead of the background.
      borderColor: color("diffEditor.insertedTextBorder"),
      borderStyle: "none none none solid",
      borderWidth: "3px",
      gutterIconPath: PLUS,
      gutterIconSize: "contain",
      overviewRulerColor: color("editorOverviewRuler.addedForeground"),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      rangeBehavior,
    }),
    words: make({
      backgroundColor: color("diffEditor.insertedTextBackground"),
      border: "1px dashed transparent",
      borderColor: color("diffEditor.insertedTextBorder"),
      rangeBehavior,
    }),
    gone: make({
      after: { color: color("foreground"), textDecoration: GONE_CSS },
      rangeBehavior,
    }),
    goneHere: make({ ...removed, borderWidth: "0" }),
    goneBelow: make({ ...removed, borderWidth: "0 0 1px 0" }),
    goneAbove: make({ ...removed, borderWidth: "1px 0 0 0" }),
  };
}

/** Behind the cursor's line and what went from it; types made later stand further right. */
export function keyHintType(): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    after: { color: color("descriptionForeground"), textDecoration: HINT_CSS },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}
