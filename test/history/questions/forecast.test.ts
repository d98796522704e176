import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PropertyChange } from "../../../src/api/resources.js";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { History } from "../../../src/history/history.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, feature } from "../../support/records.js";
import { historyOf, rowsOf } from "../small-history.js";

const DAY = 86_400_000;
const READ_AT = Date.UTC(2025, 0, 1);

/** An id of a change that came in at a time. */
function idAt(ms: number, n: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

function edit(n: number, layer_feature_id: number, ms: number, new_value: string, cameInMs = ms): PropertyChange {
  return change(n, { id: idAt(cameInMs, n), layer_feature_id, created_at: new Date(ms).toISOString(), new_value });
}

/** As many tickets as are said, opened 20 weeks before the log was read; each week of the list closes so many. */
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
  it("of an even pace is that pace, in every trial, and was kept in the past", async () => {
    const history = await tickets(50, steady);
    const forecast = history.forecast("STATUS", done);
    const date = new Date(READ_AT + 5 * 7 * DAY);
    const row = { date, weeks: 5, backtests: 9, kept: 9, coverage: 1 };
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
    expect(forecast.findings).toEqual([]);
    for (const table of [forecast, forecast.fan, forecast.backtest]) {
      expect(provenanceOf(table)).toEqual(history.provenance);
    }
  });

  it("is the same for one seed, and another for another", async () => {
    const asked = async (options: object) => {
      const history = await tickets(90, [1, 5, 0, 3, 2, 2, 4, 0, 1, 6, 2, 1]);
      return rowsOf(history.forecast("STATUS", { ...done, trials: 1000, ...options }).fan);
    };
    expect(await asked({ seed: 7 })).toEqual(await asked({ seed: 7 }));
    expect(await asked({ seed: 7 })).not.toEqual(await asked({ seed: 8 }));
    expect(await asked({})).toEqual(await asked({ seed: 1 }));
  });

  it("is of what is asked, whatever the same history was asked before", async () => {
    const closed = [1, 5, 0, 3, 2, 2, 4, 0, 1, 6, 2, 1, 3, 0, 2, 4];
    const shown = (history: History, options: object) => {
      const forecast = history.forecast("STATUS", { ...done, trials: 1000, ...options });
      return [rowsOf(forecast), rowsOf(forecast.fan), rowsOf(forecast.backtest), forecast.findings];
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
    for (const other of options) {
      const first = shown(await tickets(90, closed), other);
      expect(first).not.toEqual(usual);
      expect(shown(one, other)).toEqual(first);
      expect(shown(one, {})).toEqual(usual);
    }
  });

  it("draws weeks as chance does: the waiting times of a coin", async () => {
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

  it("is none where there are fewer than eight weeks, or nothing is left, or nothing goes on", async () => {
    const short = (await tickets(20, [1, 1, 1, 1, 1, 1, 1])).forecast("STATUS", done);
    expect([short.numRows(), short.fan.numRows()]).toEqual([0, 0]);
    expect(short.findings).toMatchObject([{ code: "short-log", count: 7 }]);
    const over = (await tickets(20, steady)).forecast("STATUS", { ...done, total: 20 });
    expect(rowsOf(over)[0]).toMatchObject({ weeks: 0, date: new Date(READ_AT) });
    expect(over.findings).toMatchObject([{ code: "already-done" }]);
    const idle = (await tickets(20, [3, 0, 0, 0, 0, 0, 0, 0, 0, 0])).forecast("STATUS", { ...done, weeks: 8 });
    expect(rowsOf(idle)[0]).toMatchObject({ date: null, weeks: null });
    expect(idle.findings.map(({ code }) => code)).toContain("no-end");
  });

  it("takes what is opened again off a week, and begins where it is told", async () => {
    const back = [edit(9000, 1, READ_AT - 3 * DAY, "OPEN"), edit(9001, 2, READ_AT - 3 * DAY, "OPEN")];
    const history = await tickets(50, steady, back);
    expect(history.forecast("STATUS", done).done).toBe(38);
    const before = history.forecast("STATUS", { ...done, until: new Date(READ_AT - 7 * DAY) });
    expect(rowsOf(before)[0]).toMatchObject({ weeks: 6, date: new Date(READ_AT + 5 * 7 * DAY) });
  });

  it("says that features were added while it was learning", async () => {
    const added = Array.from({ length: 3 }, (_, n) => feature(900 + n, { created_at: "2024-12-20T00:00:00Z" }));
    const opened = [1, 2, 3, 4].map((id) => edit(id, id, READ_AT - 100 * DAY, "OPEN"));
    const closed = [1, 2].map((id) => edit(10 + id, id, READ_AT - 30 * id * DAY, "CLOSED"));
    const first = [1, 2, 3, 4].map((id) => feature(id));
    const history = await historyOf([...first, ...added], [...opened, ...closed]);
    expect(history.forecast("STATUS", done).findings).toContainEqual(
      expect.objectContaining({ code: "growing-total", count: 3 }),
    );
    const given = history.forecast("STATUS", { ...done, total: 7 });
    expect(given.findings.map(({ code }) => code)).not.toContain("growing-total");
  });

  it("says where forecasts of the past were too early", async () => {
    const slowing = [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    const { findings } = (await tickets(150, slowing)).forecast("STATUS", done);
    expect(findings.map(({ code }) => code)).toContain("forecast-too-early");
  });

  it("knows nothing of what came in later", async () => {
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
    const told = (row: Readonly<Record<string, unknown>>) => [row["p50"], row["p80"], row["p95"]];
    const [a, b] = [past(without), past(withLate)];
    const common = b.flatMap((row) => {
      const same = a.find(
        ({ known_at, date }) => String(known_at) === String(row["known_at"]) && String(date) === String(row["date"]),
      );
      return same ? [[told(row), told(same)]] : [];
    });
    expect(common.length).toBeGreaterThan(0);
    for (const [seen, expected] of common) expect(seen).toEqual(expected);
  });

  it("says so where ids do not tell when changes came in", async () => {
    const history = await tickets(50, steady, [
      change(9999, {
        id: "123e4567-e89b-42d3-a456-426614174000",
        layer_feature_id: 1,
        created_at: "2024-12-30T00:00:00Z",
      }),
    ]);
    expect(history.forecast("STATUS", done).findings.map(({ code }) => code)).toContain("insertion-unknown");
  });

  it.each([
    [{ done: "CLOSSED" }, 'done: no feature ever had "CLOSSED" in "STATUS".'],
    [undefined, "done names no value."],
    [{ done: "CLOSED", trails: 10 }, "Did you mean trials?"],
    [{ done: "CLOSED", weeks: 4 }, "weeks takes an integer from 8"],
    [{ done: "CLOSED", total: 0 }, "total takes an integer from 1"],
  ])("refuses %j", async (options, said) => {
    const history = await tickets(10, steady.slice(0, 4));
    let error: unknown;
    try {
      Reflect.apply(history.forecast, history, ["STATUS", options]);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "ERR_ARGUMENT" });
    expect(String(error)).toContain(said);
  });
});

describe("random logs", () => {
  const weeks = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 8, maxLength: 30 });

  it("are forecast within what a week can bring, and compared with what the counts say", async () => {
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
