// The image on the clipboard. The editor's API reads text only, so programs of the system
// print it.

import { execFile } from "node:child_process";
import * as path from "node:path";

/** A program that prints the image. */
export interface ImagePrinter {
  readonly program: string;
  readonly args: readonly string[];
  /** What it prints; `apple`: `«data PNGf89504E…»`, the class and hexadecimal digits. */
  readonly form: "bytes" | "base64" | "apple";
  /** Says how to get the program. */
  readonly remedy: string;
}

/** As large as an attached file may be, in bytes. */
const LARGEST = 20_000_000;

const TOO_LARGE = "The image on the clipboard is larger than 20 MB";

/** Digits and letters need at most two characters a byte. */
const LONGEST_OUTPUT = 2 * LARGEST + 1_000;

/** The program is ended after this time: the owner of a clipboard may not answer. */
const LIMIT_MS = 10_000;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

const POWERSHELL = [
  "Add-Type -AssemblyName System.Windows.Forms, System.Drawing",
  "$image = [Windows.Forms.Clipboard]::GetImage()",
  "if ($image) { $bytes = New-Object IO.MemoryStream",
  "$image.Save($bytes, [Drawing.Imaging.ImageFormat]::Png)",
  "[Convert]::ToBase64String($bytes.ToArray()) }",
].join("; ");

/** The program of a system. */
export function imagePrinter(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
): ImagePrinter {
  if (platform === "darwin") {
    return {
      program: "/usr/bin/osascript",
      args: ["-e", "the clipboard as «class PNGf»"],
      form: "apple",
      remedy: "Attach the image as a file instead",
    };
  }
  if (platform === "win32") {
    const folder = path.win32.join(
      environment["SystemRoot"] ?? "C:\\Windows",
      "System32\\WindowsPowerShell\\v1.0",
    );
    return {
      program: path.win32.join(folder, "powershell.exe"),
      args: ["-NoProfile", "-NonInteractive", "-STA", "-Command", POWERSHELL],
      form: "base64",
      remedy: "Attach the image as a file instead",
    };
  }
  if (environment["WAYLAND_DISPLAY"]) {
    return {
      program: "wl-paste",
      args: ["--no-newline", "--type", "image/png"],
      form: "bytes",
      remedy: "Install wl-clipboard, or attach the image as a file",
    };
  }
  return {
    program: "xclip",
    args: ["-selection", "clipboard", "-target", "image/png", "-out"],
    form: "bytes",
    remedy: "Install xclip, or attach the image as a file",
  };
}

/** Read the image as a `data:` URI.
 *
 * Throws if there is none, or if it cannot be read; the message says what to do. */
export async function clipboardImage(printer: ImagePrinter): Promise<string> {
  const bytes = decoded(await output(printer), printer.form);
  if (!bytes.subarray(0, PNG.length).equals(PNG)) {
    throw new Error("The clipboard has no image");
  }
  if (bytes.length > LARGEST) {
    throw new Error(TOO_LARGE);
  }
  return `data:image/png;base64,${bytes.toString("base64")}`;
}

/** What the program prints; nothing if it finds no image. */
async function output({ program, args, remedy }: ImagePrinter): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const options = {
      encoding: "buffer",
      maxBuffer: LONGEST_OUTPUT,
      timeout: LIMIT_MS,
      windowsHide: true,
    } as const;
    execFile(program, args, options, (error, stdout) => {
      if (error === null) {
        resolve(stdout);
      } else if (error.code === "ENOENT") {
        reject(new Error(`${path.basename(program)} was not found. ${remedy}`));
      } else if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") {
        reject(new Error(TOO_LARGE));
      } else if (error.killed === true) {
        reject(new Error(`${path.basename(program)} did not answer. ${remedy}`));
      } else {
        // It says so in other words on each system.
        resolve(Buffer.alloc(0));
      }
    });
  });
}

function decoded(printed: Buffer, form: ImagePrinter["form"]): Buffer {
  if (form === "bytes") {
    return printed;
  }
  const text = printed.toString("utf8").trim();
  if (form === "base64") {
    return Buffer.from(text, "base64");
  }
  const [, digits] = /^«data PNGf([0-9A-F]+)»$/i.exec(text) ?? [];
  return Buffer.from(digits ?? "", "hex");
}
