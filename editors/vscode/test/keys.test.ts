import { readFileSync } from "node:fs";
import * as path from "node:path";

import { expect, test } from "vitest";

interface Keybinding {
  readonly key: string;
  readonly mac?: string;
  readonly command: string;
  readonly when: string;
}

interface Manifest {
  readonly contributes: {
    readonly keybindings: readonly Keybinding[];
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command?: string }[]>>;
    readonly walkthroughs: readonly {
      readonly steps: readonly { readonly description: string }[];
    }[];
  };
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, name), "utf8"));

const { contributes } = read("../package.json") as Manifest;
const used = read("default-keybindings.json") as Record<string, readonly string[]>;

const PLATFORMS = ["linux", "mac", "windows"] as const;
const EDIT = contributes.keybindings.find(
  ({ command }) => command === "redline.instruct",
);

/** The first stroke of a key, whatever the order of its modifiers. */
function firstStroke(key: string): string {
  return (key.split(" ")[0] ?? "").split("+").sort().join("+");
}

function keyOn(platform: (typeof PLATFORMS)[number], binding: Keybinding): string {
  return platform === "mac" ? (binding.mac ?? binding.key) : binding.key;
}

test.each(PLATFORMS)("the key of an edit is free on %s", (platform) => {
  expect(EDIT).toBeDefined();
  const taken = new Set((used[platform] ?? []).map(firstStroke));
  expect(taken.size).toBeGreaterThan(250);
  expect(taken).toContain(firstStroke(platform === "mac" ? "cmd+s" : "ctrl+s"));
  expect(taken).not.toContain(firstStroke(EDIT ? keyOn(platform, EDIT) : ""));
});

test("every other key counts only where an edit is", () => {
  for (const binding of contributes.keybindings.filter((each) => each !== EDIT)) {
    expect(binding.when).toMatch(/redline\.(isWriting|isOffered|hasCandidates)/);
    expect(binding.when).toContain("editorTextFocus");
  }
});

test("Tab is never taken", () => {
  for (const { key, mac } of contributes.keybindings) {
    expect(`${key} ${mac ?? ""}`).not.toMatch(/\btab\b/);
  }
});

test("keys, menus and the walkthrough name commands that are there", () => {
  const known = new Set(contributes.commands.map(({ command }) => command));
  const named = [
    ...contributes.keybindings.map(({ command }) => command),
    ...Object.values(contributes.menus).flatMap((entries) =>
      entries.flatMap(({ command }) => (command === undefined ? [] : [command])),
    ),
    ...Array.from(
      JSON.stringify(contributes.walkthroughs).matchAll(/command:(redline\.\w+)/g),
      (found) => found[1] ?? "",
    ),
  ];
  expect(named.filter((command) => !known.has(command))).toEqual([]);
});
