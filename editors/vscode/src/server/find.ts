// Finds the server's program. Runs nothing, and looks into no folder that is not trusted.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import * as path from "node:path";

import type { Place } from "./places";

/** A program that is there. */
export interface Found {
  readonly program: string;
  readonly origin: string;
}

/** The user named a server that is not there. */
export class NoSuchServerError extends Error {
  constructor(readonly place: Place) {
    const origin = place.origin.charAt(0).toUpperCase() + place.origin.slice(1);
    super(`${origin} names ${place.program}, which is no program.`);
  }
}

/**
 * Return the first place that holds a program; undefined: none does.
 *
 * @throws NoSuchServerError if a required one does not.
 */
export async function find(
  candidates: readonly Place[],
  searchPath: string | undefined,
): Promise<Found | undefined> {
  for (const place of candidates) {
    const program = await locate(place.program, searchPath);
    if (program !== undefined) {
      return { program, origin: place.origin };
    }
    if (place.isRequired) {
      throw new NoSuchServerError(place);
    }
  }
  return undefined;
}

/** Return the path of a program that is there, looked for on PATH if it is a name. */
export async function locate(
  program: string,
  searchPath: string | undefined,
): Promise<string | undefined> {
  if (path.basename(program) !== program) {
    return (await isProgram(program)) ? program : undefined;
  }
  const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
  for (const folder of (searchPath ?? "").split(path.delimiter)) {
    for (const ending of endings) {
      const whole = path.join(folder, program + ending);
      if (path.isAbsolute(folder) && (await isProgram(whole))) {
        return whole;
      }
    }
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
