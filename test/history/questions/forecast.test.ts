import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PropertyChange } from "../../../src/api/resources.js";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { History } from "../../../src/history/history.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, feature, uuidAt } from "../../support/records.js";
import { refusal } from "../../support/refusal.js";
import { historyOf, rowsOf } from "../small-history.js";

const DAY = 86_400_000;
const READ_AT = Date.UTC(2025, 0, 1);

function edit(n: number, layer_feature_id: number, ms: number, new_value: string, cameInMs = ms): PropertyChange {
  return change(n, { id: uuidAt(cameInMs, n), layer_feature_id, created_at: new Date(ms).toISOString(), new_value });
}

/** Tickets that were opened before the log was read; each week of the list closes some. */
function tickets(count: number, closed: readonly number[], late: readonly PropertyChange[] = []): Promise<History> {
  const start = READ_AT - closed.length * 7 * DAY;
  const features = Array.from({ length: count }, (_, n) =>
    feature(n + 1, { created_at: new Date(start).toISOString() }),
  );
  const opened = features.map(({ id }) => edit(id, id, start, "OPEN"));
  const weeks = closed.flatMap((number, week) => Array.from({ length: number }, () => week));
  const closings = weeks.map((week, n) => edit(5000 + n, n + 1, start + (7 * week + 3) * DAY, "CLOSED"));
  return historyOf(features, [...opened, ...closings, ...late]);
}

const steady = Array.from({ length: 20 }, () => 2);
const done = { done: "CLOSED" };

describe("forecast", () => {
  it("of an even pace has that pace in every trial and in backtests", async () => {
    const history = await tickets(50, steady);
    const forecast = history.forecast("STATUS", done);
    const date = new Date(READ_AT + 5 * 7 * DAY);
    const row = { date, weeks: 5, backtests: 9, kept: 9, hit_rate: 1 };
    expect(rowsOf(forecast)).toEqual([0.5, 0.8, 0.95].map((probability) => ({ probability, ...row })));
    expect([forecast.done, forecast.total]).toEqual([40, 50]);
    expect(rowsOf(forecast.fan)[1]).toEqual({
      date: new Date(READ_AT + 7 * DAY),
      ...{ p5: 42, p20: 42, p50: 42, p80: 42, p95: 42 },
    });
    expect(forecast.fan.numRows()).toBe(6);
    expect(rowsOf(forecast.backtest)[0]).toEqual({
      known_at: new Date(READ_AT - 12 * 7 * DAY),
      date: new Date(READ_AT - 8 * 7 * DAY),
      ...{ p50: 24, p80: 24, p95: 24, actual: 24 },
    });
    expect(forecast.diagnostics).toEqual([]);
    for (const table of [forecast, forecast.fan, forecast.backtest]) {
      expect(provenanceOf(table)).toEqual(history.provenance);
    }
  });

  it("depends on its options only, not on earlier calls", async () => {
    const closed = [1, 5, 0, 3, 2, 2, 4, 0, 1, 6, 2, 1, 3, 0, 2, 4];
    const shown = (history: History, options: object) => {
      const forecast = history.forecast("STATUS", { ...done, trials: 1000, ...options });
      return [rowsOf(forecast), rowsOf(forecast.fan), rowsOf(forecast.backtest), forecast.diagnostics];
    };
    const options = [
      { seed: 2 },
      { trials: 500 },
      { weeks: 8 },
      { backtests: 3 },
      { total: 60 },
      { until: new Date(READ_AT - 21 * DAY) },
      { done: ["CLOSED", "OPEN"] },
    ];
    const one = await tickets(90, closed);
    const usual = shown(one, {});
    expect(shown(one, { seed: 1 })).toEqual(usual);
    for (const other of options) {
      const first = shown(await tickets(90, closed), other);
      expect(first).not.toEqual(usual);
      expect(shown(one, other)).toEqual(first);
      expect(shown(one, {})).toEqual(usual);
    }
  });

  it("draws weeks at random, with the waiting times of a coin", async () => {
    const history = await tickets(30, [0, 1, 1, 0, 1, 0, 0, 1, 0, 1]);
    const forecast = history.forecast("STATUS", { ...done, total: 15, trials: 100_000 });
    // Ten heads of a fair coin: the share of trials that have them after so many throws.
    const share = (throws: number) => {
      let [sum, ways] = [0, 1];
      for (let heads = 0; heads <= throws; heads += 1) {
        if (heads >= 10) sum += ways;
        ways = (ways * (throws - heads)) / (heads + 1);
      }
      return sum / 2 ** throws;
    };
    for (const { probability, weeks } of rowsOf(forecast)) {
      expect(share(Number(weeks))).toBeGreaterThan(Number(probability) - 0.005);
      expect(share(Number(weeks) - 1)).toBeLessThan(Number(probability) + 0.005);
    }
  });

  it("is empty with fewer than eight weeks, without open features or without progress", async () => {
    const short = (await tickets(20, [1, 1, 1, 1, 1, 1, 1])).forecast("STATUS", done);
    expect([short.numRows(), short.fan.numRows()]).toEqual([0, 0]);
    expect(short.diagnostics).toMatchObject([{ code: "log-too-short", count: 7 }]);
    const over = (await tickets(20, steady)).forecast("STATUS", { ...done, total: 20 });
    expect(rowsOf(over)[0]).toMatchObject({ weeks: 0, date: new Date(READ_AT) });
    expect(over.diagnostics).toMatchObject([{ code: "work-already-done" }]);
    const idle = (await tickets(20, [3, 0, 0, 0, 0, 0, 0, 0, 0, 0])).forecast("STATUS", { ...done, weeks: 8 });
    expect(rowsOf(idle)[0]).toMatchObject({ date: null, weeks: null });
    expect(idle.diagnostics.map(({ code }) => code)).toContain("end-unknown");
  });

  it("subtracts reopened features, and begins at `until`", async () => {
    const back = [edit(9000, 1, READ_AT - 3 * DAY, "OPEN"), edit(9001, 2, READ_AT - 3 * DAY, "OPEN")];
    const history = await tickets(50, steady, back);
    expect(history.forecast("STATUS", done).done).toBe(38);
    const before = history.forecast("STATUS", { ...done, until: new Date(READ_AT - 7 * DAY) });
    expect(rowsOf(before)[0]).toMatchObject({ weeks: 6, date: new Date(READ_AT + 5 * 7 * DAY) });
  });

  it("reports features that were added in the weeks it draws from", async () => {
    const added = Array.from({ length: 3 }, (_, n) => feature(900 + n, { created_at: "2024-12-20T00:00:00Z" }));
    const opened = [1, 2, 3, 4].map((id) => edit(id, id, READ_AT - 100 * DAY, "OPEN"));
    const closed = [1, 2].map((id) => edit(10 + id, id, READ_AT - 30 * id * DAY, "CLOSED"));
    const first = [1, 2, 3, 4].map((id) => feature(id));
    const history = await historyOf([...first, ...added], [...opened, ...closed]);
    expect(history.forecast("STATUS", done).diagnostics).toContainEqual(
      expect.objectContaining({ code: "total-growing", count: 3 }),
    );
    const given = history.forecast("STATUS", { ...done, total: 7 });
    expect(given.diagnostics.map(({ code }) => code)).not.toContain("total-growing");
  });

  it("reports that backtests were too early", async () => {
    const slowing = [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    const { diagnostics } = (await tickets(150, slowing)).forecast("STATUS", done);
    expect(diagnostics.map(({ code }) => code)).toContain("forecast-too-early");
  });

  it("ignores changes that were recorded later, in backtests", async () => {
    const weeks = [2, 1, 3, 0, 2, 2, 1, 4, 2, 2, 1, 3, 2, 0, 3, 1];
    const cut = READ_AT - 4 * 7 * DAY;
    // Made early, and known only after the cut: they would change the pace of the past.
    const late = Array.from({ length: 9 }, (_, n) =>
      edit(9000 + n, 60 + n, READ_AT - (70 + n) * DAY, "CLOSED", cut + DAY),
    );
    const [without, withLate] = await Promise.all([tickets(80, weeks), tickets(80, weeks, late)]);
    const past = (history: History) => {
      const forecast = history.forecast("STATUS", { ...done, total: 70, trials: 500 });
      return rowsOf(forecast.backtest).filter(({ known_at }) => Number(known_at) <= cut);
    };
    const levels = (row: Readonly<Record<string, unknown>>) => [row["p50"], row["p80"], row["p95"]];
    const [a, b] = [past(without), past(withLate)];
    const common = b.flatMap((row) => {
      const same = a.find(
        ({ known_at, date }) => String(known_at) === String(row["known_at"]) && String(date) === String(row["date"]),
      );
      return same ? [[levels(row), levels(same)]] : [];
    });
    expect(common.length).toBeGreaterThan(0);
    for (const [seen, expected] of common) expect(seen).toEqual(expected);
  });

  it("reports ids without an insertion time", async () => {
    const history = await tickets(50, steady, [
      change(9999, {
        id: "123e4567-e89b-42d3-a456-426614174000",
        layer_feature_id: 1,
        created_at: "2024-12-30T00:00:00Z",
      }),
    ]);
    expect(history.forecast("STATUS", done).diagnostics.map(({ code }) => code)).toContain("recording-time-unknown");
  });

  it.each([
    [{ done: "CLOSSED" }, 'done: no feature ever had "CLOSSED" in "STATUS".'],
    [undefined, "`done` is empty."],
    [{ done: "CLOSED", trails: 10 }, "Did you mean trials?"],
    [{ done: "CLOSED", weeks: 4 }, "weeks must be an integer of at least 8"],
    [{ done: "CLOSED", total: 0 }, "total must be an integer of at least 1"],
  ])("refuses %j", async (options, message) => {
    const history = await tickets(10, steady.slice(0, 4));
    expect(refusal(() => Reflect.apply(history.forecast, history, ["STATUS", options]))).toContain(message);
  });
});

describe("random logs", () => {
  const weeks = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 8, maxLength: 30 });

  it("have forecasts within the range of weeks, and backtests that agree with counts", async () => {
    await fc.assert(
      fc.asyncProperty(weeks, async (closed) => {
        const history = await tickets(130, closed);
        const forecast = history.forecast("STATUS", { ...done, trials: 200 });
        expect(forecast.done).toBe(closed.reduce((a, b) => a + b, 0));
        const [most, least] = [Math.max(...closed.slice(-26)), Math.min(...closed.slice(-26))];
        rowsOf(forecast.fan).forEach((row, week) => {
          const levels = ["p5", "p20", "p50", "p80", "p95"].map((name) => Number(row[name]));
          expect([...levels].sort((a, b) => b - a)).toEqual(levels);
          expect(levels[0]).toBeLessThanOrEqual(Math.min(forecast.total, forecast.done + week * most));
          expect(levels[4]).toBeGreaterThanOrEqual(Math.min(forecast.total, forecast.done + week * least));
        });
        const past = rowsOf(forecast.backtest);
        for (const { date, actual } of past) {
          const counted = rowsOf(history.counts("STATUS", [new Date(Number(date) - 1)]));
          expect(actual).toBe(counted.find(({ value }) => value === "CLOSED")?.["count"] ?? 0);
        }
        for (const [place, name] of ["p50", "p80", "p95"].entries()) {
          const kept = past.filter((row) => Number(row["actual"]) >= Number(row[name]) || row["actual"] === 130).length;
          expect(forecast.get("kept", place)).toBe(kept);
        }
      }),
      { numRuns: randomRuns(60) },
    );
  });
});
