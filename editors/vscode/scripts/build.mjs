// Bundles the extension, and copies the changelog to it: `node scripts/build.mjs`.
//
// The library of the language client is a file of its own: it is two thirds of the code,
// and is loaded only when a server starts.
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const LIBRARY = "vscode-languageclient/node";
const LIBRARY_FILE = "languageclient";

const library = {
  name: "library",
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^${LIBRARY}$`) }, ({ kind }) =>
      kind === "entry-point"
        ? undefined
        : { path: `./${LIBRARY_FILE}.js`, external: true },
    );
  },
};

// Without what is about other editors and the gateway: the package must stay small.
const changelog = await readFile("../../CHANGELOG.md", "utf8");
const ofOthers = /^- (?:(?:Emacs|Helix|Neovim)\b|.*\bgateway\b).*\n/gim;
await writeFile("CHANGELOG.md", changelog.replace(ofOthers, ""));

await build({
  entryPoints: { extension: "src/extension.ts", [LIBRARY_FILE]: LIBRARY },
  outdir: "dist",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  plugins: [library],
  minify: true,
  legalComments: "none",
  logLevel: "warning",
});
