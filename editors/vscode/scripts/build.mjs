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

// The pages that the changelog links to are not in the package.
const { repository } = JSON.parse(await readFile("package.json", "utf8"));
const pages = `${repository.url.replace(/\.git$/, "")}/blob/main/`;
const changelog = await readFile("../../CHANGELOG.md", "utf8");
await writeFile("CHANGELOG.md", changelog.replace(/\]\((?!https:)/g, `](${pages}`));

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
