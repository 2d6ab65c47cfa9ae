import { expect, test } from "vitest";

import { programIn, places, pythons, type Surroundings } from "../src/server/places";
import { MOST_RESTARTS, RestartBudget, WINDOW_S } from "../src/server/restarts";
import { doctorWords } from "../src/server/run";
import { explicitSettings, restrictedKeys, serverKeys } from "../src/server/settings";

const LINUX: Surroundings = {
  platform: "linux",
  home: "/home/me",
  setting: "",
  folders: ["/home/me/a", "/home/me/b"],
  activeEnvironment: "/envs/x",
  ownEnvironment: "/storage/server-1",
};

test("a server is looked for in the workspace, on PATH, and at last in its own place", () => {
  expect(places(LINUX).map(({ program }) => program)).toEqual([
    "/home/me/a/.venv/bin/redline",
    "/home/me/a/venv/bin/redline",
    "/home/me/b/.venv/bin/redline",
    "/home/me/b/venv/bin/redline",
    "/envs/x/bin/redline",
    "redline",
    "/storage/server-1/bin/redline",
  ]);
});

test("the setting is the only place, and must be right", () => {
  expect(places({ ...LINUX, setting: "~/bin/redline" })).toEqual([
    {
      program: "/home/me/bin/redline",
      origin: "the setting redline.server.path",
      isRequired: true,
    },
  ]);
});

test("an environment of Windows has its programs elsewhere", () => {
  expect(programIn("C:\\env", "redline", "win32")).toBe(
    "C:\\env\\Scripts\\redline.exe",
  );
});

test("the newest Python that is supported comes first", () => {
  expect(pythons("", "linux", "/home/me")[0]).toEqual(["python3.13"]);
  expect(pythons("", "win32", "C:\\me")[0]).toEqual(["py", "-3.13"]);
  expect(pythons("~/py", "linux", "/home/me")).toEqual([["/home/me/py"]]);
});

test("a server that dies is started again, but not for ever", () => {
  const budget = new RestartBudget();
  const starts = Array.from({ length: MOST_RESTARTS + 1 }, (_, at) => budget.died(at));
  expect(starts).toEqual([true, true, true, true, false]);
  expect(budget.died(WINDOW_S * 3)).toBe(true);
});

test("only what somebody has set is told to the server", () => {
  const set = {
    "edit.apply": { globalValue: "end", workspaceValue: "preview" },
    models: { globalValue: { a: 1 }, workspaceValue: { evil: 1 } },
    "log.level": { workspaceFolderValue: "debug" },
    "log.file": {},
  };
  const told = explicitSettings(
    ["edit.apply", "models", "log.level", "log.file", "edit.candidates"],
    (key) => (set as Record<string, object>)[key],
    (key) => key !== "models",
  );
  expect(told).toEqual({
    "edit.apply": "preview",
    models: { a: 1 },
    "log.level": "debug",
  });
});

test("the first group of settings is the extension's own", () => {
  const manifest = {
    contributes: {
      configuration: [
        { properties: { "redline.server.path": {} } },
        { properties: { "redline.models": {} } },
        { properties: { "redline.edit.apply": {} } },
      ],
    },
    capabilities: {
      untrustedWorkspaces: { restrictedConfigurations: ["redline.models"] },
    },
  };
  expect(serverKeys(manifest)).toEqual(["models", "edit.apply"]);
  expect([...restrictedKeys(manifest)]).toEqual(["models"]);
});

test("the doctor is told of the window's folder and the editor's settings", () => {
  const settings = { "edit.candidates": 3 };
  expect(doctorWords("/x/redline", "/home/me/a", settings)).toEqual([
    "/x/redline",
    "doctor",
    "--workspace",
    "/home/me/a",
    "--editor-settings",
    '{"edit.candidates":3}',
  ]);
  expect(doctorWords("/x/redline", undefined, {})).not.toContain("--workspace");
});
