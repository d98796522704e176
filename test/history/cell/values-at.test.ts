import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LayerFeature, PropertyChange } from "../../../src/api/resources.js";
import { formatInstant } from "../../../src/core/format/format-date.js";
import { US_PER_DAY } from "../../../src/core/instant.js";
import type { History } from "../../../src/history/history.js";
import { randomNumbers, randomRuns } from "../../support/random-runs.js";
import { change, feature, uuid } from "../../support/records.js";
import { historyOf } from "../small-history.js";

const FIRST_US = Date.UTC(2024, 0, 1) * 1000;
const day = (n: number) => FIRST_US + n * US_PER_DAY;

interface Entry {
  readonly row: number;
  readonly us: number;
  readonly value: number | null;
}

interface World {
  readonly createdUs: readonly number[];
  /** What the records hold. */
  readonly held: readonly (string | null)[];
  /** In order of insertion, some of them made out of it. */
  readonly log: readonly Entry[];
}

/** Features of which some have no change, some no value, and some come later than the first date. */
function worldOf(count: number, seed: number): World {
  const random = randomNumbers(seed + 1);
  const isLate = random() < 0.7;
  const createdUs = Array.from({ length: count }, () =>
    day(isLate && random() < 0.2 ? Math.floor(random() * 100) : -1),
  );
  const held = Array.from({ length: count }, (_, row) => (random() < 0.5 ? null : `held ${row}`));
  const log = Array.from({ length: Math.floor(random() * 2 * count) }, () => ({
    row: Math.floor(random() ** 2 * count),
    us: day(Math.floor(random() * 100)),
    value: random() < 0.2 ? null : Math.floor(random() * 50),
  }));
  return { createdUs, held, log };
}

/** Of June 2024, after the creation of all features. */
const changeId = (n: number) => uuid(n, "01900000");

function recordsOf({ createdUs, held, log }: World): [LayerFeature[], PropertyChange[]] {
  const features = createdUs.map((us, row) =>
    feature(row + 1, {
      created_at: formatInstant(us),
      // One record names the property, so that there is such a column.
      properties: held[row] === null && row > 0 ? {} : { STATUS: held[row] },
    }),
  );
  const changes = log.map(({ row, us, value }, n) =>
    change(n, { id: changeId(n), layer_feature_id: row + 1, created_at: formatInstant(us), new_value: value }),
  );
  return [features, changes];
}

/**
 * Values by row, of the features that are asked for.
 *
 * @param known how many changes were known
 */
function valuesAt(world: World, us: number, known: number, backfill: boolean, keep: boolean): unknown[] {
  const log = world.log.slice(0, known).map((entry, n) => ({ ...entry, n }));
  const ever = new Set(world.log.map(({ row }) => row));
  const cells = world.createdUs.map(() => [] as typeof log);
  for (const entry of log.toSorted((a, b) => a.us - b.us || a.n - b.n)) cells[entry.row]?.push(entry);
  return cells.flatMap((cell, row): unknown[] => {
    const counted = cell.filter((entry) => entry.us <= us);
    const isAbsent = (world.createdUs[row] ?? 0) > us && counted.length === 0;
    if (isAbsent) return keep ? [null] : [];
    const deciding = counted.at(-1) ?? (backfill ? cell[0] : undefined);
    if (deciding) return [deciding.value];
    return [ever.has(row) ? null : (world.held[row] ?? null)];
  });
}

/** The values of a column, read in several orders from separate tables. */
function readings(ask: () => ReturnType<History["asOf"]>): Record<string, unknown[]> {
  const column = () => ask().column("STATUS") ?? [];
  const [through, apart, back] = [column(), column(), column()];
  const rows = Array.from({ length: through.length }, (_, row) => row);
  const there = rows.map((row) => (row * 7919) % Math.max(rows.length, 1));
  const read = new Map(there.map((row) => [row, apart.at(row)]));
  return {
    through: rows.map((row) => through.at(row)),
    "here and there": rows.map((row) => (read.has(row) ? read.get(row) : apart.at(row))),
    "from the middle": [...rows.slice(rows.length >> 1), ...rows.slice(0, rows.length >> 1)]
      .map((row) => [row, back.at(row)] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value),
    iterated: [...column()],
  };
}

describe("the values of a column at a date", () => {
  const asked = fc.record({ at: fc.integer({ min: -2, max: 101 }), backfill: fc.boolean(), keep: fc.boolean() });

  it("are the same in any order of reading, for few and many features", async () => {
    const sizes = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 900, max: 2600 }));
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), fc.array(asked, { minLength: 2, maxLength: 4 }), async (count, seed, dates) => {
        const world = worldOf(count, seed);
        const history = await historyOf(...recordsOf(world));
        const known = Math.floor(world.log.length / 2);
        const histories = [[history, world.log.length] as const];
        if (known > 0) histories.push([history.knownAt(changeId(known - 1)), known]);
        for (const { at, backfill, keep } of dates) {
          for (const [each, changes] of histories) {
            const expected = valuesAt(world, day(at), changes, backfill, keep);
            const options = { fillUnknown: backfill ? "backfill" : "null", absent: keep ? "keep" : "drop" } as const;
            const all = readings(() => each.asOf(formatInstant(day(at)), options));
            for (const values of Object.values(all)) expect(values).toEqual(expected);
          }
        }
      }),
      { numRuns: randomRuns(60, 6) },
    );
  });
});
