// One open box: what is typed in it, what completes that, and the images beside it.

import { isDeepStrictEqual } from "node:util";

import * as vscode from "vscode";

import type { FilesResult, PromptsResult } from "../protocol";
import { BoxNotes, messageOf, type Ask } from "./box-notes";
import {
  DetachButton,
  nameRows,
  noteRows,
  promptNotes,
  lineOf,
  promptRows,
  tagRows,
  typable,
  type Row,
} from "./box-rows";
import {
  imageAt,
  pastedImage,
  pickImages,
  TOO_MANY,
  withImages,
  type Attachment,
  type Instruction,
} from "./images";
import {
  cursorAfter,
  mentionAt,
  promptName,
  withMention,
  type Mention,
} from "./mention";

export interface Question {
  readonly title: string;
  /** A better title, once it is known. */
  readonly laterTitle?: Promise<string>;
  readonly placeholder: string;
  /** Whether images can be attached. */
  readonly takesImages: boolean;
  /** Whether what is typed is tried out; undefined: that is not offered. */
  readonly isLive: boolean | undefined;
  /** What Enter does. */
  readonly onEnter: string;
  /** Gets the instruction each time it changes, while it is live. */
  readonly onTyped: (instruction: Instruction) => void;
  /** Says what is known of an instruction before it is sent. */
  readonly about?: Ask;
  /** The files and definitions that match what is typed after `@`, and the models. */
  readonly nameable: (typed: string) => Promise<FilesResult>;
  /** The prompts that the user has saved. */
  readonly prompts: () => Promise<PromptsResult>;
  /** Remembers that the user wants it live, or no longer. */
  readonly onLive: (isLive: boolean) => void;
}

/** Decides whether keys are for the box, and for its rows that complete a name. */
export function giveKeys(keys: {
  readonly isAsking: boolean;
  readonly isCompleting: boolean;
}): void {
  for (const [name, isOn] of Object.entries(keys)) {
    void vscode.commands.executeCommand("setContext", `redline.${name}`, isOn);
  }
}

const EMPTY = "Say what to do, such as: add type hints";

export class OpenBox implements vscode.Disposable {
  readonly #box = vscode.window.createQuickPick<Row>();
  readonly #attach: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon("file-media"),
    tooltip: "Attach an image…",
  };
  #text: string;
  #images: readonly Attachment[];
  #mention: Mention | undefined;
  /** The rows that complete the name at the cursor. */
  #choices: readonly Row[] = [];
  /** Where the name begins whose rows the user closed. */
  #closedAt: number | undefined;
  #pending: Promise<void> = Promise.resolve();
  /** Whether an image is attached that is read from the clipboard. */
  #pasted: Promise<boolean> = Promise.resolve(true);
  #problem: string | undefined;
  readonly #notes: BoxNotes;
  /** A text that begins with a saved prompt that is not there, once the user knows. */
  #unknown: string | undefined;
  #isLive: boolean;
  /** Whether a dialog of the editor is in its place. */
  #isAway = false;
  #isDisposed = false;
  /** Whether it comes back, empty at first. */
  #isReturning = false;
  #resolve: (instruction: Instruction | undefined) => void = () => undefined;

  constructor(
    private readonly question: Question,
    { text, images }: Instruction,
  ) {
    this.#text = text;
    this.#images = question.takesImages ? images : [];
    this.#isLive = question.isLive ?? false;
    this.#notes = new BoxNotes(
      question.about,
      () => this.instruction,
      () => {
        if (!this.isCompleting) {
          this.show();
        }
      },
    );
    this.#box.title = question.title;
    this.#box.placeholder = question.placeholder;
    this.#box.value = text;
    this.#box.ignoreFocusOut = true;
    this.#box.onDidChangeValue((value) => {
      this.typed(value);
    });
    this.#box.onDidAccept(() => {
      this.report(this.accept());
    });
    this.#box.onDidTriggerButton((button) => {
      this.report(this.press(button));
    });
    this.#box.onDidTriggerItemButton(({ button }) => {
      if (button instanceof DetachButton) {
        this.detach(button.image);
      }
    });
    this.#box.onDidHide(() => {
      if (!this.#isAway) {
        this.#resolve(undefined);
      }
    });
    void question.laterTitle?.then(
      (title) => {
        this.#box.title = title;
      },
      () => undefined,
    );
  }

  /** Ask; undefined: the user closed it. */
  async answer(): Promise<Instruction | undefined> {
    return await new Promise((resolve) => {
      this.#resolve = resolve;
      this.show();
      this.#box.show();
      void this.#notes.refresh();
    });
  }

  /** Close it for another box: nobody answers it any more. */
  leave(): Instruction {
    this.#resolve(undefined);
    this.dispose();
    return { text: this.#text, images: this.#images };
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#box.dispose();
  }

  get text(): string {
    return this.#text;
  }

  /** Put another instruction in it, whose last name is not completed. */
  replace(text: string): void {
    if (text !== this.#text) {
      this.#box.value = text;
      this.typed(text);
      this.#closedAt = this.#mention?.start;
    }
  }

  /** What is in it; undefined: it is closed, or a saved prompt is being named. */
  private get instruction(): Instruction | undefined {
    const isOf = !this.#isDisposed && this.#mention?.sign !== "/";
    return isOf ? { text: this.#text, images: this.#images } : undefined;
  }

  private get isCompleting(): boolean {
    return this.#choices.length > 0;
  }

  /** Choose the row that completes a name. */
  async choose(): Promise<void> {
    await this.#pending;
    const row = this.#box.activeItems[0] ?? this.#choices[0];
    if (row !== undefined && this.isCompleting) {
      await this.carryOut(row);
    }
  }

  /** Close the rows that complete a name, until another one is typed. */
  closeChoices(): void {
    this.#closedAt = this.#mention?.start;
    this.#choices = [];
    this.show();
  }

  private typed(text: string): void {
    const isOwn = text === this.#text || (this.#isReturning && text === "");
    this.#isReturning &&= text === "";
    if (isOwn) {
      return;
    }
    this.#mention = mentionAt(text, cursorAfter(this.#text, text));
    this.#text = text;
    this.#problem = undefined;
    if (this.#mention?.start !== this.#closedAt) {
      this.#closedAt = undefined;
    }
    this.#pending = this.#pending.then(() => this.complete(text));
    void this.#notes.typed(text);
    this.tryOut();
  }

  private async complete(text: string): Promise<void> {
    const mention = this.#mention;
    if (text !== this.#text) {
      return;
    }
    let choices: readonly Row[] = [];
    if (mention !== undefined && this.#closedAt === undefined) {
      choices = await this.rowsFor(mention);
    }
    if (text === this.#text) {
      // They may have been closed meanwhile.
      this.#choices = this.#closedAt === undefined ? choices : [];
      this.show();
    }
  }

  private async rowsFor({ sign, typed }: Mention): Promise<readonly Row[]> {
    if (sign === "#") {
      // With the sign, no file is looked for.
      return tagRows(typed, (await this.question.nameable(`#${typed}`)).models);
    }
    if (sign === "/") {
      const saved = await this.question.prompts();
      if (this.#mention?.sign === "/") {
        this.#notes.say(promptNotes(saved));
      }
      return promptRows(typed, saved.prompts);
    }
    const images = this.question.takesImages ? this.#images : undefined;
    return nameRows(typed, await this.question.nameable(typed), images);
  }

  private async accept(): Promise<void> {
    const [row] = this.#box.selectedItems;
    // What was typed last may not have its rows yet.
    await this.#pending;
    if (this.isCompleting) {
      await this.carryOut(
        this.#choices.find((each) => isDeepStrictEqual(each.deed, row?.deed)),
      );
    } else if (row?.deed.kind === "nothing") {
      this.show();
    } else if (await this.#pasted) {
      await this.send();
    }
  }

  private async send(): Promise<void> {
    const text = this.#text.trim();
    if (text === "") {
      this.warn(EMPTY);
      return;
    }
    const name = promptName(text);
    if (name === undefined || text === this.#unknown) {
      this.#resolve({ text, images: this.#images });
      return;
    }
    this.warn("Reading your saved prompts…");
    const { prompts } = await this.question.prompts();
    if (text !== this.#text.trim()) {
      // What was typed meanwhile stays: the next Enter is about it.
      return;
    }
    const saved = prompts.find((each) => each.name === name);
    if (saved === undefined) {
      this.#unknown = text;
      this.warn(
        `No saved prompt is named ${name}; Enter again sends the text as it is`,
      );
    } else {
      // To be read before it is sent.
      this.#problem = undefined;
      this.replace(lineOf(saved.text) + text.slice(name.length + 1));
      this.show();
    }
  }

  /** Do what a row that completes a name says. */
  private async carryOut(row: Row | undefined): Promise<void> {
    if (row === undefined || this.#mention === undefined) {
      return;
    }
    const { deed } = row;
    const text = deed.kind === "insert" ? deed.text : "";
    this.#choices = [];
    this.replace(withMention(this.#text, this.#mention, text));
    this.show();
    if (deed.kind === "attach") {
      await this.pick();
    } else if (deed.kind === "paste") {
      this.#pasted = this.paste();
      await this.#pasted;
    } else if (deed.kind === "attach-file") {
      const image = await imageAt(deed.path);
      if (image === undefined) {
        this.warn(`${deed.path} no longer exists`);
      } else {
        this.attach([image]);
      }
    } else if (deed.kind === "detach") {
      this.detach(deed.image);
    }
  }

  private async press(button: vscode.QuickInputButton): Promise<void> {
    if (button === this.#attach) {
      await this.pick();
      return;
    }
    this.#isLive = !this.#isLive;
    this.question.onLive(this.#isLive);
    this.show();
    if (this.#text.trim() !== "") {
      this.tryOut();
    }
  }

  /** Attach the image on the clipboard; returns false if there is none, and says so. */
  private async paste(): Promise<boolean> {
    this.warn("Reading the clipboard…");
    try {
      this.attach([await pastedImage(this.#images)]);
      return true;
    } catch (error) {
      this.warn(messageOf(error));
      // The next time, the instruction is sent without it.
      this.#pasted = Promise.resolve(true);
      return false;
    }
  }

  private async pick(): Promise<void> {
    this.#isAway = true;
    // The dialog may be a box as well.
    this.show();
    try {
      this.attach(await pickImages());
    } finally {
      this.#isAway = false;
      this.show();
      this.comeBack();
    }
  }

  /** Show it again with the cursor behind the text: the editor would select a text that
   * is there from the beginning. */
  private comeBack(): void {
    if (this.#isDisposed) {
      return;
    }
    this.#isReturning = this.#text !== "";
    this.#box.value = "";
    this.#box.show();
    this.#box.value = this.#text;
  }

  private attach(images: readonly Attachment[]): void {
    if (images.length === 0) {
      return;
    }
    const all = withImages(this.#images, images);
    this.#problem = all === undefined ? TOO_MANY : undefined;
    this.#images = all ?? this.#images;
    this.imagesChanged();
  }

  private detach(image: Attachment): void {
    this.#images = this.#images.filter(({ uri }) => uri !== image.uri);
    this.#problem = undefined;
    this.imagesChanged();
  }

  private imagesChanged(): void {
    this.show();
    this.tryOut();
    void this.#notes.refresh();
  }

  private tryOut(): void {
    if (this.#isLive && !this.#isDisposed && this.#mention?.sign !== "/") {
      this.question.onTyped({ text: this.#text, images: this.#images });
    }
  }

  private warn(problem: string): void {
    this.#problem = problem;
    this.show();
  }

  /** Show why something failed that nothing waits for. */
  private report(work: Promise<void>): void {
    void work.catch((error: unknown) => {
      this.warn(messageOf(error));
    });
  }

  private show(): void {
    if (this.#isDisposed) {
      return;
    }
    const { isLive, takesImages } = this.question;
    this.#box.buttons = [
      ...(takesImages ? [this.#attach] : []),
      ...(isLive === undefined ? [] : [liveButton(this.#isLive)]),
    ];
    const { isCompleting } = this;
    giveKeys({
      isAsking: !this.#isAway,
      isCompleting: isCompleting && !this.#isAway,
    });
    const rows = isCompleting ? this.#choices : noteRows(this.notes(), this.#images);
    // Rows that are set again are read out again, and another one may be active.
    const areNew = !isDeepStrictEqual(rows, this.#box.items);
    if (areNew) {
      this.#box.items = rows;
    }
    if (areNew || !isCompleting) {
      this.#box.selectedItems = [];
      this.#box.activeItems = this.#box.items.slice(0, 1);
    }
  }

  private notes(): readonly string[] {
    if (this.#problem !== undefined) {
      return [this.#problem];
    }
    const enter = `Enter: ${this.question.onEnter}`;
    const what = this.#isLive ? "The preview follows what you type" : enter;
    const how = this.#text === "" ? typable(this.question.takesImages) : [];
    return [what, ...this.#notes.lines(), ...how];
  }
}

function liveButton(isLive: boolean): vscode.QuickInputButton {
  return isLive
    ? {
        iconPath: new vscode.ThemeIcon("eye"),
        tooltip: "Live preview is on: click to turn it off",
      }
    : {
        iconPath: new vscode.ThemeIcon("eye-closed"),
        tooltip: "Live preview is off: click to turn it on",
      };
}
