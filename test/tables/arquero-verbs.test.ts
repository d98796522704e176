import { type ColumnTable, desc, fromArrow, op, table as plainTable } from "arquero";
import { beforeAll, describe, expect, it } from "vitest";
import { DateColumn } from "../../src/tables/column/column.js";
import { toTable } from "../../src/tables/column/table.js";
import { assemblePages } from "../../src/tables/read/assemble-pages.js";
import { columnDecoder } from "../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../src/tables/read/record-reader.js";
import { feature } from "../support/records.js";

const pagination = { page: 1, pageSize: 100, rowCount: 60, pageCount: 1 };

const features = Array.from({ length: 60 }, (_, n) =>
  feature(n + 1, {
    visible_id: `F-${n * 7}`,
    semantic_type: ["TRENCHES", "ROADS", null][n % 3] ?? null,
    created_at: `2024-01-${String(1 + (n % 28)).padStart(2, "0")}T00:00:00.5Z`,
    properties: {
      status: ["OPEN", "DONE", "ON HOLD"][(n * 5) % 3],
      depth: n % 4 === 0 ? null : n / 8,
      done: n % 5 === 0 ? null : n % 2 === 0,
      tags: n % 3 === 0 ? ["a", `t${n % 2}`] : [],
      ...(n % 2 === 0 ? { note: `note ${n}` } : {}),
    },
  }),
);

/** The same table over cells, and over plain arrays. */
let ours: ColumnTable;
let plain: ColumnTable;

beforeAll(() => {
  const reader = new RecordReader("layerFeatures");
  const { content } = columnDecoder(reader)(Buffer.from(JSON.stringify({ data: features, pagination })), {
    resource: "layerFeatures",
    url: "u",
    onViolation: (path) => expect.unreachable(path),
    pseudonym: undefined,
  });
  const { fields, properties } = assemblePages(reader, [{ content, start: 0, end: features.length }]);
  const columns = ["id", "visible_id", "semantic_type", "geometry"].map(
    (name) => [name, fields.get(name) ?? []] as const,
  );
  ours = toTable([...columns, ...properties, ["created_at", new DateColumn(fields.get("created_at") ?? [])]]);
  plain = plainTable(Object.fromEntries(ours.columnNames().map((name) => [name, Array.from(ours.column(name) ?? [])])));
});

const verbs: Readonly<Record<string, (table: ColumnTable) => unknown>> = {
  filter: (table) => table.filter((d: Row) => d.depth > 2 && d.status === "OPEN"),
  derive: (table) => table.derive({ twice: (d: Row) => d.depth * 2, year: (d: Row) => op.utcyear(d.created_at) }),
  groupby: (table) => table.groupby("status").count(),
  rollup: (table) =>
    table.groupby("semantic_type", "done").rollup({ mean: (d: Row) => op.mean(d.depth), n: op.count() }),
  join: (table) => table.join(plainTable({ status: ["OPEN", "DONE"], crew: [1, 2] })),
  "join of its own": (table) => table.select("id", "status").join(table.select("id", "note"), "id"),
  pivot: (table) => table.groupby("semantic_type").pivot("status", { n: op.count() }),
  orderby: (table) => table.orderby(desc("depth"), "visible_id"),
  "orderby dates": (table) => table.orderby("created_at", "id"),
  dedupe: (table) => table.dedupe("status", "done"),
  impute: (table) => table.impute({ depth: () => 0, note: () => "none" }),
  fold: (table) => table.fold(["depth", "done"]),
  concat: (table) => table.concat(table.slice(0, 3)),
  unroll: (table) => table.unroll("tags"),
  spread: (table) => table.spread("tags", { limit: 2 }),
  slice: (table) => table.slice(5, 20),
  "sample of all, in order": (table) => table.sample(table.numRows()).orderby("id"),
  reify: (table) => table.filter((d: Row) => d.id % 2 === 0).reify(),
  toCSV: (table) => table.toCSV(),
  toJSON: (table) => table.toJSON(),
  toArrow: (table) => table.select("id", "status", "depth", "done", "note").toArrow().toColumns(),
  toArrowIPC: (table) => table.select("id", "status", "depth", "done", "note").toArrowIPC(),
  fromArrow: (table) => fromArrow(table.select("id", "status", "depth", "note").toArrowIPC() ?? new Uint8Array()),
  objects: (table) => table.objects(),
  "row access": (table) => [
    table.get("tags", 3),
    table.object(7),
    table.array("depth"),
    [...(table.values("status") as unknown as Iterable<unknown>)],
  ],
};

interface Row {
  readonly id: number;
  readonly depth: number;
  readonly status: string;
  readonly created_at: Date;
}

describe("Arquero over columns of cells", () => {
  it.each(Object.entries(verbs))("%s", (_, verb) => {
    expect(settled(verb(ours))).toEqual(settled(verb(plain)));
  });

  it("takes the columns uncopied", () => {
    const column = { length: 1, at: () => 1, [Symbol.iterator]: [1][Symbol.iterator] };
    expect(toTable([["x", column]]).column("x")).toBe(column);
  });
});

function settled(result: unknown): unknown {
  const isTable = typeof result === "object" && result !== null && "columnNames" in result;
  return isTable ? { names: (result as ColumnTable).columnNames(), rows: (result as ColumnTable).objects() } : result;
}
