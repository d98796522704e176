import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { bun, deno } from "../support/runtimes.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";

/** A typical program: reads, reconstructs a past date, draws, pulls, and queries the snapshot with SQL. */
const program = `
import { ArgumentError, connect, openSnapshot, pull } from "siteframe";
import { plot, Plot, toPNG } from "siteframe/plot";

const source = connect();
const panels = await source.layer({ site_id: 101, semantic_type: "SOLAR_PANELS" });
const history = await panels.history();
const counts = history.asOf("2024-06-30").groupby("STATUS").count().orderby("STATUS").objects();

const path = process.argv[2];
const { rows } = await pull(source, path);
const snapshot = await openSnapshot(path);
const stored = await (await snapshot.layer({ site_id: 101, semantic_type: "SOLAR_PANELS" })).history();
const total = await snapshot.sql("SELECT count(*)::INTEGER AS n FROM layer_features");

const figure = plot({ marks: [Plot.barY(counts, { x: "STATUS", y: "count" })] });
const png = await toPNG(figure);
let complaint = "";
try {
  history.asOf("2024-13-45");
} catch (error) {
  if (error instanceof ArgumentError) complaint = error.message;
}

console.log(JSON.stringify({
  columns: panels.table.columnNames(),
  rows: panels.table.numRows(),
  counts,
  changes: history.changes().numRows(),
  pulled: rows.layerFeatures,
  stored: stored.asOf("2024-06-30").groupby("STATUS").count().orderby("STATUS").objects(),
  total: total.get("n", 0),
  figure: figure.outerHTML.length,
  png: [...png.slice(1, 4)],
  complaint,
}));
`;

const runtimes = [
  { name: "Deno", path: deno, words: ["run", "--allow-all", "--no-lock"] },
  { name: "Bun", path: bun, words: ["run"] },
];

for (const { name, path } of runtimes) {
  if (path !== undefined) continue;
  process.stderr.write(`${name} is not here: the library is not tried on it.\n`);
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(`CI tries the library on ${name}: install it in .cache.`);
}

let service: SampleService;
const folder = temporaryFolder();
let expected: unknown;

interface Answer {
  readonly rows: number;
  readonly counts: readonly { readonly count: number }[];
  readonly pulled: number;
  readonly total: number;
}

async function run(runtime: string, words: readonly string[], snapshot: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(runtime, [...words, "use.mjs", join(folder, snapshot)], {
    cwd: folder,
    env: { ...process.env, SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey },
  });
  return JSON.parse(stdout);
}

beforeAll(async () => {
  await mkdir(join(folder, "node_modules"));
  await symlink(join(import.meta.dirname, "../.."), join(folder, "node_modules", "siteframe"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await writeFile(join(folder, "use.mjs"), program);
  service = await startSampleService();
  expected = await run(process.execPath, [], "node");
});

afterAll(() => service.close());

describe("the library on other runtimes than Node", () => {
  test("works on Node, for comparison", () => {
    expect(expected).toMatchObject({ png: [0x50, 0x4e, 0x47], complaint: expect.stringContaining("2024-13-45") });
    const { rows, counts, pulled, total } = expected as Answer;
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(rows);
    expect(counts.length).toBeGreaterThan(2);
    expect(total).toBe(pulled);
  });

  for (const { name, path, words } of runtimes) {
    test.runIf(path)(`has the same results on ${name} as on Node`, async () => {
      expect(await run(path ?? "", words, name)).toEqual(expected);
    });
  }
});
