import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DialectName } from "../../../../../src/history/questions/sql/dialect/dialect.js";
import { dialectNames } from "../../../../../src/history/questions/sql/dialect/dialects.js";
import { openSnapshot } from "../../../../../src/index.js";
import { writeSnapshot } from "../../../../../src/snapshot/write/write-snapshot.js";
import { temporaryFolder } from "../../../../snapshot/temporary-folder.js";
import { findPython } from "../../../../support/python.js";
import { change, dataset, feature, uuid } from "../../../../support/records.js";
import { typicalStatements } from "../../../../support/typical-statements.js";

/** The results of a parser for the statements in a dialect. */
interface Parsed {
  readonly errors: readonly string[];
  /** Unknown functions. */
  readonly unknown: readonly string[];
  /** Functions with another name in this dialect. */
  readonly others: readonly string[];
}

/** Functions that the parser does not have or names differently, and that the engine documents. */
const documented: Readonly<Record<DialectName, Pick<Parsed, "unknown" | "others">>> = {
  duckdb: {
    unknown: ["EPOCH_US", "MAKE_TIMESTAMPTZ", "MAP_EXTRACT_VALUE", "ROW"],
    others: ["JSON_EXTRACT", "JSON_EXTRACT_STRING", "MAX_BY", "MIN_BY", "STRUCT_PACK", "SUBSTR"],
  },
  trino: { unknown: ["FROM_UNIXTIME_NANOS"], others: [] },
  spark: { unknown: ["CONV", "TIMESTAMP_MICROS"], others: ["NAMED_STRUCT", "SUBSTR"] },
};

const relations = [
  "TRENCHES",
  "TRENCHES_AT('2024-03-31')",
  "TRENCHES_STATES('2024-03-31')",
  "TRENCHES_HISTORY",
  "SELECT * FROM TRENCHES_HISTORY JOIN TRENCHES USING (id)",
];

/** Names of properties that end quotes and comments unless a dialect escapes them. */
const columns = { column: "'; DROP TABLE layer_features; --", numeric: 'a"b`c\\d\u0001' };

const records = {
  datasets: [dataset(1)],
  layerFeatures: [
    feature(1, { properties: { [columns.column]: "OPEN", [columns.numeric]: 1.5 } }),
    feature(2, { properties: { [columns.column]: "DONE", [columns.numeric]: 2 } }),
  ],
  propertyChanges: [
    change(1, { property_key: columns.column, new_value: "OPEN" }),
    change(2, { property_key: columns.column, new_value: "DONE", layer_feature_id: 2, caused_by_change_id: uuid(1) }),
  ],
};

const python = findPython("sqlglot");

describe.skipIf(!python)("printed SQL", () => {
  const folder = temporaryFolder();

  it("is SQL of each dialect, and calls its functions", async () => {
    await writeSnapshot(folder, records, { readAt: new Date("2025-01-01T00:00:00Z") });
    const snapshot = await openSnapshot(folder);
    const questions = await snapshot.lazyHistory({ site_id: 12 }, { timeZone: "Europe/Berlin" });
    const statements: Partial<Record<DialectName, readonly string[]>> = {};
    for (const dialect of dialectNames) {
      const asked = (await typicalStatements(questions, columns, dialect)).values();
      const views = relations.map((query) => snapshot.toSQL(query, { dialect }));
      statements[dialect] = [...asked, ...(await Promise.all(views))];
    }
    await questions.close();
    await snapshot.close();
    const script = join(import.meta.dirname, "../../../../support/python/parse_sql.py");
    const input = JSON.stringify(statements);
    const output = execFileSync(python?.program ?? "", [script], { input, maxBuffer: 2 ** 26 });
    const found = JSON.parse(output.toString()) as Readonly<Record<DialectName, Parsed>>;
    for (const name of dialectNames) expect(found[name], name).toEqual({ errors: [], ...documented[name] });
  });
});
