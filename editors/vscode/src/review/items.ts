// The tree of reviews and their findings, as words. Pure.

import type { Finding, ReviewList, ReviewStatus } from "../protocol-reviews";
import { SEVERITIES } from "./gutter";

export interface ReviewItem {
  readonly kind: "review";
  readonly review: ReviewStatus;
  readonly findings: readonly Finding[];
}

export interface FindingItem {
  readonly kind: "finding";
  readonly finding: Finding;
}

export type Item = ReviewItem | FindingItem;

/** How an item is shown. */
export interface Look {
  readonly label: string;
  readonly description: string;
  /** Of VS Code's own icons, or the severity of an open finding. */
  readonly icon: string;
  /** The id of a theme's colour, or empty. */
  readonly color: string;
  /** What menus go by. */
  readonly context: string;
  /** For screen readers. */
  readonly spoken: string;
  /** Markdown; may be empty. */
  readonly detail: string;
}

const OVER: ReadonlySet<ReviewStatus["state"]> = new Set([
  "done",
  "cancelled",
  "failed",
]);

/** The newest review first; each with what it has found, the worst first. */
export function reviewItems({ reviews, findings }: ReviewList): readonly ReviewItem[] {
  return [...reviews].reverse().map((review) => ({
    kind: "review",
    review,
    findings: findings
      .filter(
        ({ reviewId, state }) => reviewId === review.reviewId && state !== "dismissed",
      )
      .sort(byWeight),
  }));
}

/** What a review has found. */
export function childrenOf(item: Item): readonly Item[] {
  return item.kind === "review"
    ? item.findings.map((finding) => ({ kind: "finding", finding }))
    : [];
}

/** What a row of the tree is called. */
export function idOf(item: Item): string {
  return item.kind === "review" ? item.review.reviewId : item.finding.id;
}

/** How far the newest running review is, for the title of the view: in its own row each
 * percent would draw the button "Cancel" again. */
export function progressOf(reviews: readonly ReviewStatus[]): string {
  const review = reviews.findLast(isRunning);
  return review === undefined
    ? ""
    : `${review.percentage} % ${review.step || review.state}`;
}

export function lookOf(item: Item): Look {
  return item.kind === "review" ? reviewLook(item) : findingLook(item.finding);
}

/** Whether a review goes on. */
export function isRunning({ state }: ReviewStatus): boolean {
  return !OVER.has(state);
}

function reviewLook({ review, findings }: ReviewItem): Look {
  const label = review.scope === "" ? "Review" : `Review of ${review.scope}`;
  const open = findings.filter(({ state }) => state === "open").length;
  const description = isRunning(review) ? "running" : ended(review, open);
  const [icon, color] = reviewIcon(review, open);
  const context = isRunning(review) ? "review-running" : "review-over";
  return {
    label,
    description,
    icon,
    color,
    context,
    spoken: `${label}, ${description}`,
    detail: "",
  };
}

function reviewIcon(review: ReviewStatus, open: number): readonly [string, string] {
  if (isRunning(review)) {
    return ["loading~spin", ""];
  }
  if (review.state === "failed") {
    return ["error", "list.errorForeground"];
  }
  if (review.state === "cancelled") {
    return ["circle-slash", ""];
  }
  if (review.partial) {
    return ["warning", "list.warningForeground"];
  }
  return open > 0 ? ["checklist", ""] : ["pass", "testing.iconPassed"];
}

function ended(review: ReviewStatus, open: number): string {
  const { state, message, cost, partial } = review;
  if (state === "failed") {
    return message || "failed";
  }
  const found = partial ? `not complete, ${count(open)}` : count(open);
  const words = state === "cancelled" ? "cancelled" : found;
  return cost !== null && cost > 0 ? `${words} · $${cost.toFixed(2)}` : words;
}

function findingLook(finding: Finding): Look {
  const { title, file, range, severity, category, state, fix, explanation } = finding;
  const where = `${file}:${range.start.line + 1}`;
  const suffix = state === "open" ? "" : `, ${state}`;
  return {
    label: title,
    description: `${where} · ${severity}${suffix}`,
    icon: state === "open" ? severity : state === "fixed" ? "pass" : "history",
    color: "",
    context:
      state === "open" && fix !== undefined ? "finding-fixable" : `finding-${state}`,
    spoken: `${severity} ${category}: ${title}, ${file}, line ${range.start.line + 1}${suffix}`,
    detail: explanation,
  };
}

function byWeight(a: Finding, b: Finding): number {
  return (
    Number(a.state !== "open") - Number(b.state !== "open") ||
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    a.file.localeCompare(b.file) ||
    a.range.start.line - b.range.start.line
  );
}

function count(n: number): string {
  return n === 0 ? "nothing found" : `${n} finding${n === 1 ? "" : "s"}`;
}
