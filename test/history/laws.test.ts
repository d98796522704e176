import type { ColumnTable } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/core/json.js";
import { randomRuns } from "../support/random-runs.js";
import { Oracle, type Row } from "./oracle.js";
import { historyOf, times, worlds } from "./random-world.js";

const rowsOf = (table: ColumnTable) => table.objects() as Row[];
const numRuns = randomRuns(200, 15);
const end = "9000-01-01";

describe("laws", () => {
  it("asOf(readAt) is the current state wherever reconcile agrees", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const history = await historyOf(world);
        const wrong = new Set(rowsOf(history.reconcile().mismatches).map(({ id, column }) => `${id} ${column}`));
        const current = rowsOf((await historyOf({ ...world, changes: [] })).asOf(end));
        const currentById = new Map(current.map((row) => [row["id"], row]));
        for (const row of rowsOf(history.asOf(history.readAt))) {
          for (const column of history.columns) {
            if (wrong.has(`${row["id"]} ${column}`)) continue;
            expect(row[column]).toEqual(currentById.get(row["id"])?.[column] ?? null);
          }
        }
      }),
      { numRuns },
    );
  });

  it("panel is asOf date by date, and counts is panel grouped", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.array(times, { maxLength: 4 }), async (world, dates) => {
        const history = await historyOf(world);
        const panel = rowsOf(history.panel({ dates }));
        const names = ["id", "visible_id", ...history.columns];
        const single = dates.flatMap((date) =>
          rowsOf(history.asOf(date).select(...names)).map((row) => ({ date, ...row })),
        );
        expect(panel).toEqual(single);
        const grouped = new Map<string, number>();
        for (const { date, STATUS } of panel) {
          const key = canonicalJson([String(date), STATUS]);
          grouped.set(key, (grouped.get(key) ?? 0) + 1);
        }
        const counted = new Map<string, number>();
        for (const { date, value, count } of rowsOf(history.counts("STATUS", { dates }))) {
          const key = canonicalJson([String(date), value]);
          counted.set(key, (counted.get(key) ?? 0) + Number(count));
        }
        expect(counted).toEqual(grouped);
      }),
      { numRuns },
    );
  });

  it("intervals tile the life of every feature without gap or overlap, and neighbours differ", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const history = await historyOf(world);
        for (const column of history.columns) {
          const rows = rowsOf(history.intervals(column));
          expect(new Set(rows.map(({ id }) => id)).size).toBe(world.features.length);
          rows.forEach((row, index) => {
            const next = rows[index + 1];
            if (!next || next["id"] !== row["id"]) {
              expect(row["valid_to_us"]).toBeNull();
              return;
            }
            expect(next["valid_from_us"]).toBe(row["valid_to_us"]);
            expect(Number(row["valid_from_us"])).toBeLessThan(Number(row["valid_to_us"]));
            expect([next["state"], next["value"]]).not.toEqual([row["state"], row["value"]]);
          });
        }
      }),
      { numRuns },
    );
  });

  it("diff(a, b) applied to asOf(a) gives asOf(b)", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, times, times, async (world, a, b) => {
        const history = await historyOf(world);
        const [from, to] = new Oracle(world).isAfter(a, b) ? [b, a] : [a, b];
        const cells = new Map(rowsOf(history.states(from)).map(({ id, column, value }) => [`${id} ${column}`, value]));
        for (const { id, column, before, after } of rowsOf(history.diff(from, to))) {
          expect(cells.get(`${id} ${column}`) ?? null).toEqual(before);
          cells.set(`${id} ${column}`, after);
        }
        const after = new Map(rowsOf(history.states(to)).map(({ id, column, value }) => [`${id} ${column}`, value]));
        expect(new Map([...cells].sort())).toEqual(new Map([...after].sort()));
      }),
      { numRuns },
    );
  });

  it("permuting the log changes nothing", async () => {
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
          history.at(history.steps("STATUS"), { id: "id", time: "changed_at" }),
          history.lateEdits(),
          history.causes(),
          history.reconcile(),
          history.people(),
        ];
        expect(everything(other).map((table) => rowsOf(table))).toEqual(everything(one).map((table) => rowsOf(table)));
        expect(other.findings).toEqual(one.findings);
      }),
      { numRuns },
    );
  });

  it("choosing columns changes no row of what is left", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, times, async (world, time) => {
        const [all, some] = [await historyOf(world), await historyOf(world, ["Risk", "VOLUME"])];
        const own = ({ column }: Row) => column === "Risk" || column === "VOLUME";
        expect(rowsOf(some.states(time))).toEqual(rowsOf(all.states(time)).filter(own));
        expect(rowsOf(some.changes())).toEqual(rowsOf(all.changes()).filter(own));
        expect(rowsOf(some.causes())).toEqual(rowsOf(all.causes()).filter(own));
        expect(rowsOf(some.lateEdits())).toEqual(rowsOf(all.lateEdits()).filter(own));
        expect(rowsOf(some.intervals("Risk"))).toEqual(rowsOf(all.intervals("Risk")));
      }),
      { numRuns },
    );
  });

  it("what was known at the last change is what is known", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, times, async (world, time) => {
        const history = await historyOf(world);
        const known = history.knownAt(new Date("2100-01-01T00:00:00Z")).knownAt("ffffffff-ffff-ffff-ffff-ffffffffffff");
        expect(rowsOf(known.states(time))).toEqual(rowsOf(history.states(time)));
        // What was known in 2100 is asked long before it.
        const isOfPoint = ({ message }: { readonly message: string }) => message.startsWith("2100-01-01");
        expect(known.findings.filter(isOfPoint)).toHaveLength(1);
        expect(known.findings.filter((finding) => !isOfPoint(finding))).toEqual(history.findings);
      }),
      { numRuns },
    );
  });
});
