import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * What needs Jupyter or a browser, takes long because it starts many processes or compilers, or is a long random test. All
 * other files are the plain suite, which is to take less than three minutes on two cores.
 */
export const long = [
  "test/history/laws.test.ts",
  "test/history/index/long-log.test.ts",
  "test/history/cell/values-at.test.ts",
  "test/snapshot/write/geometries.test.ts",
  "test/docs/code-blocks.test.ts",
  "test/history/oracle.test.ts",
  "test/snapshot/remote/remote-folder.test.ts",
  "test/tables/cells/cells.test.ts",
  "test/snapshot/pull/present-format.test.ts",
  "test/snapshot/damage.test.ts",
  "test/source/odd-times.test.ts",
  "test/snapshot/lake/make-lake.test.ts",
  "test/snapshot/serve/open-newest-store.test.ts",
  "test/cli/cli.test.ts",
  "test/cli/lsp/random-edits.test.ts",
  "test/cli/lsp/serve-lsp.test.ts",
  "test/cli/report.test.ts",
  "test/client/embedded-faults.test.ts",
  "test/client/faults.test.ts",
  "test/client/read/many-pages.test.ts",
  "test/tables/json/json-oracle.test.ts",
  "test/tables/read/decode-columns.test.ts",
  "test/tables/read/record-strides.test.ts",
  "test/tables/sample-pages.test.ts",
  "test/docs/python.test.ts",
  "test/docs/site-browser.test.ts",
  "test/history/questions/public-logs.test.ts",
  "test/history/questions/tickets-in-python.test.ts",
  "test/history/time/pandas.test.ts",
  "test/history/time/working-calendar.test.ts",
  "test/history/to-ocel.test.ts",
  "test/package/other-runtimes.test.ts",
  "test/docs/strict-cells.test.ts",
  "test/history/grid/panel-codes.test.ts",
  "test/history/survival/survival.test.ts",
  "test/kernel/completion-kinds.test.ts",
  "test/kernel/debugger/jupyterlab-debugger.test.ts",
  "test/kernel/debugger/kernel-debugger.test.ts",
  "test/kernel/endings.test.ts",
  "test/kernel/engine/battery/battery.test.ts",
  "test/kernel/engine/battery/deno.test.ts",
  "test/kernel/engine/battery/questions.test.ts",
  "test/kernel/engine/language-engine.test.ts",
  "test/kernel/engine/local-modules.test.ts",
  "test/kernel/engine/loops.test.ts",
  "test/kernel/engine/notebook-config.test.ts",
  "test/kernel/engine/run/mend-builtins.test.ts",
  "test/kernel/engine/tslab/far-types.test.ts",
  "test/kernel/hostile-messages.test.ts",
  "test/kernel/install/lab-extension-browser.test.ts",
  "test/kernel/install/lab-language-browser.test.ts",
  "test/kernel/interrupt.test.ts",
  "test/kernel/jupyter.test.ts",
  "test/kernel/jupyterlab.test.ts",
  "test/kernel/papermill.test.ts",
  "test/kernel/protocol.test.ts",
  "test/kernel/subshells.test.ts",
  "test/layer/deep-values.test.ts",
  "test/layer/geometry.test.ts",
  "test/layer/typed-exports.test.ts",
  "test/cli/mcp/serve-mcp.test.ts",
  "test/cli/mcp/figure-tool.test.ts",
  "test/notebook/file/jupytext.test.ts",
  "test/cli/convert.test.ts",
  "test/notebook/page/axe-browser.test.ts",
  "test/notebook/page/page-browser.test.ts",
  "test/notebook/run/cells-ahead.test.ts",
  "test/notebook/run/loading.test.ts",
  "test/notebook/run/run-notebook.test.ts",
  "test/plot/charts/many-values.test.ts",
  "test/plot/figure/chart-view-browser.test.ts",
  "test/plot/ground/ground-browser.test.ts",
  "test/plot/maps/map-browser.test.ts",
  "test/plot/maps/map-tools-browser.test.ts",
  "test/plot/maps/time-map-browser.test.ts",
  "test/plot/narrow-browser.test.ts",
  "test/plot/nightly-report.test.ts",
  "test/plot/spoken-figures.test.ts",
  "test/plot/surroundings-browser.test.ts",
  "test/history/questions/engine/trino.test.ts",
  "test/history/questions/questions.test.ts",
  "test/history/questions/sample.test.ts",
  "test/history/questions/sql/dialect/dialects.test.ts",
  "test/history/questions/sql/dialect/parsed-sql.test.ts",
  "test/history/questions/stored-answer.test.ts",
  "test/history/questions/stored.test.ts",
  "test/service/agreement.test.ts",
  "test/service/requests/connections.test.ts",
  "test/service/robustness.test.ts",
  "test/snapshot/columns/columns.test.ts",
  "test/snapshot/columns/stored-changes.test.ts",
  "test/snapshot/crash.test.ts",
  "test/snapshot/database/moved-files.test.ts",
  "test/snapshot/diff/diff-snapshots.test.ts",
  "test/snapshot/equal-length-damage.test.ts",
  "test/snapshot/folder/folder-lock.test.ts",
  "test/snapshot/folder/foreign-paths.test.ts",
  "test/snapshot/folder/tidy-folder.test.ts",
  "test/snapshot/geoparquet-readers.test.ts",
  "test/snapshot/lake/lake-in-cli.test.ts",
  "test/snapshot/lake/lake-in-duckdb-2.test.ts",
  "test/snapshot/lake/lake-in-r.test.ts",
  "test/snapshot/lake/lake-on-s3.test.ts",
  "test/snapshot/lake/lake.test.ts",
  "test/snapshot/ndjson/import-ndjson.test.ts",
  "test/snapshot/ndjson/lossless.test.ts",
  "test/snapshot/pull/compact-log.test.ts",
  "test/snapshot/pull/pull-progress.test.ts",
  "test/snapshot/pull/pull.test.ts",
  "test/snapshot/questions/duckdb-engine.test.ts",
  "test/snapshot/questions/snapshot-questions.test.ts",
  "test/snapshot/remote/aws-profiles.test.ts",
  "test/snapshot/serve/open-store.test.ts",
  "test/snapshot/sql/past.test.ts",
  "test/snapshot/sql/printed-query.test.ts",
  "test/snapshot/sql/sandbox-process.test.ts",
  "test/snapshot/sql/sandbox.test.ts",
  "test/snapshot/sql/sql.test.ts",
  "test/snapshot/sql/stored-values.test.ts",
  "test/snapshot/sql/typed-totals.test.ts",
  "test/snapshot/write/canonical-columns.test.ts",
  "test/snapshot/write/join-parts.test.ts",
  "test/snapshot/write/plain-parquet.test.ts",
  "test/source/same-answers.test.ts",
  "test/tables/display/far-table-browser.test.ts",
  "test/tables/display/firefox-browser.test.ts",
  "test/tables/display/hosts-browser.test.ts",
  "test/tables/display/table-browser.test.ts",
  "test/notebook/widget/page/control-browser.test.ts",
  "test/notebook/widget/page/hostile-outputs-browser.test.ts",
  "test/notebook/widget/linked-browser.test.ts",
  "test/notebook/widget/widget-browser.test.ts",
];

/** What a kernel does whatever the engine of its cells, and whatever the Node that it runs on. */
const ofKernels = [
  "test/kernel/endings.test.ts",
  "test/kernel/interrupt.test.ts",
  "test/kernel/live-tables.test.ts",
  "test/kernel/local-modules.test.ts",
  "test/kernel/protocol.test.ts",
  "test/kernel/subshells.test.ts",
  "test/kernel/widgets.test.ts",
];

/** What runs cells whatever their engine. Commands, widgets and notebooks by other clients have nothing of their own to do with it. */
const ofCells = [
  ...ofKernels,
  "test/docs/code-blocks.test.ts",
  "test/kernel/jupyterlab.test.ts",
  "test/notebook/run/run-notebook.test.ts",
];

/**
 * What CI runs once more: each Node with one engine, since what they have to do with each other is the same everywhere.
 * Vitest takes projects by name: what takes long must not come after all that is short.
 */
const others: readonly {
  readonly name: string;
  readonly include: readonly string[];
  readonly env: Record<string, string>;
}[] = (
  [
    ["cells-tslab", ofCells, "tslab", 24],
    ["kernel-node22", ofKernels, "typescript", 22],
    ["kernel-node26", ofKernels, "typescript", 26],
  ] as const
).map(([name, include, engine, major]) => ({
  name,
  include,
  env: {
    SITEFRAME_TEST_ENGINE: engine,
    SITEFRAME_TEST_NODE: join(import.meta.dirname, `.cache/node${major}/node_modules/.bin/node`),
  },
}));

/** What asks a real Trino or Spark: after all else, since their JVMs leave little of two cores. */
const trino = ["test/history/questions/trino/*.test.ts"];

export default defineConfig({
  test: {
    // Some take half a minute and more on two busy cores.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What pages and processes come to takes longer than a second on two busy cores.
    expect: { poll: { timeout: 30_000 } },
    pool: "forks",
    // One more than CI has cores: many tests wait for a process or a page.
    maxWorkers: 3,
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
      ...(process.env["SITEFRAME_REQUIRE_ALL"]
        ? others.map(({ name, include, env }) => ({
            extends: true as const,
            test: { name, include: [...include], env },
          }))
        : []),
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
