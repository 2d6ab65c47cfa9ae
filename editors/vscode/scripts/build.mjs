// Bundles the extension into one file, and copies the changelog to it:
// `node scripts/build.mjs`.
import { copyFile } from "node:fs/promises";
import { build } from "esbuild";

await copyFile("../../CHANGELOG.md", "CHANGELOG.md");

await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  minify: true,
  legalComments: "none",
  logLevel: "warning",
});
