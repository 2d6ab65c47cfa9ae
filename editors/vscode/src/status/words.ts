// The status in words: for the status bar, its tooltip, and screen readers. Pure.

import type { RunningSession, Status } from "../protocol-status";
import type { ServerState } from "../server/state";
import { countsOf } from "./completion-choices";

export interface Words {
  readonly text: string;
  /** Markdown. */
  readonly tooltip: string;
  /** For screen readers. */
  readonly label: string;
  readonly isBad: boolean;
}

const CONNECTION: Readonly<Record<Status["connection"], readonly [string, string]>> = {
  cold: ["$(circle-outline)", "not connected yet"],
  connecting: ["$(loading~spin)", "connecting"],
  ready: ["$(zap)", "connected"],
  fallback: ["$(warning)", "connected another way"],
  down: ["$(debug-disconnect)", "not reachable"],
};

const SERVER: Readonly<
  Record<Exclude<ServerState, "running">, readonly [string, string]>
> = {
  absent: ["$(circle-slash) Redline", "Redline's server does not run"],
  starting: ["$(loading~spin) Redline", "Redline's server starts"],
  dead: ["$(error) Redline", "Redline's server stopped"],
};

const CENTS = 2;

export function wordsFor(server: ServerState, status: Status | undefined): Words {
  if (server !== "running") {
    return notRunning(server);
  }
  if (status === undefined) {
    return {
      text: "$(loading~spin) Redline",
      label: "Redline",
      tooltip: "Redline",
      isBad: false,
    };
  }
  const [icon, connection] = CONNECTION[status.connection];
  const n = status.sessions.filter(isWriting).length;
  const model = writerOf(status);
  const pace = model === undefined ? "" : paceOf(status);
  const name = model ?? "Redline: no model";
  const text = [icon, name, pace].filter(Boolean).join(" ");
  return {
    text,
    label: `Redline, ${model ?? "no model"}, ${connection}${n > 0 ? `, ${n} running` : ""}`,
    tooltip: tooltipOf(status, connection),
    isBad: status.connection === "down" || status.problems.length > 0,
  };
}

function isWriting({ state }: RunningSession): boolean {
  return state === "generating";
}

/** The model that writes, else the one that the times are of; undefined: there is none. */
function writerOf(status: Status): string | undefined {
  const fast = status.tiers.find(({ tier }) => tier === "fast");
  if (fast?.isModel !== true) {
    return undefined;
  }
  const session = status.sessions.find(isWriting);
  return (session === undefined ? status.lastModel : session.model) ?? fast.model;
}

function notRunning(server: Exclude<ServerState, "running">): Words {
  const [text, label] = SERVER[server];
  const tooltip =
    server === "starting" ? label : `${label}. Click for what can be done.`;
  return { text, label, tooltip, isBad: server === "dead" };
}

function paceOf({ firstDeltaS, tokensPerS }: Status): string {
  const first = firstDeltaS === null ? "" : seconds(firstDeltaS);
  const rate =
    tokensPerS === null ? "" : `${Math.round(tokensPerS).toLocaleString("en")} tok/s`;
  return [first, rate].filter(Boolean).join(" · ");
}

function tooltipOf(status: Status, connection: string): string {
  const rows = tierRows(status);
  const isModel = hasModel(status);
  rows.push(["connection", connection]);
  if (isModel && status.firstDeltaS !== null) {
    rows.push(["first text", seconds(status.firstDeltaS)]);
  }
  if (isModel && status.tokensPerS !== null) {
    rows.push([
      "speed",
      `${Math.round(status.tokensPerS).toLocaleString("en")} tokens a second`,
    ]);
  }
  if (status.contextBand !== null) {
    rows.push(["context used", `${status.contextBand} %`]);
  }
  rows.push([
    "cost today",
    status.costToday === null ? "not kept" : money(status.costToday),
  ]);
  rows.push(...completionRows(status));
  const table = rows.map(([name, value]) => `| ${name} | ${value} |`).join("\n");
  const more = [status.detail, ...status.problems]
    .filter(Boolean)
    .map((each) => `\n\n${plain(each)}`);
  const indexing = status.indexing
    ? "\n\nReading the workspace's files for context…"
    : "";
  const click = isModel
    ? "Click for what can be done."
    : "Click to set an API key, or for what else can be done.";
  return `**Redline**\n\n| | |\n| :-- | :-- |\n${table}${more.join("")}${indexing}\n\n${click}`;
}

function completionRows({
  completions,
  nextEdits,
}: Status): (readonly [string, string])[] {
  const rows = [
    ["completions", countsOf(completions)],
    ["next edits", countsOf(nextEdits)],
  ] as const;
  return rows.filter(([, counts]) => counts !== "");
}

/** Whether a model answers, not only the built-in rules. */
export function hasModel({ tiers }: Status): boolean {
  return tiers.some(({ isModel }) => isModel);
}

/** Whether a connection to a model stands. */
export function isConnected(status: Status): boolean {
  const { connection } = status;
  return hasModel(status) && (connection === "ready" || connection === "fallback");
}

/** A row for each tier; tiers of which the same is said share one. */
function tierRows({ tiers }: Status): (readonly [string, string])[] {
  const names = new Map<string, string[]>();
  for (const { tier, model, note } of tiers) {
    const said = `${code(model)}${note === null ? "" : ` (${plain(note)})`}`;
    names.set(said, [...(names.get(said) ?? []), tier]);
  }
  return [...names].map(([said, of]) => [
    of.length > 1 ? `${of.join(", ")} tiers` : `${of.join("")} tier`,
    said,
  ]);
}

export function seconds(value: number): string {
  return value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`;
}

function money(value: number): string {
  const digits = value > 0 && value < 0.01 ? CENTS * 2 : CENTS;
  return `$${value.toFixed(digits)}`;
}

/** Text of the server's as it stands, in Markdown: names of models are anybody's. */
function plain(text: string): string {
  return text.replaceAll("`", "").replace(/[\\`*_{}[\]()#+\-.!|<>]/g, "\\$&");
}

function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll("|", "¦")}\``;
}
