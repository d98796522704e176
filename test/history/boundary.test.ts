import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatInstant } from "../../src/core/instant.js";
import { canonicalJson } from "../../src/core/json.js";
import type { History } from "../../src/history/history.js";
import { randomRuns } from "../support/random-runs.js";
import { change, feature } from "../support/records.js";
import { times, historyOf as worldHistory, worlds } from "./random-world.js";
import { historyOf, rowsOf } from "./small-history.js";

const text = canonicalJson;
const last = "9999-12-30";

/** What each feature says at a time, by `asOf`. */
function said(history: History, column: string, time: Date | string): ReadonlyMap<unknown, string> {
  const states = rowsOf(history.states(time)).filter((row) => row["column"] === column);
  const values = new Map(rowsOf(history.asOf(time)).map((row) => [row["id"], row[column] ?? null]));
  return new Map(states.map(({ id, state }) => [id, text([state, values.get(id)])]));
}

function tally(texts: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of texts) counts.set(one, (counts.get(one) ?? 0) + 1);
  return new Map([...counts].sort());
}

/** The instants at which something happens, and those beside them. */
function edges(history: History): readonly string[] {
  const us = rowsOf(history.changes()).map((row) => Number(row["created_at_us"]));
  return [...new Set(us.flatMap((at) => [at - 1, at, at + 1]))].map((at) => formatInstant(at));
}

describe("what is asked until a time", () => {
  it("sees there what asOf sees", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.array(times, { maxLength: 2 }), async (world, some) => {
        const history = await worldHistory(world);
        for (const column of ["STATUS", "Risk"]) {
          for (const time of [...edges(history), ...some]) {
            const now = said(history, column, time);
            const counts = rowsOf(history.counts(column, [time]));
            expect(
              tally(counts.flatMap(({ state, value, count }) => Array(Number(count)).fill(text([state, value])))),
            ).toEqual(tally(now.values()));
            const stays = rowsOf(history.durations(column, { until: time }));
            for (const [id, state] of now) {
              const own = stays.filter((row) => row["id"] === id).map((row) => text([row["state"], row["value"]]));
              expect(own, `${String(time)} ${String(id)}`).toContain(state);
            }
            expect(new Set(stays.map(({ id }) => id))).toEqual(new Set(now.keys()));
          }
        }
      }),
      { numRuns: randomRuns(60) },
    );
  });

  it("counts for forecasts and plans what is done by asOf", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const history = await worldHistory(world);
        const values = new Set(
          rowsOf(history.changes())
            .filter((row) => row["column"] === "STATUS")
            .map((row) => row["value"]),
        );
        const done = [...values].find((value) => typeof value === "string");
        if (done === undefined) return;
        for (const until of edges(history)) {
          const now = [...rowsOf(history.asOf(until))];
          const count = now.filter((row) => row["STATUS"] === done).length;
          const forecast = history.forecast("STATUS", { done, until, trials: 100, backtests: 0 });
          expect([forecast.done, forecast.total], until).toEqual([count, now.length]);
          const plan = history.againstPlan("STATUS", { done, until, plan: "ASSIGNEE" });
          expect([plan.get("done", 0), plan.get("total", 0)], until).toEqual([count, now.length]);
        }
      }),
      { numRuns: randomRuns(60) },
    );
  });

  it("has reached for survival what asOf shows as reached", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 0, max: 22 }),
        async (days, end) => {
          const day = (count: number) => new Date(Date.UTC(2024, 0, 1 + count)).toISOString();
          const features = days.map((_, place) => feature(place + 1));
          const changes = days.flatMap((count, place) => [
            change(2 * place + 1, { layer_feature_id: place + 1, created_at: day(0), new_value: "OPEN" }),
            change(2 * place + 2, { layer_feature_id: place + 1, created_at: day(count), new_value: "CLOSED" }),
          ]);
          const history = await historyOf(features, changes);
          for (const until of [day(end), formatInstant(Date.parse(day(end)) * 1000 - 1), day(end).slice(0, 10)]) {
            const closed = rowsOf(history.asOf(until)).filter((row) => row["STATUS"] === "CLOSED").length;
            const open = rowsOf(history.asOf(until)).filter((row) => row["STATUS"] === "OPEN").length;
            const { medians } = history.survival("STATUS", { from: "OPEN", to: "CLOSED", until });
            const counted = medians.numRows() === 0 ? { events: 0, censored: 0 } : medians.object(0);
            expect(counted, until).toMatchObject({ events: closed, censored: open });
          }
        },
      ),
      { numRuns: randomRuns(60) },
    );
  });

  it("counts what is reached at the very end", async () => {
    const history = await historyOf(
      [feature(1)],
      [
        change(1, { created_at: "2024-01-01T00:00:00Z", new_value: "OPEN" }),
        change(2, { created_at: "2024-01-11T00:00:00Z", new_value: "CLOSED" }),
      ],
    );
    const until = (end: string) =>
      history.survival("STATUS", { from: "OPEN", to: "CLOSED", until: end }).medians.object(0);
    expect(until("2024-01-11T00:00:00Z")).toMatchObject({ events: 1, median_days: 10 });
    expect(until("2024-01-10T23:59:59.999999Z")).toMatchObject({ events: 0, median_days: null });
    // The day before ends with the midnight at which it was closed, and does not include it.
    expect(until("2024-01-10")).toMatchObject({ events: 0, median_days: null });
    expect(until("2024-01-11")).toMatchObject({ events: 1, median_days: 10 });
    // What begins at the very end is there, and has lasted for no time.
    expect(until("2024-01-01T00:00:00Z")).toMatchObject({ spells: 1, events: 0, censored: 1 });
  });

  it("groups what is cut at a day by what held on that day", async () => {
    const history = await historyOf(
      [feature(1), feature(2, { created_at: "2024-06-01T00:00:00Z", properties: { STATUS: "CLOSED" } })],
      [
        change(1, { created_at: "2024-01-01T00:00:00Z", new_value: "OPEN" }),
        change(2, { created_at: "2024-01-02T00:00:00Z", new_value: "a", property_key: "TEAM" }),
        change(3, { created_at: "2024-01-11T00:00:00Z", new_value: "b", property_key: "TEAM" }),
      ],
    );
    const groups = (until: string) =>
      history
        .survival("STATUS", { from: "OPEN", to: "CLOSED", by: "TEAM", groupAt: "end", until })
        .medians.array("TEAM");
    expect(groups("2024-01-10")).toEqual(["a"]);
    expect(groups("2024-01-11T00:00:00Z")).toEqual(["b"]);
  });
});

describe("what was known at a point", () => {
  const ids = (ms: number, n: number) => {
    const hex = ms.toString(16).padStart(12, "0");
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
  };
  const weeks = Array.from({ length: 40 }, (_, week) => Date.UTC(2024, 0, 1) + week * 7 * 86_400_000);
  const changes = weeks.map((ms, n) =>
    change(n, {
      id: ids(ms, n),
      layer_feature_id: n + 1,
      created_at: new Date(ms).toISOString(),
      new_value: n === 5 ? null : "CLOSED",
    }),
  );
  const world = () =>
    historyOf(
      weeks.map((_, n) => feature(n + 1, { created_at: "2024-01-01T00:00:00Z" })),
      changes,
    );

  it("ends there where no other end is given", async () => {
    const history = await world();
    const known = history.knownAt("2024-06-30");
    expect([history.until, known.until]).toEqual([history.readAt, "2024-06-30"]);
    expect(known.readAt).toEqual(history.readAt);
    const [given, byDefault] = [{ until: "2024-06-30" }, {}].map((end) =>
      known.forecast("STATUS", { done: "CLOSED", trials: 200, ...end }),
    );
    expect(byDefault?.numRows()).toBe(3);
    expect(byDefault?.objects()).toEqual(given?.objects());
    expect(byDefault?.get("date", 0)).toBeInstanceOf(Date);
    const plan = { done: "CLOSED", plan: "STATUS" };
    expect(known.againstPlan("STATUS", plan).get("date", 0)).toEqual(new Date("2024-07-01T00:00:00Z"));
    expect(rowsOf(known.durations("STATUS"))).toEqual(rowsOf(known.durations("STATUS", { until: "2024-06-30" })));
    const spells = { from: "CLOSED", to: null };
    expect(rowsOf(known.survival("STATUS", spells))).toEqual(
      rowsOf(known.survival("STATUS", { ...spells, until: "2024-06-30" })),
    );
  });

  it("is that of the earliest of several points, and of the reading if that is earlier", async () => {
    const history = await world();
    expect(history.knownAt("2024-06-30").knownAt("2024-08-01").until).toBe("2024-06-30");
    expect(history.knownAt("2024-08-01").knownAt("2024-06-30").until).toBe("2024-06-30");
    expect(history.knownAt("2030-01-01").until).toEqual(history.readAt);
    expect(history.knownAt(last).findings.map(({ code }) => code)).toContain("beyond-reading");
  });

  it("is of an id the time that it tells, if it is a UUIDv7", async () => {
    const history = await world();
    expect(history.knownAt(changes[3]?.id ?? "").until).toBe("2024-01-22T00:00:00.000999Z");
    const timeless = await historyOf([feature(1)], [change(1, { id: "11111111-1111-4111-8111-111111111111" })]);
    expect(timeless.knownAt("11111111-1111-4111-8111-111111111111").until).toEqual(timeless.readAt);
  });
});
