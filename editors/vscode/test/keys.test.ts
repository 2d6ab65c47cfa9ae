import { readFileSync } from "node:fs";
import * as path from "node:path";

import { expect, test } from "vitest";

import { commands } from "../src/protocol";

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
const EDITS = contributes.keybindings.filter(
  ({ command }) => command === "redline.instruct",
);

/** Those of the box that asks for an instruction. */
const IN_BOX = contributes.keybindings.filter(({ when }) => / inQuickInput/.test(when));

/** The one that leads to another file. */
const THERE = contributes.keybindings.find(({ when }) => /isElsewhere/.test(when));

/** Of these, no two are on the same key on each layout: German, French, US International. */
const TYPED_OTHERWISE = /[[\]'`;=\\/~^-]/;

/** The first stroke of a key, whatever the order of its modifiers. */
function firstStroke(key: string): string {
  return (key.split(" ")[0] ?? "").split("+").sort().join("+");
}

function keyOn(platform: (typeof PLATFORMS)[number], binding: Keybinding): string {
  return platform === "mac" ? (binding.mac ?? binding.key) : binding.key;
}

test.each(PLATFORMS)("the keys of an edit are free on %s", (platform) => {
  expect(EDITS.length).toBe(2);
  const taken = new Set((used[platform] ?? []).map(firstStroke));
  expect(taken.size).toBeGreaterThan(250);
  expect(taken).toContain(firstStroke(platform === "mac" ? "cmd+s" : "ctrl+s"));
  for (const each of EDITS) {
    expect(taken).not.toContain(firstStroke(keyOn(platform, each)));
  }
});

test("every other key counts only where an edit or an explanation is", () => {
  for (const binding of contributes.keybindings.filter(
    (each) => !EDITS.includes(each) && !IN_BOX.includes(each) && each !== THERE,
  )) {
    expect(binding.when).toMatch(
      /redline\.(isWriting|isActing|isOffered|canAccept|hasChanges|hasCandidates|hasCompletion|hasNextEdit)/,
    );
    expect(binding.when).toContain("editorTextFocus");
  }
});

test("the key of the next change leads to another file where this one has none", () => {
  expect(THERE).toEqual({
    command: "redline.goToOffer",
    key: "f7",
    when: "redline.isElsewhere && !redline.hasChanges && !isInDiffEditor",
  });
});

test("keys of the box count only in the box that asks, and Tab only for a name", () => {
  expect(IN_BOX.map(({ key, when }) => [key, when])).toEqual([
    ["tab", "redline.isCompleting && inQuickInput"],
    ["escape", "redline.isCompleting && inQuickInput"],
    ["up", "redline.isAsking && !redline.isCompleting && inQuickInput"],
    ["down", "redline.isAsking && !redline.isCompleting && inQuickInput"],
  ]);
});

test("each command has a key that is typed alike on every layout", () => {
  const typable = contributes.keybindings.filter(
    ({ key }) => !TYPED_OTHERWISE.test(key) && !/ctrl\+alt|alt\+ctrl/.test(key),
  );
  const commands = (bindings: readonly Keybinding[]) =>
    new Set(bindings.map(({ command }) => command));
  expect(commands(typable)).toEqual(commands(contributes.keybindings));
});

test("no key of typing accepts or rejects", () => {
  const answers = contributes.keybindings.filter(({ command }) =>
    /accept|reject/i.test(command),
  );
  const keys = answers.map(({ key }) => key);
  expect(keys).not.toContain("ctrl+enter");
  expect(keys).not.toContain("ctrl+backspace");
  expect(keys).toContain("alt+enter");
});

test("in the file, Tab is taken for a next edit alone, and not where it completes or indents", () => {
  const [binding, ...others] = contributes.keybindings.filter(
    (each) => !IN_BOX.includes(each) && /\btab\b/.test(`${each.key} ${each.mac ?? ""}`),
  );
  expect(others).toEqual([]);
  expect(binding?.command).toBe("redline.takeNextEdit");
  for (const each of [
    "redline.nextEditTakesTab",
    "!suggestWidgetVisible",
    "!inSnippetMode",
    "!inlineSuggestionVisible",
    "!editorHasSelection",
    "!editorTabMovesFocus",
  ]) {
    expect(binding?.when.split(" && ")).toContain(each);
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

test("no command of the extension has the name of one of the server's", () => {
  const own = contributes.commands.map(({ command }) => command);
  const servers: readonly string[] = Object.values(commands);
  expect(own.filter((command) => servers.includes(command))).toEqual([]);
});
