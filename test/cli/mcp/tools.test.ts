import type { Client } from "@modelcontextprotocol/client";
import type { ColumnTable } from "arquero";
import * as aq from "arquero";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { givenNames, specifications } from "../../../src/history/questions/by-name.js";
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

/** As JSON has it, without geometries. */
function expected(table: ColumnTable, most = 50): Pick<Answer, "columns" | "rows"> {
  const columns = table.columnNames().filter((name) => name !== "geometry");
  const objects = table.objects({ limit: most }) as readonly Readonly<Record<string, unknown>>[];
  return JSON.parse(JSON.stringify({ columns, rows: objects.map((row) => columns.map((name) => row[name] ?? null)) }));
}

const months = { from: "2025-04-30", to: "2025-06-30", every: "month" };
const open = ["OPEN", "IN_PROGRESS"];
const order = ["OPEN", "IN_PROGRESS", "CLOSED"];
const plan = [
  { date: "2024-06-30", value: 40 },
  { date: "2026-12-31", value: 78 },
];

/** Each question as a tool is asked it, and as the library is. */
const questions: Readonly<Record<string, readonly [given: Readonly<Record<string, unknown>>, () => ColumnTable]>> = {
  againstPlan: [
    { column: "STATUS", done: "CLOSED", plan },
    () => tickets.againstPlan("STATUS", { done: "CLOSED", plan: aq.from([...plan]) }),
  ],
  ageing: [
    { column: "STATUS", open, by: ["PRIORITY"], dates: ["2025-06-30"], due: "DUE_DATE" },
    () => tickets.ageing("STATUS", { open, by: ["PRIORITY"], dates: ["2025-06-30"], due: "DUE_DATE" }),
  ],
  asOf: [{ at: "2025-06-30" }, () => tickets.asOf("2025-06-30")],
  causes: [{}, () => tickets.causes()],
  changes: [{}, () => tickets.changes()],
  counts: [
    { column: "STATUS", dates: ["2025-06-30"], by: "PRIORITY" },
    () => tickets.counts("STATUS", ["2025-06-30"], { by: "PRIORITY" }),
  ],
  diff: [{ from: "2025-03-31", to: "2025-06-30" }, () => tickets.diff("2025-03-31", "2025-06-30")],
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
  people: [{}, () => tickets.people()],
  progress: [
    { column: "STATUS", done: "CLOSED", by: "PRIORITY", at: "2025-06-30", since: "2025-05-31" },
    () => tickets.progress("STATUS", { done: "CLOSED", by: "PRIORITY", at: "2025-06-30", since: "2025-05-31" }),
  ],
  reached: [{ column: "STATUS", value: "CLOSED" }, () => tickets.reached("STATUS", "CLOSED")],
  reconcile: [{}, () => tickets.reconcile()],
  states: [{ at: "2025-06-30", absent: "keep" }, () => tickets.states("2025-06-30", { absent: "keep" })],
  steps: [{ column: "STATUS", order }, () => tickets.steps("STATUS", { order })],
  survival: [
    { column: "STATUS", from: "OPEN", to: ["CLOSED"], by: "PRIORITY", confidence: 0.9 },
    () => tickets.survival("STATUS", { from: "OPEN", to: ["CLOSED"], by: "PRIORITY", confidence: 0.9 }),
  ],
  totals: [{ column: "Cost estimate", ...months }, () => tickets.totals("Cost estimate", months)],
  transitions: [{ column: "STATUS" }, () => tickets.transitions("STATUS")],
  versions: [{}, () => tickets.versions()],
};

/** Those that are answered with a table, and asked with JSON. */
const asked = [...specifications].filter(([name]) => !["at", "layerAt"].includes(name));

describe("a question about time", () => {
  it("is a tool each, with all of its options", async () => {
    const { tools } = await client.listTools();
    for (const [name, question] of asked) {
      const tool = tools.find((one) => one.name === name);
      const takes = Object.keys(tool?.inputSchema.properties ?? {});
      expect(takes, name).toEqual(expect.arrayContaining(["site", "layer", "knownAt", ...givenNames(question)]));
      expect(tool?.outputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(tool?.description, name).toContain(question.summary);
    }
    expect(Object.keys(questions)).toEqual(asked.map(([name]) => name));
  });

  it("has options of its own meaning under a name that others have, too", async () => {
    const { tools } = await client.listTools();
    const schemaOf = (name: string, option: string): unknown =>
      tools.find((one) => one.name === name)?.inputSchema.properties?.[option];
    expect(schemaOf("survival", "from")).toEqual({
      description: "The value, or an array of values, that begins a spell.",
    });
    expect(schemaOf("flow", "from")).toMatchObject({ type: "string" });
    expect(schemaOf("survival", "unknown")).toMatchObject({ enum: ["late-entry", "drop"] });
    expect(schemaOf("asOf", "unknown")).toMatchObject({ enum: ["null", "backfill"] });
  });

  it.each(asked)("is answered as the library answers: %s", async (name, question) => {
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
      const told = await ask(client, name, { ...llano, ...given, part });
      expect({ columns: told.columns, rows: told.rows }, part).toEqual(expected(own));
      expect(answer.parts?.[part]).toBe(own.numRows());
    }
    const facts = (question.facts ?? []).map((fact) => [fact, Reflect.get(wanted, fact)]);
    expect(answer.facts ?? {}).toEqual(Object.fromEntries(facts));
    const codes = tickets.findings.map(({ code }) => code);
    expect(answer.findings.map(({ code }) => code)).toEqual(expect.arrayContaining([...new Set(codes)]));
  });
});

it("names no person where persons are hidden, in no question", async () => {
  const hidden = await connectClient({ source, redact: true });
  expect((await hidden.listTools()).tools.map(({ name }) => name)).not.toContain("sql");
  const people = new Set<unknown>(tickets.changes().array("user_id"));
  people.delete(null);
  let seen = 0;
  for (const [name, question] of asked) {
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

describe("a question about a site", () => {
  it("tells the progress of all components", async () => {
    const options = { at: "2024-03-31", since: "2024-02-29", components: ["SOLAR_PANELS", "TRENCHES"] } as const;
    const rest = { column: "STATUS", done: { SOLAR_PANELS: "COMMISSIONED", TRENCHES: "BACKFILLED" } };
    const wanted = await progress(await source.site(llano.site), { ...options, ...rest });
    const answer = await ask(client, "siteProgress", { site: llano.site, ...options, ...rest });
    expect({ columns: answer.columns, rows: answer.rows }).toEqual(expected(wanted));
    expect(answer.parts).toEqual({ stages: wanted.stages.numRows(), totals: wanted.totals.numRows() });
    const stages = await ask(client, "siteProgress", { site: llano.site, ...options, ...rest, part: "stages" });
    expect({ columns: stages.columns, rows: stages.rows }).toEqual(expected(wanted.stages));
  });

  it("tells what an inspection found", async () => {
    const layers = ["Solar anomalies 2026-02-19", "Solar anomalies 2026-05-21"];
    const options = {
      ...{ classes: "Class", modules: "Affected modules", factors: { hot_spot: 0.1, string: 1 }, ratedPower: 580 },
      ...{ maxDistance: 1, relation: "Previous finding", labels: ["winter", "spring"] },
    };
    const by = ["capture", "class"] as const;
    const site = await source.site(llano.site);
    const read = await Promise.all(layers.map((layer) => site.layer(layer)));
    const wanted = await inspection(read, { ...options, by, peakPower: site, coverage: source });
    const given = { site: llano.site, layers, ...options, by, peakPower: "site", coverage: true };
    const answer = await ask(client, "inspection", given);
    expect({ columns: answer.columns, rows: answer.rows }).toEqual(expected(wanted));
    for (const part of ["totals", "changes", "anomalies"] as const) {
      const told = await ask(client, "inspection", { ...given, part });
      expect({ columns: told.columns, rows: told.rows }, part).toEqual(expected(wanted[part]));
    }
  });

  it("gives the choices of a layer's columns beside its dictionary", async () => {
    const options = await ask(client, "describe", { ...panels, part: "options", where: { column: "Inspection" } });
    expect(options.rows.length).toBeGreaterThan(1);
    expect(options.columns).toEqual(["column", "code", "label"]);
    expect(tables.columns).toContain("Inspection");
  });
});

it("answers, or says what is wrong, whatever it is given", async () => {
  const { tools } = await client.listTools();
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown[]>(
      "STATUS",
      "OPEN",
      ["CLOSED"],
      "2025-06-30",
      ["2025-06-30"],
      months,
      plan,
      5,
      "month",
      true,
    ),
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
      const said = isError ? markedData(String(content[0]?.text)) : "";
      // A slip of ours has words of the engine.
      expect(said).not.toMatch(/Cannot (read|convert)|is not a function|is not iterable/);
    }),
    { numRuns: randomRuns(500) },
  );
});

describe("an answer", () => {
  it("is found once for all of its rows and parts", async () => {
    let asked = 0;
    const counting = new Proxy(source, {
      get: (target, name) => {
        if (name === "site") asked += 1;
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
    expect(asked).toBe(1);
    expect(rest.map(({ parts }) => parts)).toEqual([whole?.parts, whole?.parts]);
    const earlier = await ask(other, "siteProgress", { ...given, at: "2023-04-30" });
    expect(asked).toBe(2);
    expect(earlier.rows).not.toEqual(whole?.rows);
    const planned = (value: number) => ({
      ...llano,
      column: "STATUS",
      done: "CLOSED",
      plan: [{ date: "2026-01-01", value }],
    });
    const [few, many] = [await ask(other, "againstPlan", planned(10)), await ask(other, "againstPlan", planned(70))];
    expect(few?.rows).not.toEqual(many?.rows);
    await other.close();
  });

  it("has the rows whose objects are equal to one", async () => {
    const given = { ...llano, at: "2025-06-30", columns: ["geometry"] };
    const [[id, , geometry] = []] = (await ask(client, "asOf", given)).rows;
    expect((await ask(client, "asOf", { ...given, where: { geometry } })).rows).toEqual([
      [id, expect.anything(), geometry],
    ]);
    expect((await ask(client, "asOf", { ...given, at: "1900-01-01", where: { geometry } })).rows).toEqual([]);
  });

  it("keeps to the most rows, and says where it is cut", async () => {
    const few = await connectClient({ source, maxRows: 3 });
    const { content, structuredContent } = await callTool(few, "changes", { ...llano, limit: 100 });
    expect(structuredContent).toMatchObject({ nextOffset: 3, rows: { length: 3 } });
    expect(content[0]?.text).toContain("3 of 1125 rows: the answer is cut, and offset 3 gives the next ones.");
    await few.close();
  });

  it("says which values no row has, and what was probably meant", async () => {
    const given = { ...llano, at: "2025-06-30" };
    const none = await ask(client, "asOf", { ...given, where: { STATUS: "OPN" } });
    expect(none.rows).toEqual([]);
    expect(none.findings[0]).toEqual({
      code: "no-match",
      message: 'where: no row has "OPN" in "STATUS".',
    });
    const some = await ask(client, "asOf", { ...given, where: { STATUS: ["OPEN", "elsewhere"] } });
    expect(some.rows.length).toBeGreaterThan(0);
    expect(some.findings[0]).toEqual({ code: "no-match", message: 'where: no row has "elsewhere" in "STATUS".' });
    const [[id] = []] = (await ask(client, "asOf", { ...given, columns: ["id"] })).rows;
    const text = await ask(client, "asOf", { ...given, where: { id: `${id}` } });
    expect(text.findings[0]?.message).toBe(`where: no row has "${id}" in "id". Did you mean ${id}?`);
    const known = await ask(client, "asOf", { ...given, where: { STATUS: "OPEN" } });
    expect(known.findings.filter(({ code }) => code === "no-match")).toEqual([]);
  });

  it.each([
    ["asof", {}, 'There is no tool "asof". Did you mean "asOf"?'],
    ["ageing", { ...llano, column: "STATUS", open: "OPN" }, 'open: no feature ever had "OPN" in "STATUS".'],
    ["ageing", { ...llano, column: "STATUS", open: "OPEN", part: "item" }, 'Did you mean "items"?'],
    ["forecast", { ...llano, column: "STATSU", done: "CLOSED" }, 'Did you mean "STATUS"?'],
    ["forecast", { ...llano, column: "STATUS", dne: "CLOSED" }, "Did you mean done?"],
    [
      "survival",
      { ...llano, column: "STATUS", from: "OPEN", to: "CLSED" },
      'to: no feature ever had "CLSED" in "STATUS".',
    ],
    ["survival", { ...llano, column: "STATUS", from: "OPEN", to: "CLOSED", unknown: "dropp" }, 'Did you mean "drop"?'],
    ["siteProgress", { site: "Llano Verde Solar" }, 'Did you mean "Llano Verde Solar Park"?'],
    ["inspection", { site: 101, layers: ["Solar anomaly 2026-02-19"], classes: "Class" }, "Did you mean"],
    ["inspection", { site: 101, layers: ["Solar anomalies 2026-02-19"], classes: "Clas" }, 'Did you mean "Class"?'],
    ["againstPlan", { ...llano, column: "STATUS", done: "CLOSED", plan: [{ day: 1 }] }, "is no plan"],
    ["durations", { ...llano, column: "STATUS", where: { days: { ">": 5 } } }, '"days" holds no objects'],
    ["asOf", { ...llano, at: "2025-06-30", where: { STATUS: ["OPEN", { not: 1 }] } }, "Give a value, or an array of"],
  ])("says what is wrong, and what was meant: %s", async (name, given, message) => {
    await expect(ask(client, name, given)).rejects.toThrow(message);
  });
});

describe("work", () => {
  const days = (count: number) =>
    Array.from({ length: count }, (_, day) => new Date(1.2e12 + day * 864e5).toISOString().slice(0, 10));
  const fine = { from: "2023-06-01T00:00:00Z", to: "2025-06-01T00:00:00Z", every: "PT11M" };
  const manyNames = Array.from({ length: 1100 }, (_, name) => ({ [`c${name}`]: 1, date: "2024-01-01" }));

  it.each<[tool: string, given: Readonly<Record<string, unknown>>, message: string]>([
    ["counts", { column: "STATUS", dates: days(10_001) }, "counts: the arguments have more than 10,000 values."],
    [
      "asOf",
      { at: "2025-06-30", where: { STATUS: days(10_001) } },
      "asOf: the arguments have more than 10,000 values.",
    ],
    ["againstPlan", { column: "STATUS", done: "CLOSED", plan: manyNames }, "plan: its rows have 1101 different names."],
    ["ageing", { column: "STATUS", open, dates: fine, by: ["id", "visible_id"] }, "more than 5,000,000 rows"],
    ["counts", { column: "STATUS", dates: fine, by: "id" }, "more than"],
    ["forecast", { column: "STATUS", done: "CLOSED", trials: 1_000_000 }, "trials takes an integer from 100 to 100000"],
    [
      "figure",
      { kind: "cumulativeFlow", column: "STATUS", dates: fine },
      "The figure has 95,695 dates, more than 10,000.",
    ],
    ["figure", { kind: "mapAt", column: "STATUS", dates: days(401) }, "The figure has 401 dates, more than 400."],
    [
      "figure",
      { kind: "netFlow", column: "STATUS", done: "CLOSED", from: fine.from, every: "PT20M" },
      "intervals, more than 10,000.",
    ],
  ])("of %s is limited: %j", async (tool, given, message) => {
    await expect(ask(client, tool, { ...llano, ...given })).rejects.toThrow(message);
    expect((await ask(client, "sites")).rows.length).toBeGreaterThan(0);
  });

  it("of filters is one look at each row", async () => {
    const values = Array.from({ length: 9000 }, (_, value) => `v${value}`);
    const found = await ask(client, "changes", { ...panels, where: { value: values } });
    expect(found.rows).toEqual([]);
    expect(found.findings.at(-1)).toMatchObject({ code: "more-findings" });
  });
});
