import type { Reporter, TestModule } from "vitest/node";

/** Retries that a run may have. More of them are a fault, not chance. */
const LIMIT = 2;

/** Prints each test that passed only when it ran again, with its first error, and fails the run after two of them. */
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
