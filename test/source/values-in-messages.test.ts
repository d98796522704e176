import { table } from "arquero";
import { describe, expect, it } from "vitest";
import { diagnosticsOf, fromChanges, fromRecords, type Layer, SiteframeError } from "../../src/index.js";
import { burnDown, cumulativeFlow, histogram, kpis, layerMap, lines, pareto, sCurve } from "../../src/plot/index.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";

/** A value of every property below. Messages must not contain any part of it. */
const CANARY = "Petra Muster <petra@example.org> +49 151 2345678";
const keys = {
  name: uuid(1, "aaaaaaaa"),
  cost: uuid(2, "aaaaaaaa"),
  due: uuid(3, "aaaaaaaa"),
  link: uuid(4, "aaaaaaaa"),
};
const definitions = [
  definition(keys.name, "Name"),
  definition(keys.cost, "Cost", { type: "FLOAT" }),
  definition(keys.due, "Due", { type: "DATE" }),
  definition(keys.link, "Link", { type: "RELATIONSHIP" }),
];
const properties = { STATUS: CANARY, ...Object.fromEntries(Object.values(keys).map((key) => [key, CANARY])) };
const records = {
  layerFeatures: [1, 2, 3].map((id) => feature(id, { properties, description: CANARY, visible_id: CANARY })),
  datasets: [dataset(1)],
  propertyDefinitions: definitions,
  propertyChanges: [1, 2, 3].flatMap((id) =>
    Object.keys(properties).map((property_key, index) =>
      change(10 * id + index, {
        layer_feature_id: id,
        property_key,
        new_value: index === 0 ? `${CANARY} ${id}` : CANARY,
      }),
    ),
  ),
};

/** All strings that a user can see of an error, its causes and their facts. */
function textsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  const facts = error instanceof SiteframeError ? JSON.stringify(error.facts) : "";
  return [String(error), error.message, facts, ...(error.cause === undefined ? [] : textsOf(error.cause))];
}

async function messagesOf(call: () => unknown): Promise<readonly string[]> {
  try {
    const answer = await call();
    const diagnostics = [...diagnosticsOf(answer as Layer), ...((answer as { diagnostics?: [] })?.diagnostics ?? [])];
    return diagnostics.map((diagnostic) => JSON.stringify(diagnostic));
  } catch (error) {
    return textsOf(error);
  }
}

async function expectNoValues(calls: readonly (() => unknown)[], least: number): Promise<void> {
  const messages = (await Promise.all(calls.map(messagesOf))).flat();
  expect(messages.filter((text) => /petra|muster|example\.org|151/i.test(text))).toEqual([]);
  // Guards against calls without messages.
  expect(messages.length).toBeGreaterThan(least);
}

describe("messages without values of records", () => {
  it("from questions of a history", async () => {
    const layer = await fromRecords(records).layer({ semantic_type: "TRENCHES" });
    const history = await layer.history();
    const grid = ["2024-06-30"];
    const days = table({ date: ["2024-06-30"], value: [1] });
    const rows = table({ id: [1, 2], time: [CANARY, CANARY] });
    await expectNoValues(
      [
        () => layer,
        () => history,
        ...["STATUS", "Name", "Cost", "Due", "Link"].flatMap((column) => [
          () => history.counts(column, grid, { credits: { DONE: 1 } }),
          () => history.counts(column, grid, { weight: "Name" }),
          () => history.counts(column, grid, { weight: () => CANARY as never }),
          () => history.totals(column, grid),
          () => history.steps(column, { order: ["DONE", "OPEN"] }),
          () => history.steps(column, { order: "options" }),
          () => history.transitions(column, { order: ["DONE"] }),
          () => history.firstReached(column, "DONE"),
          () => history.firstReached(column, `${CANARY[0]}etra`.replace("Petra", "P.")),
          () => history.survival(column, { start: "OPEN", done: "DONE" }),
          () => history.aging(column, { open: "OPEN", due: "Due" }),
          () => history.forecast(column, { done: "DONE" }),
          () => history.progress(column, { done: "DONE", by: "Name", plan: days }),
          () => history.progress(column, { credits: { DONE: 1 } }),
          () => history.planVariance(column, { done: "DONE", plan: "Name" }),
          () => history.planVariance(column, { done: "DONE", plan: table({ date: [CANARY], value: [CANARY] }) }),
          () => burnDown(history, column, { done: "DONE" }),
          () => sCurve(history, column, { stages: ["OPEN", "DONE"] }),
        ]),
        () => history.joinAsOf(rows, { id: "id", time: "time" }),
        () => history.joinAsOf(table({ id: [CANARY], time: ["2024-06-30"] }), { id: "id", time: "time" }),
        () => history.joinAsOf([CANARY] as never, { id: "id", time: "time" }),
        () => history.layerAsOf("2024-06-30"),
        () => layer.lookup("Link", layer, ["Name"]),
        () => histogram(layer, "Name"),
        () => pareto(layer, { by: "Name", measure: "Cost" } as never),
        () => lines(layer, { x: "Name", y: "Cost" }),
        () => layerMap(layer, "Name", { href: () => CANARY }),
        () => layerMap(table({ id: [1], geometry: [CANARY] })),
        () => layerMap([{ name: CANARY }] as never),
        () => histogram([{ name: CANARY }] as never, "name"),
        () => kpis([{ label: "Open", value: { name: CANARY } as never }]),
        () => cumulativeFlow(table({ date: [CANARY], value: ["Open"], count: [1] }), "value"),
      ],
      60,
    );
  });

  it("from SQL", async () => {
    const layer = await fromRecords(records).layer({ semantic_type: "TRENCHES" });
    const casts = [
      "INTEGER",
      "DATE",
      "TIMESTAMPTZ",
      "UUID",
      "JSON",
      "INTEGER[]",
      "STRUCT(a INTEGER)",
      "BOOLEAN",
      "BIT",
    ];
    const expressions = [
      ...casts.map((type) => `"Name"::${type}`),
      `strptime("Name", '%d')`,
      `error("Name")`,
      `json_extract("Name", '$.a')`,
      `regexp_matches('a', "Name" || '(')`,
      `timezone("Name", now())`,
      `date_trunc("Name", now())`,
      `from_base64("Name")`,
      `unhex("Name")`,
      `('{' || "Name")::STRUCT(a INTEGER)`,
      `('x when casting from source column ' || "Name")::JSON`,
      `foo FROM (PIVOT (SELECT "Name" AS n FROM layer) ON n USING count(*)) --`,
    ];
    await expectNoValues(
      expressions.map((expression) => () => layer.sql(`SELECT ${expression} FROM layer`)),
      expressions.length,
    );
    await expect(layer.sql(`SELECT "Name"::INTEGER FROM layer`)).rejects.toThrow("Could not convert string … to INT32");
    await expect(layer.sql("SELECT 'own'::INTEGER")).rejects.toThrow("Could not convert string 'own' to INT32");
  });

  it("from logs of rows", async () => {
    const fields = { id: "id", key: "key", value: "value", time: "time", timeZone: "UTC" };
    const row = { id: CANARY, key: "status", value: CANARY, time: "2024-01-01" };
    const calls = [
      () => fromChanges([{ ...row, time: CANARY }], fields),
      () => fromChanges([{ ...row, time: [CANARY] }], fields),
      () => fromChanges([CANARY] as never, fields),
      () => fromChanges([row, { ...row, id: null }], fields),
      () => fromChanges([row], { ...fields, entities: [{ id: CANARY }, { id: CANARY }] }),
      () => fromChanges([row], { ...fields, entities: [{ id: 1 }] }),
      () => fromChanges([row], { ...fields, entities: [{ id: CANARY, born: CANARY }], created: "born" }),
      () => fromChanges([{ ...row, seq: CANARY }], { ...fields, sequence: "seq" }),
    ];
    await expectNoValues(calls, calls.length - 1);
  });

  it("from a log whose ids are names", async () => {
    const row = (id: string, key: string, value: unknown) => ({ id, key, value, time: "2024-01-01T00:00:00Z" });
    const rows = [row(CANARY, "status", "Open"), row("B", "status", "Open"), row("B", "quantity", 1)];
    const history = await fromChanges(rows, { id: "id", key: "key", value: "value", time: "time" });
    await expectNoValues(
      [
        () => history.counts("status", ["2024-02-01"], { weight: "quantity" }),
        () => history.totals("quantity", ["2024-02-01"], { weight: "quantity" }),
      ],
      1,
    );
  });

  it("from records that break the contract", async () => {
    const broken = Object.keys(records.layerFeatures[0] as object).flatMap((field) => [
      { [field]: CANARY },
      { [field]: [CANARY] },
      { [field]: { type: CANARY, coordinates: CANARY } },
    ]);
    await expectNoValues(
      [
        ...broken.map((over) => () => fromRecords({ ...records, layerFeatures: [feature(1, over as never)] })),
        ...broken.map((over) => async () => {
          const source = fromRecords({ ...records, layerFeatures: [feature(1, over as never)] });
          return source.layer({ semantic_type: "TRENCHES" });
        }),
      ],
      broken.length,
    );
  });
});
