import { type ColumnTable, fromArrow } from "arquero";
import { describe, expect, it } from "vitest";
import { aq } from "../../../src/arquero.js";
import { ArgumentError } from "../../../src/core/errors.js";
import { toTable } from "../../../src/tables/column/table.js";

const { op } = aq;

interface Row {
  readonly id: number;
  readonly Title: string;
  readonly Priority: string | null;
  readonly depth: number | null;
  readonly tags: readonly string[];
  readonly place: { readonly park: string } | null;
  readonly "Due date": string | null;
}

const priorities = ["HIGH", "URGENT", "LOW", null];
const rows: readonly Row[] = Array.from({ length: 24 }, (_, n) => ({
  id: n,
  Title: `${["Trench", "Road", "trench box", "Inverter xY"][n % 4]} ${n}`,
  Priority: priorities[(n * 5) % 4] ?? null,
  depth: n % 5 === 0 ? null : n / 4 - 1.5,
  tags: n % 3 === 0 ? [] : ["a", `t${n % 2}`],
  place: n % 6 === 0 ? null : { park: `Park ${n % 2}` },
  "Due date": n % 7 === 0 ? null : `2024-0${1 + (n % 9)}-1${n % 10}`,
}));
const names = Object.keys(rows[0] ?? {}) as readonly (keyof Row)[];

/** `params()` changes the table that it is called on. */
const fresh = () => ours.select(aq.all());

const ours = toTable(names.map((name) => [name, rows.map((row) => row[name])] as const));
const tables: Readonly<Record<string, ColumnTable>> = {
  "a table of toTable()": ours,
  "a table of aq.from()": aq.from(rows as object[]),
  "a filtered, sorted and grouped table": ours
    .filter((d: Row) => d.id % 5 !== 1)
    .orderby(aq.desc("id"))
    .groupby("Priority"),
  "the result of verbs": ours
    .derive({ twice: (d: Row) => d.id * 2 })
    .select(aq.not("twice"))
    .reify(),
};

// Variables in the scope of functions. Some have names of functions and constants of Arquero.
const urgent = ["HIGH", "URGENT"];
const wanted = new Set(urgent);
const limit = 1;
const max = 3;
const E = 10;
const name = "Title";
const pattern = /trench/i;
const helper = (text: string) => text.toLowerCase();
const upper = (text: string) => `${text.toUpperCase()}!`;
const mean = (...values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const own = { round: (value: number) => value + 0.5, mean: () => "mine" };

type Test<R = Row> = (d: R) => unknown;

/** A function that a formatter would change, without variables in its scope. */
const written = <R = Row>(text: string): Test<R> => new Function(`return ${text}`)() as Test<R>;

/** Typical functions of a row. */
const functions: readonly Test[] = [
  (d) => ["HIGH", null].includes(d.Priority),
  (d) => urgent.includes(d.Priority as string),
  (d) => wanted.has(d.Priority as string),
  (d) => !d.Title.includes("x"),
  (d) => d.Title.indexOf("o") > 1,
  (d) => d.Title.split(" ")[1] === "box",
  (d) => d.Title.match(/t(\w)/i)?.[1],
  (d) => d.Title.replace(/\d+/g, "").trim(),
  (d) => d.Title.toLowerCase().includes("trench"),
  (d) => d.Title.padEnd(14, ".").at(-1) === ".",
  (d) => d.Title[0] === "R",
  (d) => d.Title.length > 8,
  (d) => /^T/.test(d.Title),
  (d) => pattern.test(d.Title),
  (d) => d.Priority?.length,
  (d) => (d.Priority ?? "none").slice(0, 2),
  (d) => d.place?.park,
  (d) => d.place && d.place.park === "Park 1",
  (d) => d.tags.includes("t1"),
  (d) => d.tags.some((tag) => tag === "t0"),
  (d) => d.tags.concat(["z"]).join("-"),
  (d) => [...d.tags, d.id],
  (d) => (d.depth ?? 0) > limit,
  (d) => d.id > max,
  (d) => d.id < E,
  (d) => `${d.Title}/${d.id}`,
  (d) => helper(d.Title).includes("box"),
  (d) => upper(d.Title),
  (d) => mean(d.id, 4, 5),
  (d) => own.round(d.id),
  () => own.mean(),
  (d) => typeof d.depth === "number",
  (d) => "park" in Object(d.place),
  (d) => d.place instanceof Object,
  (d) => new Date(d["Due date"] ?? 0).getUTCMonth(),
  (d) => Number(d.Title.split(" ").pop()),
  (d) => parseInt(d.Title, 10),
  (d) => String(d.depth),
  (d) => (d.depth ?? 0).toFixed(1),
  (d) => JSON.stringify(d),
  (d) => Object.keys(d).length,
  (d) => d["Due date"],
  (d) => d[name],
  (d) => d[name as keyof Row],
  (d) => (d as unknown as Record<string, string>)[`${"Ti"}tle`],
  (d) => ({ ...d, id: 0 }),
  (d) => ({ id: d.id, [name]: d.Title }),
  ({ Title }) => Title.includes("x"),
  ({ Title: title, id }) => `${title.slice(1)}${id}`,
  ({ depth = 5 }) => depth,
  ({ place, ...rest }) => [place?.park, Object.keys(rest).length],
  ({ "Due date": due }) => due,
  (d) => {
    const text = d.Title.split(" ");
    return text.at(-1);
  },
  (d) => {
    const row = 3;
    const data = d.id + row;
    return data;
  },
  (d) => {
    if (d.id > 3) return "late";
    else if (d.depth === null) return;
    return d.id;
  },
  (d) => {
    let sum = 0;
    for (const tag of d.tags) sum += tag.length;
    return sum;
  },
  (d) => {
    switch (d.Priority) {
      case "HIGH":
        return 2;
      case null:
        return 0;
      default:
        return 1;
    }
  },
  (d) => {
    try {
      return d.Priority?.length;
    } catch {
      return 0;
    }
  },
  (d) => {
    const { Title, id } = d;
    return Title.length + id;
  },
  (d) => {
    const E = d.id * 2;
    return E;
  },
  function named(d: Row): unknown {
    return d.id > 2 ? named({ ...d, id: d.id - 2 }) : d.id;
  },
  (d) => d.id ** 2 % 7,
  (d) => -d.id,
  (d) => (d.depth !== null && d.depth > 1 ? "deep" : "flat"),
  (d) => Math.max(d.id, 5, limit),
  (d) => Math.hypot(d.id, 1),
  (d) => Math.round(d.depth ?? Number.NaN),
  (d) => Math.PI * d.id,
  (d) => void d.id,
  written("(d) => [d.id, , d.depth]"),
  written("(d) => (d.id, d.depth)"),
  written("(d) => isNaN(d.depth)"),
  written("d => { if (d.id > 3) return 'late'; else return d.id }"),
  written("d => { var later; later = d.id; return later }"),
  written("d => { outer: for (;;) { break outer } return this === undefined || d.id }"),
  written("function () { return arguments[0].Title.length }"),
  written("(...all) => all[0].Title"),
  written("(d, $ = {}) => d.id + Object.keys($).length"),
  written("(d) => /* d.Nothing */ d.id // and more"),
  (d) => ((op) => op.id)(d),
  (op) => op.Title.includes("x"),
  (op) => op.id > 3,
  (row) => row.id > 3,
  ($) => $.id > limit,
  (d) => d.toString(),
  (d) => encodeURIComponent(d.Title),
  (d) => Symbol.iterator in d.tags,
  (d) => BigInt(d.id) > 3n,
  (d) => String.raw`\n${d.id}`,
  (d) => d.depth == null,
  Boolean,
  ((_prefix: string, d: Row) => d.Title).bind(undefined, "x"),
  {
    isOpen(d: Row) {
      return d.Title.includes("x");
    },
  }.isOpen,
  (d) => op.lower(d.Title).includes("box"),
  (d) => op.upper(d.Title).length + limit,
  (d) => op.includes(["HIGH"], d.Priority),
];

function objects(table: ColumnTable): Row[] {
  return table.ungroup().objects() as Row[];
}

/** The result of a function, or its error as a string. */
function ending<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    return String(error);
  }
}

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("No error was thrown.");
}

describe.each(Object.entries(tables))("%s returns what arrays return for any function of rows", (_, table) => {
  it.each(functions.map((test) => [String(test).replaceAll(/\s+/g, " "), test] as const))("%s", (_text, test) => {
    const there = objects(table);
    expect(ending(() => objects(table.filter(test)))).toEqual(ending(() => there.filter((row) => test(row))));
    expect(ending(() => table.derive({ value: test }).array("value"))).toEqual(
      ending(() => there.map((row) => test(row))),
    );
  });
});

it("fails like JavaScript if a cell is empty", () => {
  for (const test of [(d: Row) => (d.Priority as string).includes("U"), (d: Row) => (d.Priority as string).length])
    expect(ending(() => ours.filter(test))).toBe(ending(() => rows.filter(test)));
});

const even = (d: Row) => d.id % 2 === 0 && d.id < 8 && limit > 0;
const few = ours.filter(even);

describe("functions of rows in verbs", () => {
  const keyOf = (d: { readonly Title: string }) => d.Title.split(" ")[0];
  const counts = (table: ColumnTable) => new Map(table.objects().map((row) => Object.values(row) as [string, number]));
  const byWord = new Map(["Trench", "Road", "trench", "Inverter"].map((word) => [word, 6]));

  it("groupby, dedupe", () => {
    expect(counts(ours.groupby({ key: keyOf }).count())).toEqual(byWord);
    expect(ours.dedupe({ key: keyOf }).numRows()).toBe(4);
    expect(ours.groupby("Priority", { late: (d: Row) => d.Title.includes("1") && limit }).groups().size).toBe(8);
  });

  it("orderby with every kind of key, also in a filtered table", () => {
    const sorted = (compare: (a: Row, b: Row) => number) => [...rows].sort(compare).map(({ id }) => id);
    const ids = (table: ColumnTable) => table.array("id");
    const word = (row: Row) => row.Title.split(" ").pop() as string;
    const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
    expect(ids(ours.orderby((d: Row) => d.Title.split(" ").pop()))).toEqual(sorted((a, b) => text(word(a), word(b))));
    expect(
      ids(
        ours.orderby(
          aq.desc((d: Row) => d.Title.slice(0, max)),
          "id",
        ),
      ),
    ).toEqual(sorted((a, b) => text(b.Title.slice(0, max), a.Title.slice(0, max)) || a.id - b.id));
    expect(ids(ours.orderby((d: Row) => op.lower(d.Title)))).toEqual(
      sorted((a, b) => text(a.Title.toLowerCase(), b.Title.toLowerCase())),
    );
    expect(ids(ours.orderby((d: Row) => Math.abs(d.id - 10), { id: aq.desc((d: Row) => d.id) }))).toEqual(
      sorted((a, b) => Math.abs(a.id - 10) - Math.abs(b.id - 10) || b.id - a.id),
    );
    expect(
      ids(
        fresh()
          .params({ sign: -1 })
          .orderby((d: Row, $: { sign: number }) => d.id * $.sign),
      ),
    ).toEqual(sorted((a, b) => b.id - a.id));
    const later = few.orderby(aq.desc((d: Row) => d.id + limit));
    expect(later.columnNames()).toEqual([...names]);
    expect(ids(later.filter((d: Row) => d.id > 2))).toEqual([6, 4]);
    expect(ids(few.orderby(aq.collate((d: Row) => d.Title.slice(1), "en"))).length).toBe(4);
  });

  it("aggregates of the table and of its groups, also under another name", () => {
    const made = ours.rollup({
      sum: (d: Row) => op.sum(d.id * 2) / op.sum(d.id),
      constant: () => limit,
      pattern: ({ id }: Row) => op.sum(id) + 1,
      block: (d: Row) => {
        const total = op.sum(d.id);
        return total > 3 ? `${total}` : "few";
      },
    });
    expect(made.object()).toEqual({ sum: 2, constant: 1, pattern: 277, block: "276" });
    const { median } = op;
    const alias = op;
    expect(ours.filter((d: Row) => d.id > (median(d.id as never) as unknown as number)).numRows()).toBe(12);
    expect(ours.derive({ off: (d: Row) => d.id - alias.mean(d.id) }).array("off")).toEqual(
      rows.map(({ id }) => id - 11.5),
    );
  });

  it("fold, unroll, spread, pivot, impute, sample", () => {
    expect(few.fold({ word: keyOf as never }).array("value")).toEqual(few.objects().map((row) => keyOf(row as Row)));
    expect(few.unroll({ part: (d: Row) => d.Title.split(" ") }).numRows()).toBe(10);
    expect(
      few
        .select("Title")
        .spread({ part: (d: Row) => d.Title.split(" ") }, { limit: 1 })
        .array("part_1"),
    ).toEqual(few.objects().map((row) => keyOf(row as Row)));
    expect(few.pivot({ key: keyOf }, { sum: (d: Row) => op.sum(d.id) * 1 }).object()).toEqual({
      Trench: 4,
      trench: 8,
    });
    const gaps = aq.table({ a: [1, null], b: ["x", "y"] });
    expect(gaps.impute({ a: (d: { b: string }) => d.b.toUpperCase() + limit }).array("a")).toEqual([1, "Y1"]);
    expect(gaps.impute({ a: (d: { b: string }) => d.b }).array("a")).toEqual([1, "y"]);
    expect(gaps.impute({ a: () => limit }).array("a")).toEqual([1, 1]);
    expect(gaps.impute({ a: () => limit }, { expand: { b: (d: { b: string }) => op.array_agg(d.b) } }).numRows()).toBe(
      2,
    );
    const ofRow = { b: (d: { b: string }) => d.b + limit };
    expect(() => gaps.impute({ a: () => limit }, { expand: ofRow })).toThrow("read outside of an aggregate");
    expect(few.sample(() => (op.count() as unknown as number) - 1).numRows()).toBe(3);
    expect(
      few.sample(2, { weight: ((d: Row) => Number(d.Title.includes("box"))) as never }).array("Title").length,
    ).toBe(2);
  });

  it("joins with keys and values", () => {
    const words = aq.table({ word: ["road", "trench", "mast"], crew: ["A", "B", "C"] });
    const isOf = ((a: Row, b: { word: string }) => a.Title.toLowerCase().startsWith(b.word)) as never;
    const expected = rows.filter(({ Title }) => /^(road|trench)/i.test(Title)).length;
    expect(ours.join(words, isOf).numRows()).toBe(expected);
    expect(ours.join_left(words, isOf).numRows()).toBe(rows.length);
    expect(ours.join_right(words, isOf).numRows()).toBe(expected + 1);
    expect(ours.join_full(words, isOf).numRows()).toBe(rows.length + 1);
    expect(ours.semijoin(words, isOf).numRows()).toBe(expected);
    expect(ours.antijoin(words, isOf).numRows()).toBe(rows.length - expected);
    const on = [(d: Row) => d.Title.split(" ")[0]?.toLowerCase(), (d: { word: string }) => d.word.trim()] as never;
    expect(ours.join(words, on).numRows()).toBe(expected);
    expect(ours.semijoin(words, on).numRows()).toBe(expected);
    expect(
      ours
        .lookup(words, on, { crew: (d: { crew: string }) => d.crew.toLowerCase() + limit })
        .array("crew")
        .slice(0, 2),
    ).toEqual(["b1", "a1"]);
    const values = { text: (a: Row, b: { crew: string }) => `${a.Title.slice(0, 1)}${b.crew}${limit}` };
    expect(
      ours
        .join(words, on, values as never)
        .array("text")
        .slice(0, 2),
    ).toEqual(["TB1", "RA1"]);
    expect(
      ours.join(words, on, [["id"], { crew: (d: { crew: string }) => d.crew.concat("!") }] as never).columnNames(),
    ).toEqual(["id", "crew"]);
    expect(few.cross(words, values as never).numRows()).toBe(12);
    const given = fresh().params({ start: "T" });
    const starts = (a: Row, b: { word: string }, $: { start: string }) =>
      a.Title.startsWith($.start) && b.word.includes("t");
    expect(given.join(words, starts as never).numRows()).toBe(12);
  });

  it("the table's parameters, which stay unchanged", () => {
    const table = fresh().params({ least: 3 });
    type Given = { least: number };
    expect(table.filter((d: Row, $: Given) => d.Title.includes("R") && d.id > $.least).numRows()).toBe(5);
    expect(table.filter((d: Row, { least }: Given) => d.tags.length * limit > 0 && d.id > least).numRows()).toBe(14);
    const made = table.filter((d: Row) => d.Title.includes("R"));
    expect([table.params(), made.params()]).toEqual([{ least: 3 }, { least: 3 }]);
    expect(Object.hasOwn(table, "params")).toBe(false);
  });

  it("verbs of other tables within a function", () => {
    const before = few.derive({
      n: (d: Row) =>
        ours
          .filter((o: Row) => o.id < d.id)
          .rollup({ n: op.count() })
          .get("n", 0),
    });
    expect(before.array("n")).toEqual([0, 2, 4, 6]);
    const countOf = (id: number) =>
      ours
        .filter((o: Row) => o.id < id)
        .rollup({ n: op.count() })
        .get("n", 0);
    expect(few.derive({ n: (d: Row) => countOf(d.id) }).array("n")).toEqual([0, 2, 4, 6]);
  });
});

describe("expressions as strings", () => {
  it("use Arquero's language and JavaScript's methods", () => {
    expect(ours.filter("d => ['HIGH', 'URGENT'].includes(d.Priority)").numRows()).toBe(12);
    expect(ours.filter("d.Title.includes('x')").numRows()).toBe(rows.filter(({ Title }) => Title.includes("x")).length);
    expect(ours.derive({ off: "d.id - mean(d.id)" }).get("off", 0)).toBe(-11.5);
    expect(fresh().params({ least: 2 }).derive({ off: "upper(d.Title).slice(0, least) + PI" }).get("off", 0)).toBe(
      `TR${Math.PI}`,
    );
    expect(ours.derive({ off: "d.id * PI" }).get("off", 1)).toBe(Math.PI);
  });

  it("may be functions with names that only Arquero defines", () => {
    expect(ours.derive({ off: written("(d) => d.id - median(d.id)") }).get("off", 0)).toBe(-11.5);
    expect(ours.derive({ off: written("(d) => lower(d.Title).slice(0, 2) + PI") }).get("off", 0)).toBe(`tr${Math.PI}`);
    expect(ours.derive({ off: written("(d) => op.lower(d.Title)") }).get("off", 0)).toBe("trench 0");
    expect(ours.derive({ off: written("(d) => op.lower(d.Title).at(0)") }).get("off", 0)).toBe("t");
    expect(ours.rollup({ off: written("(d) => max(d.id)") }).get("off", 0)).toBe(23);
    const cells = { median: op.median, round: (value: number) => -value };
    const compiled = (text: string) => new Function("cells", `return ${text}`)(cells) as Test;
    expect(ours.derive({ off: compiled("(d) => d.id - (0, cells.median)(d.id)") }).get("off", 0)).toBe(-11.5);
    expect(ours.derive({ off: compiled("(d) => (0, cells.round)(d.id)") }).get("off", 3)).toBe(-3);
  });
});

it("compares columns of keys with values that are not keys", () => {
  const table = fromArrow(aq.table({ p: ["A", "B", null, "A"] }).toArrowIPC() as Uint8Array);
  type Keyed = { readonly p: string | null };
  const there = table.objects() as Keyed[];
  for (const test of [
    (d: Keyed) => d.p !== "Z",
    written<Keyed>("(d) => d.p != 'Z'"),
    (d: Keyed) => d.p === "Z",
    (d: Keyed) => d.p !== "A",
    ({ p }: Keyed) => p !== "Z",
    (d: Keyed) => d.p !== undefined,
    (d: Keyed) => d.p != null,
    (d: Keyed) => !(d.p !== "Z"),
  ])
    expect(table.filter(test).objects(), String(test)).toEqual(there.filter(test));
  expect(table.filter("d.p !== 'Z'").numRows()).toBe(4);
});

describe("functions that mix aggregates with other code", () => {
  const factor = 3;
  const frame = [-1, 0] as [number, number];
  type Verbs = (table: ColumnTable) => ColumnTable;
  const mixed: Readonly<Record<string, readonly [run: Verbs, code: string]>> = {
    "a variable outside": [
      (t) => t.rollup({ a: (d: Row) => op.sum(d.id) * factor }),
      ".rollup({ sum: (d) => op.sum(d.id) }).derive({ a: (d) => d.sum * factor })",
    ],
    "a variable inside": [
      (t) => t.rollup({ a: (d: Row) => op.sum(d.id * factor) }),
      ".derive({ value: (d) => d.id * factor }).rollup({ a: (d) => op.sum(d.value) })",
    ],
    "methods inside and outside": [
      (t) => t.rollup({ "a b": (d: Row) => op.max(d.Title.slice(0, 4)).padEnd(8) }),
      '.derive({ value: (d) => d.Title.slice(0, 4) }).rollup({ max: (d) => op.max(d.value) }).derive({ "a b": (d) => d.max.padEnd(8) })',
    ],
    "a constant argument": [
      (t) => t.orderby("id").derive({ a: (d: Row) => op.lag(d.id, limit, factor * 2) }),
      ".params({ limit, given: factor * 2 }).derive({ a: (d, $) => op.lag(d.id, $.limit, $.given) })",
    ],
    "no row": [
      (t) => t.rollup({ a: () => (op.count() as unknown as number) * factor }),
      ".rollup({ count: (d) => op.count() }).derive({ a: (d) => d.count * factor })",
    ],
    "a pattern": [
      (t) => t.rollup({ a: ({ id }: Row) => op.sum(id * factor) + factor }),
      ".derive({ value: ({ id }) => id * factor }).rollup({ sum: ({ value, id }) => op.sum(value) }).derive({ a: ({ sum }) => sum + factor })",
    ],
    "a block": [
      (t) =>
        t.derive({
          a: (d: Row) => {
            const total = op.sum(d.id);
            return String(total - d.id).padStart(factor);
          },
        }),
      ".derive({ sum: (d) => op.sum(d.id) }).derive({ a: (d) => { const total = d.sum; return String(total - d.id).padStart(factor); } })",
    ],
    "aggregates of some rows": [
      (t) => t.derive({ a: (d: Row) => (d.id > factor ? op.sum(d.id) : op.sum(d.depth as number)) }),
      ".derive({ sum: (d) => op.sum(d.id), sum_: (d) => op.sum(d.depth) }).derive({ a: (d) => d.id > factor ? d.sum : d.sum_ })",
    ],
    "a window": [
      (t) => t.orderby("id").derive({ a: aq.rolling((d: Row) => op.sum(d.id) * factor, frame) }),
      ".derive({ sum: aq.rolling((d) => op.sum(d.id), [-1, 0]) }).derive({ a: (d) => d.sum * factor })",
    ],
    "a filter": [
      (t) => t.filter((d: Row) => d.id > op.mean(d.id) * factor - 21),
      ".derive({ mean: (d) => op.mean(d.id) }).filter((d) => d.id > d.mean * factor - 21)",
    ],
    "keys of groups": [
      (t) => t.groupby({ a: (d: Row) => d.id > op.mean(d.id) + factor }).count(),
      ".derive({ mean: (d) => op.mean(d.id) }).groupby({ a: (d) => d.id > d.mean + factor })",
    ],
    "a string": [
      (t) => t.derive({ a: "d.Title.length + mean(d.id) + Number('3')" }),
      ".derive({ mean: (d) => mean(d.id) }).derive({ a: (d, $) => d.Title.length + d.mean + Number('3') })",
    ],
  };

  it.each(Object.entries(mixed))("%s", (_, [run, code]) => {
    const failed = thrown(() => run(ours)) as ArgumentError;
    expect(failed).toBeInstanceOf(ArgumentError);
    expect(failed.hint?.replaceAll(/\s+/g, " ")).toBe(`Derive first: ${code.replaceAll(/\s+/g, " ")}`);
  });

  it("have the result of the code in the error", () => {
    const table = ours.filter((d: Row) => d.id > 7).groupby("Priority");
    const pasted = (name: string): ColumnTable => {
      const [run, code] = mixed[name] ?? [];
      expect(() => run?.(table)).toThrow(ArgumentError);
      const variables = { table, op, aq, limit, factor };
      return new Function(...Object.keys(variables), `return table${code}`)(...Object.values(variables)) as ColumnTable;
    };
    const there = rows.filter(({ id }) => id > 7);
    const keys = [...new Set(there.map(({ Priority }) => Priority))];
    const groups = keys.map((key) => there.filter(({ Priority }) => Priority === key));
    const sums = groups.map((group) => group.reduce((sum, { id }) => sum + id, 0));
    const expected: Readonly<Record<string, readonly unknown[]>> = {
      "a variable outside": sums.map((sum) => sum * 3),
      "a variable inside": sums.map((sum) => sum * 3),
      "no row": groups.map((group) => group.length * 3),
      "a pattern": sums.map((sum) => sum * 3 + 3),
    };
    for (const [name, values] of Object.entries(expected))
      expect([...pasted(name).array("a")].sort(), name).toEqual([...values].sort());
    expect(
      pasted("methods inside and outside")
        .array("a b")
        .every((text) => String(text).length === 8),
    ).toBe(true);
    const sumOf = (row: Row) => sums[groups.findIndex((group) => group.includes(row))];
    expect(pasted("a block").array("a")).toEqual(there.map((row) => `${Number(sumOf(row)) - row.id}`.padStart(3)));
    expect(pasted("aggregates of some rows").array("a")).toEqual(there.map(sumOf));
    expect(pasted("a constant argument").array("a").slice(0, 6)).toEqual([6, 6, 6, 6, 8, 9]);
    expect(pasted("a window").array("a").slice(0, 5)).toEqual([24, 27, 30, 33, 60]);
    expect(pasted("a filter").numRows()).toBe(0);
    expect(pasted("keys of groups").groups().size).toBe(2);
    expect(new Set(pasted("a string").array("a")).size).toBeGreaterThan(1);
  });
});

describe("unsupported functions throw an error", () => {
  const share = (d: Row) => d.id / op.sum(d.id);
  const average = op.mean;
  const cases: Readonly<Record<string, readonly [run: () => unknown, message: RegExp]>> = {
    "a missing column": [
      () => ours.filter((d: { Titel: string }) => d.Titel.includes("x")),
      /no column "Titel".*Did you mean "Title"/,
    ],
    "a value of a row in rollup": [
      () => ours.rollup({ a: (d: Row) => d.Title.slice(1) }),
      /one row is read outside of an aggregate.*derive/,
    ],
    "a value of a row next to an aggregate": [
      () => ours.rollup({ a: (d: Row) => op.sum(d.id) * d.id * limit }),
      /one row is read outside of an aggregate/,
    ],
    "an aggregate in another function": [
      () => ours.derive({ a: (d: Row) => share(d) }),
      /op.sum\(\) is called in another function/,
    ],
    "an aggregate by another name": [
      () => ours.filter((d: Row) => average(d.id) > 3),
      /op.mean\(\) is called in another function/,
    ],
    "an aggregate as the value": [() => ours.derive({ a: (d: Row) => average(d.id) }), /op.mean\(\) is called in/],
    "aggregates without replacement code": [
      () => ours.pivot("Priority", { a: (d: Row) => op.sum(d.id) * limit }),
      /Derive first: a column/,
    ],
  };
  it.each(Object.entries(cases))("%s", (_, [run, message]) => {
    expect(run).toThrow(ArgumentError);
    expect(ending(run)).toMatch(message);
  });

  it("passes on errors of Arquero", () => {
    expect(() => ours.filter(async (d: Row) => d.id > limit)).toThrow("Async functions not allowed");
    expect(() => ours.filter("d.id > limit")).toThrow("Invalid variable reference");
    expect(() => ours.filter((d: { nothing: number }) => d.nothing > 3)).toThrow('The table has no column "nothing".');
  });
});

it("does not change the user's tables, functions and strings", () => {
  const given = { a: (d: Row) => d.id * limit, b: "d.id", c: aq.desc("id") };
  const before = { ...given };
  ours.derive({ a: given.a, b: given.b });
  expect(given).toEqual(before);
  expect(ours.derive({ a: (d: Row) => d.id * limit }).columnNames()).toEqual([...names, "a"]);
  expect(String(op.mean("id" as never))).toBe('d => op.mean(d["id"])');
});
