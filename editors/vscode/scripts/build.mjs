// Bundles the extension: `node scripts/build.mjs`.
//
// The library of the language client is a file of its own: it is two thirds of the code,
// and is loaded only when a server starts.
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
