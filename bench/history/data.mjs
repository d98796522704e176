import { share } from "../share.mjs";
import { xorshift } from "../xorshift.mjs";

/**
 * The log about which every variant answers questions: 200,000 features × 5 properties, 2,000,000 changes over three
 * years. Three in ten share the time of the one before (bulk edits), three in a hundred are late by up to 30 days, one
 * in twenty clears. Ids are UUIDv7 in order of insertion.
 */
export const FEATURES = Math.round(200_000 * share);
export const KEYS = ["ASSIGNEE", "LENGTH", "SEVERITY", "STATUS", "VOLUME"];
export const CHANGES = Math.round(2_000_000 * share);
export const VALUES = 40;
export const START_MS = Date.UTC(2022, 0, 1);
export const END_MS = Date.UTC(2025, 0, 1);
const DAY_MS = 86_400_000;

/** One date, 36 month-ends, 1,000 instants: milliseconds, inclusive. */
export const ONE_DATE = Date.UTC(2023, 6, 1) - 1;
export const MONTH_ENDS = Array.from({ length: 36 }, (_, month) => Date.UTC(2022, month + 1, 1) - 1);
export const THOUSAND = Array.from(
  { length: 1000 },
  (_, n) => START_MS + Math.floor(((n + 1) * (END_MS - START_MS)) / 1000),
);

/** Columns of the log. `value` is a code from 1, or 0 for null. */
export function makeLog() {
  const random = xorshift(7);
  const log = {
    feature: new Int32Array(CHANGES),
    key: new Uint8Array(CHANGES),
    value: new Int32Array(CHANGES),
    timeUs: new Float64Array(CHANGES),
    idWords: new Uint32Array(4 * CHANGES),
    user: new Uint8Array(CHANGES),
  };
  let createdMs = START_MS;
  for (let change = 0; change < CHANGES; change += 1) {
    const insertedMs = START_MS + Math.floor(((END_MS - START_MS) * change) / CHANGES);
    if (random() >= 0.3) createdMs = random() < 0.03 ? insertedMs - Math.floor(random() * 30 * DAY_MS) : insertedMs;
    log.feature[change] = Math.floor(random() * FEATURES);
    log.key[change] = Math.floor(random() * KEYS.length);
    log.value[change] = random() < 0.05 ? 0 : 1 + Math.floor(random() * VALUES);
    log.timeUs[change] = createdMs * 1000;
    log.user[change] = Math.floor(random() * 50);
    log.idWords.set(
      [insertedMs / 0x1_0000, ((insertedMs % 0x1_0000) * 0x1_0000) | 0x7000, 0x8000_0000, change],
      4 * change,
    );
  }
  return log;
}

/** Adds one cell of an answer to a sum that does not depend on the order of rows. `code` is 0 for null. */
export function cellHash(cell, code) {
  return ((cell % 999_983) * (code + 3)) % 1_000_003;
}

/** Median of some runs in milliseconds, and the result of the last one. */
export async function measure(run, runs = 3) {
  const times = [];
  let result;
  for (let n = 0; n < runs; n += 1) {
    const start = performance.now();
    result = await run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { ms: times[times.length >> 1], result };
}
