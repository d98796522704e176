import type { Client } from "@modelcontextprotocol/client";
import type { ColumnTable } from "arquero";
import * as aq from "arquero";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { givenNames, specifications } from "../../../src/history/questions/define/question-methods.js";
import { type History, inspection, progress, type Source } from "../../../src/index.js";
import { randomRuns } from "../../support/random-runs.js";
import { type Answer, ask, callTool, connectClient, markedData, type Result } from "./connect-client.js";
import { sampleRecords } from "./sample-records.js";

const source: Source = sampleRecords();
const llano = { site: "Llano Verde Solar Park", layer: "PUNCH_LIST_ITEMS" };
const panels = { site: "Llano Verde Solar Park", layer: "SOLAR_PANELS" };

let client: Client;
let tickets: History;
let tables: History;

beforeAll(async () => {
  client = await connectClient({ source });
  const site = await source.site(llano.site);
  tickets = await site.history(llano.layer);
  tables = await site.history(panels.layer);
});

/** A table as JSON, without geometries. */
function expected(table: ColumnTable): Pick<Answer, "columns" | "rows"> {
  const columns = table.columnNames().filter((name) => name !== "geometry");
  const objects = table.objects({ limit: 50 }) as readonly Readonly<Record<string, unknown>>[];
  return JSON.parse(JSON.stringify({ columns, rows: objects.map((row) => columns.map((name) => row[name] ?? null)) }));
}

const months = { from: "2025-04-30", until: "2025-06-30", every: "month" };
const open = ["OPEN", "IN_PROGRESS"];
const order = ["OPEN", "IN_PROGRESS", "CLOSED"];
const plan = [
  { date: "2024-06-30", value: 40 },
  { date: "2026-12-31", value: 78 },
];

/** Arguments of each tool, and the call of the library. */
const questions: Readonly<Record<string, readonly [given: Readonly<Record<string, unknown>>, () => ColumnTable]>> = {
  planVariance: [
    { column: "STATUS", done: "CLOSED", plan },
    () => tickets.planVariance("STATUS", { done: "CLOSED", plan: aq.from([...plan]) }),
  ],
  aging: [
    { column: "STATUS", open, by: ["PRIORITY"], dates: ["2025-06-30"], due: "DUE_DATE" },
    () => tickets.aging("STATUS", { open, by: ["PRIORITY"], dates: ["2025-06-30"], due: "DUE_DATE" }),
  ],
  asOf: [{ at: "2025-06-30" }, () => tickets.asOf("2025-06-30")],
  causeTrees: [{}, () => tickets.causeTrees()],
  changes: [{}, () => tickets.changes()],
  counts: [
    { column: "STATUS", dates: ["2025-06-30"], by: "PRIORITY" },
    () => tickets.counts("STATUS", ["2025-06-30"], { by: "PRIORITY" }),
  ],
  diff: [{ from: "2025-03-31", until: "2025-06-30" }, () => tickets.diff("2025-03-31", "2025-06-30")],
  durations: [{ column: "STATUS", until: "2025-06-30" }, () => tickets.durations("STATUS", { until: "2025-06-30" })],
  flow: [
    { column: "STATUS", done: "CLOSED", start: "IN_PROGRESS", every: "month", from: "2025-01-01" },
    () => tickets.flow("STATUS", { done: "CLOSED", start: "IN_PROGRESS", every: "month", from: "2025-01-01" }),
  ],
  forecast: [
    { column: "STATUS", done: "CLOSED", trials: 500, seed: 3 },
    () => tickets.forecast("STATUS", { done: "CLOSED", trials: 500, seed: 3 }),
  ],
  intervals: [{ column: "STATUS" }, () => tickets.intervals("STATUS")],
  lateEdits: [{}, () => tickets.lateEdits()],
  lateEntries: [{ moreThan: "P1D" }, () => tickets.lateEntries({ moreThan: "P1D" })],
  panel: [months, () => tickets.panel(months)],
  editsByUser: [{}, () => tickets.editsByUser()],
  progress: [
    { column: "STATUS", done: "CLOSED", by: "PRIORITY", at: "2025-06-30", since: "2025-05-31" },
    () => tickets.progress("STATUS", { done: "CLOSED", by: "PRIORITY", at: "2025-06-30", since: "2025-05-31" }),
  ],
  firstReached: [{ column: "STATUS", value: "CLOSED" }, () => tickets.firstReached("STATUS", "CLOSED")],
  reconcile: [{}, () => tickets.reconcile()],
  states: [{ at: "2025-W26", absent: "keep" }, () => tickets.states("2025-06-29", { absent: "keep" })],
  steps: [{ column: "STATUS", order }, () => tickets.steps("STATUS", { order })],
  survival: [
    { column: "STATUS", start: "OPEN", done: ["CLOSED"], by: "PRIORITY", confidence: 0.9 },
    () => tickets.survival("STATUS", { start: "OPEN", done: ["CLOSED"], by: "PRIORITY", confidence: 0.9 }),
  ],
  totals: [{ column: "Cost estimate", ...months }, () => tickets.totals("Cost estimate", months)],
  transitions: [{ column: "STATUS" }, () => tickets.transitions("STATUS")],
  versions: [{}, () => tickets.versions()],
};

/** Methods with arguments in JSON that return a table. */
const methods = [...specifications].filter(([name]) => !["joinAsOf", "layerAsOf"].includes(name));

describe("a method of a history", () => {
  it("is a tool with all of its options", async () => {
    const { tools } = await client.listTools();
    for (const [name, question] of methods) {
      const tool = tools.find((one) => one.name === name);
      const takes = Object.keys(tool?.inputSchema.properties ?? {});
      expect(takes, name).toEqual(expect.arrayContaining(["site", "layer", "knownAt", ...givenNames(question)]));
      expect(tool?.outputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(tool?.description, name).toContain(question.summary);
    }
    expect(Object.keys(questions).sort()).toEqual(methods.map(([name]) => name).sort());
  });

  it("can have an option with the name but not the meaning of another method's option", async () => {
    const { tools } = await client.listTools();
    const schemaOf = (name: string, option: string): unknown =>
      tools.find((one) => one.name === name)?.inputSchema.properties?.[option];
    expect(schemaOf("diff", "until")).toMatchObject({ type: "string" });
    expect(schemaOf("survival", "unknownStart")).toMatchObject({ enum: ["creation", "drop"] });
    expect(schemaOf("asOf", "fillUnknown")).toMatchObject({ enum: ["null", "backfill"] });
  });

  it.each(methods)("returns the same as the library: %s", async (name, question) => {
    const [given, table] = questions[name] ?? [];
    const answer = await ask(client, name, { ...llano, ...given });
    const wanted = table?.();
    if (!wanted) throw new Error(`${name} has no example`);
    expect({ columns: answer.columns, rows: answer.rows }).toEqual(expected(wanted));
    expect(answer.rowCount).toBe(wanted.numRows());
    expect(Object.keys(answer.parts ?? {})).toEqual(question.parts ?? []);
    expect(answer.provenance?.readAt).toBe("2026-06-30T12:00:00.000Z");
    for (const part of question.parts ?? []) {
      const own = Reflect.get(wanted, part) as ColumnTable;
      const { columns, rows } = await ask(client, name, { ...llano, ...given, part });
      expect({ columns, rows }, part).toEqual(expected(own));
      expect(answer.parts?.[part]).toBe(own.numRows());
    }
    const facts = (question.facts ?? []).map((fact) => [fact, Reflect.get(wanted, fact)]);
    expect(answer.facts ?? {}).toEqual(Object.fromEntries(facts));
    const codes = tickets.diagnostics.map(({ code }) => code);
    expect(answer.diagnostics.map(({ code }) => code)).toEqual(expect.arrayContaining([...new Set(codes)]));
  });
});

it("no method shows user ids with --redact", async () => {
  const hidden = await connectClient({ source, redact: true });
  expect((await hidden.listTools()).tools.map(({ name }) => name)).not.toContain("sql");
  const people = new Set<unknown>(tickets.changes().array("user_id"));
  people.delete(null);
  let seen = 0;
  for (const [name, question] of methods) {
    for (const part of [undefined, ...(question.parts ?? [])]) {
      const [given] = questions[name] ?? [];
      const { columns, rows } = await ask(hidden, name, { ...llano, ...given, ...(part && { part }), limit: 500 });
      const users = columns.indexOf("user_id");
      const named = users < 0 ? [] : rows.map((row) => row[users]).filter((user) => user !== null);
      expect(
        named.filter((user) => people.has(user)),
        name,
      ).toEqual([]);
      seen += named.length;
    }
  }
  expect(seen).toBeGreaterThan(100);
  await hidden.close();
});

describe("a tool for a site", () => {
  it("returns the progress of all components", async () => {
    const options = { at: "2024-03-31", since: "2024-02-29", components: ["SOLAR_PANELS", "TRENCHES"] } as const;
    const rest = { column: "STATUS", done: { SOLAR_PANELS: "COMMISSIONED", TRENCHES: "BACKFILLED" } };
    const wanted = await progress(await source.site(llano.site), { ...options, ...rest });
    const answer = await ask(client, "siteProgress", { site: llano.site, ...options, ...rest });
    expect({ columns: answer.columns, rows: answer.rows }).toEqual(expected(wanted));
    expect(answer.parts).toEqual({ stages: wanted.stages.numRows(), totals: wanted.totals.numRows() });
    const stages = await ask(client, "siteProgress", { site: llano.site, ...options, ...rest, part: "stages" });
    expect({ columns: stages.columns, rows: stages.rows }).toEqual(expected(wanted.stages));
  });

  it("returns the result of an inspection", async () => {
    const layers = ["Solar anomalies 2026-02-19", "Solar anomalies 2026-05-21"];
    const options = {
      ...{ classColumn: "Class", modules: "Affected modules", factors: { hot_spot: 0.1, string: 1 }, ratedPower: 580 },
      ...{ maxMeters: 1, relation: "Previous finding", labels: ["winter", "spring"] },
    };
    const by = ["capture", "class"] as const;
    const site = await source.site(llano.site);
    const read = await Promise.all(layers.map((layer) => site.layer(layer)));
    const wanted = await inspection(read, { ...options, by, peakPower: site, surveyArea: source });
    const given = { site: llano.site, layers, ...options, by, peakPower: "site", surveyArea: true };
    const answer = await ask(client, "inspection", given);
    expect({ columns: answer.columns, rows: answer.rows }).toEqual(expected(wanted));
    for (const part of ["totals", "changes", "anomalies"] as const) {
      const { columns, rows } = await ask(client, "inspection", { ...given, part });
      expect({ columns, rows }, part).toEqual(expected(wanted[part]));
    }
  });

  it("returns the choices of a layer's columns", async () => {
    const options = await ask(client, "describe", { ...panels, part: "options", where: { column: "Inspection" } });
    expect(options.rows.length).toBeGreaterThan(1);
    expect(options.columns).toEqual(["column", "code", "label"]);
    expect(tables.columns).toContain("Inspection");
  });
});

it("random arguments get an answer or a message", async () => {
  const { tools } = await client.listTools();
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown[]>("STATUS", "OPEN", ["CLOSED"], "2025-06-30", ["2025-06-30"]),
    fc.constantFrom<unknown[]>(months, plan, 5, "month", true),
  );
  const drawn = fc.constantFrom(...tools).chain(({ name, inputSchema: { properties = {}, required = [] } }) => {
    const options = Object.keys(properties).filter((option) => !["site", "layer", "kind"].includes(option));
    const given = fc.dictionary(fc.constantFrom(...options), value, { maxKeys: 5 });
    const needed = required.includes("column") ? { column: "STATUS" } : {};
    const place = Object.fromEntries(Object.entries(llano).filter(([option]) => option in properties));
    return given.map((rest) => ({ name, given: { ...needed, ...rest, ...place } }));
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ name, given }) => {
      const { content, isError } = (await client.callTool({ name, arguments: given })) as Result;
      const message = isError ? markedData(String(content[0]?.text)) : "";
      // Unexpected errors have a message of the engine.
      expect(message).not.toMatch(/Cannot (read|convert)|is not a function|is not iterable/);
    }),
    { numRuns: randomRuns(500) },
  );
});

describe("an answer", () => {
  it("is computed once for all of its rows and parts", async () => {
    let reads = 0;
    const counting = new Proxy(source, {
      get: (target, name) => {
        if (name === "site") reads += 1;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const other = await connectClient({ source: counting });
    const given = { site: llano.site, components: ["FENCES"], done: "MESH_FIXED" };
    const [whole, ...rest] = [
      await ask(other, "siteProgress", given),
      await ask(other, "siteProgress", { ...given, part: "stages", limit: 1 }),
      await ask(other, "siteProgress", { ...given, columns: ["percent"], offset: 0 }),
    ];
    expect(reads).toBe(1);
    expect(rest.map(({ parts }) => parts)).toEqual([whole?.parts, whole?.parts]);
    const earlier = await ask(other, "siteProgress", { ...given, at: "2023-04-30" });
    expect(reads).toBe(2);
    expect(earlier.rows).not.toEqual(whole?.rows);
    const planned = (value: number) =>
      ask(other, "planVariance", { ...llano, column: "STATUS", done: "CLOSED", plan: [{ date: "2026-01-01", value }] });
    const [few, many] = [await planned(10), await planned(70)];
    expect(few?.rows).not.toEqual(many?.rows);
    await other.close();
  });

  it("can be filtered by an object", async () => {
    const given = { ...llano, at: "2025-06-30", columns: ["geometry"] };
    const [[id, , geometry] = []] = (await ask(client, "asOf", given)).rows;
    expect((await ask(client, "asOf", { ...given, where: { geometry } })).rows).toEqual([
      [id, expect.anything(), geometry],
    ]);
    expect((await ask(client, "asOf", { ...given, at: "1900-01-01", where: { geometry } })).rows).toEqual([]);
  });

  it("has at most the maximum of rows, and the offset of the next rows", async () => {
    const few = await connectClient({ source, maxRows: 3 });
    const { content, structuredContent } = await callTool(few, "changes", { ...llano, limit: 100 });
    expect(structuredContent).toMatchObject({ nextOffset: 3, rows: { length: 3 } });
    expect(content[0]?.text).toContain("3 of 1125 rows; more follow: use offset 3.");
    await few.close();
  });

  it("reports values of a filter that no row has, with a suggestion", async () => {
    const given = { ...llano, at: "2025-06-30" };
    const filtered = (where: object) => ask(client, "asOf", { ...given, where });
    const none = await filtered({ STATUS: "OPN" });
    expect(none.rows).toEqual([]);
    expect(none.diagnostics[0]).toEqual({
      code: "match-missing",
      severity: "warning",
      message: 'where: no row has "OPN" in "STATUS".',
    });
    const some = await filtered({ STATUS: ["OPEN", "elsewhere"] });
    expect(some.rows.length).toBeGreaterThan(0);
    expect(some.diagnostics[0]).toEqual({
      code: "match-missing",
      severity: "warning",
      message: 'where: no row has "elsewhere" in "STATUS".',
    });
    const [[id] = []] = (await ask(client, "asOf", { ...given, columns: ["id"] })).rows;
    const text = await filtered({ id: `${id}` });
    expect(text.diagnostics[0]?.message).toBe(`where: no row has "${id}" in "id". Did you mean ${id}?`);
    const known = await filtered({ STATUS: "OPEN" });
    expect(known.diagnostics.filter(({ code }) => code === "match-missing")).toEqual([]);
  });

  it.each([
    ["aging", { ...llano, column: "STATUS", open: "OPN" }, 'open: no feature ever had "OPN" in "STATUS".'],
    ["aging", { ...llano, column: "STATUS", open: "OPEN", part: "feature" }, 'Did you mean "features"?'],
    ["forecast", { ...llano, column: "STATSU", done: "CLOSED" }, 'Did you mean "STATUS"?'],
    ["forecast", { ...llano, column: "STATUS", dne: "CLOSED" }, "Did you mean done?"],
    [
      "survival",
      { ...llano, column: "STATUS", start: "OPEN", done: "CLOSED", unknownStart: "dropp" },
      'Did you mean "drop"?',
    ],
    ["siteProgress", { site: "Llano Verde Solar" }, 'Did you mean "Llano Verde Solar Park"?'],
    ["inspection", { site: 101, layers: ["Solar anomaly 2026-02-19"], classColumn: "Class" }, "Did you mean"],
    ["inspection", { site: 101, layers: ["Solar anomalies 2026-02-19"], classColumn: "Clas" }, 'Did you mean "Class"?'],
    ["planVariance", { ...llano, column: "STATUS", done: "CLOSED", plan: [{ day: 1 }] }, "invalid plan"],
    ["durations", { ...llano, column: "STATUS", where: { days: { ">": 5 } } }, 'cannot equal a value of "days"'],
    ["asOf", { ...llano, at: "2025-06-30", where: { STATUS: ["OPEN", { not: 1 }] } }, "Give a value or an array of"],
  ])("is an error with a suggestion for invalid arguments: %s", async (name, given, message) => {
    await expect(ask(client, name, given)).rejects.toThrow(message);
  });
});

describe("work", () => {
  const days = (count: number) =>
    Array.from({ length: count }, (_, day) => new Date(1.2e12 + day * 864e5).toISOString().slice(0, 10));
  const fine = { from: "2023-06-01T00:00:00Z", until: "2025-06-01T00:00:00Z", every: "PT11M" };
  const manyNames = Array.from({ length: 1100 }, (_, name) => ({ [`c${name}`]: 1, date: "2024-01-01" }));

  it.each<[tool: string, given: Readonly<Record<string, unknown>>, message: string]>([
    ["counts", { column: "STATUS", dates: days(10_001) }, "counts: more than 10,000 values in the arguments."],
    ["asOf", { at: "2025-06-30", where: { STATUS: days(10_001) } }, "asOf: more than 10,000 values in the arguments."],
    [
      "planVariance",
      { column: "STATUS", done: "CLOSED", plan: manyNames },
      "plan: the rows have 1101 different columns.",
    ],
    ["aging", { column: "STATUS", open, dates: fine, by: ["id", "visible_id"] }, "more than 5,000,000 rows"],
    ["counts", { column: "STATUS", dates: fine, by: "id" }, "more than"],
    [
      "forecast",
      { column: "STATUS", done: "CLOSED", trials: 1_000_000 },
      "trials must be an integer from 100 to 100000",
    ],
    [
      "figure",
      { kind: "cumulativeFlow", column: "STATUS", dates: fine },
      "The figure has 95,695 dates, the maximum is 10,000.",
    ],
    [
      "figure",
      { kind: "mapPanels", column: "STATUS", dates: days(401) },
      "The figure has 401 dates, the maximum is 400.",
    ],
    [
      "figure",
      { kind: "netFlow", column: "STATUS", done: "CLOSED", from: fine.from, every: "PT20M" },
      "intervals, the maximum is 10,000.",
    ],
  ])("of %s is limited: %j", async (tool, given, message) => {
    await expect(ask(client, tool, { ...llano, ...given })).rejects.toThrow(message);
    expect((await ask(client, "sites")).rows.length).toBeGreaterThan(0);
  });

  it("of filters is one pass over the rows", async () => {
    const values = Array.from({ length: 9000 }, (_, value) => `v${value}`);
    const found = await ask(client, "changes", { ...panels, where: { value: values } });
    expect(found.rows).toEqual([]);
    expect(found.diagnostics.at(-1)).toMatchObject({ code: "diagnostics-truncated" });
  });
});
