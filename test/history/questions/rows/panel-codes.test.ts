import { describe, expect, it } from "vitest";
import type { PropertyChange } from "../../../../src/api/resources.js";
import { fromRecords } from "../../../../src/source/from-records.js";
import { change, dataset, definition, feature, uuid } from "../../../support/records.js";
import { historyOf } from "../../small-history.js";

/** The day from 1970 on which the first change is made; every feature is changed once a day from then on. */
const FIRST_DAY = 20_000;
const dayOf = (n: number) => new Date((FIRST_DAY + n) * 86_400_000).toISOString().slice(0, 10);

/** A world in which STATUS has so many values, each of them on some day, and one feature was never changed. */
function worldOf(distinct: number, featureCount: number, clears: boolean) {
  const values: unknown[] = Array.from({ length: distinct }, (_, n) => `value ${n}`);
  if (clears) values.splice(distinct >>> 1, 0, null);
  const changes = values.map(
    (new_value, n): PropertyChange =>
      change(n, {
        layer_feature_id: 1 + (n % featureCount),
        new_value,
        created_at: `${dayOf(Math.floor(n / featureCount))}T12:00:00Z`,
      }),
  );
  const features = Array.from({ length: featureCount + 1 }, (_, n) =>
    feature(n + 1, { properties: { STATUS: "current" } }),
  );
  const days = Array.from({ length: 1 + Math.ceil(values.length / featureCount) }, (_, n) => dayOf(n - 1));
  return { changes, features, days, values };
}

describe("a panel of a column whose codes need more bytes", () => {
  const sizes = [
    [253, 7],
    [254, 7],
    [255, 7],
    [256, 7],
    [65_533, 400],
    [65_534, 400],
    [65_535, 400],
    [65_536, 400],
  ] as const;

  it.each(
    sizes.flatMap(([distinct, features]) => [false, true].map((clears) => [distinct, features, clears] as const)),
  )("equals asOf for %i values of %i features, cleared once: %s", async (distinct, featureCount, clears) => {
    const { changes, features, days, values } = worldOf(distinct, featureCount, clears);
    const history = await historyOf(features, changes);
    const panel = history.panel({ dates: days }, { columns: ["STATUS"] });
    const expected = days.map((day) => [...history.asOf(day).array("STATUS")]);
    expect(panel.array("date")).toEqual(days.flatMap((day, n) => (expected[n] ?? []).map(() => day)));
    expect(panel.array("STATUS")).toEqual(expected.flat());
    expect(new Set(panel.array("STATUS"))).toEqual(new Set([null, "current", ...values]));
  });
});

describe("a log with users whose codes need more bytes", () => {
  it.each([255, 256, 257])("distinguishes %i users", async (count) => {
    const users = Array.from({ length: count }, (_, n) => 1000 + n);
    const changes = users.map((user_id, n) => change(n, { user_id }));
    const history = await historyOf([feature(1)], changes);
    expect(history.changes().array("user_id")).toEqual(users);
    expect(history.editsByUser().array("user_id")).toEqual(users);
  });
});

describe("labels of options", () => {
  it("differ by property for equal codes, also with more than 256 labels", async () => {
    const options = (prefix: string) => Array.from({ length: 200 }, (_, id) => ({ id, label: `${prefix} ${id}` }));
    const keys = [uuid(1, "aaaaaaaa"), uuid(2, "aaaaaaaa")];
    const names = ["Cause", "Effect"];
    const source = fromRecords({
      layerFeatures: [feature(1)],
      datasets: [dataset(1)],
      propertyDefinitions: names.map((name, n) =>
        definition(keys[n] ?? "", name, { type: "OPTION", config: { options: options(name) } }),
      ),
      propertyChanges: Array.from({ length: 400 }, (_, n) =>
        change(n, { property_key: keys[n % 2] ?? "", new_value: n >> 1 }),
      ),
    });
    const history = await source.history({ site_id: 12 }, { optionLabels: true });
    expect(history.changes().array("value")).toEqual(
      Array.from({ length: 400 }, (_, n) => `${names[n % 2]} ${n >> 1}`),
    );
  });
});
