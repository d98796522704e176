import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatInstant } from "../../src/core/format/format-date.js";
import type { History } from "../../src/history/history.js";
import { randomRuns } from "../support/random-runs.js";
import { change, feature, uuidAt } from "../support/records.js";
import { historyOf as worldHistory, worlds } from "./random-world.js";
import { historyOf, rowsOf } from "./small-history.js";

const last = "9999-12-30";

/** The instants of changes, and their neighbors. */
function edges(history: History): readonly string[] {
  const us = rowsOf(history.changes()).map((row) => Number(row["created_at_us"]));
  return [...new Set(us.flatMap((at) => [at - 1, at, at + 1]))].map((at) => formatInstant(at));
}

describe("a question until a time", () => {
  it("counts features that are done in asOf, for forecasts and plans", async () => {
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
          const plan = history.planVariance("STATUS", { done, until, plan: "ASSIGNEE" });
          expect([plan.get("done", 0), plan.get("total", 0)], until).toEqual([count, now.length]);
        }
      }),
      { numRuns: randomRuns(60) },
    );
  });

  it("counts events and open spells as asOf shows them, for survival", async () => {
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
            const { medians } = history.survival("STATUS", { start: "OPEN", done: "CLOSED", until });
            const counted = medians.numRows() === 0 ? { events: 0, censored: 0 } : medians.object(0);
            expect(counted, until).toMatchObject({ events: closed, censored: open });
          }
        },
      ),
      { numRuns: randomRuns(60) },
    );
  });

  it("groups spells that end at a day by the value on that day", async () => {
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
        .survival("STATUS", { start: "OPEN", done: "CLOSED", by: "TEAM", groupAt: "end", until })
        .medians.array("TEAM");
    expect(groups("2024-01-10")).toEqual(["a"]);
    expect(groups("2024-01-11T00:00:00Z")).toEqual(["b"]);
  });
});

describe("knownAt()", () => {
  const weeks = Array.from({ length: 40 }, (_, week) => Date.UTC(2024, 0, 1) + week * 7 * 86_400_000);
  const changes = weeks.map((ms, n) =>
    change(n, {
      id: uuidAt(ms, n),
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

  it("ends questions at its point by default", async () => {
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
    expect(known.planVariance("STATUS", plan).get("date", 0)).toEqual(new Date("2024-07-01T00:00:00Z"));
    expect(rowsOf(known.durations("STATUS"))).toEqual(rowsOf(known.durations("STATUS", { until: "2024-06-30" })));
    const spells = { start: "CLOSED", done: null };
    expect(rowsOf(known.survival("STATUS", spells))).toEqual(
      rowsOf(known.survival("STATUS", { ...spells, until: "2024-06-30" })),
    );
  });

  it("ends at the earliest of several points and the reading", async () => {
    const history = await world();
    expect(history.knownAt("2024-06-30").knownAt("2024-08-01").until).toBe("2024-06-30");
    expect(history.knownAt("2024-08-01").knownAt("2024-06-30").until).toBe("2024-06-30");
    expect(history.knownAt("2030-01-01").until).toEqual(history.readAt);
    expect(history.knownAt(last).diagnostics.map(({ code }) => code)).toContain("date-after-read");
  });

  it("ends at the time of a UUIDv7", async () => {
    const history = await world();
    expect(history.knownAt(changes[3]?.id ?? "").until).toBe("2024-01-22T00:00:00.000999Z");
    const timeless = await historyOf([feature(1)], [change(1, { id: "11111111-1111-4111-8111-111111111111" })]);
    expect(timeless.knownAt("11111111-1111-4111-8111-111111111111").until).toEqual(timeless.readAt);
  });
});
