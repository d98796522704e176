import type { Reporter, TestModule } from "vitest/node";

/** Maximum number of retries in a run. */
const LIMIT = 2;

/** Prints each test that passed only in a retry, with its first error. More than two fail the run. */
export default class RetryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0);
    for (const test of retried) {
      const [first] = test.result().errors ?? [];
      process.stderr.write(`retried: ${test.fullName}, ${first?.message ?? "no error was recorded"}\n`);
    }
    if (retried.length <= LIMIT) return;
    process.stderr.write(`${retried.length} tests were retried, ${LIMIT} may be.\n`);
    process.exitCode = 1;
  }
}
