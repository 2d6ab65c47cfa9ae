// The editor's settings that the server receives: only what somebody has set. Defaults
// would hide the user's own configuration file, which counts less than the editor.

/** What is known of one setting, as VS Code tells it; absent: not set there. */
export interface Inspected {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/**
 * Collect what is set, by dotted key without the `redline.` before it.
 *
 * @param keys The settings that the server knows.
 * @param inspect Says where a key is set.
 * @param mayWorkspace Whether a workspace's value of a key counts.
 */
export function explicitSettings(
  keys: Iterable<string>,
  inspect: (key: string) => Inspected | undefined,
  mayWorkspace: (key: string) => boolean,
): Record<string, unknown> {
  const chosen: Record<string, unknown> = {};
  for (const key of keys) {
    const value = explicitValue(inspect(key), mayWorkspace(key));
    if (value !== undefined) {
      chosen[key] = value;
    }
  }
  return chosen;
}

function explicitValue(found: Inspected | undefined, withWorkspace: boolean): unknown {
  const ofWorkspace = withWorkspace
    ? (found?.workspaceFolderValue ?? found?.workspaceValue)
    : undefined;
  return ofWorkspace ?? found?.globalValue;
}

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly {
      readonly properties: Readonly<Record<string, unknown>>;
    }[];
  };
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly restrictedConfigurations: readonly string[];
    };
  };
}

const PREFIX = "redline.";

/** The settings of the server: those of every group but the extension's own, the first. */
export function serverKeys(manifest: Manifest): readonly string[] {
  return manifest.contributes.configuration
    .slice(1)
    .flatMap((group) => Object.keys(group.properties))
    .map((name) => name.slice(PREFIX.length));
}

/** The settings that a workspace sets only once it is trusted. */
export function restrictedKeys(manifest: Manifest): ReadonlySet<string> {
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  return new Set(restricted.map((name) => name.slice(PREFIX.length)));
}
