/** Reads a log in CSV: `node read-csv.mjs siteframe|duckdb PATH ROWS`. Loading modules does not count. */
import { assertEqual, report } from "../programs.mjs";

const [who, path, rows] = [process.argv[2], process.argv[3], Number(process.argv[4])];

const variants = {
  async siteframe() {
    const { fromChanges } = await import("../../modules/index.js");
    await Promise.all([
      import("arquero"),
      import("../../modules/history/build-history.js"),
      import("../../modules/source/from-changes.js"),
    ]);
    const columns = { id: "issue", key: "field", value: "value", time: "changed_at", user: "author" };
    return async () => {
      const history = await fromChanges(path, columns);
      if (history.asOf("2022-01-01").get("status", 0) === undefined) throw new Error("The status is missing.");
      return async () => history.length;
    };
  },
  async duckdb() {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    return async () => {
      await connection.run(`CREATE TABLE log AS FROM read_csv('${path}')`);
      return async () => Number((await connection.runAndReadAll("SELECT count(*) FROM log")).getRows()[0][0]);
    };
  },
};

const read = await variants[who]();
const start = performance.now();
const countRows = await read();
const ms = performance.now() - start;
assertEqual("rows of CSV", await countRows(), rows);
report({ ms });
