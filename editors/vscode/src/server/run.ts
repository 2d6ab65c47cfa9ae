// Runs a program to its end and hands on what it prints, line by line.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What is needed of an editor's cancellation token. */
export interface Cancel {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: (listener: () => void) => {
    dispose: () => unknown;
  };
}

export interface Run {
  readonly words: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** The working directory; undefined: the editor's, which may be a repository. */
  readonly folder?: string;
  /** Gets each line of its output and of its errors. */
  readonly onLine?: (line: string) => void;
  readonly cancel?: Cancel;
}

/** How a program ended. */
export interface Ended {
  /** Undefined: it could not be started, or was ended. */
  readonly code: number | undefined;
  readonly output: string;
  /** The last line that says something. */
  readonly lastLine: string;
}

/** Arguments of the doctor for a folder, with the settings that the server receives. */
export function doctorWords(
  program: string,
  folder: string | undefined,
  settings: Readonly<Record<string, unknown>>,
): readonly string[] {
  const workspace = folder === undefined ? [] : ["--workspace", folder];
  const own = ["--editor-settings", JSON.stringify(settings)];
  return [program, "doctor", ...workspace, ...own];
}

export async function run(of: Run): Promise<Ended> {
  const [program = "", ...rest] = of.words;
  const child = spawn(program, rest, {
    env: of.environment ?? process.env,
    cwd: of.folder,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const listener = of.cancel?.onCancellationRequested(() => child.kill());
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      of.onLine?.(line);
    });
  }
  const code = await new Promise<number | undefined>((resolve) => {
    child.on("error", (error) => {
      lines.push(error.message);
      resolve(undefined);
    });
    child.on("close", (ended) => {
      resolve(ended ?? undefined);
    });
  });
  listener?.dispose();
  const lastLine = lines.findLast((line) => line.trim() !== "")?.trim() ?? "";
  return { code, output: lines.join("\n"), lastLine };
}
