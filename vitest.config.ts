import { defineConfig } from "vitest/config";

/**
 * What needs Jupyter or a browser, takes long because it starts many processes or compilers, or is a long random test. All
 * other files are the plain suite, which is to take less than three minutes on two cores.
 */
export const long = [
  "test/cli/cli.test.ts",
  "test/client/embedded-faults.test.ts",
  "test/client/faults.test.ts",
  "test/columns/json/json-oracle.test.ts",
  "test/docs/strict-cells.test.ts",
  "test/history/survival/survival.test.ts",
  "test/kernel/debugger/jupyterlab-debugger.test.ts",
  "test/kernel/debugger/kernel-debugger.test.ts",
  "test/kernel/endings.test.ts",
  "test/kernel/engine/battery/battery.test.ts",
  "test/kernel/engine/battery/deno.test.ts",
  "test/kernel/engine/language-engine.test.ts",
  "test/kernel/engine/local-modules.test.ts",
  "test/kernel/engine/notebook-config.test.ts",
  "test/kernel/engine/tslab/far-types.test.ts",
  "test/kernel/install/lab-extension-browser.test.ts",
  "test/kernel/interrupt.test.ts",
  "test/kernel/jupyter.test.ts",
  "test/kernel/jupyterlab.test.ts",
  "test/mcp/serve-mcp.test.ts",
  "test/notebook/run/run-notebook.test.ts",
  "test/plot/figure/chart-view-browser.test.ts",
  "test/plot/maps/map-browser.test.ts",
  "test/plot/maps/time-map-browser.test.ts",
  "test/plot/narrow-browser.test.ts",
  "test/plot/surroundings-browser.test.ts",
  "test/questions/engine/trino.test.ts",
  "test/questions/questions.test.ts",
  "test/questions/sample.test.ts",
  "test/questions/stored-answer.test.ts",
  "test/questions/stored.test.ts",
  "test/service/agreement.test.ts",
  "test/service/requests/connections.test.ts",
  "test/service/robustness.test.ts",
  "test/snapshot/columns/stored-changes.test.ts",
  "test/snapshot/crash.test.ts",
  "test/snapshot/database/moved-files.test.ts",
  "test/snapshot/diff/diff-snapshots.test.ts",
  "test/snapshot/equal-length-damage.test.ts",
  "test/snapshot/folder/folder-lock.test.ts",
  "test/snapshot/folder/tidy-folder.test.ts",
  "test/snapshot/ndjson/lossless.test.ts",
  "test/snapshot/pull/compact-log.test.ts",
  "test/snapshot/pull/pull.test.ts",
  "test/snapshot/questions/duckdb-engine.test.ts",
  "test/snapshot/serve/open-store.test.ts",
  "test/snapshot/sql/past.test.ts",
  "test/snapshot/sql/printed-query.test.ts",
  "test/snapshot/sql/sandbox.test.ts",
  "test/snapshot/sql/typed-totals.test.ts",
  "test/snapshot/write/canonical-columns.test.ts",
  "test/snapshot/write/join-parts.test.ts",
  "test/snapshot/write/plain-parquet.test.ts",
  "test/view/far-table-browser.test.ts",
  "test/view/firefox-browser.test.ts",
  "test/view/hosts-browser.test.ts",
  "test/view/table-browser.test.ts",
  "test/widget/page/control-browser.test.ts",
  "test/widget/widget-browser.test.ts",
];

/** What asks a real Trino or Spark: after all else, since their JVMs leave little of two cores. */
const trino = ["test/questions/trino/*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          include: ["test/**/*.test.ts"],
          exclude: [...long, ...trino],
          globalSetup: "test/support/say-what-is-left.ts",
        },
      },
      { extends: true, test: { name: "long", include: long } },
      {
        extends: true,
        test: {
          name: "trino",
          include: trino,
          globalSetup: "test/support/trino-door.ts",
          // The first test waits until the nodes are up.
          hookTimeout: 700_000,
          testTimeout: 180_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
