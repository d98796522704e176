import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** A part of `.ci/full`. */
interface FullPart {
  /** Test files that no other tier has. */
  readonly files: readonly string[];
  /** Test files that run once more under the part's conditions, or the name of a list of `repeated`. */
  readonly again?: readonly string[] | "kernels" | "cells";
  /** Major version of Node that kernels are started with. */
  readonly node?: number;
  readonly engine?: string;
  readonly workers?: number;
}

/** Which test files run when. All that `test/tiers.json` does not list are plain. */
export interface Tiers {
  /** Plain tests that mock modules or start a kernel in their process, which would reach the next file of the same worker. */
  readonly isolated: readonly string[];
  readonly processes: readonly string[];
  readonly browser: readonly string[];
  readonly full: Readonly<Record<string, FullPart>>;
}

export const tiers: Tiers = JSON.parse(readFileSync(join(import.meta.dirname, "test/tiers.json"), "utf8"));

const fullFiles = Object.values(tiers.full).flatMap(({ files }) => files);

/** Tests of what a kernel does, whatever engine and version of Node it has. */
const kernels = [
  "test/kernel/endings.test.ts",
  "test/kernel/interrupt.test.ts",
  "test/kernel/live-tables.test.ts",
  "test/kernel/local-modules.test.ts",
  "test/kernel/protocol.test.ts",
  "test/kernel/subshells.test.ts",
  "test/kernel/widgets.test.ts",
];

/** Tests of code that runs cells, whatever the engine. */
const cells = [
  ...kernels,
  "test/docs/code-blocks.test.ts",
  "test/kernel/jupyterlab.test.ts",
  "test/notebook/run/run-notebook.test.ts",
];

const repeated = { kernels, cells };

/** The part of `.ci/full` that is running. */
const part = process.env["SITEFRAME_TEST_PART"];

const cores = availableParallelism();

/** What tests share: each starts when the first test asks for it. */
const globalSetup = ["trino-door", "shared-browser", "shared-demo"].map((name) => `test/support/${name}.ts`);

function partProject(name: string): TestProjectInlineConfiguration {
  const given = tiers.full[name];
  if (!given) throw new Error(`SITEFRAME_TEST_PART: unknown part "${name}". test/tiers.json lists the parts.`);
  const { files, again = [], node, engine, workers = cores } = given;
  const more = typeof again === "string" ? repeated[again] : again;
  return {
    extends: true,
    test: {
      name: "part",
      include: [...files, ...more],
      maxWorkers: workers,
      sequence: { groupOrder: 4 },
      env: {
        ...(node
          ? { SITEFRAME_TEST_NODE: join(import.meta.dirname, `.cache/node${node}/node_modules/.bin/node`) }
          : {}),
        ...(engine ? { SITEFRAME_TEST_ENGINE: engine } : {}),
      },
      globalSetup,
      // Trino's first test waits until its nodes are up.
      hookTimeout: 700_000,
    },
  };
}

/** File to which the results are written. */
const results = process.env["SITEFRAME_TEST_RESULTS"];

export default defineConfig({
  test: {
    reporters: [
      "default",
      "./test/support/retry-reporter.ts",
      ...(results ? [["json", { outputFile: results }] as ["json", { outputFile: string }]] : []),
    ],
    // Tests that take half a minute on two quiet cores take some minutes if other programs keep the cores busy.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Pages and processes take longer than a second on two busy cores.
    expect: { poll: { timeout: 30_000 } },
    pool: "forks",
    maxWorkers: cores,
    setupFiles: ["test/support/fast-check-seed.ts", "test/support/record-messages.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          include: ["test/**/*.test.ts"],
          exclude: [...tiers.isolated, ...tiers.processes, ...tiers.browser, ...fullFiles],
          // Loading the modules for each file again takes longer than most tests.
          isolate: false,
          env: { SITEFRAME_TEST_NODE_ONLY: "1" },
        },
      },
      { extends: true, test: { name: "isolated", include: [...tiers.isolated] } },
      { extends: true, test: { name: "processes", include: [...tiers.processes], sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          name: "browser",
          include: [...tiers.browser],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          // A page can lose its process on a busy machine. `retry-reporter.ts` prints each retry.
          retry: 1,
          globalSetup: ["test/support/shared-browser.ts", "test/support/shared-demo.ts"],
        },
      },
      part
        ? partProject(part)
        : {
            extends: true,
            test: {
              name: "full",
              include: fullFiles,
              sequence: { groupOrder: 3 },
              globalSetup,
            },
          },
    ],
  },
});
