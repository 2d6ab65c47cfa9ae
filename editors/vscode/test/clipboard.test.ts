import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { clipboardImage, imagePrinter, type ImagePrinter } from "../src/edit/clipboard";

const PNG = Buffer.from("89504e470d0a1a0a00ff", "hex");
const URI = `data:image/png;base64,${PNG.toString("base64")}`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "redline-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** A program of the system that prints bytes and ends with a code. */
async function printing(
  bytes: Buffer,
  form: ImagePrinter["form"],
  code = 0,
): Promise<ImagePrinter> {
  const program = path.join(folder, "printer");
  await writeFile(`${program}.out`, bytes);
  const script = `#!/bin/sh\ncat "$0.out"\nexit ${code}\n`;
  await writeFile(program, script, { mode: 0o755 });
  return { program, args: [], form, remedy: "Install it" };
}

test.each([
  ["bytes", PNG],
  ["base64", Buffer.from(`${PNG.toString("base64")}\r\n`)],
  ["apple", Buffer.from(`«data PNGf${PNG.toString("hex").toUpperCase()}»\n`)],
] as const)("an image that is printed as %s is read", async (form, printed) => {
  expect(await clipboardImage(await printing(printed, form))).toBe(URI);
});

test.each([
  ["bytes", "", 0],
  ["bytes", "Error: target image/png not available", 1],
  ["base64", "\r\n", 0],
  ["apple", "«data utxt0041»", 0],
  ["apple", "execution error", 1],
] as const)("%s: %j is no image", async (form, printed, code) => {
  const printer = await printing(Buffer.from(printed), form, code);
  await expect(clipboardImage(printer)).rejects.toThrow("The clipboard has no image");
});

test.each([20_000_000, 41_000_000])(
  "an image of over %i bytes is refused",
  async (n) => {
    const printer = await printing(Buffer.concat([PNG, Buffer.alloc(n)]), "bytes");
    await expect(clipboardImage(printer)).rejects.toThrow("larger than 20 MB");
  },
);

test("a missing program is named, with what to do", async () => {
  const printer = await printing(PNG, "bytes");
  const program = path.join(folder, "nothing");
  await expect(clipboardImage({ ...printer, program })).rejects.toThrow(
    "nothing was not found. Install it",
  );
});

test.each([
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, "wl-paste"],
  ["linux", {}, "xclip"],
  ["darwin", {}, "/usr/bin/osascript"],
  [
    "win32",
    { SystemRoot: "D:\\Windows" },
    "D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe",
  ],
] as const)("%s with %j has %s", (platform, environment, program) => {
  expect(imagePrinter(platform, environment).program).toBe(program);
});
