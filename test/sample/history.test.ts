import { expect, test } from "vitest";
import { changes, featureById, features, insertedAt, logKey, logs } from "./records.js";

const PRESENT = Date.parse("2026-06-30T12:00:00Z");

test("change ids are unique UUIDv7 in order of insertion", () => {
  const v7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(changes.filter((change) => !v7.test(change.id))).toEqual([]);
  expect(changes.filter((change, i) => i > 0 && (changes[i - 1]?.id ?? "") >= change.id)).toEqual([]);
});

test("changes are not newer than the present, and are not inserted before their time or feature", () => {
  const untimely = changes.filter((change) => {
    const inserted = insertedAt(change);
    const feature = featureById.get(change.layer_feature_id);
    const earliest = Math.max(Date.parse(change.created_at), Date.parse(feature?.created_at ?? ""));
    const latest = Math.min(PRESENT, Date.parse(feature?.updated_at ?? ""));
    return !(inserted >= earliest && inserted <= latest);
  });
  expect(untimely).toEqual([]);
  expect(features.filter((feature) => Date.parse(feature.created_at) > PRESENT)).toEqual([]);
});

test("current values are the last values of the log, with a few contradictions", () => {
  let contradictions = 0;
  for (const feature of features) {
    for (const [key, value] of Object.entries(feature.properties)) {
      const last = logs.get(logKey(feature.id, key))?.at(-1);
      if (last !== undefined && JSON.stringify(last.new_value) !== JSON.stringify(value)) contradictions++;
    }
  }
  expect(contradictions).toBeGreaterThanOrEqual(5);
  expect(contradictions).toBeLessThanOrEqual(15);
});

test("features have every property of the log", () => {
  const missing = changes.filter(
    (change) => !(change.property_key in (featureById.get(change.layer_feature_id)?.properties ?? {})),
  );
  expect(missing).toEqual([]);
});

test("changes of the system have no user, and only the system makes knock-on changes", () => {
  expect(changes.filter((change) => change.system !== (change.user_id === null))).toEqual([]);
  expect(changes.filter((change) => change.caused_by_change_id !== null && !change.system)).toEqual([]);
});
