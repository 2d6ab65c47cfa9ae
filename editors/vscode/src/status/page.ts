// What was sent to a model last, as a page. Pure.

import type { LastPrompt } from "../protocol";

/** Write it as Markdown; fences are longer than any in the text. */
export function lastPromptPage(prompt: LastPrompt): string {
  const { model, tokens, contextBand, messages, leftOut } = prompt;
  const parts = [
    `# The last prompt\n\nTo ${model}, ${tokens} tokens, ${contextBand} % of its window. ` +
      "Secrets are the placeholders that were sent in their place.",
    `## System\n\n${fenced(prompt.instructions)}`,
    ...messages.map(
      ({ role, text }) =>
        `## ${role === "user" ? "User" : "Assistant"}\n\n${fenced(text)}`,
    ),
  ];
  if (leftOut.length > 0) {
    const rows = leftOut.map(
      ({ kind, source, reason }) => `- ${kind} of ${source}: ${reason}`,
    );
    parts.push(`## Left out\n\n${rows.join("\n")}`);
  }
  return `${parts.join("\n\n")}\n`;
}

function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
