import type { ColumnTable } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomRuns } from "../support/random-runs.js";
import type { Row } from "./oracle.js";
import { historyOf, times, worlds } from "./random-world.js";

const rowsOf = (table: ColumnTable) => table.objects() as Row[];
const numRuns = randomRuns(200, 15);

describe("a history", () => {
  it("has equal answers for a log in any order", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.infiniteStream(fc.nat()), times, async (world, random, time) => {
        const shuffled = world.changes
          .map((change) => ({ change, place: random.next().value }))
          .sort((a, b) => Number(a.place) - Number(b.place))
          .map(({ change }) => change);
        const [one, other] = [await historyOf(world), await historyOf({ ...world, changes: shuffled })];
        const hasNumbers = rowsOf(one.intervals("VOLUME")).some(({ value }) => typeof value === "number");
        const everything = (history: typeof one) => [
          history.changes(),
          history.states(time, { absent: "keep" }),
          history.asOf(time),
          history.counts("STATUS", { dates: [time] }, { by: "Risk" }),
          ...(hasNumbers ? [history.totals("VOLUME", { dates: [time] })] : []),
          history.intervals("Risk"),
          history.durations("STATUS"),
          history.transitions("Risk"),
          history.steps("STATUS"),
          history.joinAsOf(history.steps("STATUS"), { id: "id", time: "changed_at" }),
          history.lateEdits(),
          history.causeTrees(),
          history.reconcile(),
          history.editsByUser(),
        ];
        expect(everything(other).map((table) => rowsOf(table))).toEqual(everything(one).map((table) => rowsOf(table)));
        expect(other.diagnostics).toEqual(one.diagnostics);
      }),
      { numRuns },
    );
  });

  it("keeps the rows of chosen columns", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, times, async (world, time) => {
        const [all, some] = [await historyOf(world), await historyOf(world, ["Risk", "VOLUME"])];
        const own = ({ column }: Row) => column === "Risk" || column === "VOLUME";
        expect(rowsOf(some.states(time))).toEqual(rowsOf(all.states(time)).filter(own));
        expect(rowsOf(some.changes())).toEqual(rowsOf(all.changes()).filter(own));
        expect(rowsOf(some.causeTrees())).toEqual(rowsOf(all.causeTrees()).filter(own));
        expect(rowsOf(some.lateEdits())).toEqual(rowsOf(all.lateEdits()).filter(own));
        expect(rowsOf(some.intervals("Risk"))).toEqual(rowsOf(all.intervals("Risk")));
      }),
      { numRuns },
    );
  });
});
