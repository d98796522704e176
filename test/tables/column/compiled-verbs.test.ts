import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import vm from "node:vm";
import type * as arquero from "arquero";
import { type ColumnTable, parse } from "arquero";
import fc from "fast-check";
import { expect, it } from "vitest";
import { aq } from "../../../src/arquero.js";
import { aggregateNames } from "../../../src/tables/column/arquero-functions.js";
import { DateColumn } from "../../../src/tables/column/column.js";
import { Expressions } from "../../../src/tables/column/row-expressions.js";
import { toTable } from "../../../src/tables/column/table.js";
import { finishPage } from "../../../src/tables/read/assemble-pages.js";
import { readPage } from "../../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../../src/tables/read/record-reader.js";

/** Arquero without changes, in a separate copy. */
const plain = loadPlain();

function loadPlain(): typeof arquero {
  const path = createRequire(import.meta.url)
    .resolve("arquero")
    .replace(/src.index\.js$/, "dist/arquero.min.js");
  const module = { exports: {} };
  vm.runInThisContext(`(function (module, exports) {${readFileSync(path, "utf8")}\n})`)(module, module.exports);
  return module.exports as typeof arquero;
}

const columns = {
  id: [1, 2, 3, 4, 5, 6],
  kind: ["a", "b", "a", null, "b", "c"],
  depth: [1.5, null, -2, 4, 0, 9],
  title: ["Ab", "cd", "Ef", "gh", "ij kl", ""],
  list: [[1, 2], [], [3], [4, 5, 6], [1], [2, 2]],
  at: ["2024-01-03", "2024-02-03", "2024-01-05", null, "2025-01-01", "2025-03-01"].map((day) => day && new Date(day)),
};
const crews = { kind: ["a", "b", "z"], crew: ["A", "B", "Z"], least: [1, 3, 5] };

type Aq = typeof arquero;
type Verbs = (table: ColumnTable, aq: Aq, other: ColumnTable) => unknown;
// Rows without known columns, as in JavaScript.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Rows = any;

/** Calls that Arquero compiles to the meaning of JavaScript, and calls of its functions. All keep their results. */
const verbs: Readonly<Record<string, Verbs>> = {
  "filter by values": (table) => table.filter((d: Rows) => d.depth > 1 && d.kind === "a"),
  "filter by strings": (table) => table.filter("d.depth > 1 || d.kind == 'b'"),
  "filter by functions of op": (table, { op }) => table.filter((d: Rows) => op.startswith(d.title, "A")),
  "filter by functions of aq": (table, aq) => table.filter((d: Rows) => aq.op.includes(d.list, 2 as never)),
  "filter by aggregates": (table, { op }) => table.filter((d: Rows) => d.depth > op.mean(d.depth)),
  "filter by groups": (table, { op }) => table.groupby("kind").filter((d: Rows) => op.row_number() === 1 && d.id > 0),
  "filter by escape": (table, aq) => table.filter(aq.escape((d: Rows) => ["a"].includes(d.kind))),
  "derive of several": (table, { op }) =>
    table.derive({
      sum: (d: Rows) => d.id + d.depth,
      text: (d: Rows) => `${d.title}-${d.id}`,
      upper: (d: Rows) => op.upper(d.title),
      year: (d: Rows) => op.utcyear(d.at),
      round: (d: Rows) => Math.round(d.depth) + Math.max(d.id, 3) + Math.PI,
      first: (d: Rows) => (d.list as unknown as number[])[0],
      length: (d: Rows) => (d.list as unknown as number[]).length,
      object: (d: Rows) => ({ id: d.id, both: [d.id, d.depth] }),
      none: (d: Rows) => d.depth == null,
      or: (d: Rows) => d.kind ?? "none",
      choice: (d: Rows) => (d.id > 3 ? "late" : "early"),
      power: (d: Rows) => -(d.id ** 2) % 3,
      row: () => op.row_object(),
      some: () => op.row_object("id", "kind"),
      share: (d: Rows) => d.id / op.sum(d.id),
      text2: "d => d.id * 2",
      text3: "d.id * mean(d.id)",
      constant: "1 + 1",
      block: (d: Rows) => {
        const twice = d.id * 2;
        return twice + 1;
      },
    }),
  "derive of patterns": (table) => table.derive({ sum: ({ id, depth: deep }: Rows) => id + deep }),
  "derive before a column": (table) => table.derive({ twice: (d: Rows) => d.id * 2 }, { before: "id" }),
  "derive of windows": (table, { op, rolling }) =>
    table.orderby("id").derive({
      lag: (d: Rows) => op.lag(d.id, 1, 0),
      rank: () => op.rank(),
      mean: rolling((d: Rows) => op.mean(d.id), [-1, 1]),
      sum: rolling((d: Rows) => op.sum(d.id)),
    }),
  parameters: (table) =>
    table
      .params({ least: 3, names: ["a"] })
      .filter((d: Rows, $: { least: number }) => d.id >= $.least)
      .derive({ twice: (d: Rows, { least }: { least: number }) => d.id * least }),
  "parameters by name": (table) => table.params({ least: 3 }).filter("d.id >= least"),
  rollup: (table, { op }) =>
    table.rollup({
      mean: (d: Rows) => op.mean(d.depth),
      n: op.count(),
      both: (d: Rows) => op.max(d.id) - op.min(d.depth),
      text: "max(d.title)",
      quantile: (d: Rows) => op.quantile(d.id, 0.25),
      list: (d: Rows) => op.array_agg_distinct(d.kind),
      upper: (d: Rows) => op.max(op.upper(d.title)),
    }),
  "rollup of groups": (table, { op }) =>
    table.groupby("kind").rollup({ sum: (d: Rows) => op.sum(d.id), n: op.count() }),
  "groupby an expression": (table) => table.groupby({ even: (d: Rows) => d.id % 2, text: "d.kind" }).count(),
  "groupby chosen columns": (table, { not }) => table.groupby(not("id", "list", "at", "depth", "title")).count(),
  "groupby a bin": (table, { bin }) => table.groupby({ bin: bin("depth") }).count(),
  "orderby of every kind": (table, { desc, collate }) =>
    table.orderby(
      "kind",
      desc("depth"),
      (d: Rows) => d.id * -1,
      desc((d: Rows) => d.id),
      collate("title", "en"),
      0,
    ),
  "orderby aggregates": (table, { op }) => table.groupby("kind").orderby((d: Rows) => op.max(d.id), "id"),
  dedupe: (table) => table.dedupe("kind"),
  "dedupe an expression": (table) => table.dedupe({ even: (d: Rows) => d.id % 2 }),
  fold: (table) => table.fold(["id", "depth"], { as: ["k", "v"] }),
  "fold an expression": (table) => table.fold({ twice: (d: Rows) => d.id * 2 }),
  pivot: (table) => table.groupby("kind").pivot("id", "depth"),
  "pivot of expressions": (table, { op }) =>
    table.pivot({ key: (d: Rows) => d.id % 2 }, { sum: (d: Rows) => op.sum(d.id), n: op.count() }),
  spread: (table) => table.spread("list", { as: ["x", "y"] }),
  "spread an expression": (table, { op }) => table.spread({ part: (d: Rows) => op.split(d.title, " ") }),
  unroll: (table) => table.unroll("list", { index: true, drop: "at" }),
  "unroll an expression": (table, { op }) => table.unroll({ part: (d: Rows) => op.split(d.title, "") }),
  impute: (table, { op }) => table.impute({ depth: (d: Rows) => op.mean(d.depth), kind: () => "none" }),
  "impute rows": (table, { op }) =>
    table
      .select("id", "kind", "depth")
      .impute({ depth: () => 0 }, { expand: ["kind", { id: (d: Rows) => op.array_agg_distinct(d.id) }] }),
  join: (table, _, other) => table.join(other),
  "join by names": (table, _, other) => table.join(other, "kind"),
  "join by keys": (table, _, other) => table.join(other, [(d: Rows) => d.kind, "kind"] as never),
  "join by a function": (table, _, other) =>
    table.join(other, ((a: Rows, b: Rows) => a.kind === b.kind && a.id > b.least) as never, [["id"], ["crew"]]),
  "join of values": (table, _, other) =>
    table.join_left(other, "kind", [
      ["id"],
      { name: (d: Rows) => d["crew"] },
      { sum: (a: Rows, b: Rows) => a.id + b.least },
    ] as never),
  join_full: (table, _, other) => table.join_full(other, ["kind", "kind"]),
  join_right: (table, _, other) => table.join_right(other, ["kind", "kind"]),
  cross: (table, _, other) => table.cross(other, [["id"], ["crew"]]),
  semijoin: (table, _, other) => table.semijoin(other),
  antijoin: (table, _, other) => table.antijoin(other, ((a: Rows, b: Rows) => a.id === b.least) as never),
  lookup: (table, _, other) => table.lookup(other, "kind", "crew"),
  "lookup of expressions": (table, _, other) => table.lookup(other, ["kind", "kind"], { n: (d: Rows) => d.least * 2 }),
  selections: (table, { range, matches, names, all }) =>
    table
      .select(range("id", "depth"), matches(/t/) as never, { id: "key" })
      .rename(names("A") as never)
      .relocate("kind", { after: "depth" })
      .select(all()),
  "sets of rows": (table) => [
    table.slice(1, 3).concat(table.slice(0, 2)),
    table.slice(0, 3).union(table.slice(1)),
    table.except(table.slice(2)),
    table.intersect(table.slice(2)),
  ],
  "sample in order": (table) => table.sample(6).orderby("id"),
  "slices and fractions": (table, { frac }) => [table.groupby("kind").slice(0, 1), table.sample(frac(0.5)).numRows()],
  assign: (table) => table.assign({ more: [6, 5, 4, 3, 2, 1] }),
  reify: (table) => table.filter((d: Rows) => d.id > 2).reify(),
  "parts of strings": (table, { op }) =>
    table.derive({ n: (d: Rows) => op.parse_int(op.substring(d.title, 0, 1), 36) }).toCSV(),
  toJSON: (table) => table.toJSON(),
  toArrow: (table) => table.select("id", "kind", "depth").toArrow().toColumns(),
  fromArrow: (table, { fromArrow }) => fromArrow(table.select("id", "kind", "depth").toArrowIPC() ?? new Uint8Array()),
  "values by row": (table) => [table.get("list", 3), table.object(2), table.array("depth"), [...rowsOf(table)]],
};

function seen(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(seen);
  if (typeof value !== "object" || value === null || !("columnNames" in value)) return value;
  const table = value as ColumnTable;
  return [table.columnNames(), table.isGrouped(), table.isOrdered(), table.params(), table.objects()];
}

const rowsOf = (table: ColumnTable) => table.values("kind") as unknown as Iterable<unknown>;

/** A table whose columns are cells, as pages are read. */
function cellTable(data: Readonly<Record<string, readonly unknown[]>>): ColumnTable {
  const [first = []] = Object.values(data);
  const records = first.map((_, row) => ({
    properties: Object.fromEntries(Object.entries(data).map(([name, values]) => [name, values[row]])),
  }));
  const reader = new RecordReader("layerFeatures");
  readPage(Buffer.from(JSON.stringify({ data: records })), reader);
  const { properties } = finishPage(reader, reader.take());
  return toTable([...properties].map(([name, column]) => [name, name === "at" ? new DateColumn(column) : column]));
}

it.each(Object.entries(verbs))("%s: returns the result of plain Arquero", (_, run) => {
  const expected = seen(run(plain.table(columns), plain, plain.table(crews)));
  const arrayTable = (data: object) => toTable(Object.entries(data) as [string, unknown[]][]);
  for (const make of [aq.table, arrayTable, cellTable])
    expect(seen(run(make(columns), aq, make(crews)))).toEqual(expected);
});

it("uses columns without a copy", () => {
  const column = { length: 1, at: () => 1, [Symbol.iterator]: [1][Symbol.iterator] };
  expect(toTable([["x", column]]).column("x")).toBe(column);
});

it("passes expressions of Arquero on unchanged", () => {
  const { op } = aq;
  const expressions = new Expressions(new Set());
  const position = { verb: "derive", tables: [aq.table(columns)] };
  const own = [
    (d: Rows) => d.depth > 1 && d.kind === "a",
    (d: Rows) => op.includes(d.list, 2 as never) || aq.op.lower(d.title) === "x",
    (d: Rows) => Math.max(d.id, 3) + op.mean(d.depth) + op.lag(d.id, 1),
    (d: Rows) => ({ id: d.id, both: [d.id, `${d.title}`, -d.depth], row: op.row_object() }),
    ({ id, depth: deep }: Rows, $: { least: number }) => id + deep * $.least,
    (d: Rows) => {
      const twice = d.id * 2;
      return twice > 3 ? twice : undefined;
    },
    "d.id > mean(d.id)",
    op.count(),
    aq.escape((d: Rows) => ["a"].includes(d.kind)),
  ];
  for (const each of own) expect(expressions.rewrite(each, position), String(typeof each)).toBe(each);
  expect(expressions.natives).toEqual({});
});

it("lists the functions of Arquero that read more than one row", () => {
  const names = Object.keys(plain.op).filter((name) => name !== "row_object");
  const ofTable = names.filter((name) => (parse({ value: `op.${name}()` }).ops ?? []).length > 0);
  expect(["row_object", ...ofTable].sort()).toEqual([...aggregateNames].sort());
});

it("accepts functions and aggregates that users add", () => {
  const { op } = aq as unknown as { op: Record<string, (...values: unknown[]) => never> };
  const factor = 2;
  const table = aq.table(columns);
  const before = table.filter((d: Rows) => String(d.id).length + factor > 3).numRows();
  aq.addFunction("added_twice", (value: number) => value * 2);
  aq.addAggregateFunction("added_span", {
    create: () => ({ value: (state: { low: number; high: number }) => state.high - state.low }),
    param: [1],
    req: ["min", "max"],
    stream: [],
  } as never);
  expect(before).toBe(0);
  expect(table.derive({ twice: (d: Rows) => op["added_twice"]?.(d.id) }).get("twice", 1)).toBe(4);
  expect(table.derive({ twice: (d: Rows) => Number(op["added_twice"]?.(d.id)) * factor }).get("twice", 1)).toBe(8);
});

const oneOf = (words: string) => fc.constantFrom(...words.split(" "));
const names = "d.id d.kind d.depth d.title d.list limit word some Math.PI E PI max";
const leaf = oneOf(`${names} 1 2 0.5 'a' 'Ab' null undefined NaN true d['id'] [1,'a',null] ['a','c']`);
const standardCalls =
  "String Number Boolean Math.abs Math.max Math.round Math.hypot JSON.stringify Object.keys Array.isArray isNaN Date.parse";
const expression = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc
      .tuple(tie("any"), oneOf("+ - * % ** < > <= >= == != === !== && || & | in instanceof"), tie("any"))
      .map(([a, by, b]) => (by === "in" || by === "instanceof" ? `(${a} ${by} Object)` : `((${a}) ${by} (${b}))`)),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `((${a}) ?? (${b}))`),
    fc.tuple(tie("any"), tie("any"), tie("any")).map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
    fc.tuple(fc.constantFrom("!", "-", "+", "~", "typeof ", "void "), tie("any")).map(([by, a]) => `(${by}(${a}))`),
    fc
      .tuple(
        tie("any"),
        fc.constantFrom(".", "?."),
        oneOf("includes slice indexOf concat split substring replace match startsWith join at has round upper mean"),
        tie("any"),
      )
      .map(([a, dot, method, b]) => `(${a})${dot}${method}(${b})`),
    fc
      .tuple(tie("any"), fc.constantFrom(".length", "?.length", "[0]", ".constructor.name"))
      .map(([a, by]) => `(${a})${by}`),
    fc
      .tuple(oneOf(`${standardCalls} upper mean own.round own.includes`), tie("any"))
      .map(([call, a]) => `${call}(${a})`),
    tie("any").map((a) => `\`\${${a}}!\``),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `[${a}, ...[${b}]]`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `({ a: ${a}, [${JSON.stringify("b")}]: ${b} })`),
    tie("any").map((a) => `[1, 2].map((x) => x + (${a}))`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `((x) => [x, ${b}])(${a})`),
    fc.constantFrom(
      "Object.values(d).length",
      "JSON.stringify(d)",
      "({ ...d }).title",
      "d[word]",
      "new Date(d.at).getTime()",
    ),
  ),
})).any;
/** Source code of functions. */
const functionText = fc.oneof(
  expression.map((text) => `(d) => ${text}`),
  expression.map((text) => `function (d) { return ${text} }`),
  expression.map((text) => `(d) => { const row = ${text}; return row }`),
  fc.tuple(expression, expression).map(([a, b]) => `(d) => { const own = ${a}; if (own) { return ${b} } return own }`),
  expression.map((text) => `({ id, title: fn, ...rest }) => [id, fn, ((d) => ${text})({ id, title: fn, ...rest })]`),
  expression.map(
    (text) => `({ id, kind, depth, title, list }) => ${text.replace(/\bd\.(?=id|kind|depth|title|list)/g, "")}`,
  ),
);

/** A function in a scope with the variables that its code uses. */
function around(text: string): (d: object) => unknown {
  const variables = {
    limit: 2,
    word: "title",
    some: ["a", 2, null],
    max: 3,
    E: 5,
    PI: "pi",
    upper: (value: unknown) => `<${value}>`,
    mean: (value: unknown) => [value],
    own: { round: (value: unknown) => [value, "rounded"], includes: () => "own" },
  };
  return new Function(...Object.keys(variables), `return (${text})`)(...Object.values(variables)) as never;
}

/** The result, or "fails". */
function ending(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return "fails";
  }
}

it("returns what JavaScript returns for any function of rows", () => {
  const table = aq.table(columns);
  const rows = table.objects();
  fc.assert(
    fc.property(functionText, (text) => {
      const given = around(text);
      expect(ending(() => table.derive({ value: given }).array("value"))).toEqual(
        ending(() => rows.map((row) => given(row))),
      );
      expect(ending(() => table.filter(given).array("id"))).toEqual(
        ending(() => rows.filter((row) => given(row)).map((row) => (row as Rows).id)),
      );
    }),
    { numRuns: Number(process.env["SITEFRAME_FUZZ"] ?? 600) },
  );
});
