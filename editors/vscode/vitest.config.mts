import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

const vscode = fileURLToPath(new URL("test/support/vscode.ts", import.meta.url));

export default defineConfig({
  resolve: { alias: { vscode } },
  test: { include: ["test/**/*.test.ts"] },
});
