import { describe, expect, it } from "vitest";
import type { Params } from "../../src/api/filters.js";
import type { Dataset, Operation, Site } from "../../src/api/resources.js";
import { type Diagnostic, diagnosticsOf } from "../../src/core/diagnostic.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import type { Source } from "../../src/source/source.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { mockRecord } from "../client/mock-records.js";
import { reportedDiagnostics } from "../snapshot/reported-diagnostics.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, feature, uuid } from "../support/records.js";
import { everySource, openEverySource } from "./every-source.js";

const site = (id: number, name: string): Site => ({ ...mockRecord("sites", id), name });
const operation = (id: number, status: Operation["status"]): Operation => ({
  ...mockRecord("operations", id),
  site_id: 101,
  status,
});
const typed = (type: string, id: number, over: Partial<Dataset> = {}) => ({ ...dataset(id, over), type });

const records = {
  sites: [site(101, "Alpha"), site(102, "Beta")],
  operations: [operation(8, "PROCESSING"), operation(9, "COMPLETED")],
  datasets: [
    typed("geojson-layer", 1, { site_id: 101, semantic_type: "TRENCHES" }),
    typed("geojson-layer", 2, { site_id: 102, semantic_type: "SOLAR_PANELS" }),
    typed("dxf", 3, { site_id: 101, semantic_type: null }),
    typed("dxf", 4, { site_id: 101, semantic_type: "RGB" }),
    typed("geojson-layer", 5, { site_id: 102, semantic_type: "ANNOTATIONS" }),
  ],
  layerFeatures: [
    feature(1, { site_id: 101, dataset_id: 1 }),
    feature(2, { site_id: 102, dataset_id: 2, semantic_type: "SOLAR_PANELS" }),
  ],
};

const source = openEverySource(temporaryFolder(), records);

interface Case {
  readonly params: Params<"layerFeatures">;
  /** The code of each diagnostic, and words of its message. */
  readonly reasons: readonly (readonly [code: string, ...words: string[]])[];
}

const cases: readonly Case[] = [
  { params: { site_id: 999 }, reasons: [["site-not-found", "999", "101 (Alpha)", "102 (Beta)"]] },
  { params: { site_id: [10, 1022] }, reasons: [["site-not-found", "10, 1022", "Did you mean 101, 102?"]] },
  {
    params: { semantic_type: "TRENCHS" },
    reasons: [
      ["semantic-type-not-found", '"TRENCHS"', 'Did you mean "TRENCHES"?', "ANNOTATIONS, RGB, SOLAR_PANELS, TRENCHES"],
    ],
  },
  { params: { semantic_type: "trenches" }, reasons: [["semantic-type-not-found", 'Did you mean "TRENCHES"?']] },
  { params: { semantic_type: ["no such", "X"] }, reasons: [["semantic-type-not-found", '"no such", "X"']] },
  {
    params: { site_id: 999, semantic_type: "solar_panel" },
    reasons: [
      ["site-not-found", "999"],
      ["semantic-type-not-found", 'Did you mean "SOLAR_PANELS"?'],
    ],
  },
  { params: { operation_id: 77 }, reasons: [["operation-not-found", "77"]] },
  {
    params: { operation_id: 8, semantic_type: "TRENCHES" },
    reasons: [
      ["operation-not-completed", "8 is PROCESSING"],
      ["layer-at-site-level", "site_id: 101"],
    ],
  },
  { params: { semantic_type: "RGB" }, reasons: [["dataset-without-features", "another type: 4."]] },
  { params: { site_id: 102, semantic_type: "ANNOTATIONS" }, reasons: [["layer-empty", '5 ("Dataset 5")']] },
  { params: { dataset_id: 5 }, reasons: [["layer-empty", '5 ("Dataset 5")']] },
  { params: { dataset_id: 1, site_id: 102 }, reasons: [["match-missing", "dataset_id 1, site_id 102"]] },
  { params: { site_id: 999, semantic_type: [] }, reasons: [["filter-empty", "semantic_type is an empty list"]] },
  {
    params: { site_id: 101, semantic_type: "SOLAR_PANELS" },
    reasons: [["match-missing", 'site_id 101, semantic_type "SOLAR_PANELS"', "Site 101 has: RGB, TRENCHES."]],
  },
  { params: { site_id: null }, reasons: [["match-missing", "layerFeatures match site_id null."]] },
  {
    params: { operation_id: 9, semantic_type: ["TRENCHES", "RGB"], site_id: 102 },
    reasons: [["layer-at-site-level", "101"]],
  },
  {
    params: { dataset_id: [3, 77] },
    reasons: [
      ["dataset-not-found", "77"],
      ["dataset-without-features", "3"],
    ],
  },
];

const factsOf = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.map(({ code, count, facts }) => ({ code, count, facts }));

describe.each(everySource)("an empty layer of a %s source", (kind) => {
  it.each(cases)("reports the reason: $params", async ({ params, reasons }) => {
    const reported: Diagnostic[] = [];
    const layer = await source(kind).layer(params, { onDiagnostic: (diagnostic) => reported.push(diagnostic) });
    expect(layer.rowCount).toBe(0);
    expect(layer.diagnostics.map(({ code }) => code)).toEqual(reasons.map(([code]) => code));
    for (const [index, [, ...words]] of reasons.entries()) {
      for (const word of words) expect(layer.diagnostics[index]?.message).toContain(word);
    }
    expect(reported).toEqual(layer.diagnostics);
    expect(factsOf(layer.diagnostics)).toEqual(factsOf((await source("memory").layer(params)).diagnostics));
  });

  it("has a history that reports the same reason", async () => {
    for (const params of [{ site_id: 101, semantic_type: "RGB" }, { site_id: [] }]) {
      const { diagnostics } = await source(kind).layer(params);
      expect(diagnostics).toHaveLength(1);
      expect((await source(kind).history(params)).diagnostics).toEqual(diagnostics);
      expect(await reportedDiagnostics((onDiagnostic) => source(kind).history(params, { onDiagnostic }))).toEqual(
        diagnostics,
      );
    }
  });

  it("mentions the key only if the source has a key", async () => {
    const { diagnostics } = await source(kind).layer({ site_id: 999 });
    expect(diagnostics[0]?.message.includes("key")).toBe(kind === "live");
  });
});

describe.each(everySource)("a layer with features of a %s source", (kind) => {
  it("reports no unknown names", async () => {
    const layer = await source(kind).layer({ site_id: [101, 999], semantic_type: ["TRENCHES", "TRENCHS"] });
    expect(layer.rowCount).toBe(1);
    expect(layer.diagnostics).toEqual([]);
  });
});

const key = uuid(1);
const undefinedProperty = openEverySource(temporaryFolder(), {
  sites: [site(101, "Alpha")],
  datasets: [typed("geojson-layer", 1, { site_id: 101 })],
  layerFeatures: [feature(1, { site_id: 101, properties: { [key]: 1 } })],
  propertyChanges: [change(1, { property_key: key, new_value: 1, created_at: "2025-01-01T00:00:00" })],
});

describe.each(everySource)("a layer with an undefined property of a %s source", (kind) => {
  const params = { site_id: 101 };

  it("passes its own diagnostics to onDiagnostic, each once", async () => {
    const layer = await undefinedProperty(kind).layer(params);
    expect(layer.diagnostics.map(({ code }) => code)).toEqual(["key-unresolved"]);
    expect(
      await reportedDiagnostics((onDiagnostic) => undefinedProperty(kind).layer(params, { onDiagnostic })),
    ).toEqual(layer.diagnostics);
  });

  it("has a history that passes each diagnostic to onDiagnostic once", async () => {
    const { diagnostics } = await undefinedProperty(kind).history(params);
    expect(diagnostics.map(({ code }) => code)).toContain("timestamp-without-zone");
    const codesOf = (some: readonly Diagnostic[]) => some.map(({ code }) => code).sort();
    const reported = await reportedDiagnostics((onDiagnostic) =>
      undefinedProperty(kind).history(params, { onDiagnostic }),
    );
    expect(codesOf(reported)).toEqual(codesOf(diagnostics));
    const layer = await undefinedProperty(kind).layer(params);
    expect(codesOf(await reportedDiagnostics((onDiagnostic) => layer.history({ onDiagnostic })))).toEqual(
      codesOf(diagnostics),
    );
  });
});

it("a layer passes its diagnostics to the callback of connect()", async () => {
  const reported: Diagnostic[] = [];
  const onDiagnostic = (diagnostic: Diagnostic) => void reported.push(diagnostic);
  const live = connect({ baseUrl: undefinedProperty("live").origin.name, apiKey: "k", onDiagnostic });
  const { diagnostics } = await live.layer({ site_id: 101 });
  expect(reported).toEqual(diagnostics);
  await live.close();
});

interface TableCase {
  readonly call: string;
  readonly read: (source: Source) => Promise<unknown>;
  readonly diagnostic: readonly [code: string, facts: object];
}

const notFound = (what: string, id: number) => [`${what}-not-found`, { id: [id] }] as const;

const tables: readonly TableCase[] = [
  { call: "sites", read: (one) => one.sites({ id: 999 }), diagnostic: notFound("site", 999) },
  { call: "operations", read: (one) => one.operations({ site_id: 999 }), diagnostic: notFound("site", 999) },
  { call: "operations", read: (one) => one.operations({ id: 77 }), diagnostic: notFound("operation", 77) },
  {
    call: "operations",
    read: (one) => one.operations({ site_id: 102 }),
    diagnostic: ["match-missing", { resource: "operations", filters: { site_id: [102] } }],
  },
  {
    call: "operations",
    read: (one) => one.operations({ site_id: [] }),
    diagnostic: ["filter-empty", { parameters: ["site_id"] }],
  },
  { call: "datasets", read: (one) => one.datasets({ id: 77 }), diagnostic: notFound("dataset", 77) },
  {
    call: "datasets",
    read: (one) => one.datasets({ site_id: 102, semantic_type: "RGB" }),
    diagnostic: ["match-missing", {}],
  },
  { call: "blocks", read: (one) => one.blocks({ operation_id: 77 }), diagnostic: notFound("operation", 77) },
  { call: "blocks", read: (one) => one.blocks({ operation_id: 8 }), diagnostic: ["operation-not-completed", {}] },
  {
    call: "blocks",
    read: (one) => one.blocks({ operation_id: 9 }),
    diagnostic: ["match-missing", { resource: "blocks" }],
  },
  {
    call: "propertyDefinitions",
    read: (one) => one.propertyDefinitions({ dataset_id: 77 }),
    diagnostic: notFound("dataset", 77),
  },
];

describe.each(everySource)("a table of a %s source", (kind) => {
  it.each(tables)("reports why $call() is empty: $diagnostic", async ({ read, diagnostic: [code, facts] }) => {
    expect(diagnosticsOf(await read(source(kind)))).toMatchObject([{ code, facts }]);
  });

  it("has no diagnostics if no filter was given, or rows were found", async () => {
    expect(diagnosticsOf(await source(kind).propertyDefinitions())).toEqual([]);
    expect(diagnosticsOf(await source(kind).operations({ id: [8, 77] }))).toEqual([]);
  });

  it("passes diagnostics to onDiagnostic", async () => {
    const params = { semantic_type: "TRENCHS" };
    const reported = await reportedDiagnostics((onDiagnostic) => source(kind).datasets(params, { onDiagnostic }));
    expect(reported).toMatchObject([{ code: "semantic-type-not-found", facts: { semantic_type: ["TRENCHS"] } }]);
  });
});

describe("the display of an empty result", () => {
  it("shows the reason unfolded", async () => {
    const bundle = await toMimeBundle(await source("memory").operations({ site_id: 999 }));
    expect(bundle["text/html"]).toMatch(/<details open[^>]*><summary>1 diagnostic/);
    expect(bundle["text/plain"]).toMatch(/1 diagnostic:\n- .*999/);
    const layer = await source("memory").layer({ site_id: 999 });
    expect((await toMimeBundle(layer))["text/html"]).toContain("<details open");
    const full = await source("memory").layer({ site_id: [101, 102] });
    expect((await toMimeBundle(full))["text/html"]).not.toContain("<details open");
  });
});

describe("records without sites and datasets", () => {
  it("have the names of their features", async () => {
    const bare = fromRecords({ layerFeatures: records.layerFeatures });
    const messages = async (params: Params<"layerFeatures">) =>
      (await bare.layer(params)).diagnostics.map(({ message }) => message);
    expect(await messages({ semantic_type: "trenches" })).toEqual([
      'Unknown semantic type "trenches". Did you mean "TRENCHES"? Available: SOLAR_PANELS, TRENCHES.',
    ]);
    expect(await messages({ site_id: 1022 })).toEqual(["Unknown site 1022. Did you mean 102? Available: 101, 102."]);
    const withSites = fromRecords({ ...records, datasets: [] });
    const { diagnostics } = await withSites.layer({ semantic_type: "TRENCHES", site_id: 102 });
    expect(diagnostics.map(({ code }) => code)).toEqual(["match-missing"]);
  });
});

describe("a company with very many names", () => {
  it("lists a few of them", async () => {
    const many = Array.from({ length: 500 }, (_, index) => site(index + 1, `Park ${index + 1}`));
    const { diagnostics } = await fromRecords({ sites: many }).layer({ site_id: 5000 });
    expect(diagnostics[0]?.message).toMatch(
      /^Unknown site 5000\. Did you mean 500\? Available: 1 \(Park 1\), .* and 480 more\.$/,
    );
    expect(JSON.stringify(diagnostics[0]?.facts).length).toBeLessThan(500);
  });
});
