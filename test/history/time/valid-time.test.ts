import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { fromRecords, type TimePoint } from "../../../src/index.js";
import { burnDown } from "../../../src/plot/index.js";
import { change, feature, uuid, uuidAt } from "../../support/records.js";
import { refusal } from "../../support/refusal.js";

const layerFeatures = [feature(1, { properties: { STATUS: "CLOSED" } })];
const at = (day: number) => Date.UTC(2024, 5, day, 12);
const propertyChanges = [3, 10, 20].map((day, n) =>
  change(n, { id: uuidAt(at(day), n), created_at: new Date(at(day)).toISOString(), new_value: `${n}` }),
);
const source = fromRecords({ layerFeatures, propertyChanges }, { readAt: new Date("2024-07-01T00:00:00Z") });
const history = await source.history({ site_id: 12 }, { timeZone: "Europe/Berlin" });
const status = (point: TimePoint) => history.asOf(point).get("STATUS", 0);

/** A value of another Temporal than the polyfill, with its tag only. */
const foreign = (tag: string, members: object): never => ({ ...members, [Symbol.toStringTag]: tag }) as never;

describe("points of Temporal", () => {
  it("equal their strings, in every question", async () => {
    const day = Temporal.PlainDate.from("2024-06-10");
    const instant = Temporal.Instant.from("2024-06-10T11:59:59.999999Z");
    const zoned = Temporal.ZonedDateTime.from("2024-06-10T14:00[Europe/Berlin]");
    expect([day, instant, zoned].map(status)).toEqual(["1", "0", "1"]);
    expect(history.states(day).objects()).toEqual(history.states("2024-06-10").objects());
    expect(history.knownAt(zoned).length).toBe(2);
    expect(history.knownAt(instant).length).toBe(1);
    expect(history.diff(instant, zoned).objects()).toEqual(
      history.diff("2024-06-10T11:59:59.999999Z", "2024-06-10T12:00:00Z").objects(),
    );
    expect(history.durations("STATUS", { until: day }).objects()).toEqual(
      history.durations("STATUS", { until: "2024-06-10" }).objects(),
    );
    const dates = { from: day, until: Temporal.PlainDate.from("2024-06-24"), every: "week" } as const;
    const texts = { from: "2024-06-10", until: "2024-06-24", every: "week" } as const;
    expect(history.panel(dates).objects()).toEqual(history.panel(texts).objects());
    expect(history.counts("STATUS", [day, zoned]).array("date")).toEqual(["2024-06-10", "2024-06-10T12:00:00Z"]);
    expect(burnDown(history, "STATUS", { done: ["2"], dates }).outerHTML).toBe(
      burnDown(history, "STATUS", { done: ["2"], dates: texts }).outerHTML,
    );
    history.asOf(Temporal.PlainDate.from("2025-01-01"));
    expect(history.diagnostics.at(-1)).toMatchObject({ code: "date-after-read", facts: { asked: "2025-01-01" } });
  });

  it("are recognized by their tag, with any calendar", () => {
    const text = { toString: () => "2024-06-10T12:00:00Z" };
    expect(status(foreign("Temporal.Instant", text))).toBe("1");
    expect(status(foreign("Temporal.ZonedDateTime", { toInstant: () => text }))).toBe("1");
    expect(status(foreign("Temporal.PlainDate", { toString: () => "2024-06-09" }))).toBe("0");
    expect(status(Temporal.PlainDate.from("2024-06-10").withCalendar("gregory"))).toBe("1");
  });

  it("are refused unless they are a point in time", () => {
    const plain = Temporal.PlainDateTime.from("2024-06-10T12:00") as never;
    expect(refusal(() => status(plain))).toContain('Temporal.PlainDateTime "2024-06-10T12:00:00" has no time zone');
    expect(() => history.panel([plain])).toThrow(/has no time zone/);
    expect(() => status(Temporal.PlainYearMonth.from("2024-06") as never)).toThrow(/is not a valid time/);
    expect(() => status(Temporal.Duration.from("P1D") as never)).toThrow(/is not a valid time/);
    expect(() => history.knownAt(plain)).toThrow(/has no time zone/);
    expect(history.knownAt(uuid(9)).length).toBe(0);
  });

  it("agree with Dates at every instant", () => {
    fc.assert(
      fc.property(fc.integer({ min: at(1), max: at(28) }), fc.constantFrom("UTC", "Asia/Tokyo"), (ms, zone) => {
        const instant = Temporal.Instant.fromEpochMilliseconds(ms);
        expect(status(instant)).toBe(status(new Date(ms)));
        expect(status(instant.toZonedDateTimeISO(zone))).toBe(status(new Date(ms)));
      }),
    );
  });
});
