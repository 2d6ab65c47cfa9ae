// The openai package for Node.js: `openai_node.mjs NODE_MODULES BASE_URL KEY`.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [modules, baseURL, apiKey] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const OpenAI = require("openai").default;

const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const whole = await client.responses.create({ model: "m", input: "hi" });
assert.equal(whole.output_text, "hello world");

let text = "";
for await (const event of await client.responses.create({ model: "m", input: "hi", stream: true })) {
  if (event.type === "response.output_text.delta") text += event.delta;
}
assert.equal(text, "hello world");

const final = await client.responses.stream({ model: "m", input: "hi" }).finalResponse();
assert.equal(final.output_text, "hello world");

let background = await client.responses.create({ model: "m", input: "hi", background: true });
while (["queued", "in_progress"].includes(background.status)) {
  background = await client.responses.retrieve(background.id);
}
assert.equal(background.output_text, "hello world");

const wrong = new OpenAI({ baseURL, apiKey: "wrong", maxRetries: 0 });
await assert.rejects(wrong.responses.create({ model: "m", input: "hi" }), OpenAI.AuthenticationError);
console.log("done");
