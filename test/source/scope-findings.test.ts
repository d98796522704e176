import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Params } from "../../src/api/params.js";
import type { Dataset, Operation, Site } from "../../src/api/resources.js";
import type { Finding } from "../../src/core/finding.js";
import { type Service, startService } from "../../src/service/start-service.js";
import { openSnapshot } from "../../src/snapshot/open-snapshot.js";
import { pull } from "../../src/snapshot/pull.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import type { Source } from "../../src/source/source.js";
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
    says: [["semantic-type-not-found", '"TRENCHS"', 'Did you mean "TRENCHES"?', "SOLAR_PANELS, TRENCHES"]],
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

  it.each([{ site_id: [] }, { site_id: 101, semantic_type: "SOLAR_PANELS" }, { site_id: null }])(
    "has nothing to say where the names are right: %j",
    async (params) => {
      const layer = await sourceOf(kind).layer(params);
      expect(layer.table.numRows()).toBe(0);
      expect(layer.findings).toEqual([]);
    },
  );

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

describe("a semantic type that only features have", () => {
  it("is no unknown name", async () => {
    const source = fromRecords({ ...records, datasets: [] });
    expect((await source.layer({ semantic_type: "TRENCHES", site_id: 102 })).findings).toEqual([]);
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
