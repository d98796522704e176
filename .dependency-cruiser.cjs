/**
 * The house rules of `src/`: data flows one way. A folder may import itself and the folders before it in `order`.
 * `index.ts` composes the public names and is imported by `cli` alone. No files import each other in a circle.
 */
const { order } = require("./scripts/house.json");

/** Folders of which one type names a later one: `Layer.history()` gives a `History`, `Reader.columns()` columns. */
const looksAhead = ["client", "layer"];

const downward = order.map((folder, index) => ({
  name: `${folder}-imports-upwards`,
  comment: `src/${folder} may import only ${order.slice(0, index + 1).join(", ")}`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: {
    path: "^src/",
    pathNot: [`^src/(${order.slice(0, index + 1).join("|")})/`, ...(folder === "cli" ? ["^src/index\\.ts$"] : [])],

    ...(looksAhead.includes(folder) ? { dependencyTypesNot: ["type-only"] } : {}),
  },
}));

module.exports = {
  forbidden: [
    ...downward,
    {
      name: "no-circular",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-orphans",
      severity: "error",
      from: {
        orphan: true,
        pathNot: [
          "^src/cli/main\\.ts$",
          "-main\\.ts$",
          "^src/[a-z]+/index\\.ts$",
          "^src/browser/",
          "^src/notebook/widget/page/",
        ],
      },
      to: {},
    },
    {
      name: "no-unlisted-package",
      comment: "src may use dependencies and optional peers only",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["type-only", "npm-peer"] },
    },
    {
      name: "no-unlisted-folder",
      comment: `Folders of src are ${order.join(", ")}`,
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: `^src/(${order.join("|")})/` },
      to: {},
    },
    {
      name: "plot-loads-no-history",
      comment: "A first cell that uses Plot waits for what src/plot/figure/plot.ts loads",
      severity: "error",
      from: { path: "^src/plot/figure/plot\\.ts$" },
      to: { path: "^src/history/history\\.ts$", reachable: true },
    },
    {
      name: "charts-load-no-history",
      comment:
        "A chart of a table waits for neither the log nor its questions: src/history/is-history.ts recognizes histories",
      severity: "error",
      from: { path: "^src/plot/" },
      to: { path: "^src/history/history\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "sample-imports-upwards",
      comment: "The sample company needs the service's contract and its random numbers",
      severity: "error",
      from: { path: "^sample/" },
      to: { path: "^src/", pathNot: "^src/(core|api)/" },
    },
    {
      name: "sample-is-for-the-command-line",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/cli/" },
      to: { path: "^sample/" },
    },
    {
      name: "browser-imports-tables",
      comment: "A browser script is part of every output: it loads only modules that run in pages",
      severity: "error",
      from: { path: "^src/browser/" },
      to: { path: "^src/", pathNot: "^src/(browser|tables|core)/" },
    },
    {
      name: "browser-scripts-are-loaded-by-path",
      comment: "src/tables/display/frame-script.ts embeds the bundled scripts",
      severity: "error",
      from: { pathNot: "^src/browser/" },
      to: { path: "^src/browser/" },
    },
    { name: "nothing-imports-cli", severity: "error", from: { pathNot: "^src/cli/" }, to: { path: "^src/cli/" } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] },
  },
};
