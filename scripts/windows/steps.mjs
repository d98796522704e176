// The steps of check-windows.mjs. Each step runs in a new process in the same folder, so that later steps read
// what earlier steps wrote. `node steps.mjs INDEX` runs one step; steps with `command` run the command siteframe instead.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {() => Promise<void>} [run] throws if the result is wrong
 * @property {readonly string[]} [command] arguments of the command siteframe, which runs instead of `run`
 * @property {number} [status] exit code of the command. Default: 0
 * @property {RegExp} [prints] pattern of the command's output, on either stream
 * @property {"Windows" | "junctions" | "no junctions"} [needs] where the step can run: the cells of a notebook need links
 * between folders, which Wine does not have. Default: everywhere
 */

const snapshotFolder = "Site data.snapshot";
const readAt = new Date("2024-12-31T00:00:00Z");
const at = (date) => `${date}T00:00:00Z`;
const uuid = (n) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

function feature(id, STATUS) {
  return {
    id,
    visible_id: `T-${id}`,
    properties: { STATUS },
    geometry: { type: "Point", coordinates: [11.5 + id / 1000, 48.1] },
    dataset_id: 1,
    site_id: 12,
    operation_id: null,
    company_id: 3,
    semantic_type: "TRENCHES",
    description: "",
    created_at: at("2024-01-01"),
    updated_at: at("2024-01-01"),
  };
}

function change(n, id, value, date) {
  return {
    id: uuid(n),
    layer_feature_id: id,
    property_key: "STATUS",
    new_value: value,
    system: false,
    user_id: 7,
    caused_by_change_id: null,
    created_at: at(date),
  };
}

/** Two trenches, of which the second is open until the second reading. */
async function records(second = "OPEN") {
  const { fromRecords } = await import("siteframe");
  const dataset = {
    id: 1,
    identifier: "trenches",
    site_id: 12,
    operation_id: null,
    name: "Trenches",
    status: "COMPLETED",
    semantic_type: "TRENCHES",
    layout_definition: null,
  };
  const changes = [change(1, 1, "OPEN", "2024-02-01"), change(2, 1, "DONE", "2024-03-01")];
  if (second === "DONE") changes.push(change(3, 2, "DONE", "2024-06-01"));
  const features = [feature(1, "DONE"), { ...feature(2, second), updated_at: at("2024-06-01") }];
  return fromRecords({ datasets: [dataset], layerFeatures: features, propertyChanges: changes }, { readAt });
}

async function layer() {
  return (await records()).layer({ site_id: 12 });
}

async function withSnapshot(use, options = {}, path = snapshotFolder) {
  const { openSnapshot } = await import("siteframe");
  const snapshot = await openSnapshot(path, options);
  try {
    await use(snapshot);
  } finally {
    await snapshot.close();
  }
}

function assertNothingUnfinished(folder) {
  const left = readdirSync(folder).filter((name) => /unfinished|\.lock|\.pull/.test(name));
  assert.deepEqual(left, []);
}

const log = `issue,field,to,at
A-1,status,Open,2024-01-03T10:00:00Z
A-2,status,Open,2024-01-04T10:00:00Z
A-1,status,Done,2024-01-05T10:00:00Z
`;
const logColumns = { id: "issue", key: "field", value: "to", time: "at" };
const logFlags = ["--id", "issue", "--key", "field", "--value", "to", "--time", "at"];

/** @type {readonly Step[]} */
export const steps = [
  {
    name: "import every entry point",
    async run() {
      const { connect } = await import("siteframe");
      const [{ aq }, { plot }, { slider }] = await Promise.all([
        import("siteframe/arquero"),
        import("siteframe/plot"),
        import("siteframe/widget"),
      ]);
      for (const value of [connect, aq.table, plot, slider]) assert.equal(typeof value, "function");
    },
  },
  {
    name: "layer of records",
    async run() {
      const { table } = await layer();
      assert.deepEqual(table.array("STATUS"), ["DONE", "OPEN"]);
    },
  },
  {
    name: "values at a date",
    async run() {
      const history = await (await layer()).history();
      assert.deepEqual(history.asOf("2024-02-15").array("STATUS"), ["OPEN", "OPEN"]);
      assert.deepEqual(history.asOf("2024-04-01").array("STATUS"), ["DONE", "OPEN"]);
    },
  },
  {
    name: "counts on many dates",
    async run() {
      const history = await (await layer()).history();
      const counts = history.counts("STATUS", { from: "2024-02-01", until: "2024-04-01", every: "month" });
      assert.ok(counts.numRows() >= 3);
    },
  },
  {
    name: "SQL of a layer",
    async run() {
      const table = await (await layer()).sql("SELECT STATUS, count(*) AS n FROM layer GROUP BY 1 ORDER BY 1");
      assert.deepEqual(table.array("STATUS"), ["DONE", "OPEN"]);
    },
  },
  {
    name: "export CSV",
    async run() {
      await (await layer()).toCSV({ path: "layer.csv" });
      assert.match(readFileSync("layer.csv", "utf8"), /T-1/);
    },
  },
  {
    name: "replace an export",
    async run() {
      await (await layer()).toCSV({ path: "layer.csv" });
      assert.deepEqual(
        readdirSync(".").filter((name) => name.startsWith("layer.csv")),
        ["layer.csv"],
      );
    },
  },
  {
    name: "export a file whose name is not ASCII",
    async run() {
      await (await layer()).toCSV({ path: "Gräben – Süd.csv" });
      assert.match(readFileSync("Gräben – Süd.csv", "utf8"), /T-1/);
    },
  },
  {
    name: "error for a file name that Windows refuses",
    needs: "Windows",
    async run() {
      const { FileError } = await import("siteframe");
      await assert.rejects((await layer()).toCSV({ path: "north<south>.csv" }), FileError);
    },
  },
  {
    name: "export XLSX",
    async run() {
      await (await layer()).toXLSX({ path: "layer.xlsx" });
      assert.equal(readFileSync("layer.xlsx").toString("latin1", 0, 2), "PK");
    },
  },
  {
    name: "export Parquet",
    async run() {
      await (await layer()).toParquet({ path: "layer.parquet" });
      assert.equal(readFileSync("layer.parquet").toString("latin1", 0, 4), "PAR1");
    },
  },
  {
    name: "export GeoPackage",
    async run() {
      await (await layer()).toGeoPackage({ path: "layer.gpkg" });
      assert.equal(readFileSync("layer.gpkg").toString("latin1", 0, 13), "SQLite format");
    },
  },
  {
    name: "export Arrow and GeoJSON",
    async run() {
      const exported = await layer();
      assert.ok((await exported.toArrowIPC()).length > 0);
      assert.equal(exported.toGeoJSON().features.length, 2);
    },
  },
  {
    name: "pull into a new folder",
    async run() {
      const { pull } = await import("siteframe");
      await pull(await records(), snapshotFolder);
      assertNothingUnfinished(snapshotFolder);
    },
  },
  {
    name: "layer of a snapshot",
    run: () =>
      withSnapshot(async (snapshot) => {
        const { table } = await snapshot.layer({ site_id: 12 });
        assert.deepEqual(table.array("STATUS"), ["DONE", "OPEN"]);
      }),
  },
  {
    name: "snapshot at a file: URL",
    run: () =>
      withSnapshot(
        async (snapshot) => assert.equal((await snapshot.layer({ site_id: 12 })).table.numRows(), 2),
        {},
        pathToFileURL(resolve(snapshotFolder)).href,
      ),
  },
  {
    name: "write a DuckLake catalog",
    async run() {
      const { writeDuckLake } = await import("siteframe");
      assert.ok(existsSync((await writeDuckLake(snapshotFolder)).path));
      assertNothingUnfinished(snapshotFolder);
    },
  },
  {
    name: "pull while the folder is being read, catalog included",
    run: () =>
      withSnapshot(async (snapshot) => {
        const { pull } = await import("siteframe");
        const reading = await snapshot.layer({ site_id: 12 });
        await snapshot.sql("SELECT count(*) FROM layer_features");
        await pull(await records("DONE"), snapshotFolder);
        assert.deepEqual(reading.table.array("STATUS"), ["DONE", "OPEN"]);
        const before = await snapshot.sql("SELECT count(*)::INTEGER AS n FROM property_changes");
        assert.deepEqual(before.array("n"), [2]);
        assertNothingUnfinished(snapshotFolder);
      }),
  },
  {
    name: "latest generation",
    run: () =>
      withSnapshot(async (snapshot) => {
        const { table } = await snapshot.layer({ site_id: 12 });
        assert.deepEqual(table.array("STATUS"), ["DONE", "DONE"]);
      }),
  },
  {
    name: "earlier generation",
    run: () =>
      withSnapshot(
        async (snapshot) => {
          const { table } = await snapshot.layer({ site_id: 12 });
          assert.deepEqual(table.array("STATUS"), ["DONE", "OPEN"]);
        },
        { generation: 1 },
      ),
  },
  {
    name: "history of a snapshot",
    run: () =>
      withSnapshot(async (snapshot) => {
        const history = await snapshot.history({ semantic_type: "TRENCHES" });
        assert.deepEqual(history.asOf("2024-06-15").array("STATUS"), ["DONE", "DONE"]);
      }),
  },
  {
    name: "questions of a snapshot",
    run: () =>
      withSnapshot(async (snapshot) => {
        const questions = await snapshot.lazyHistory({ semantic_type: "TRENCHES" });
        assert.deepEqual((await questions.asOf("2024-06-15")).array("STATUS"), ["DONE", "DONE"]);
        await questions.close();
      }),
  },
  {
    name: "SQL of a snapshot",
    run: () =>
      withSnapshot(async (snapshot) => {
        const table = await snapshot.sql("SELECT STATUS FROM TRENCHES_AT('2024-06-15') ORDER BY id");
        assert.deepEqual(table.array("STATUS"), ["DONE", "DONE"]);
      }),
  },
  {
    name: "SQL of a snapshot in a sandbox",
    run: () =>
      withSnapshot(async (snapshot) => {
        const table = await snapshot.sql("SELECT count(*)::INTEGER AS n FROM layer_features", { sandbox: true });
        assert.deepEqual(table.array("n"), [2]);
      }),
  },
  {
    name: "compare two generations",
    async run() {
      const { diffSnapshots } = await import("siteframe");
      assert.ok(await diffSnapshots(snapshotFolder, { from: 1, to: 2 }));
    },
  },
  {
    name: "verify a snapshot",
    async run() {
      const { verifySnapshot } = await import("siteframe");
      await verifySnapshot(snapshotFolder);
    },
  },
  {
    name: "pin a generation",
    async run() {
      const { pinGeneration } = await import("siteframe");
      const { path } = await pinGeneration(snapshotFolder);
      assert.ok(statSync(path).isDirectory());
      assertNothingUnfinished(snapshotFolder);
    },
  },
  {
    name: "error for a folder that is not a snapshot",
    async run() {
      const { SnapshotError, pull } = await import("siteframe");
      await assert.rejects(pull(await records(), "."), SnapshotError);
    },
  },
  {
    name: "history of a CSV file of changes",
    async run() {
      const { fromChanges } = await import("siteframe");
      writeFileSync("log.csv", log);
      const history = await fromChanges("log.csv", logColumns);
      assert.deepEqual(history.asOf("2024-01-06").array("status").toSorted(), ["Done", "Open"]);
    },
  },
  {
    name: "history of a CSV file with CRLF line endings",
    async run() {
      const { fromChanges } = await import("siteframe");
      writeFileSync("crlf.csv", log.replaceAll("\n", "\r\n"));
      const history = await fromChanges(pathToFileURL("crlf.csv"), logColumns);
      assert.deepEqual(history.asOf("2024-01-06").array("status").toSorted(), ["Done", "Open"]);
    },
  },
  {
    name: "draw a chart as PNG",
    async run() {
      const { Plot, plot, toPNG } = await import("siteframe/plot");
      const png = await toPNG(plot({ marks: [Plot.ruleX([0])] }));
      assert.equal(Buffer.from(png).toString("latin1", 1, 4), "PNG");
    },
  },
  {
    name: "draw a map",
    async run() {
      const { layerMap } = await import("siteframe/plot");
      assert.match(String(layerMap(await layer(), "STATUS").outerHTML), /<svg/);
    },
  },
  { name: "siteframe --help", command: ["--help"], prints: /Usage: siteframe/ },
  { name: "siteframe openapi", command: ["openapi"], prints: /"openapi": ?"3\.1\.0"/ },
  {
    name: "siteframe import --changes",
    command: ["import", "--changes", "log.csv", ...logFlags, "log.snapshot"],
  },
  {
    name: "folder after siteframe import --changes",
    run: async () => assertNothingUnfinished("log.snapshot"),
  },
  {
    name: "siteframe import --changes again",
    command: ["import", "--changes", "log.csv", ...logFlags, "log.snapshot"],
  },
  {
    name: "siteframe sql",
    command: ["sql", "log.snapshot", "SELECT status FROM ENTITIES_AT('2024-01-06') ORDER BY 1"],
    prints: /Done[\s\S]*Open/,
  },
  {
    name: "siteframe sql --format csv",
    command: ["sql", snapshotFolder, "SELECT visible_id FROM layer_features ORDER BY 1", "--format", "csv"],
    prints: /T-1\r?\nT-2/,
  },
  {
    name: "siteframe sql --out",
    command: ["sql", snapshotFolder, "FROM layer_features", "--format", "parquet", "--out", "features.parquet"],
  },
  {
    name: "siteframe sql with a question",
    command: [
      "sql",
      snapshotFolder,
      "counts",
      "--semantic-type",
      "TRENCHES",
      "--column",
      "STATUS",
      "--date",
      "2024-06-15",
    ],
    prints: /DONE/,
  },
  { name: "siteframe snapshot list", command: ["snapshot", "list", snapshotFolder], prints: /2/ },
  {
    name: "siteframe snapshot diff --exit-code",
    command: ["snapshot", "diff", "--exit-code", snapshotFolder],
    status: 3,
  },
  { name: "siteframe verify", command: ["verify", snapshotFolder], prints: /sound/ },
  { name: "siteframe ducklake", command: ["ducklake", snapshotFolder] },
  { name: "siteframe export", command: ["export", snapshotFolder, "exported"] },
  { name: "siteframe import", command: ["import", "exported", "imported.snapshot"] },
  { name: "folder after siteframe import", run: async () => assertNothingUnfinished("imported.snapshot") },
  { name: "siteframe snapshot prune", command: ["snapshot", "prune", snapshotFolder, "--limit", "1"] },
  { name: "siteframe types", command: ["types", "--snapshot", snapshotFolder, "--out", "site.d.ts"] },
  { name: "siteframe ddl spark", command: ["ddl", "spark", snapshotFolder], prints: /file:\/\/\// },
  { name: "siteframe report --eject", command: ["report", "progress", "--eject", "progress.ipynb"] },
  { name: "siteframe convert to a script", command: ["convert", "progress.ipynb", "progress.ts"] },
  { name: "siteframe convert to a notebook", command: ["convert", "progress.ts", "again.ipynb"] },
  {
    name: "error of siteframe for a missing folder",
    command: ["snapshot", "list", "missing.snapshot"],
    status: 1,
    prints: /missing\.snapshot/,
  },
  { name: "siteframe kernel install", command: ["kernel", "install", "--prefix", "jupyter"] },
  { name: "siteframe kernel uninstall", command: ["kernel", "uninstall", "--prefix", "jupyter"] },
  {
    name: "reason of siteframe run if the process of the cells does not start",
    command: ["run", "cell.ipynb"],
    needs: "no junctions",
    status: 1,
    prints: /did not start: Error: ENOTSUP.*symlink.*\(exit code 1\)/,
  },
  { name: "siteframe run", command: ["run", "cell.ipynb"], needs: "junctions" },
];

if (process.argv[1] === import.meta.filename) await steps[Number(process.argv[2])].run();
