// API keys: kept in the editor's secret store, handed to the server as environment
// variables of its process. Never in settings, files or logs.

import * as vscode from "vscode";

/** Where the names (not the keys) are remembered: a secret store cannot be listed. */
const NAMES = "keyNames";

/** The variables in which the server finds keys, by provider. */
const KNOWN_NAMES = [
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "XAI_API_KEY",
  "AI_GATEWAY_API_KEY",
  "CEREBRAS_API_KEY",
  "GROQ_API_KEY",
  "MISTRAL_API_KEY",
  "CODESTRAL_API_KEY",
  "DEEPSEEK_API_KEY",
  "ZAI_API_KEY",
  "MINIMAX_API_KEY",
  "OPENROUTER_API_KEY",
  "TOGETHER_API_KEY",
  "FIREWORKS_API_KEY",
  "INCEPTION_API_KEY",
  "REDLINE_GATEWAY_KEY",
];

const IS_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Not names of keys: what they hold decides what a process runs or where it looks. */
const IS_RESERVED = /^(PATH|HOME|LD_.*|DYLD_.*|PYTHON.*|NODE_.*)$/i;

export class Keys {
  constructor(
    private readonly secrets: vscode.SecretStorage,
    private readonly state: vscode.Memento,
  ) {}

  /** The names of the keys that are kept. */
  get names(): readonly string[] {
    return this.state.get<string[]>(NAMES, []);
  }

  /** Return the kept keys by the names of their environment variables. */
  async environment(): Promise<Record<string, string>> {
    const kept: Record<string, string> = {};
    for (const name of this.names) {
      const key = await this.secrets.get(name);
      if (key !== undefined) {
        kept[name] = key;
      }
    }
    return kept;
  }

  /** Keep a key, or forget it where it is empty. */
  async put(name: string, key: string): Promise<void> {
    const others = this.names.filter((each) => each !== name);
    if (key === "") {
      await this.secrets.delete(name);
      await this.state.update(NAMES, others);
    } else {
      await this.secrets.store(name, key);
      await this.state.update(NAMES, [...others, name]);
    }
  }

  /**
   * Ask for a key and keep it.
   *
   * @returns Whether anything has changed.
   */
  async ask(): Promise<boolean> {
    const name = await this.askName();
    if (name === undefined) {
      return false;
    }
    const isKept = this.names.includes(name);
    const key = await vscode.window.showInputBox({
      title: `API key ${name}`,
      prompt: isKept
        ? "A key is kept already. Enter another one, or nothing to forget it."
        : "Kept in the editor's secret store and given to the server only.",
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined || (key.trim() === "" && !isKept)) {
      return false;
    }
    await this.put(name, key.trim());
    return true;
  }

  private async askName(): Promise<string | undefined> {
    const names = new Set([...this.names, ...configuredNames(), ...KNOWN_NAMES]);
    const items: (vscode.QuickPickItem & { name?: string })[] = [...names].map(
      (name) => ({
        label: name,
        name,
        ...(this.names.includes(name) ? { description: "kept" } : {}),
      }),
    );
    items.push({ label: "$(add) Another name…" });
    const chosen = await vscode.window.showQuickPick(items, {
      title: "Which API key?",
      placeHolder: "The name that a model's setting key.env has",
    });
    if (chosen === undefined || chosen.name !== undefined) {
      return chosen?.name;
    }
    return await vscode.window.showInputBox({
      title: "Name of the API key",
      prompt: "An environment variable's name, as a model's setting key.env has it",
      validateInput: (text) =>
        IS_NAME.test(text) && !IS_RESERVED.test(text)
          ? undefined
          : "Letters, digits and _; no variable of the system.",
    });
  }
}

interface ConfiguredModel {
  readonly key?: { readonly env?: unknown };
}

function configuredNames(): string[] {
  const models = vscode.workspace
    .getConfiguration("redline")
    .get<Record<string, ConfiguredModel>>("models", {});
  return Object.values(models)
    .map((model) => model.key?.env)
    .filter((name): name is string => typeof name === "string");
}
