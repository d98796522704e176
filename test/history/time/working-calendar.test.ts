import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { LocalClock } from "../../../src/core/local-clock.js";
import { elapsedIn } from "../../../src/history/time/time-unit.js";
import { type CalendarOptions, calendar } from "../../../src/history/time/working-calendar.js";
import { randomRuns, seed } from "../../support/random-runs.js";
import { refusal } from "../../support/refusal.js";

const MINUTE = 60_000;

/** Local times minute by minute, by Temporal. */
interface Walk {
  readonly timeZone: string;
  readonly startMs: number;
  readonly dates: readonly string[];
  readonly minutes: readonly number[];
}

function walk(timeZone: string, start: string, days: number): Walk {
  const startMs = Date.parse(start);
  const times = Array.from({ length: days * 24 * 60 }, (_, minute) =>
    Temporal.Instant.fromEpochMilliseconds(startMs + minute * MINUTE).toZonedDateTimeISO(timeZone),
  );
  const dates = times.map((time) => time.toPlainDate().toString());
  return { timeZone, startMs, dates, minutes: times.map(({ hour, minute }) => hour * 60 + minute) };
}

type Windows = readonly (readonly [number, number])[];

/** A calendar in minutes. */
interface Drawn {
  readonly weekend: readonly number[];
  readonly hours: Windows;
  readonly holidays: readonly { readonly date: string; readonly hours: Windows | undefined }[];
}

/** Counts minutes one by one. */
function naive({ dates, minutes }: Walk, { weekend, hours, holidays }: Drawn, from: number, to: number) {
  const isIn = (windows: Windows, minute: number) => windows.some(([start, end]) => start <= minute && minute < end);
  const isFree = (date: string) => weekend.includes(new Date(`${date}T00:00Z`).getUTCDay());
  const whole = new Map<string, number>();
  const special = new Map<string, number>();
  const worked = new Map<string, number>();
  dates.forEach((date, place) => {
    if (isFree(date)) return;
    const minute = minutes[place] as number;
    const holiday = holidays.find((one) => one.date === date);
    const isWorked = isIn(holiday ? (holiday.hours ?? []) : hours, minute);
    if (isIn(hours, minute)) whole.set(date, (whole.get(date) ?? 0) + 1);
    if (isWorked) special.set(date, (special.get(date) ?? 0) + 1);
    if (isWorked && place >= from && place < to) worked.set(date, (worked.get(date) ?? 0) + 1);
  });
  let [total, days] = [0, 0];
  for (const [date, count] of worked) {
    total += count;
    days += count / (whole.get(date) ?? (special.get(date) as number));
  }
  return { hours: total / 60, days };
}

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
const written = (windows: Windows) => windows.map(([start, end]) => `${clock(start)}-${clock(end)}`);

const windows: fc.Arbitrary<Windows> = fc
  .uniqueArray(fc.oneof(fc.integer({ min: 0, max: 1440 }), fc.constantFrom(0, 60, 120, 150, 180, 480, 1020, 1440)), {
    minLength: 2,
    maxLength: 6,
  })
  .map((ends) => {
    const sorted = [...ends].sort((a, b) => a - b);
    const found: [number, number][] = [];
    for (let place = 0; place + 1 < sorted.length; place += 2)
      found.push([sorted[place] as number, sorted[place + 1] as number]);
    return found;
  });

const walks = [
  walk("Europe/Berlin", "2025-03-20T00:00Z", 22),
  walk("Europe/Berlin", "2024-10-15T00:00Z", 22),
  walk("America/Santiago", "2024-09-01T00:00Z", 16),
  walk("America/Santiago", "2024-03-30T00:00Z", 16),
  walk("Australia/Lord_Howe", "2024-10-01T00:00Z", 14),
  walk("Australia/Lord_Howe", "2025-03-31T00:00Z", 14),
  walk("America/St_Johns", "2010-11-01T00:00Z", 14),
  walk("Pacific/Apia", "2011-12-24T00:00Z", 14),
];

const drawn = fc.constantFrom(...walks).chain((own) =>
  fc.record({
    own: fc.constant(own),
    weekend: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 4 }),
    hours: fc.oneof(windows, fc.constant<Windows>([[0, 1440]]), fc.constant<Windows>([[480, 1020]])),
    holidays: fc.uniqueArray(
      fc.record({ date: fc.constantFrom(...new Set(own.dates)), hours: fc.option(windows, { nil: undefined }) }),
      { maxLength: 4, selector: ({ date }) => date },
    ),
    ends: fc.array(fc.tuple(inside(own), inside(own)), { minLength: 5, maxLength: 5 }),
  }),
);

/** Far enough from the ends that their days are walked whole. */
function inside({ dates }: Walk): fc.Arbitrary<number> {
  return fc.integer({ min: 2 * 1440, max: dates.length - 2 * 1440 });
}

const berlin = { timeZone: "Europe/Berlin", hours: "08:00-17:00", holidays: ["2025-12-25", "2025-12-26"] } as const;

describe("a working calendar", () => {
  it("agrees with a walk by minutes, for any zone, hours and holidays", () => {
    fc.assert(
      fc.property(drawn, ({ own, weekend, hours, holidays, ends }) => {
        const made = calendar({
          timeZone: own.timeZone,
          weekend,
          hours: written(hours),
          holidays: holidays.map((one) => (one.hours ? { date: one.date, hours: written(one.hours) } : one.date)),
        });
        const instant = (minute: number) => new Date(own.startMs + minute * MINUTE);
        for (const [a, b] of ends) {
          const [from, to] = [Math.min(a, b), Math.max(a, b)];
          const expected = naive(own, { weekend, hours, holidays }, from, to);
          expect(made.hoursBetween(instant(from), instant(to))).toBeCloseTo(expected.hours, 9);
          expect(made.daysBetween(instant(from), instant(to))).toBeCloseTo(expected.days, 7);
          expect(made.daysBetween(instant(to), instant(from))).toBe(-made.daysBetween(instant(from), instant(to)) + 0);
          const isWorking = naive(own, { weekend, hours, holidays }, from, from + 1).hours > 0;
          expect(made.isWorking(instant(from))).toBe(isWorking);
          const next = (Number(made.nextWorking(instant(from))) - own.startMs) / MINUTE;
          expect(naive(own, { weekend, hours, holidays }, from, next).hours).toBe(0);
          if (next < own.dates.length - 1440)
            expect(naive(own, { weekend, hours, holidays }, next, next + 1).hours).toBeGreaterThan(0);
        }
      }),
      { numRuns: randomRuns(200, 8), seed },
    );
  });

  it("returns whole numbers for whole days, and inverts additions", () => {
    const made = calendar({ timeZone: "America/Los_Angeles", hours: ["08:00-12:00", "13:00-17:30"] });
    expect(made.daysBetween("2000-01-03T08:00:00Z", "2020-01-06T08:00:00Z")).toBe(5 * 1044);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.integer({ min: -90_000, max: 90_000 }),
        (start, minutes) => {
          const from = new Date(start * MINUTE * 3);
          const later = made.addHours(from, minutes / 60);
          expect(made.hoursBetween(from, later)).toBeCloseTo(minutes / 60, 4);
          expect(made.daysBetween(from, made.addDays(from, minutes / 60))).toBeCloseTo(minutes / 60, 6);
        },
      ),
      { numRuns: 50, seed: 2 },
    );
  });

  it("counts a half day as half of its weekday's hours, and ignores holidays on weekends", () => {
    const made = calendar({
      timeZone: "Europe/Berlin",
      hours: "08:00-16:00",
      // 27 and 28 December 2025 are a weekend.
      holidays: [
        { date: "2025-12-24", hours: "08:00-12:00" },
        "2025-12-25",
        { date: "2025-12-27", hours: "08:00-12:00" },
        "2025-12-28",
      ],
    });
    const [from, to] = ["2025-12-22T00:00:00+01:00", "2025-12-29T00:00:00+01:00"];
    expect(made.daysBetween(from, to)).toBe(3.5);
    expect(made.hoursBetween(from, to)).toBe(28);
    expect(made.daysPerWeek).toBe(5);
  });

  it("adds and subtracts from times outside of working hours", () => {
    const made = calendar(berlin);
    expect(made.hoursBetween("2025-12-22T10:00:00+01:00", "2025-12-22T09:00:00+01:00")).toBe(-1);
    expect(["08:00", "17:00"].map((time) => made.isWorking(`2025-12-22T${time}:00+01:00`))).toEqual([true, false]);
    expect(made.nextWorking("2025-12-24T17:00:00+01:00")).toEqual(new Date("2025-12-29T08:00:00+01:00"));
    expect(made.nextWorking("2025-12-29T09:30:00+01:00")).toEqual(new Date("2025-12-29T09:30:00+01:00"));
    expect(made.addDays("2025-12-23T17:00:00+01:00", 1)).toEqual(new Date("2025-12-24T17:00:00+01:00"));
    expect(made.addDays("2025-12-29T08:00:00+01:00", -1)).toEqual(new Date("2025-12-24T08:00:00+01:00"));
    expect(made.addHours("2025-12-24T12:00:00+01:00", 6)).toEqual(new Date("2025-12-29T09:00:00+01:00"));
    expect(made.addHours("2025-12-20T12:00:00+01:00", 0)).toEqual(new Date("2025-12-20T12:00:00+01:00"));
  });

  it("keeps working hours across clock changes at night, and counts elapsed time across changes in working hours", () => {
    const day = calendar({ timeZone: "Europe/Berlin", weekend: [], hours: "08:00-17:00" });
    expect(day.hoursBetween("2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z")).toBe(9);
    const whole = calendar({ timeZone: "Europe/Berlin", weekend: [] });
    expect(whole.hoursBetween("2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z")).toBe(23);
    expect(whole.daysBetween("2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z")).toBe(1);
    expect(whole.hoursBetween("2025-10-25T22:00:00Z", "2025-10-26T23:00:00Z")).toBe(25);
    const night = calendar({ timeZone: "Europe/Berlin", weekend: [], hours: "02:30-03:00" });
    expect(night.hoursBetween("2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z")).toBe(0);
    expect(night.hoursBetween("2025-10-25T22:00:00Z", "2025-10-26T23:00:00Z")).toBe(1);
  });

  it("accepts hours by weekday and holidays by year", () => {
    const made = calendar({
      timeZone: "UTC",
      hours: { monday: "08:00-16:00", friday: ["08:00-10:00", "10:00-12:00"] },
      holidays: { 2024: ["2024-12-23"], 2025: ["2025-01-03"] },
    });
    expect(made.daysPerWeek).toBe(2);
    expect(made.hoursBetween("2025-01-06T00:00:00Z", "2025-01-13T00:00:00Z")).toBe(12);
    expect(made.daysBetween("2024-12-23T00:00:00Z", "2025-01-06T00:00:00Z")).toBe(2);
    const years: number[] = [];
    const yearly = calendar({
      timeZone: "UTC",
      holidays: (year) => {
        years.push(year);
        return [`${year}-05-01`];
      },
    });
    expect(yearly.daysBetween("2025-04-28T00:00:00Z", "2025-05-05T00:00:00Z")).toBe(4);
    expect(years).toEqual([...new Set(years)]);
  });

  it.each<[object, string, string?]>([
    [{}, "calendar(): `timeZone` is missing."],
    [{ timeZone: "Europe/Berlni" }, "unknown time zone", 'Did you mean "Europe/Berlin"?'],
    [{ weekends: [] }, 'no option "weekends"', "Did you mean weekend?"],
    [{ weekend: ["saturdy"] }, 'unknown day of the week "saturdy"', 'Did you mean "saturday"?'],
    [{ weekend: [7] }, "unknown day of the week 7"],
    [{ weekend: [0, 1, 2, 3, 4, 5, 6] }, "`weekend` contains all days of the week"],
    [{ hours: "17:00-08:00" }, "end before they start", "22:00-24:00"],
    [{ hours: "8 to 5" }, 'invalid hours "8 to 5"'],
    [{ hours: "08:00-24:30" }, 'invalid hours "08:00-24:30"'],
    [{ hours: [] }, "hours is empty"],
    [{ hours: ["08:00-12:00", "11:00-17:00"] }, "hours overlap"],
    [{ hours: { mondy: "08:00-12:00" } }, 'unknown day of the week "mondy"', '"monday"'],
    [{ weekend: ["sunday"], hours: { sunday: "08:00-12:00" } }, "sunday is in both `hours` and `weekend`"],
    [{ weekend: ["sunday"], hours: { monday: "08:00-12:00" } }, "tuesday is missing from `hours`"],
    [{ holidays: ["2025-02-30"] }, 'invalid date "2025-02-30" in holidays: the last day of that month is 2025-02-28.'],
    [{ holidays: [{ date: "2025-02-03", hours: "9-5" }] }, "hours of 2025-02-03"],
    [{ holidays: { 2025: ["2024-12-25"] } }, "is in the holidays of 2025"],
    [{ holidays: { next: [] } }, 'invalid year "next" in holidays'],
    [{ holidays: ["2025-02-03", { date: "2025-02-03", hours: "09:00-10:00" }] }, "twice"],
  ])("refuses %j", (options, message, hint = "") => {
    const zone = Object.keys(options).length === 0 ? {} : { timeZone: "UTC" };
    const text = refusal(() => calendar({ ...zone, ...options } as CalendarOptions));
    expect(text).toContain(message);
    expect(text).toContain(hint);
  });

  it("refuses invalid times", () => {
    const made = calendar(berlin);
    expect(() => made.isWorking("2025-01-01")).toThrow("Invalid instant");
    expect(() => made.addDays(new Date(0), Number.NaN)).toThrow("Invalid number of days");
    const never = calendar({ timeZone: "UTC", holidays: (year) => daysOf(year) });
    expect(() => never.nextWorking(new Date(0))).toThrow("does not have that much working time");
  });

  it.each([
    ["9999-12-31T00:00:00Z", "from 2024-01-01 to 9999-12-31"],
    ["+275760-01-01T00:00:00Z", "from 2024-01-01 to +275760-01-01"],
    ["-271820-01-01T00:00:00Z", "from -271820-01-01 to 2024-01-01"],
    ["0001-01-01T00:00:00Z", "from 0001-01-01 to 2024-01-01"],
  ])("counts at most 400 years, not until %s", (far, range) => {
    const own = calendar({ timeZone: "Europe/Berlin" });
    const message = `Working time ${range} is more than 400 years.`;
    expect(() => own.daysBetween("2024-01-01T00:00:00Z", new Date(far))).toThrow(expect.objectContaining({ message }));
  });

  it("counts 400 years from any year", () => {
    const own = calendar({ timeZone: "UTC", weekend: [] });
    for (const year of [2000, 2300, 1600, 2000]) {
      const [from, to] = [new Date(Date.UTC(year, 0, 1)), new Date(Date.UTC(year + 400, 0, 1))];
      expect(own.daysBetween(from, to)).toBe(146_097);
    }
  });

  it("has lengths in a unit, as functions of microseconds", () => {
    const made = calendar(berlin);
    const [from, to] = [Date.parse("2025-12-22T07:00Z") * 1000, Date.parse("2025-12-23T07:00Z") * 1000];
    expect(elapsedIn("days", made)(from, to)).toBe(1);
    expect(elapsedIn("hours", made)(from, to)).toBe(9);
    expect(elapsedIn("days")(from, to)).toBe(1);
    expect(elapsedIn("hours")(from, to)).toBe(24);
    expect(elapsedIn("days", made)(Number.NEGATIVE_INFINITY, to)).toBe(Number.POSITIVE_INFINITY);
  });
});

function daysOf(year: number): string[] {
  const days = (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / 86_400_000;
  return Array.from({ length: days }, (_, day) => new Date(Date.UTC(year, 0, 1 + day)).toISOString().slice(0, 10));
}

describe("a local clock", () => {
  it("changes when the clocks of Temporal change", () => {
    for (const timeZone of [
      "Europe/Berlin",
      "America/Santiago",
      "Australia/Lord_Howe",
      "America/Boa_Vista",
      "+05:30",
      "UTC",
    ]) {
      for (const year of [1800, 1900, 1943, 2000, 2025, 2150]) {
        const ms = Date.UTC(year, 5, 1);
        const time = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
        const [before, after] = [
          time.add({ milliseconds: 1 }).getTimeZoneTransition("previous"),
          time.getTimeZoneTransition("next"),
        ];
        expect(new LocalClock(timeZone).offsetsBetween(ms * 1000, ms * 1000), `${timeZone} ${year}`).toEqual([
          {
            fromUs: before ? before.epochMilliseconds * 1000 : Number.NEGATIVE_INFINITY,
            toUs: after ? after.epochMilliseconds * 1000 : Number.POSITIVE_INFINITY,
            offsetUs: time.offsetNanoseconds / 1000,
          },
        ]);
      }
    }
  });
});
