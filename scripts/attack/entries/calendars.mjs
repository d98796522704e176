// Calendars and questions with far dates, many dates and unusual zones.
import fc from "fast-check";
import { hostileText } from "../mutations.mjs";
import { startWorker } from "../worker-target.mjs";

const point = fc.oneof(
  fc.constantFrom(
    ...[
      "2024-01-01T00:00:00Z",
      "9999-12-31T00:00:00Z",
      "+275760-01-01T00:00:00Z",
      "-271820-01-01T00:00:00Z",
      "9999-12-31",
    ],
    ...["0001-01-01", "0000-01-01", "1883-11-18T12:00:00Z", "2024-02-30", "2024-W53", "+275760-09-13T00:00:00Z", ""],
  ),
  fc.date({ noInvalidDate: false }).map((date) => (Number.isNaN(date.getTime()) ? "Invalid Date" : date.toISOString())),
  hostileText,
);
const options = fc.record(
  {
    timeZone: fc.constantFrom("Europe/Berlin", "America/New_York", "Africa/Monrovia", "UTC", "+14:00", "Nowhere"),
    weekend: fc.constantFrom([], [0, 6], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 6], ["friday"], [NaN], [1e9]),
    hours: fc.oneof(
      fc.constantFrom("08:00-17:00", "00:00-24:00", "00:00-00:01", "24:00-00:00", ["08:00-12:00", "13:00-17:00"]),
      hostileText,
    ),
    holidays: fc.oneof(fc.array(point, { maxLength: 4 }), fc.constantFrom("every day", "throws", "endless")),
  },
  { requiredKeys: ["timeZone"] },
);

const corpus = ["9999-12-31T00:00:00Z", "+275760-01-01T00:00:00Z", "-271820-01-01T00:00:00Z"].map((until) => ({
  name: until,
  input: {
    options: { timeZone: "Europe/Berlin" },
    from: "2024-01-01T00:00:00Z",
    until,
    asDate: true,
    grid: { count: 3 },
  },
}));

export async function prepare() {
  return {
    corpus,
    arbitrary: fc.record({
      options,
      from: point,
      until: point,
      asDate: fc.boolean(),
      grid: fc.record({
        count: fc.constantFrom(0, 1, 3, 3000, 100_001),
        every: fc.constantFrom("day", "hour", "week", "month", "second", ""),
      }),
    }),
    // The caller typed all of it.
    typed: (input) => JSON.stringify(input),
    start: () => startWorker("calendars", {}),
  };
}

export async function attack() {
  const { calendar, fromChanges } = await import("../../../dist/index.js");
  const rows = Array.from({ length: 30 }, (_, index) => ({
    id: index % 5,
    key: "status",
    value: ["OPEN", "DONE"][index % 2],
    time: new Date(Date.UTC(2024, 0, 1 + index)),
  }));
  const history = await fromChanges(rows, { id: "id", key: "key", value: "value", time: "time" });
  const holidays = {
    "every day": (year) => [`${year}-01-01`],
    throws: () => null,
    endless: (year) =>
      Array.from({ length: 400 }, (_, day) => new Date(Date.UTC(year, 0, day)).toISOString().slice(0, 10)),
  };
  return async ({ options, from, until, asDate, grid }, { attempt }) => {
    const own = await attempt(() =>
      calendar({
        ...options,
        ...(typeof options.holidays === "string" ? { holidays: holidays[options.holidays] } : {}),
      }),
    );
    const end = asDate ? new Date(until) : until;
    if (own) {
      await attempt(() => own.daysBetween(from, end));
      await attempt(() => own.hoursBetween?.(from, end));
    }
    const working = own ?? options;
    await attempt(() => history.durations("status", { calendar: working, until: end }));
    await attempt(() => history.asOf(end));
    await attempt(() => history.diff(from, end));
    const dates = Array.from({ length: grid.count }, (_, index) =>
      new Date(Date.UTC(2024, 0, 1 + index)).toISOString(),
    );
    await attempt(() =>
      history.aging("status", { open: ["OPEN"], buckets: dates.map((_, index) => index + 1), dates }),
    );
    await attempt(() => history.counts("status", { from, until: end, every: grid.every }));
    await attempt(() => history.flow?.("status", { calendar: working, dates: [from, end] }));
  };
}
