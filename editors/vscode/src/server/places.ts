// Where a server may be, in the order in which one is looked for. Pure: what is really
// there, and what may be run, is for `find.ts`.

import * as path from "node:path";

/** A program that may be the server. */
export interface Place {
  /** A path, or a bare name that is looked for on PATH. */
  readonly program: string;
  /** Where it is from, for people. */
  readonly origin: string;
  /** Whether it must be there: the user named it. */
  readonly isRequired: boolean;
}

export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The setting `redline.server.path`; empty: not set. */
  readonly setting: string;
  /** Folders of the workspace; none of one that is not trusted. */
  readonly folders: readonly string[];
  /** `VIRTUAL_ENV` of the environment, if any. */
  readonly activeEnvironment: string | undefined;
  /** The extension's own environment. */
  readonly ownEnvironment: string;
}

/** The names under which projects keep their environment. */
const ENVIRONMENT_NAMES = [".venv", "venv"] as const;

/** List the places to look at, the first one wins. */
export function places(of: Surroundings): readonly Place[] {
  if (of.setting !== "") {
    const program = expandHome(of.setting, of.home);
    return [{ program, origin: "the setting redline.server.path", isRequired: true }];
  }
  const inside = (environment: string) =>
    programIn(environment, "redline", of.platform);
  const inWorkspace = of.folders.flatMap((folder) =>
    ENVIRONMENT_NAMES.map((name) => path.join(folder, name)),
  );
  const active = of.activeEnvironment === undefined ? [] : [of.activeEnvironment];
  return [
    ...inWorkspace.map((environment) => optional(inside(environment), environment)),
    ...active.map((environment) => optional(inside(environment), environment)),
    optional("redline", "PATH"),
    optional(inside(of.ownEnvironment), "the extension's own environment"),
  ];
}

/** The path of a program of a Python environment. */
export function programIn(
  environment: string,
  name: string,
  platform: NodeJS.Platform,
): string {
  return platform === "win32"
    ? path.win32.join(environment, "Scripts", `${name}.exe`)
    : path.posix.join(environment, "bin", name);
}

/** The commands that may start a Python of the right version, the best first. */
export function pythons(
  setting: string,
  platform: NodeJS.Platform,
  home: string,
): readonly (readonly string[])[] {
  if (setting !== "") {
    return [[expandHome(setting, home)]];
  }
  const versions = ["3.13", "3.12", "3.11"];
  const launcher =
    platform === "win32" ? versions.map((each) => ["py", `-${each}`]) : [];
  const named = versions.map((each) => [`python${each}`]);
  return [...launcher, ...named, ["python3"], ["python"]];
}

function optional(program: string, origin: string): Place {
  return { program, origin, isRequired: false };
}

function expandHome(given: string, home: string): string {
  return given.startsWith("~/") ? path.join(home, given.slice(2)) : given;
}
