// The rows below an instruction: what can be inserted, or what is known about it. Pure but
// for the icons of its buttons.

import * as vscode from "vscode";

import type { FilesResult, PromptsResult } from "../protocol";
import { hasClipboard, type Attachment } from "./images";
import { inOrder, likeliestFirst, nameOf } from "./mention";

/** What choosing a row does. */
export type Deed =
  | { readonly kind: "send" }
  | { readonly kind: "nothing" }
  | { readonly kind: "insert"; readonly text: string }
  | { readonly kind: "attach-file"; readonly path: string }
  | { readonly kind: "attach" }
  | { readonly kind: "paste" }
  | { readonly kind: "detach"; readonly image: Attachment };

export interface Row extends vscode.QuickPickItem {
  readonly deed: Deed;
}

/** Of a row: takes an image away. */
export class DetachButton implements vscode.QuickInputButton {
  readonly iconPath = new vscode.ThemeIcon("close");
  readonly tooltip: string;

  constructor(readonly image: Attachment) {
    this.tooltip = `Remove the image ${image.name}`;
  }
}

const TIERS: readonly (readonly [string, string])[] = [
  ["fast", "the model that writes first and fastest"],
  ["standard", "the model for changes that need more care"],
  ["deep", "the model for what is hard"],
];

const PASTE: Row = {
  label: "Paste the image on the clipboard",
  iconPath: new vscode.ThemeIcon("clippy"),
  alwaysShow: true,
  deed: { kind: "paste" },
};

const IMAGE = /\.(png|jpe?g|webp|gif)$/i;

/** Rows that complete `@` with a file, a definition, or what has to do with images. */
export function nameRows(
  typed: string,
  { files, definitions }: FilesResult,
  images: readonly Attachment[] | undefined,
): readonly Row[] {
  const isImage = images !== undefined && IMAGE.test(typed);
  const isComplete = files.includes(typed) || definitions.includes(typed);
  if (isComplete && !isImage) {
    return [];
  }
  const shown = files.filter((path) => images !== undefined || !IMAGE.test(path));
  const rows = likeliestFirst(
    typed,
    shown.map(fileRow),
    definitions.map(definitionRow),
  );
  if (images === undefined) {
    return rows;
  }
  const about: readonly Row[] = [
    {
      label: "Attach an image…",
      description: "a screenshot, or how it should look",
      iconPath: new vscode.ThemeIcon("file-media"),
      alwaysShow: true,
      deed: { kind: "attach" },
    },
    ...(hasClipboard() ? [PASTE] : []),
    ...images.map((image): Row => ({
      label: `Remove the image ${image.name}`,
      iconPath: new vscode.ThemeIcon("close"),
      alwaysShow: true,
      deed: { kind: "detach", image },
    })),
  ];
  return inOrder(typed, rows, about);
}

function fileRow(path: string): Row {
  const at = path.lastIndexOf("/") + 1;
  const isImage = IMAGE.test(path);
  const folder = path.slice(0, Math.max(0, at - 1));
  return {
    label: path.slice(at),
    description: isImage ? `${folder} (attach this image)`.trimStart() : folder,
    iconPath: new vscode.ThemeIcon(isImage ? "file-media" : "file"),
    alwaysShow: true,
    deed: isImage
      ? { kind: "attach-file", path }
      : { kind: "insert", text: nameOf(path) },
  };
}

function definitionRow(named: string): Row {
  const at = named.lastIndexOf("#");
  return {
    label: named.slice(at + 1),
    description: named.slice(0, at),
    iconPath: new vscode.ThemeIcon("symbol-method"),
    alwaysShow: true,
    deed: { kind: "insert", text: nameOf(named) },
  };
}

/** Rows that complete `#` with a tier or a model. */
export function tagRows(typed: string, models: FilesResult["models"]): readonly Row[] {
  const tags = [
    ...TIERS,
    ...models.map(
      ({ name, model }) =>
        [
          name,
          name === model ? "a model of your settings" : `the model ${model}`,
        ] as const,
    ),
  ];
  return tags
    .filter(([name]) => name.startsWith(typed) && name !== typed)
    .map(([name, what]): Row => ({
      label: name,
      description: what,
      iconPath: new vscode.ThemeIcon("server-process"),
      alwaysShow: true,
      deed: { kind: "insert", text: `#${name}` },
    }));
}

/** A text for the box, which has one line. */
export function lineOf(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

/** Rows that complete `/` with a saved prompt. */
export function promptRows(
  typed: string,
  prompts: PromptsResult["prompts"],
): readonly Row[] {
  const wanted = typed.toLowerCase();
  return prompts
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map(({ name, text }): Row => {
      const line = lineOf(text);
      return {
        label: name,
        description: line,
        iconPath: new vscode.ThemeIcon("bookmark"),
        alwaysShow: true,
        deed: { kind: "insert", text: line },
      };
    });
}

/** What is to be known about the saved prompts, or how to save the first one. */
export function promptNotes({
  prompts,
  folders,
  problems,
}: PromptsResult): readonly string[] {
  const place = folders.at(-1);
  const isNone = prompts.length === 0 && place !== undefined;
  return isNone
    ? [...problems, `Save prompts as .md or .txt files in ${place}`]
    : problems;
}

/** Says what can be typed, in lines that fit in a narrow window. */
export function typable(takesImages: boolean): readonly string[] {
  return [
    `@ adds a file, a function${takesImages ? " or an image" : ""}, # a tier or a model`,
    "/ adds a saved prompt, Up shows earlier instructions",
  ];
}

/** Rows that say what is known: the first one sends the instruction. */
export function noteRows(
  notes: readonly string[],
  images: readonly Attachment[],
): readonly Row[] {
  return [
    // As descriptions, since the editor would search the instruction in labels.
    ...notes.map((note, at): Row => ({
      label: "",
      description: note,
      iconPath: new vscode.ThemeIcon(at === 0 ? "arrow-right" : "info"),
      alwaysShow: true,
      deed: { kind: at === 0 ? "send" : "nothing" },
    })),
    ...images.map((image): Row => ({
      label: "",
      description: `${image.name} is attached (@remove removes it)`,
      iconPath: new vscode.ThemeIcon("file-media"),
      alwaysShow: true,
      buttons: [new DetachButton(image)],
      deed: { kind: "nothing" },
    })),
  ];
}
