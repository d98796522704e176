import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Params } from "../../src/api/filters.js";
import type { Dataset, Operation, Site } from "../../src/api/resources.js";
import { type Finding, findingsOf } from "../../src/core/finding.js";
import { type Service, startService } from "../../src/service/start-service.js";
import { openSnapshot } from "../../src/snapshot/open-snapshot.js";
import { pull } from "../../src/snapshot/pull.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import type { Source } from "../../src/source/source.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { mockRecord } from "../client/mock-records.js";
import { openSnapshotOf } from "../service/test-service.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { dataset, feature } from "../support/records.js";

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

const kinds = ["live", "memory", "snapshot"] as const;
type Kind = (typeof kinds)[number];

const folder = temporaryFolder();
const sources = new Map<Kind, Source>();
let store: SnapshotStore;
let service: Service;

beforeAll(async () => {
  const none = { blocks: [], propertyDefinitions: [], propertyChanges: [] };
  const served = records.datasets.map((row) => ({ ...row, created_at: null, updated_at: null }));
  store = await openSnapshotOf({ ...records, ...none, datasets: served } as never);
  service = await startService({ store, apiKeys: [{ key: "a-key-for-tests" }] });
  const memory = fromRecords(records);
  const path = join(folder, "company");
  await pull(memory, path);
  sources.set("live", connect({ baseUrl: service.url, apiKey: "a-key-for-tests" }));
  sources.set("memory", memory);
  sources.set("snapshot", await openSnapshot(path));
});

afterAll(async () => {
  for (const source of sources.values()) await source.close();
  await service.close();
  await store.close();
});

function sourceOf(kind: Kind): Source {
  const source = sources.get(kind);
  if (!source) throw new Error(`no source ${kind}`);
  return source;
}

interface Case {
  readonly params: Params<"layerFeatures">;
  /** Each finding's code, and words of its message. */
  readonly says: readonly (readonly [code: string, ...words: string[]])[];
}

const cases: readonly Case[] = [
  { params: { site_id: 999 }, says: [["site-not-found", "999", "101 (Alpha)", "102 (Beta)"]] },
  { params: { site_id: [10, 1022] }, says: [["site-not-found", "10, 1022", "Did you mean 101, 102?"]] },
  {
    params: { semantic_type: "TRENCHS" },
    says: [
      ["semantic-type-not-found", '"TRENCHS"', 'Did you mean "TRENCHES"?', "ANNOTATIONS, RGB, SOLAR_PANELS, TRENCHES"],
    ],
  },
  { params: { semantic_type: "trenches" }, says: [["semantic-type-not-found", 'Did you mean "TRENCHES"?']] },
  { params: { semantic_type: ["no such", "X"] }, says: [["semantic-type-not-found", '"no such", "X"']] },
  {
    params: { site_id: 999, semantic_type: "solar_panel" },
    says: [
      ["site-not-found", "999"],
      ["semantic-type-not-found", 'Did you mean "SOLAR_PANELS"?'],
    ],
  },
  { params: { operation_id: 77 }, says: [["operation-not-found", "77"]] },
  {
    params: { operation_id: 8, semantic_type: "TRENCHES" },
    says: [
      ["operation-not-completed", "8 is PROCESSING"],
      ["site-level-layer", "site_id: 101"],
    ],
  },
  { params: { site_id: 101, semantic_type: "RGB" }, says: [["dataset-without-features", "another type: 4."]] },
  { params: { semantic_type: "RGB" }, says: [["dataset-without-features", "another type: 4."]] },
  { params: { site_id: 102, semantic_type: "ANNOTATIONS" }, says: [["empty-layer", '5 ("Dataset 5")']] },
  { params: { dataset_id: 5 }, says: [["empty-layer", '5 ("Dataset 5")']] },
  { params: { dataset_id: 1, site_id: 102 }, says: [["no-match", "dataset_id 1, site_id 102"]] },
  { params: { site_id: [] }, says: [["empty-filter", "site_id is an empty list"]] },
  { params: { site_id: 999, semantic_type: [] }, says: [["empty-filter", "semantic_type is an empty list"]] },
  {
    params: { site_id: 101, semantic_type: "SOLAR_PANELS" },
    says: [["no-match", 'site_id 101, semantic_type "SOLAR_PANELS"', "Site 101 has: RGB, TRENCHES."]],
  },
  { params: { site_id: null }, says: [["no-match", "layerFeatures with site_id null."]] },
  {
    params: { operation_id: 9, semantic_type: ["TRENCHES", "RGB"], site_id: 102 },
    says: [["site-level-layer", "101"]],
  },
  {
    params: { dataset_id: [3, 77] },
    says: [
      ["dataset-not-found", "77"],
      ["dataset-without-features", "3"],
    ],
  },
];

describe.each(kinds)("an empty layer of a source (%s)", (kind) => {
  it.each(cases)("says why it is empty: $params", async ({ params, says }) => {
    const told: Finding[] = [];
    const layer = await sourceOf(kind).layer(params, { onFinding: (finding) => told.push(finding) });
    expect(layer.table.numRows()).toBe(0);
    expect(layer.findings.map(({ code }) => code)).toEqual(says.map(([code]) => code));
    says.forEach(([, ...words], index) => {
      for (const word of words) expect(layer.findings[index]?.message).toContain(word);
    });
    expect(told).toEqual(layer.findings);
  });

  it("has a history that says the same, and nothing else", async () => {
    for (const params of [{ site_id: 101, semantic_type: "RGB" }, { site_id: [] }]) {
      const told: Finding[] = [];
      const layer = await sourceOf(kind).layer(params);
      const history = await sourceOf(kind).history(params, { onFinding: (finding) => told.push(finding) });
      expect(layer.findings).toHaveLength(1);
      expect(history.findings).toEqual(layer.findings);
      expect(told).toEqual(layer.findings);
    }
  });

  it("is the only one that is explained", async () => {
    const layer = await sourceOf(kind).layer({ site_id: [101, 999], semantic_type: ["TRENCHES", "TRENCHS"] });
    expect(layer.table.numRows()).toBe(1);
    expect(layer.findings).toEqual([]);
  });

  it("has the same facts as that of every other source", async () => {
    for (const { params } of cases) {
      const [ours, theirs] = await Promise.all(
        [sourceOf(kind), sourceOf("memory")].map(async (source) => {
          const { findings } = await source.layer(params);
          return findings.map(({ code, count, facts }) => ({ code, count, facts }));
        }),
      );
      expect(ours).toEqual(theirs);
    }
  });

  it("blames the key only where there is one", async () => {
    const { findings } = await sourceOf(kind).layer({ site_id: 999 });
    expect(findings[0]?.message.includes("key")).toBe(kind === "live");
  });
});

describe.each(kinds)("a wrong name for datasets (%s)", (kind) => {
  it("is told to onFinding", async () => {
    const told: Finding[] = [];
    await sourceOf(kind).datasets({ semantic_type: "TRENCHS" }, { onFinding: (finding) => told.push(finding) });
    expect(told).toMatchObject([{ code: "semantic-type-not-found", facts: { semantic_type: ["TRENCHS"] } }]);
  });
});

describe.each(kinds)("an empty table of a source (%s)", (kind) => {
  const told = async (read: (source: Source) => Promise<unknown>) =>
    findingsOf(await read(sourceOf(kind))).map(({ code, facts }) => [code, facts]);

  it("says why it is empty", async () => {
    expect(await told((source) => source.sites({ id: 999 }))).toMatchObject([["site-not-found", { id: [999] }]]);
    expect(await told((source) => source.operations({ site_id: 999 }))).toMatchObject([
      ["site-not-found", { id: [999] }],
    ]);
    expect(await told((source) => source.operations({ id: 77 }))).toMatchObject([
      ["operation-not-found", { id: [77] }],
    ]);
    expect(await told((source) => source.operations({ site_id: 102 }))).toEqual([
      ["no-match", { resource: "operations", filters: { site_id: [102] } }],
    ]);
    expect(await told((source) => source.operations({ site_id: [] }))).toEqual([
      ["empty-filter", { parameters: ["site_id"] }],
    ]);
    expect(await told((source) => source.datasets({ id: 77 }))).toMatchObject([["dataset-not-found", { id: [77] }]]);
    expect(await told((source) => source.datasets({ site_id: 102, semantic_type: "RGB" }))).toMatchObject([
      ["no-match", {}],
    ]);
    expect(await told((source) => source.blocks({ operation_id: 77 }))).toMatchObject([
      ["operation-not-found", { id: [77] }],
    ]);
    expect(await told((source) => source.blocks({ operation_id: 8 }))).toMatchObject([["operation-not-completed", {}]]);
    expect(await told((source) => source.blocks({ operation_id: 9 }))).toMatchObject([
      ["no-match", { resource: "blocks" }],
    ]);
    expect(await told((source) => source.propertyDefinitions({ dataset_id: 77 }))).toMatchObject([
      ["dataset-not-found", { id: [77] }],
    ]);
  });

  it("has nothing to say where nothing was asked for, or something found", async () => {
    expect(await told((source) => source.propertyDefinitions())).toEqual([]);
    expect(await told((source) => source.operations({ id: [8, 77] }))).toEqual([]);
  });

  it("is shown with the reason, which is not folded away", async () => {
    const table = await sourceOf(kind).operations({ site_id: 999 });
    const bundle = await toMimeBundle(table);
    expect(bundle["text/html"]).toMatch(/<details open[^>]*><summary>1 finding/);
    expect(bundle["text/plain"]).toMatch(/1 finding:\n- .*999/);
    const layer = await sourceOf(kind).layer({ site_id: 999 });
    expect((await toMimeBundle(layer))["text/html"]).toContain("<details open");
    const full = await sourceOf(kind).layer({ site_id: [101, 102] });
    expect((await toMimeBundle(full))["text/html"]).not.toContain("<details open");
  });
});

describe("a semantic type that only features have", () => {
  it("is no unknown name", async () => {
    const source = fromRecords({ ...records, datasets: [] });
    const { findings } = await source.layer({ semantic_type: "TRENCHES", site_id: 102 });
    expect(findings.map(({ code }) => code)).toEqual(["no-match"]);
  });
});

describe("records without sites and datasets", () => {
  const bare = fromRecords({ layerFeatures: records.layerFeatures });

  it("know the names that their features have", async () => {
    const messages = async (params: Params<"layerFeatures">) =>
      (await bare.layer(params)).findings.map(({ message }) => message);
    expect(await messages({ semantic_type: "trenches" })).toEqual([
      'Nothing has the semantic type "trenches". Did you mean "TRENCHES"? There are: SOLAR_PANELS, TRENCHES.',
    ]);
    expect(await messages({ site_id: 1022 })).toEqual([
      "There is no site 1022. Did you mean 102? There are: 101, 102.",
    ]);
  });
});

describe("a company with very many names", () => {
  it("shows a few of them", async () => {
    const many = Array.from({ length: 500 }, (_, index) => site(index + 1, `Park ${index + 1}`));
    const { findings } = await fromRecords({ sites: many }).layer({ site_id: 5000 });
    expect(findings[0]?.message).toMatch(
      /^There is no site 5000\. Did you mean 500\? There are: 1 \(Park 1\), .* and 480 more\.$/,
    );
    expect(JSON.stringify(findings[0]?.facts).length).toBeLessThan(500);
  });
});
