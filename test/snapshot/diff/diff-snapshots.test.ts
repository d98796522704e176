import { join } from "node:path";
import { distance } from "@turf/distance";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ArgumentError, diffSnapshots, fromRecords, pull } from "../../../src/index.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { pruneLater } from "../prune-later.js";
import { temporaryFolder } from "../temporary-folder.js";
import { naiveDiff } from "./naive-diff.js";

const folder = temporaryFolder();
const power = uuid(7, "aaaaaaaa");
type Input = Parameters<typeof fromRecords>[0];

const company = (over: Input): Input => ({
  sites: [site(12)],
  datasets: [dataset(1)],
  propertyDefinitions: [definition(power, "Power", { type: "FLOAT" })],
  ...over,
});

async function pulled(name: string, ...states: readonly Input[]): Promise<string> {
  const path = join(folder, name);
  for (const state of states) await pull(fromRecords(company(state)), path, { allowShrink: true, fullLog: true });
  return path;
}

const square = (east: number, size: number) => ({
  type: "Polygon" as const,
  coordinates: [
    [
      [east, 0],
      [east + size, 0],
      [east + size, size],
      [east, size],
      [east, 0],
    ],
  ],
});

it("lists changes of features, geometries, definitions, names and the log", async () => {
  const path = await pulled(
    "all",
    { layerFeatures: [feature(1), feature(2, { geometry: square(0, 0.001) }), feature(3)] },
    { layerFeatures: [feature(1), feature(2, { geometry: square(0, 0.001) })], propertyChanges: [change(1)] },
    {
      layerFeatures: [
        feature(2, { geometry: square(0.01, 0.002), properties: { [power.toUpperCase()]: 5 } }),
        feature(3),
        feature(4),
      ],
      propertyChanges: [change(1), change(3, { layer_feature_id: 2, property_key: power, new_value: 5 })],
      propertyDefinitions: [definition(power, "Peak power", { type: "FLOAT" })],
      sites: [{ ...site(12), name: "Llano Verde" }],
    },
  );
  const diff = await diffSnapshots(path, { from: 2, to: 3 });
  expect(diff.counts).toEqual({
    ...{ new: 1, gone: 1, returned: 1, changed: 1, geometries: 1 },
    ...{ definitions: 1, records: 1, changes: 1 },
  });
  expect(diff.features.objects()).toMatchObject([
    { id: 1, visible_id: "F-1", change: "gone", what: [], gone_at: expect.any(Date) },
    { id: 2, change: "changed", what: ["geometry", "Peak power"], gone_at: null },
    { id: 3, change: "returned", gone_at: null },
    { id: 4, change: "new", site_id: 12, semantic_type: "TRENCHES" },
  ]);
  const [moved] = diff.geometries.objects() as Record<string, number>[];
  expect(moved?.["moved_m"]).toBeCloseTo(distance([0.0005, 0.0005], [0.011, 0.001], { units: "meters" }), 1);
  expect(Number(moved?.["area_after_m2"]) / Number(moved?.["area_before_m2"])).toBeCloseTo(4, 3);
  expect(diff.definitions.objects()).toEqual([
    {
      property_key: power,
      name: "Peak power",
      dataset_id: 1,
      change: "changed",
      field: "name",
      before: "Power",
      after: "Peak power",
    },
  ]);
  expect(diff.records.objects()).toEqual([
    {
      resource: "sites",
      id: 12,
      name: "Llano Verde",
      change: "changed",
      field: "name",
      before: "Site 12",
      after: "Llano Verde",
    },
  ]);
  expect(diff.changes.objects()).toMatchObject([
    { change_id: uuid(3), id: 2, visible_id: "F-2", column: "Peak power", value: 5, created_at: expect.any(Date) },
  ]);
  expect(diff.changes.objects()).toHaveLength(1);
  expect(diff).toMatchObject({ from: { generation: 2 }, to: { generation: 3 }, isDifferent: true, diagnostics: [] });
});

it("compares the last two generations by default", async () => {
  const path = await pulled(
    "last",
    { layerFeatures: [feature(1)] },
    { layerFeatures: [feature(1), feature(2)] },
    { layerFeatures: [feature(1), feature(2)] },
  );
  expect(await diffSnapshots(path)).toMatchObject({
    from: { generation: 2 },
    to: { generation: 3 },
    isDifferent: false,
  });
  expect((await diffSnapshots(path, { from: 1 })).counts).toMatchObject({ new: 1, changes: 0 });
  expect((await diffSnapshots(path, { from: 2, to: 2 })).isDifferent).toBe(false);
});

it("lists the existing generations, and suggests the nearest", async () => {
  const one = { layerFeatures: [feature(1)] };
  const path = await pulled("held", one, one, one, one);
  await pruneLater(path, 2);
  await expect(diffSnapshots(path, { from: 2 })).rejects.toMatchObject({
    name: "SnapshotError",
    message: expect.stringContaining("has no generation 2"),
    hint: "Available: 3, 4. Did you mean 3?",
  });
  await expect(diffSnapshots(path, { to: 9 })).rejects.toMatchObject({ hint: "Available: 3, 4. Did you mean 4?" });
  await expect(diffSnapshots(path, { to: 3 })).rejects.toMatchObject({
    message: expect.stringContaining("has no generation before 3"),
  });
  await expect(diffSnapshots(path, { from: 4, to: 3 })).rejects.toThrow(ArgumentError);
  await expect(diffSnapshots(path, { form: 3 } as object)).rejects.toMatchObject({ hint: "Did you mean from?" });
});

it("shows pseudonyms instead of persons with `redact`", async () => {
  const log = { layerFeatures: [feature(1)], propertyChanges: [change(1, { user_id: 7 })] };
  const path = await pulled("redacted", { layerFeatures: [feature(1)] }, log);
  const user = async (redact: boolean) => (await diffSnapshots(path, { redact })).changes.get("user_id", 0);
  expect(await user(false)).toBe(7);
  expect(await user(true)).not.toBe(7);
});

it("agrees with a comparison of all records", async () => {
  const states = fc.array(
    fc.record({ present: fc.subarray([1, 2, 3, 4, 5, 6]), moved: fc.subarray([1, 2, 3, 4, 5, 6]), log: fc.nat(5) }),
    { minLength: 2, maxLength: 4 },
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(states, async (drawn) => {
      const given = drawn.map(({ present, moved }, index) => ({
        layerFeatures: present.map((id) =>
          feature(id, moved.includes(id) ? { site_id: id % 2 === 0 ? 13 : 12, description: `${index}` } : {}),
        ),
        propertyChanges: drawn
          .slice(0, index + 1)
          .flatMap(({ log }, at) =>
            Array.from({ length: log }, (_, n) => change(10 * at + n, { layer_feature_id: 1 + (n % 6) })),
          )
          .filter(({ layer_feature_id }) => present.includes(layer_feature_id)),
        sites: [site(12), site(13)],
      }));
      const path = await pulled(`random-${++run}`, ...given);
      for (let from = 0; from < given.length; from += 1) {
        for (let to = from; to < given.length; to += 1) {
          const diff = await diffSnapshots(path, { from: from + 1, to: to + 1 });
          const expected = naiveDiff(given, from, to);
          const rows = diff.features.objects() as { id: number; change: string }[];
          expect(rows.map((row) => [row.id, row.change])).toEqual(expected.features);
          expect([...diff.changes.array("change_id")].sort()).toEqual(expected.changes);
        }
      }
    }),
    { numRuns: 6 },
  );
});
