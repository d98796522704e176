import type { ColumnTable } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, compareText } from "../../src/core/json.js";
import type { History } from "../../src/history/history.js";
import { randomRuns } from "../support/random-runs.js";
import { Oracle, type Row, type World } from "./oracle.js";
import { historyOf, insertedMs, times, worlds } from "./random-world.js";

const rowsOf = (table: ColumnTable, names = table.columnNames()) => table.select(...names).objects() as Row[];
const textOf = (row: Row) => canonicalJson(JSON.parse(JSON.stringify(row)));
const sorted = (rows: readonly Row[]) => [...rows].sort((a, b) => compareText(textOf(a), textOf(b)));

function check(name: string, runs: number, compare: (history: History, oracle: Oracle, draw: Draw) => void) {
  it(name, async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.gen(), async (world, gen) => {
        const history = await historyOf(world);
        compare(history, new Oracle(world), {
          world,
          time: () => gen(() => times),
          pick: (...of) => gen(fc.constantFrom, ...of),
        });
      }),
      { numRuns: randomRuns(runs, 25) },
    );
  });
}

interface Draw {
  readonly world: World;
  readonly time: () => Date | string;
  readonly pick: <T>(...of: [T, ...T[]]) => T;
}

/** Runs the same comparison on what was known at a random point. */
function sometimesEarlier(compare: (history: History, oracle: Oracle, draw: Draw) => void) {
  return (history: History, oracle: Oracle, draw: Draw) => {
    compare(history, oracle, draw);
    const point = new Date(draw.pick("2024-01-01T12:00:00Z", "2024-09-01T00:00:00Z", "2026-01-01T00:00:00Z"));
    const known = oracle.knownAt(({ id }) => insertedMs(id) <= point.getTime(), point.getTime() * 1000);
    compare(history.knownAt(point), known, draw);
    const [first] = draw.world.changes;
    const byId = first?.id ?? "00000000-0000-0000-0000-000000000000";
    // The latter has no time.
    const byIdUs = first ? 1000 * insertedMs(byId) + 999 : Number.POSITIVE_INFINITY;
    const knownToo = oracle.knownAt(({ id }) => id.toLowerCase() <= byId.toLowerCase(), byIdUs);
    compare(history.knownAt(byId), knownToo, draw);
  };
}

describe("random logs and the oracle", () => {
  check(
    "asOf and states",
    500,
    sometimesEarlier((history, oracle, { time, pick }) => {
      const at = time();
      const keep = pick(false, true);
      expect(rowsOf(history.states(at, { absent: keep ? "keep" : "drop" }))).toEqual(oracle.states(at, keep));
      const backfill = pick(false, true);
      const table = history.asOf(at, {
        fillUnknown: backfill ? "backfill" : "null",
        absent: keep ? "keep" : "drop",
      });
      const names = ["id", "visible_id", ...history.columns];
      expect(rowsOf(table, names)).toEqual(oracle.asOf(at, { backfill, keepAbsent: keep }));
    }),
  );

  check(
    "panel, counts and totals",
    500,
    sometimesEarlier((history, oracle, { time, pick }) => {
      const dates = [time(), time(), time()];
      expect(rowsOf(history.panel({ dates }))).toEqual(oracle.panel(dates));
      const by = pick(undefined, "dataset_id", "VOLUME", "Risk");
      const column = pick("STATUS", "Risk", "VOLUME");
      const options = by === undefined ? {} : { by };
      expect(sorted(rowsOf(history.counts(column, { dates }, options)))).toEqual(
        sorted(oracle.counts(column, dates, by)),
      );
      const totals = () => sorted(rowsOf(history.totals(column, { dates }, options)));
      if (oracle.hasOnlyOthers(column)) expect(totals).toThrow(/has no numbers/);
      else expect(totals()).toEqual(sorted(oracle.totals(column, dates, by)));
    }),
  );

  check(
    "intervals, durations, transitions and steps",
    500,
    sometimesEarlier((history, oracle, { time, pick }) => {
      const column = pick("STATUS", "Risk", "ASSIGNEE");
      expect(rowsOf(history.intervals(column))).toEqual(oracle.intervals(column));
      expect(rowsOf(history.durations(column))).toEqual(oracle.durations(column, history.until));
      const until = time();
      expect(rowsOf(history.durations(column, { until }))).toEqual(oracle.durations(column, until));
      expect(sorted(rowsOf(history.transitions(column)))).toEqual(sorted(oracle.transitions(column)));
      expect(rowsOf(history.steps(column))).toEqual(oracle.steps(column));
      for (const value of oracle.valuesOf(column)) {
        expect(rowsOf(history.firstReached(column, value))).toEqual(oracle.reached(column, value));
      }
      const order = oracle.valuesOf(column).filter(() => pick(true, true, false));
      if (pick(true, false)) order.reverse();
      expect(rowsOf(history.steps(column, { order }))).toEqual(oracle.steps(column, order));
      expect(sorted(rowsOf(history.transitions(column, { order })))).toEqual(sorted(oracle.transitions(column, order)));
    }),
  );

  check(
    "changes, diff, lateEdits, causes, reconcile and people",
    500,
    sometimesEarlier((history, oracle, { time }) => {
      expect(rowsOf(history.changes())).toEqual(oracle.changes());
      const [a, b] = [time(), time()];
      if (oracle.isAfter(a, b)) expect(() => history.diff(a, b)).toThrow(/is before/);
      else expect(rowsOf(history.diff(a, b))).toEqual(oracle.diff(a, b));
      expect(rowsOf(history.lateEdits())).toEqual(oracle.lateEdits());
      const entered = oracle.lateEntries(0.5);
      if (entered) expect(rowsOf(history.lateEntries({ moreThan: "PT12H" }))).toEqual(entered);
      else expect(() => history.lateEntries()).toThrow("the time of recording is unknown");
      expect(sorted(rowsOf(history.causeTrees()))).toEqual(sorted(oracle.causes()));
      const reconciled = history.reconcile();
      expect(rowsOf(reconciled)).toEqual(oracle.reconcile().rows);
      expect(rowsOf(reconciled.mismatches)).toEqual(oracle.reconcile().mismatches);
      const people = history.editsByUser();
      expect(sorted(rowsOf(people))).toEqual(sorted(oracle.people().rows));
      expect(sorted(rowsOf(people.hours))).toEqual(sorted(oracle.people().hours));
    }),
  );
});
