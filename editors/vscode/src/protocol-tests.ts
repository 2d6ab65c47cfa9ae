// The part of the protocol about test runs; see `protocol.ts`.

import type { Position, Range } from "vscode-languageclient";

/** Arguments of `redline.runTests`: a test, the one at a place, or all. */
export interface RunTestsArguments {
  readonly uri: string;
  readonly test?: string;
  readonly position?: Position;
}

/** The result of `redline.runTests`. */
export interface RunTestsResult {
  readonly runId: string;
}

/** Arguments of `redline.cancelTests`. */
export interface CancelTestsArguments {
  readonly runId?: string;
}

/** The result of `redline.cancelTests`. */
export interface CancelTestsResult {
  readonly cancelled: boolean;
}

/** A failure of a run. */
export interface TestFailure {
  readonly id: string;
  readonly test: string;
  readonly message: string;
  /** Empty: no file of the workspace. */
  readonly uri: string;
  readonly range: Range;
}

/** `redline/tests`, and a member of the result of `redline.testRuns`. */
export interface TestRunStatus {
  readonly runId: string;
  readonly uri: string;
  readonly title: string;
  readonly tests: readonly string[];
  readonly state:
    "waiting" | "running" | "passed" | "failed" | "error" | "timeout" | "cancelled";
  readonly message: string;
  readonly failed: readonly string[];
  readonly failures: readonly TestFailure[];
}

/** The result of `redline.testRuns`. */
export interface TestRunList {
  readonly runs: readonly TestRunStatus[];
}

/** Arguments of `redline.testOutput`. */
export interface TestOutputArguments {
  readonly runId: string;
}

/** The result of `redline.testOutput`. */
export interface TestOutputResult {
  readonly output: string;
}

/** The `data` of a diagnostic: which failure it is. */
export interface FailureData {
  readonly failure: string;
}
