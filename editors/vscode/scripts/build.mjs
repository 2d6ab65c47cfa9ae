// Bundles the extension, and writes its changelog: `node scripts/build.mjs`.
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

// The fixes are half of the changelog, and the package may have 2.5 MB.
const FIXES = /^### Fixed\n[^]*?(?=^##)/gm;
const LEFT_OUT = "### Fixed\n\nSee `CHANGELOG.md` in the repository.\n\n";
const changelog = await readFile("../../CHANGELOG.md", "utf8");
await writeFile("CHANGELOG.md", changelog.replace(FIXES, LEFT_OUT));

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
