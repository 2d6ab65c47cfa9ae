import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";

import { expect, test } from "vitest";

import { HOW_TO_INSTALL } from "../src/server/how-to-install";
import { install } from "../src/server/install";

/** Writes down where and how it is run; its environments hold a copy of it. */
const PYTHON = `#!/bin/sh
printf '%s %s %s\\n' "$(pwd -P)" "$1" "$2 $3" >> "$RECORD"
if [ "$3" = venv ]; then mkdir -p "$4/bin" && cp "$0" "$4/bin/python"; fi
if [ "$2" = -c ] && [ -n "$5" ]; then touch "$5"; fi
`;

test("no Python of the installation imports from the working directory", async () => {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "redline-")));
  const [extensionFolder, python] = [path.join(root, "ext"), path.join(root, "py")];
  const record = path.join(root, "record");
  await mkdir(path.join(extensionFolder, "bundled"), { recursive: true });
  await writeFile(path.join(extensionFolder, "bundled", "redline.whl.xz"), "");
  await writeFile(python, PYTHON.replace("$RECORD", record), { mode: 0o755 });
  try {
    await install({
      extensionFolder,
      environment: path.join(root, "storage", "server"),
      pythons: [[python]],
      onStep: () => undefined,
      onLine: () => undefined,
      cancel: {
        isCancellationRequested: false,
        onCancellationRequested: () => ({ dispose: () => undefined }),
      },
    });
    const ran = (await readFile(record, "utf8")).trimEnd().split("\n");
    expect(ran.map((line) => line.replace(/-c import.*/, "-c"))).toEqual([
      `${extensionFolder} -I -c`,
      `${extensionFolder} -I -m venv`,
      `${extensionFolder} -I -c`,
      `${extensionFolder} -I -m pip`,
    ]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("a build without a server says how to install one today", async () => {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "redline-")));
  const installing = install({
    extensionFolder: root,
    environment: path.join(root, "server"),
    pythons: [],
    onStep: () => undefined,
    onLine: () => undefined,
    cancel: {
      isCancellationRequested: false,
      onCancellationRequested: () => ({ dispose: () => undefined }),
    },
  });
  await expect(installing).rejects.toThrow(`Install it ${HOW_TO_INSTALL}, or name`);
  expect(HOW_TO_INSTALL).toMatch(/^with `pipx install (\.|redline-ls)`/);
  await rm(root, { recursive: true, force: true });
});
