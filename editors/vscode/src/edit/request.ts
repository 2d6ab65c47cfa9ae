// What an edit is asked for with: its range, its arguments, and its mark.

import * as vscode from "vscode";

import type { EditArguments } from "../protocol";
import type { Instruction } from "./images";
import { REGION_BORDER } from "./styles";
import type { Target } from "./target";

/** The lines that an edit is about: marked until they are sent. A selection would hide
 * the colours of what is painted. */
export class Focus implements vscode.Disposable {
  readonly #selections: readonly vscode.Selection[];
  readonly #mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    // Themes of high contrast have no such background.
    ...REGION_BORDER,
  });
  #place: vscode.Position;
  #isOver = false;
  isCleared = false;

  constructor(
    private readonly editor: vscode.TextEditor,
    target: Promise<Target>,
  ) {
    this.#selections = editor.selections;
    this.#place = editor.selection.start;
    void target.then(
      ({ shown, several }) => {
        this.show(several.length > 0 ? several.map((each) => each.shown) : [shown]);
      },
      () => undefined,
    );
  }

  clear(): void {
    if (!this.isCleared) {
      this.isCleared = true;
      this.editor.selection = new vscode.Selection(this.#place, this.#place);
    }
  }

  restore(): void {
    this.editor.selections = this.#selections;
  }

  dispose(): void {
    this.#isOver = true;
    this.#mark.dispose();
  }

  private show(places: readonly Target["shown"][]): void {
    const [first] = places;
    if (first !== undefined) {
      this.#place = new vscode.Position(first.start.line, first.start.character);
    }
    const isEmpty = this.editor.selection.isEmpty;
    if (!this.#isOver && isEmpty && !this.isCleared) {
      this.editor.setDecorations(
        this.#mark,
        places.map(({ start, end }) => {
          const isUpTo = end.character === 0;
          const last = isUpTo ? Math.max(start.line, end.line - 1) : end.line;
          return new vscode.Range(start.line, 0, last, 0);
        }),
      );
    }
  }
}

export interface EditRequest {
  readonly command: "edit" | "variations";
  readonly uri: string;
  readonly target: Target;
  readonly sessionId: string;
}

/** The lines that it is about, as the server takes them. */
export function placeOf(target: Target): Pick<EditArguments, "range" | "ranges"> {
  return target.several.length > 0
    ? { ranges: target.several.map(({ range }) => ({ range })) }
    : { range: target.range };
}

export function argumentsOf(
  { uri, target, sessionId }: EditRequest,
  { text, images }: Instruction,
): EditArguments {
  const attachments = images.map((image) => image.uri);
  return {
    ...{ uri, instruction: text, sessionId },
    ...placeOf(target),
    ...(attachments.length > 0 && { attachments }),
    ...applyOf(),
  };
}

/** How an edit is applied: `edit.apply` decides if it is set; else it is shown first. */
export function applyOf(): Pick<EditArguments, "apply"> {
  return chosenApply() === undefined ? { apply: "preview" } : {};
}

/** Whether an edit, or the fix of a finding, is shown before it is applied. */
export function isShownFirst(): boolean {
  return (chosenApply() ?? "preview") === "preview";
}

/** What `edit.apply` is set to; undefined: it is not set. */
function chosenApply(): string | undefined {
  const found = vscode.workspace
    .getConfiguration("redline")
    .inspect<string>("edit.apply");
  return found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
}
