// The server's commands, typed.

import type { CancellationToken } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import {
  commands,
  type AcceptResult,
  type BringBackArguments,
  type EditArguments,
  type EditOutcome,
  type EditState,
  type EditTargetArguments,
  type EditTargetResult,
  type ExplainArguments,
  type FilesArguments,
  type FilesResult,
  type Explanation,
  type HunkArguments,
  type LastPrompt,
  type LastPromptArguments,
  type PromptsResult,
  type RedirectArguments,
  type RedirectResult,
  type SessionArguments,
  type StopArguments,
  type StopResult,
  type TakeBackArguments,
  type TakeBackResult,
  type WriteTestsArguments,
  type WriteTestsResult,
} from "../protocol";
import type { Status } from "../protocol-status";
import type {
  ApplyFixArguments,
  ApplyFixResult,
  CancelReviewResult,
  DeepReviewArguments,
  DeepReviewResult,
  DismissArguments,
  DismissResult,
  OpenReportArguments,
  OpenReportResult,
  ReviewArguments,
  ReviewList,
  ReviewsArguments,
} from "../protocol-reviews";
import type {
  ApplyPlanArguments,
  ApplyPlanResult,
  CancelPlanResult,
  DebugArguments,
  OpenPlanResult,
  PlanArguments,
  PlanIdArguments,
  PlanList,
  PlanStarted,
  RejectPlanResult,
  RunPlanArguments,
} from "../protocol-plans";
import type {
  RunTestsArguments,
  RunTestsResult,
  TestOutputArguments,
  TestOutputResult,
  TestRunList,
} from "../protocol-tests";
import type {
  NextPromptArguments,
  NextPromptResult,
  SharpenArguments,
  SharpenResult,
} from "../protocol-sharpen";

/** What each command that the extension sends takes and gives. */
interface Signatures {
  readonly edit: [EditArguments, EditOutcome];
  readonly variations: [EditArguments, EditOutcome];
  readonly redirect: [RedirectArguments, RedirectResult];
  readonly stop: [StopArguments, StopResult];
  readonly accept: [HunkArguments, AcceptResult];
  readonly reject: [HunkArguments, AcceptResult];
  readonly nextCandidate: [SessionArguments, EditState];
  readonly editState: [SessionArguments, EditState];
  readonly takeBack: [TakeBackArguments, TakeBackResult];
  readonly bringBack: [BringBackArguments, EditOutcome];
  readonly editTarget: [EditTargetArguments, EditTargetResult];
  readonly sharpen: [SharpenArguments, SharpenResult];
  readonly nextPrompt: [NextPromptArguments, NextPromptResult];
  readonly files: [FilesArguments, FilesResult];
  readonly prompts: [Record<string, never>, PromptsResult];
  readonly explain: [ExplainArguments, Explanation];
  readonly writeTests: [WriteTestsArguments, WriteTestsResult];
  readonly deepReview: [DeepReviewArguments, DeepReviewResult];
  readonly reviews: [ReviewsArguments, ReviewList];
  readonly cancelReview: [ReviewArguments, CancelReviewResult];
  readonly openReport: [OpenReportArguments, OpenReportResult];
  readonly dismiss: [DismissArguments, DismissResult];
  readonly applyFix: [ApplyFixArguments, ApplyFixResult];
  readonly debug: [DebugArguments, PlanStarted];
  readonly runTests: [RunTestsArguments, RunTestsResult];
  readonly testRuns: [Record<string, never>, TestRunList];
  readonly testOutput: [TestOutputArguments, TestOutputResult];
  readonly plan: [PlanArguments, PlanStarted];
  readonly applyPlan: [ApplyPlanArguments, ApplyPlanResult];
  readonly plans: [Record<string, never>, PlanList];
  readonly runPlan: [RunPlanArguments, PlanStarted];
  readonly rejectPlan: [PlanIdArguments, RejectPlanResult];
  readonly cancelPlan: [PlanIdArguments, CancelPlanResult];
  readonly openPlan: [PlanIdArguments, OpenPlanResult];
  readonly status: [Record<string, never>, Status];
  readonly lastPrompt: [LastPromptArguments, LastPrompt];
}

/** Send a command; rejects with what the server says went wrong. */
export async function send<Name extends keyof Signatures>(
  client: LanguageClient,
  name: Name,
  given: Signatures[Name][0],
  cancel?: CancellationToken,
): Promise<Signatures[Name][1]> {
  const params = { command: commands[name], arguments: [given] };
  // The server's answer to a command of its own is of the type that the protocol says.
  return await client.sendRequest("workspace/executeCommand", params, cancel);
}
