import { describe, expect, it } from "vitest";
import type { PropertyChange } from "../../../src/api/resources.js";
import { formatInstant } from "../../../src/core/format/format-date.js";
import { randomNumbers } from "../../support/random-runs.js";
import { change, feature } from "../../support/records.js";
import { historyOf } from "../small-history.js";

const DAY_US = 86_400_000_000;
const FIRST_US = Date.UTC(2020, 0, 1) * 1000;

/** How long after `FIRST_US` change `n` of so many is made, as a part of 1,000 days. */
const arrivals = {
  "in the order they were made": (n: number, count: number) => n / count,
  "late by chance": (n: number, count: number, random: number) => n / count - (random < 0.05 ? random * 4 : 0),
  "in any order": (_n: number, _count: number, random: number) => random,
  "newest first": (n: number, count: number) => 1 - n / count,
  "in a few bulk edits": (_n: number, _count: number, random: number) => Math.floor(random * 20) / 20,
  "all at once": () => 0.5,
};

type Arrival = keyof typeof arrivals;

function logOf(featureCount: number, count: number, arrival: Arrival): { us: number; row: number; n: number }[] {
  const random = randomNumbers(17);
  return Array.from({ length: count }, (_, n) => ({
    us: FIRST_US + Math.round(arrivals[arrival](n, count, random()) * 1000 * DAY_US),
    row: Math.floor(random() ** 2 * featureCount),
    n,
  }));
}

function toChanges(log: ReturnType<typeof logOf>): PropertyChange[] {
  return log.map(({ us, row, n }) =>
    change(n, { layer_feature_id: row + 1, new_value: n, created_at: formatInstant(us) }),
  );
}

describe("asOf over a log that is long for its features", () => {
  const sizes = [
    [40, 6_000],
    [40, 25_000],
    [3, 9_000],
    [5_000, 20_000],
  ] as const;
  const cases = sizes.flatMap(([features, count]) =>
    (Object.keys(arrivals) as Arrival[]).map((arrival) => [features, count, arrival] as const),
  );
  // More than 255 and more than 65,535 changes of one feature need wider counts.
  const widths = [255, 256, 65_535, 65_536].map((count) => [1, count, "late by chance"] as const);

  it.each([...cases, ...widths])(
    "of %i features, %i changes that arrive %s, is the last change by then",
    async (...world) => {
      const [featureCount, count, arrival] = world;
      const log = logOf(featureCount, count, arrival);
      const features = Array.from({ length: featureCount }, (_, row) =>
        feature(row + 1, { created_at: "2015-01-01T00:00:00Z" }),
      );
      const history = await historyOf(features, toChanges(log));
      const sorted = log.toSorted((a, b) => a.us - b.us || a.n - b.n);
      const times = [
        FIRST_US - 1000 * DAY_US,
        ...Array.from({ length: 25 }, (_, n) => sorted[Math.floor((n * (count - 1)) / 24)]?.us ?? 0),
        FIRST_US + 2000 * DAY_US,
      ];
      // Not in order of time, and each twice: an answer must not depend on those before it.
      for (const us of [...times, ...times.toReversed()]) {
        const expected = new Array(featureCount).fill(null);
        for (const entry of sorted) if (entry.us <= us) expected[entry.row] = entry.n;
        expect(history.asOf(formatInstant(us)).array("STATUS")).toEqual(expected);
      }
    },
  );

  it("distinguishes times that are centuries or a microsecond apart", async () => {
    const instants = [
      "2254-12-31T23:59:59.999999Z",
      "1899-12-31T23:59:59.999999Z",
      "2020-01-01T00:00:00.000001Z",
      "1970-01-01T00:00:00.000000Z",
      "2254-12-31T23:59:59.999998Z",
      "1969-12-31T23:59:59.999999Z",
      "2020-01-01T00:00:00.000000Z",
      "1900-01-01T00:00:00.000000Z",
    ];
    const log = instants.map((created_at, n) => change(n, { new_value: created_at, created_at }));
    const history = await historyOf([feature(1)], log);
    expect(history.changes().array("value")).toEqual(instants.toSorted());
    for (const instant of instants) expect(history.asOf(instant).get("STATUS", 0)).toBe(instant);
  });
});
