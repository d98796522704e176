import fc from "fast-check";
import type { LayerFeature, PropertyChange } from "../../src/api/resources.js";
import type { History } from "../../src/history/history.js";
import { fromRecords } from "../../src/source/from-records.js";
import { change, dataset, definition, feature, uuid, uuidAt } from "../support/records.js";
import type { World } from "./oracle.js";

export const riskA = uuid(1, "aaaaaaaa");
export const riskB = uuid(2, "bbbbbbbb");

const columns = [
  { column: "ASSIGNEE", keys: ["ASSIGNEE"] },
  { column: "Risk", keys: [riskA, riskB] },
  { column: "STATUS", keys: ["STATUS"] },
  { column: "VOLUME", keys: ["VOLUME"] },
];

/** Equal instants in several spellings, ties, neighbours in microseconds, and hours around changes of clocks. */
const instants = [
  "2024-01-01T00:00:00Z",
  "2024-03-30T23:30:00.000001Z",
  "2024-03-31T00:30:00.000001+01:00",
  "2024-03-31T01:00:00",
  "2024-03-31T01:00:00.000001Z",
  "2024-03-31T21:59:59.999999Z",
  "2024-03-31T22:00:00Z",
  "2024-06-30T12:00:00.5-02:30",
  "2024-06-30T14:30:00.500Z",
  "2024-10-27T00:30:00Z",
  "2024-10-27T01:30:00Z",
  "2031-01-01T00:00:00Z",
];

export const times: fc.Arbitrary<Date | string> = fc.constantFrom(
  "2023-12-31",
  "2024-03-30",
  "2024-03-31",
  "2024-04-01",
  "2024-06-30",
  "2024-10-26",
  "2024-10-27",
  "2024-03-31T01:00:00Z",
  "2024-03-31T01:00:00.000001Z",
  "2024-06-30T16:30:00.5+02:00",
  "2024-10-27T01:29:59.999999Z",
  new Date("2024-03-31T22:00:00Z"),
  "2035-01-01",
);

const values = fc.constantFrom<unknown>(null, "a", "b", 1, "1", 0.5, true, [1], { a: 1, b: 2 }, { b: 2, a: 1 });

/** UUIDv7s whose times are days apart, so that some `created_at` are later than the insertion. */
function changeId(n: number, upper: boolean): string {
  const id = uuidAt(Date.UTC(2024, 0, 1) + n * 40 * 86_400_000, n);
  return upper ? id.toUpperCase() : id;
}

/** When a change of the random worlds was inserted, by its id, in milliseconds. */
export function insertedMs(id: string): number {
  return Number.parseInt(id.replace("-", "").slice(0, 12), 16);
}

const changes = fc.uniqueArray(
  fc.record({
    n: fc.nat({ max: 40 }),
    upper: fc.boolean(),
    layer_feature_id: fc.constantFrom(1, 2, 3),
    property_key: fc.constantFrom("STATUS", "STATUS", "VOLUME", riskA, riskB.toUpperCase()),
    new_value: values,
    created_at: fc.constantFrom(...instants),
    system: fc.boolean(),
    user_id: fc.constantFrom(null, 7, 8),
    cause: fc.option(fc.nat({ max: 60 }), { freq: 2 }),
  }),
  { selector: ({ n }) => n, maxLength: 22 },
);

const features = fc.tuple(
  ...[1, 2, 3].map((id) =>
    fc.record({
      id: fc.constant(id),
      dataset_id: fc.constantFrom(1, 2),
      created_at: fc.constantFrom(...instants),
      properties: fc.record({ STATUS: values, VOLUME: values, [riskA]: values, ASSIGNEE: values }),
    }),
  ),
);

/** Small companies with every case of the semantics of histories. */
export const worlds: fc.Arbitrary<World> = fc
  .record({
    features,
    changes,
    timeZone: fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati"),
  })
  .map((drawn) => ({
    features: drawn.features.map((over): LayerFeature => feature(over.id, over as Partial<LayerFeature>)),
    changes: drawn.changes.map(
      ({ n, upper, cause, ...over }): PropertyChange =>
        change(n, {
          ...over,
          id: changeId(n, upper),
          caused_by_change_id: cause === null ? null : changeId(cause, !upper),
        } as Partial<PropertyChange>),
    ),
    columns,
    timeZone: drawn.timeZone,
    readAt: new Date("2025-01-01T00:00:00Z"),
  }));

export function historyOf(world: World, chosen?: readonly string[]): Promise<History> {
  const source = fromRecords(
    {
      layerFeatures: world.features,
      propertyChanges: world.changes,
      datasets: [dataset(1), dataset(2)],
      propertyDefinitions: [definition(riskA, "Risk"), definition(riskB, "Risk", { dataset_id: 2 })],
    },
    { readAt: world.readAt },
  );
  return source.history({ site_id: 12 }, { timeZone: world.timeZone, ...(chosen ? { columns: chosen } : {}) });
}
