import { ColumnTable } from "arquero";
import { describe, expect, test } from "vitest";
import { aq } from "../../../src/arquero.js";
import { ArgumentError } from "../../../src/core/errors.js";
import { fromRecords } from "../../../src/index.js";
import { toTable } from "../../../src/tables/column/table.js";
import { change, feature } from "../../support/records.js";

const { op } = aq;
// Rows of tables of several sources.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Row = any;

const source = fromRecords(
  {
    datasets: [],
    layerFeatures: [
      feature(1, { properties: { STATUS: "OPEN", DUE: "2024-02-01" }, visible_id: "A", site_id: 12 }),
      feature(2, { properties: { STATUS: "DONE", DUE: "2024-03-01" }, visible_id: "B", site_id: 12 }),
    ],
    propertyChanges: [change(1, { layer_feature_id: 2, new_value: "DONE", created_at: "2024-03-02T00:00:00Z" })],
  },
  { readAt: new Date("2024-03-31") },
);
const layer = await source.layer({ site_id: 12 });
const history = await layer.history();
const plain = { STATUS: ["OPEN", "DONE"], DUE: ["2024-02-01", "2024-03-01"], visible_id: ["A", "B"] };

const tables: Readonly<Record<string, ColumnTable>> = {
  "a table of aq.table()": aq.table(plain),
  "a table of toTable()": toTable(Object.entries(plain)),
  "a layer's table": layer.table,
  "an as-of table": history.asOf("2024-03-30"),
  "the result of verbs": layer.table
    .derive({ n: (d: Row) => d.visible_id })
    .filter((d: Row) => d.n !== null)
    .reify(),
  "a grouped table": layer.table.groupby("STATUS").orderby("DUE"),
};
const other = aq.table({ STATUS: ["OPEN"], crew: ["A"] });
const outer = "OPEN";

type Use = (table: ColumnTable) => unknown;

/** Every way to name a column, each with a typo. */
const uses: Readonly<Record<string, Use>> = {
  groupby: (t) => t.groupby("STATUSS"),
  "groupby of a function": (t) => t.groupby({ by: (d: Row) => d.STATUSS }),
  select: (t) => t.select("STATUSS"),
  "select of a list": (t) => t.select(["visible_id", "STATUSS"]),
  "select under another name": (t) => t.select({ STATUSS: "state" }),
  "select of a range": (t) => t.select(aq.range("STATUSS", "visible_id")),
  rename: (t) => t.rename({ STATUSS: "state" }),
  relocate: (t) => t.relocate("STATUSS", { after: "visible_id" }),
  "relocate after": (t) => t.relocate("visible_id", { after: "STATUSS" }),
  "relocate before": (t) => t.relocate("visible_id", { before: "STATUSS" }),
  filter: (t) => t.filter((d: Row) => d.STATUSS === "OPEN"),
  "filter in brackets": (t) => t.filter((d: Row) => d["STATUSS"] === "OPEN"),
  "filter of a destructured row": (t) => t.filter(({ STATUSS }: Row) => STATUSS === "OPEN"),
  "filter by a string": (t) => t.filter("d.STATUSS == 'OPEN'"),
  "filter with a variable": (t) => t.filter((d: Row) => d.STATUSS === outer),
  derive: (t) => t.derive({ x: (d: Row) => d.STATUSS }),
  "derive of an aggregate": (t) => t.derive({ x: op.max("STATUSS") }),
  "derive over a window": (t) => t.derive({ x: aq.rolling((d: Row) => op.max(d.STATUSS)) as never }),
  "derive before": (t) => t.derive({ x: () => 1 }, { before: "STATUSS" }),
  rollup: (t) => t.rollup({ x: (d: Row) => op.max(d.STATUSS) }),
  "rollup of an aggregate": (t) => t.rollup({ x: op.max("STATUSS") }),
  "rollup with a variable": (t) => t.rollup({ x: (d: Row) => op.max(d.STATUSS) + outer }),
  "aq.toCSV": (t) => aq.toCSV(t, { columns: ["visible_id", "STATUSS"] }),
  "aq.toArrow": (t) => aq.toArrow(t, { columns: ["STATUSS"] }),
  "aq.agg": (t) => aq.agg(t, op.max("STATUSS")),
  "aq.agg of a function": (t) => aq.agg(t, (d: Row) => op.max(d.STATUSS) + outer),
  orderby: (t) => t.orderby("STATUSS"),
  "descending orderby": (t) => t.orderby(aq.desc("STATUSS")),
  "orderby of a function": (t) => t.orderby((d: Row) => d.STATUSS),
  "orderby with a variable": (t) => t.orderby((d: Row) => d.STATUSS + outer),
  fold: (t) => t.fold(["visible_id", "STATUSS"]),
  "pivot by": (t) => t.pivot("STATUSS", "visible_id"),
  "pivot of": (t) => t.pivot("visible_id", "STATUSS"),
  spread: (t) => t.spread("STATUSS"),
  unroll: (t) => t.unroll("STATUSS"),
  "unroll without": (t) => t.unroll("visible_id", { drop: "STATUSS" }),
  dedupe: (t) => t.dedupe("STATUSS"),
  impute: (t) => t.impute({ STATUSS: () => "none" }),
  "impute by others": (t) => t.impute({ DUE: (d: Row) => op.max(d.STATUSS) }),
  "impute for each": (t) => t.impute({ DUE: () => "none" }, { expand: "STATUSS" }),
  "sample by weight": (t) => t.sample(1, { weight: "STATUSS" }),
  join: (t) => t.join(other, "STATUSS"),
  "join by a pair": (t) => t.join(other, ["STATUSS", "STATUS"]),
  "join by the other's": (t) => t.join(other, ["STATUS", "STATUSS"]),
  "join by a function": (t) => t.join(other, (a: Row, b: Row) => a.STATUSS === b.STATUS),
  "join of columns": (t) => t.join(other, "STATUS", [["STATUSS"], ["crew"]]),
  join_left: (t) => t.join_left(other, "STATUSS"),
  join_right: (t) => t.join_right(other, "STATUSS"),
  join_full: (t) => t.join_full(other, "STATUSS"),
  cross: (t) => t.cross(other, [["STATUSS"], ["crew"]]),
  semijoin: (t) => t.semijoin(other, "STATUSS"),
  antijoin: (t) => t.antijoin(other, "STATUSS"),
  lookup: (t) => t.lookup(other, "STATUSS", ["crew"]),
  "lookup of": (t) => t.lookup(other, "STATUS", ["STATUSS"]),
  array: (t) => t.array("STATUSS"),
  values: (t) => t.values("STATUSS").next(),
  get: (t) => t.get("STATUSS", 0),
  getter: (t) => t.getter("STATUSS"),
  objects: (t) => t.objects({ columns: ["STATUSS"] }),
  print: (t) => t.print({ columns: ["STATUSS"] }),
  toArrow: (t) => t.toArrow({ columns: ["STATUSS"] }),
  toArrowIPC: (t) => t.toArrowIPC({ columns: ["STATUSS"] }),
  toCSV: (t) => t.toCSV({ columns: ["STATUSS"] }),
  toHTML: (t) => t.toHTML({ columns: ["STATUSS"] }),
  toJSON: (t) => t.toJSON({ columns: ["STATUSS"] }),
  toMarkdown: (t) => t.toMarkdown({ columns: ["STATUSS"] }),
};

/** Methods that name no column, or accept any name. */
const nameless =
  "constructor create params isFiltered isGrouped isOrdered data mask groups comparator totalRows numRows size numCols " +
  "columnNames columnName columnIndex column columnAt object indices partitions reify scan ungroup unorder slice reduce " +
  "count concat union intersect except assign";

test("covers every method that names columns", () => {
  const methods = [ColumnTable.prototype, Object.getPrototypeOf(ColumnTable.prototype)].flatMap((one) =>
    Object.getOwnPropertyNames(one),
  );
  const tried = new Set(Object.keys(uses).map((use) => use.split(" ")[0]));
  expect([...new Set(methods)].filter((name) => !tried.has(name) && !nameless.split(" ").includes(name))).toEqual([]);
});

describe.each(Object.entries(tables))("a misspelled column of %s", (_, table) => {
  test.each(Object.entries(uses))("%s suggests the column", (_, use) => {
    const failed = failure(() => use(table));
    expect(failed).toBeInstanceOf(ArgumentError);
    expect(failed).toMatchObject({
      message: 'The table has no column "STATUSS".',
      hint: 'Did you mean "STATUS"?',
      facts: { column: "STATUSS" },
    });
  });
});

test("lists the columns if no name is similar", () => {
  expect(failure(() => aq.table(plain).groupby("crew"))).toMatchObject({
    hint: 'It has: "STATUS", "DUE", "visible_id".',
  });
  expect(failure(() => aq.table({}).groupby("crew"))).toMatchObject({ hint: "It has no columns." });
});

test("checks the result of a verb by its columns", () => {
  const counted = aq.table(plain).groupby("STATUS").count();
  expect(failure(() => counted.filter((d: Row) => d.cuont > 1))).toMatchObject({ hint: 'Did you mean "count"?' });
  expect(failure(() => aq.table(plain).select("DUE").orderby("DEU"))).toMatchObject({ hint: 'Did you mean "DUE"?' });
});

test("leaves other errors unchanged", () => {
  const thrown = new Error("Unrecognized column: mine");
  const fails = () => {
    throw thrown;
  };
  expect(failure(() => aq.table(plain).filter(() => fails()))).toBe(thrown);
  expect(failure(() => aq.table(plain).derive({ x: (d: Row) => d.STATUS }, { before: fails }))).toBe(thrown);
  expect(failure(() => aq.table(plain).rollup({ x: "d.STATUS" }))).not.toHaveProperty("facts.column");
});

test("accepts missing names where Arquero does", () => {
  expect(aq.table({}).array("STATUS")).toEqual([]);
  expect(aq.table(plain).relocate("DUE", { before: "STATUS" }).columnNames()[0]).toBe("DUE");
  expect(aq.table(plain).select(aq.range("DUE", "visible_id")).columnNames()).toEqual(["DUE", "visible_id"]);
  expect(aq.table(plain).columnIndex("none")).toBe(-1);
  expect(aq.table(plain).column("none")).toBeUndefined();
});

function failure(use: () => unknown): unknown {
  try {
    use();
  } catch (error) {
    return error;
  }
  throw new Error("No error was thrown.");
}
