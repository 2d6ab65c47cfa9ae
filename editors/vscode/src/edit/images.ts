// Images that are attached to an instruction: picked, and named for people.

import * as vscode from "vscode";

import { clipboardImage, imagePrinter } from "./clipboard";

export interface Attachment {
  readonly name: string;
  readonly uri: string;
}

export interface Instruction {
  readonly text: string;
  readonly images: readonly Attachment[];
}

export const NO_INSTRUCTION: Instruction = { text: "", images: [] };

/** As many as the server takes. */
const MOST_IMAGES = 4;

export const TOO_MANY = `At most ${MOST_IMAGES} images can be attached: remove one first`;

/** Add images, each once; undefined: they would be too many. */
export function withImages(
  images: readonly Attachment[],
  more: readonly Attachment[],
): readonly Attachment[] | undefined {
  const known = new Set(images.map(({ uri }) => uri));
  const all = [...images, ...more.filter(({ uri }) => !known.has(uri))];
  return all.length > MOST_IMAGES ? undefined : all;
}

/** Let the user choose images; none: the user left it. */
export async function pickImages(): Promise<readonly Attachment[]> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showOpenDialog({
    title: "Attach an image",
    openLabel: "Attach",
    canSelectMany: true,
    filters: { Images: ["png", "jpg", "jpeg", "webp", "gif"] },
    ...(folder && { defaultUri: folder }),
  });
  return (chosen ?? []).map(attachmentOf);
}

/** Whether the clipboard can be read: in a remote window it is on another machine. */
export function hasClipboard(): boolean {
  const { remoteName, uiKind } = vscode.env;
  return remoteName === undefined && uiKind === vscode.UIKind.Desktop;
}

/** The image on the clipboard.
 *
 * Throws if there is none, or if it cannot be read. */
export async function pastedImage(known: readonly Attachment[]): Promise<Attachment> {
  const uri = await clipboardImage(imagePrinter(process.platform, process.env));
  const names = new Set(known.map(({ name }) => name));
  let name = "pasted image";
  for (let number = 2; names.has(name); number += 1) {
    name = `pasted image ${number}`;
  }
  return { name, uri };
}

/** The image of a path below a workspace folder: of the first one that has it. */
export async function imageAt(path: string): Promise<Attachment | undefined> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const file = vscode.Uri.joinPath(uri, path);
    try {
      await vscode.workspace.fs.stat(file);
      return attachmentOf(file);
    } catch {
      // Another folder has it.
    }
  }
  return undefined;
}

function attachmentOf(uri: vscode.Uri): Attachment {
  return { name: uri.path.slice(uri.path.lastIndexOf("/") + 1), uri: uri.toString() };
}
