// The extension's own environment: a Python environment with the wheel that comes with
// the extension. Made only when the user agrees, removed with the extension's storage.

import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import * as path from "node:path";

import { HOW_TO_INSTALL } from "./how-to-install";
import { programIn } from "./places";
import { run, type Cancel } from "./run";

/** What went wrong, and what to do about it. */
export class InstallError extends Error {}

export interface Installation {
  /** The folder of the extension, which has the wheel in `bundled`. */
  readonly extensionFolder: string;
  /** The folder to be made. */
  readonly environment: string;
  /** Commands that may start Python, the best first. */
  readonly pythons: readonly (readonly string[])[];
  readonly onStep: (step: string) => void;
  readonly onLine: (line: string) => void;
  readonly cancel: Cancel;
}

/** Python's option to import nothing from the working directory or `PYTHONPATH`. */
const ISOLATED = "-I";

/** `lzma`, which the server needs, too, may be missing where Python was built by hand. */
const IS_SUITABLE =
  "import sys, ensurepip, lzma, venv; " +
  "sys.exit(not (3, 11) <= sys.version_info < (3, 14))";

const PACKED = ".xz";

const UNPACK =
  "import lzma, shutil, sys; " +
  "shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], 'xb'))";

/** Return the packed wheel that comes with the extension; undefined: it has none. */
export async function bundledWheel(
  extensionFolder: string,
): Promise<string | undefined> {
  const folder = path.join(extensionFolder, "bundled");
  const names = await readdir(folder).catch(() => []);
  const wheel = names.find((name) => name.endsWith(`.whl${PACKED}`));
  return wheel === undefined ? undefined : path.join(folder, wheel);
}

/**
 * Make the environment; what is left of an earlier attempt is removed first.
 *
 * @returns The path of the server's program.
 * @throws InstallError if it cannot be made; nothing is left of it then.
 */
export async function install(plan: Installation): Promise<string> {
  const wheel = await bundledWheel(plan.extensionFolder);
  if (wheel === undefined) {
    throw new InstallError(
      `This build of the extension has no server in it. Install it ${HOW_TO_INSTALL}, ` +
        "or name one in the setting redline.server.path.",
    );
  }
  plan.onStep("Looking for Python 3.11 to 3.13");
  const python = await suitablePython(plan);
  try {
    await rm(plan.environment, { recursive: true, force: true });
    await mkdir(path.dirname(plan.environment), { recursive: true });
    plan.onStep("Making an environment");
    await step(plan, [...python, ISOLATED, "-m", "venv", plan.environment]);
    plan.onStep("Installing the server");
    const own = programIn(plan.environment, "python", process.platform);
    const unpacked = path.join(plan.environment, path.basename(wheel, PACKED));
    await step(plan, [own, ISOLATED, "-c", UNPACK, wheel, unpacked]);
    const pip = [own, ISOLATED, "-m", "pip"];
    const options = ["--disable-pip-version-check", "--no-input"];
    await step(plan, [...pip, ...options, "install", unpacked]);
    await rm(unpacked);
    await writeFile(path.join(plan.environment, ".gitignore"), "*\n");
  } catch (error) {
    await rm(plan.environment, { recursive: true, force: true });
    throw error;
  }
  return programIn(plan.environment, "redline", process.platform);
}

async function suitablePython(plan: Installation): Promise<readonly string[]> {
  for (const words of plan.pythons) {
    const ended = await run({
      words: [...words, ISOLATED, "-c", IS_SUITABLE],
      folder: plan.extensionFolder,
    });
    plan.onLine(
      `${words.join(" ")}: ${ended.code === 0 ? "suitable" : "not suitable"}`,
    );
    if (ended.code === 0) {
      return words;
    }
  }
  const tried = plan.pythons.map((words) => words.join(" ")).join(", ");
  throw new InstallError(
    `Redline needs Python 3.11 to 3.13 with the venv module, and found none (tried: ${tried}). ` +
      "Install one, or name it in redline.server.python.",
  );
}

async function step(plan: Installation, words: readonly string[]): Promise<void> {
  plan.onLine(`> ${words.join(" ")}`);
  const ended = await run({
    words,
    folder: plan.extensionFolder,
    onLine: plan.onLine,
    cancel: plan.cancel,
  });
  if (plan.cancel.isCancellationRequested) {
    throw new InstallError("The installation was cancelled; nothing was kept.");
  }
  if (ended.code !== 0) {
    throw new InstallError(
      `The server could not be installed: ${ended.lastLine || "no reason was given"}. ` +
        "The log has the whole of it.",
    );
  }
}
