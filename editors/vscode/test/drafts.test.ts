import { expect, test } from "vitest";

import { Drafts } from "../src/edit/drafts";

type Waiting = [Drafts<string, string>, string[], (known: string) => void];

function waiting(): Waiting {
  const sent: string[] = [];
  let resolve: (known: string) => void = () => undefined;
  const request = new Promise<string>((resolved) => {
    resolve = resolved;
  });
  const drafts = new Drafts<string, string>(request, (known, draft) => {
    sent.push(`${known}: ${draft}`);
    return Promise.resolve();
  });
  return [drafts, sent, resolve];
}

test("drafts wait until it is known what they are about", async () => {
  const [drafts, sent, resolve] = waiting();
  const added = [drafts.add("a"), drafts.add("ab")];
  expect(sent).toEqual([]);
  resolve("lines 1 to 2");
  await Promise.all(added);
  expect(sent).toEqual(["lines 1 to 2: a", "lines 1 to 2: ab"]);
});

test("a draft that waits when the user leaves is not sent", async () => {
  const [drafts, sent, resolve] = waiting();
  const added = drafts.add("a");
  drafts.end();
  resolve("lines 1 to 2");
  await added;
  expect(sent).toEqual([]);
});
