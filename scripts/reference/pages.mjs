// The pages of the documentation in the order of the menu. The site, llms.txt and llms-full.txt are made from this list.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** How-to pages in six groups. */
const howTo = {
  "Read and export": [
    ...["read-a-layer", "filter-layers", "columns-and-units", "time-zones", "transform-tables", "derive-columns"],
    ...["follow-relations", "spatial-joins", "compare-captures", "estimate-losses", "inspection-records"],
    "survey-areas",
    ...["load-your-own-records", "export-tables", "export-to-excel", "read-large-layers", "configure-requests"],
    ...["handle-errors", "diagnostics", "protect-personal-data"],
  ],
  "Values over time": [
    ...["values-at-a-date", "past-layers", "counts-over-time", "quantities-and-credits", "join-values-as-of"],
    ...["list-changes", "durations-and-survival", "compare-with-a-plan", "progress-of-a-site"],
    ...["forecast-completion", "working-calendars", "check-the-log", "late-edits", "aging-tickets", "ticket-flow"],
    ...["cycle-times", "load-a-change-log", "jira", "github", "dbt-snapshots", "event-logs"],
  ],
  "Charts, maps and reports": [
    ...["charts", "tooltips", "maps", "basemaps", "save-figures", "custom-plots", "reports", "widgets"],
    ...["linked-views", "custom-widgets"],
  ],
  Notebooks: [
    ...[
      "jupyterlab",
      "notebook-cells",
      "vscode",
      "live-tables",
      "notebook-imports",
      "debug-and-interrupt",
      "language-server",
    ],
    ...["run-notebooks", "notebooks-as-scripts", "share-notebooks", "papermill-and-tslab"],
  ],
  "Snapshots and SQL": [
    ...["pull-a-snapshot", "open-a-snapshot", "remote-snapshots", "compare-generations", "query-with-sql"],
    ...["past-in-sql", "ducklake", "prune-snapshots", "long-logs", "trino", "spark", "cloud-engines"],
  ],
  "Other tools": [
    ...["mcp", "mcp-questions", "serve-sample-data", "test-against-the-service", "connect-power-bi"],
    ...["connect-qgis", "connect-pandas", "read-parquet-files", "connect-r"],
  ],
};

const tutorial = [
  ...["docs/README.md", "docs/install.md", "docs/tutorial/1-first-table.md", "docs/tutorial/2-past-dates.md"],
  ...["docs/tutorial/3-your-own-data.md", "docs/cheat-sheet.md", "docs/recipes.md", "docs/troubleshooting.md"],
  ...["docs/coming-from/pandas.md", "docs/coming-from/arquero.md", "docs/coming-from/sql.md"],
];

const explanation = [
  ...["time-model", "reading-guarantees", "snapshots", "engines", "colors", "security", "comparison"],
].map((name) => `docs/explanation/${name}.md`);

const reference = [
  ...["docs/api/README.md", "docs/api/siteframe.md", "docs/api/siteframe/arquero.md", "docs/api/siteframe/plot.md"],
  ...["docs/api/siteframe/widget.md", "docs/api/diagnostics.md", "docs/api/service.md", "docs/cli.md"],
  "docs/glossary.md",
];

const project = [
  ...["docs/decisions/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "SKILL.md", "AGENTS.md"],
];

const isThere = (path) => existsSync(join(root, path));

/** Sections of the documentation: their pages, or groups of pages. */
export const sections = [
  { text: "Tutorial", pages: tutorial.filter(isThere) },
  {
    text: "How-to",
    groups: Object.entries(howTo)
      .map(([text, names]) => ({ text, pages: names.map((name) => `docs/how-to/${name}.md`).filter(isThere) }))
      .filter(({ pages }) => pages.length > 0),
  },
  { text: "Explanation", pages: explanation.filter(isThere) },
  { text: "Reference", pages: reference.filter(isThere) },
  { text: "Project", pages: project.filter(isThere) },
];

const listed = new Set(
  sections.flatMap(({ pages = [], groups = [] }) => [pages, ...groups.map((g) => g.pages)]).flat(),
);
const unlisted = ["docs/tutorial", "docs/how-to", "docs/explanation", "docs/coming-from"]
  .filter(isThere)
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((path) => path.endsWith(".md") && !listed.has(path));
if (unlisted.length > 0)
  throw new Error(`scripts/reference/pages.mjs: add ${unlisted.join(", ")} to the list of pages.`);
