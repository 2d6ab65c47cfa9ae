// What TypeScript itself lets pass and we do not: dropped promises, loose types, output
// to a console that nobody reads.
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "scripts", "*.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      complexity: ["error", 10],
      eqeqeq: "error",
      "no-console": "error",
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true },
      ],
    },
  },
  {
    // Loading the library takes longer than activating all else: only what is loaded when
    // a server starts may need more of it than types.
    files: ["src/**/*.ts"],
    ignores: ["src/server/client.ts"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        { paths: [{ name: "vscode-languageclient/node", allowTypeImports: true }] },
      ],
    },
  },
);
